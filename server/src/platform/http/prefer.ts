/** A preference with its value, as in RFC 7240: `stale=5`, `stale="5"`, with parameters that we ignore. */
const preference =
  /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+)))?\s*(?:;.*)?$/s;

const maxStaleSeconds = 86_400;

/**
 * By how many seconds the caller allows the response to be out of date; null if by none. Preferences that are unknown
 * or malformed are ignored, as RFC 7240 demands, and so are repeated ones.
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
