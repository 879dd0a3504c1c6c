/**
 * A preference with its value, such as `stale=5` or `stale="5"` (RFC 7240). Its parameters are
 * ignored.
 */
const preference =
  /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+)))?\s*(?:;.*)?$/s;

const maxStaleSeconds = 86_400;

/**
 * The number of seconds by which the response may be out of date; null if the caller allows none. Unknown, malformed
 * and repeated preferences are ignored, as RFC 7240 requires.
 */
export function allowedStaleness(prefer: string | string[] | undefined): number | null {
  const text = [prefer ?? []].flat().join(',');
  // Commas within quotes do not separate preferences.
  for (const part of text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []) {
    const [, name = '', quoted, plain] = preference.exec(part) ?? [];
    if (name.toLowerCase() !== 'stale') continue;
    const value = quoted ?? plain ?? '';
    return /^\d{1,5}$/.test(value) && Number(value) <= maxStaleSeconds ? Number(value) : null;
  }
  return null;
}
