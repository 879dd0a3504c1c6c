import { randomUUID } from 'node:crypto';
import { invalid } from '../../../../standards/xapi/invalid.ts';

/** A part of a multipart/mixed body (RFC 2046 §5.1). Header names are in lower case. */
export type Part = { headers: Record<string, string>; content: Buffer };

const maxParts = 200;

export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  return quoted ?? plain ?? invalid('Content-Type', 'needs a boundary.');
}

/** Communication 1.5.2. */
export function readParts(body: Buffer, boundary: string): Part[] {
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: Part[] = [];
  let at = lineStart(body, delimiter, 0);
  while (at >= 0) {
    const from = at + delimiter.length;
    if (body.subarray(from, from + 2).toString('latin1') === '--') return parts;
    const next = lineStart(body, delimiter, from);
    if (next < 0) break;
    if (parts.length === maxParts) invalid('The body', `has more than ${maxParts} parts.`);
    parts.push(readPart(body.subarray(from, next)));
    at = next;
  }
  return invalid('The body', 'does not end with its boundary.');
}

/**
 * Finds the next delimiter at the start of a line. The search string includes the line break, so
 * that the search takes linear time.
 */
function lineStart(body: Buffer, delimiter: Buffer, from: number): number {
  if (from === 0 && body.subarray(0, delimiter.length).equals(delimiter)) return 0;
  const at = body.indexOf(Buffer.concat([Buffer.from('\n'), delimiter]), Math.max(0, from - 1));
  return at < 0 ? -1 : at + 1;
}

/** Parses the bytes between two delimiters: the rest of the line, the headers, an empty line and the content. */
function readPart(bytes: Buffer): Part {
  const text = bytes.subarray(0, 16_384).toString('latin1');
  const [found, lines = ''] = /^[^\n]*\n((?:[^\r\n]+\r?\n)*)\r?\n/.exec(text) ?? [];
  if (found === undefined) invalid('The body', 'has a part without an empty line after its headers.');
  const headers = lines
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    });
  // The line break before a delimiter belongs to the delimiter.
  const end = bytes.length - (bytes.at(-2) === 0x0d ? 2 : 1);
  return {
    headers: Object.fromEntries(headers),
    content: bytes.subarray(found.length, Math.max(found.length, end)),
  };
}

export function writeParts(parts: readonly Part[]): { contentType: string; body: Buffer } {
  const boundary = randomUUID();
  const written = parts.flatMap(({ headers, content }) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return [Buffer.from(`--${boundary}\r\n${lines.join('')}\r\n`), content, Buffer.from('\r\n')];
  });
  return {
    contentType: `multipart/mixed; boundary=${boundary}`,
    body: Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]),
  };
}
