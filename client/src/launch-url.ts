/** A LaunchURL with the address to which the learner returns when the course exits, percent-encoded. */
export function withReturn(launchUrl: string, returnUrl: string | URL): string {
  const { href, protocol } = new URL(returnUrl);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('The return address must be an absolute http or https address.');
  return `${launchUrl}&returnURL=${encodeURIComponent(href)}`;
}

export const launchUrl = { withReturn };
