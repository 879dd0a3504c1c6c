import { hasExcessiveCombiningMarks } from '../../../lib/unicode.ts';

/** The maximum length of every URL in the API. */
const maxLength = 2_048;
const marker = /[?&]returnURL=/i;
const escapedMarker = /&(?:amp;)+/gi;
const encodedScheme = /^https?%3a/i;

/** Undoes HTML escaping, which some programs leave in links. A raw return URL may contain `&amp;` itself. */
export function unescapeLink(requestUrl: string): string {
  const own = requestUrl.split(/returnURL=/i, 1)[0] ?? '';
  return own.search(escapedMarker) < 0 ? requestUrl : requestUrl.replaceAll(escapedMarker, '&');
}

/**
 * Returns the URL that a client appended to a LaunchURL as `&returnURL=…`. A raw URL extends to the
 * end of the query string; a percent-encoded one ends at the next `&`. Returns null unless it is an
 * http(s) URL without credentials and with at most 2,048 characters.
 */
export function readReturnUrl(requestUrl: string): string | null {
  const found = marker.exec(requestUrl);
  if (!found) return null;
  const rest = requestUrl.slice(found.index + found[0].length);
  return followable(encodedScheme.test(rest) ? decode(rest.split('&', 1)[0] ?? '') : rest);
}

/** Returns the parameters before the return URL. The return URL may contain parameters with the same names. */
export function parametersBeforeReturn(requestUrl: string): URLSearchParams {
  const end = marker.exec(requestUrl)?.index;
  return new URLSearchParams(requestUrl.slice(requestUrl.indexOf('?') + 1, end));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function followable(text: string): string | null {
  // Check this before parsing, which normalises the host name and is slow for many combining marks.
  if (text.length > maxLength || hasExcessiveCombiningMarks(text) || !/^https?:\/\//i.test(text)) return null;
  const url = URL.parse(text);
  return !url || url.username || url.password ? null : url.href;
}

/** Whether a tenant's list of origins allows the URL. Without a list, every URL is allowed. */
export function isAllowedReturn(address: string, origins: readonly string[] | null): boolean {
  const { origin } = new URL(address);
  return origins === null || origins.some((allowed) => URL.parse(allowed)?.origin === origin);
}
