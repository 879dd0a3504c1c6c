import { checkSize, rejectDamaged, rejectLogo, type Size } from './logos.ts';

export const isWebp = (bytes: Buffer) =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';

type Chunk = { type: string; data: Buffer };

function chunksOf(bytes: Buffer): Chunk[] {
  if (bytes.length < 20) rejectDamaged();
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) rejectDamaged();
  const chunks: Chunk[] = [];
  for (let at = 12; at + 8 <= end; ) {
    const length = bytes.readUInt32LE(at + 4);
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (at + 8 + length > end) rejectDamaged();
    chunks.push({ type: bytes.toString('latin1', at, at + 4), data });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

/** RFC 6386 §9.1: a key frame's header. */
function readLossy(data: Buffer): Size {
  const isKeyFrame = data.length >= 10 && ((data[0] ?? 1) & 1) === 0;
  if (!isKeyFrame || data.toString('hex', 3, 6) !== '9d012a') rejectDamaged();
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

/** RFC 9649 §3.4. */
function readLossless(data: Buffer): Size {
  if (data.length < 5 || data[0] !== 0x2f) rejectDamaged();
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

const hasAlpha = 0x10;
const isAnimated = 0x02;

function toChunk({ type, data }: Chunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** The extended header (RFC 9649 §2.7) without the flags of the removed chunks. */
function readExtended(data: Buffer, { width, height }: Size): Chunk {
  if (data.length !== 10) rejectDamaged();
  if (data.readUIntLE(4, 3) + 1 !== width || data.readUIntLE(7, 3) + 1 !== height) rejectDamaged();
  const header = Buffer.from(data);
  header[0] = (data[0] ?? 0) & hasAlpha;
  return { type: 'VP8X', data: header };
}

/** Checks the structure. Metadata and anything after the image are removed. */
export function readWebp(bytes: Buffer): Size & { content: Buffer } {
  const chunks = chunksOf(bytes);
  const extended = chunks[0]?.type === 'VP8X' ? chunks[0] : null;
  if (extended && ((extended.data[0] ?? 0) & isAnimated) !== 0)
    rejectLogo('The logo is animated. Use an image with a single frame.');
  const image = chunks.find(({ type }) => type === 'VP8 ' || type === 'VP8L') ?? rejectDamaged();
  const size = checkSize(image.type === 'VP8 ' ? readLossy(image.data) : readLossless(image.data));
  const alpha = chunks.find(({ type }) => type === 'ALPH');
  const parts = extended ? [readExtended(extended.data, size), ...(alpha ? [alpha] : []), image] : [image];
  const body = Buffer.concat([Buffer.from('WEBP'), ...parts.map(toChunk)]);
  const head = Buffer.alloc(8);
  head.write('RIFF', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return { ...size, content: Buffer.concat([head, body]) };
}
