import { hasEndlessMarks } from '../../platform/unicode.ts';

/** As long as an address may be anywhere in the interface. */
const longest = 2_048;
const marker = /[?&]returnURL=/i;
const encodedScheme = /^https?%3a/i;

/**
 * The address that a client appended to a LaunchURL as `&returnURL=…`. Written raw, it reaches to the end of the query
 * with its own `?` and `&`; percent-encoded, to the next `&`. Null when there is none that can be followed: http(s)
 * only, without credentials, at most 2,048 characters.
 */
export function readReturnUrl(requestUrl: string): string | null {
  const found = marker.exec(requestUrl);
  if (!found) return null;
  const rest = requestUrl.slice(found.index + found[0].length);
  return followable(encodedScheme.test(rest) ? decode(rest.split('&', 1)[0] ?? '') : rest);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function followable(text: string): string | null {
  // A host name is normalised while the address is parsed, which endless marks make slow.
  if (text.length > longest || hasEndlessMarks(text) || !/^https?:\/\//i.test(text)) return null;
  const url = URL.parse(text);
  return !url || url.username || url.password ? null : url.href;
}

/** Whether a tenant's list of origins lets the address through; no list lets every one through. */
export function isAllowedReturn(address: string, origins: readonly string[] | null): boolean {
  const { origin } = new URL(address);
  return origins === null || origins.some((allowed) => URL.parse(allowed)?.origin === origin);
}
