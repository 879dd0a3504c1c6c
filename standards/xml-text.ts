import type { Warn } from './warnings.ts';

/**
 * The byte order mark takes precedence over the declaration. Authoring tools often declare UTF-8 but write
 * Latin-1.
 */
export function decodeXml(bytes: Uint8Array, warn: Warn): string | null {
  const label = encodingOf(bytes);
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes).replace(/^\s+(?=<\?xml)/, '');
  } catch {
    if (label.startsWith('utf-16')) return null;
    warn(
      'warning',
      `The text is not valid ${label}, so it was read as Windows-1252; accented letters in titles may look wrong to learners`,
    );
  }
  return new TextDecoder('windows-1252').decode(bytes).replace(/^\s+(?=<\?xml)/, '');
}

function encodingOf(bytes: Uint8Array): string {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c && third === 0) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ?? 'utf-8';
  // If the declaration can be read byte by byte, the file is not UTF-16, whatever it declares.
  if (/^(utf-?16|ucs|iso-10646)/i.test(declared)) return 'utf-8';
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    return 'utf-8';
  }
}

/** Looks for a doctype after the XML declaration, comments and processing instructions. */
export function hasDoctype(text: string): boolean {
  let at = 0;
  for (;;) {
    at += text.slice(at).search(/\S|$/);
    const close = text.startsWith('<?', at) ? '?>' : text.startsWith('<!--', at) ? '-->' : null;
    if (close === null) return /^<!doctype/i.test(text.slice(at, at + 9));
    const end = text.indexOf(close, at + 2);
    if (end < 0) return false;
    at = end + close.length;
  }
}
