/** Adds the URL to which the learner returns when the course exits. */
export function withReturn(launchUrl: string | null, returnUrl: string | URL): string {
  if (launchUrl === null)
    throw new TypeError(
      'LaunchURL is null: the key lacks the scope enrolments:launch. Use a key that has it.',
    );
  const { href, protocol } = new URL(returnUrl);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('The return URL must be an absolute http or https URL.');
  return `${launchUrl}&returnURL=${encodeURIComponent(href)}`;
}

export const launchUrl = { withReturn };
