import { crc32 } from 'node:zlib';
import { checkSize, rejectDamaged, type Size } from './logos.ts';

export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Chunks that affect how the image looks. All others, such as texts and animations, are removed. */
const kept = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'pHYs', 'IDAT', 'IEND']);

/** The bit depths of each colour type (PNG 11.2.1). */
const depths: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

type Chunk = { type: string; data: Buffer; whole: Buffer };

function* chunksOf(bytes: Buffer): Generator<Chunk> {
  for (let at = pngSignature.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return;
    const named = bytes.subarray(at + 4, end - 4);
    if (crc32(named) !== bytes.readUInt32BE(end - 4)) rejectDamaged();
    const chunk = { type: named.toString('latin1', 0, 4), data: named.subarray(4) };
    yield { ...chunk, whole: bytes.subarray(at, end) };
    at = end;
  }
}

function readHeader(data: Buffer): Size {
  if (data.length !== 13) rejectDamaged();
  const [depth = 0, type = 0, compression, filter, interlace = 0] = data.subarray(8);
  if (!depths[type]?.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) rejectDamaged();
  return checkSize({ width: data.readUInt32BE(0), height: data.readUInt32BE(4) });
}

/** Checks the structure and all checksums. Anything after the image is removed. */
export function readPng(bytes: Buffer): Size & { content: Buffer } {
  const content: Buffer[] = [pngSignature];
  let size: Size | null = null;
  let hasPixels = false;
  for (const { type, data, whole } of chunksOf(bytes)) {
    if ((type === 'IHDR') !== (size === null)) rejectDamaged();
    size ??= readHeader(data);
    hasPixels ||= type === 'IDAT' && data.length > 0;
    if (kept.has(type)) content.push(whole);
    if (type === 'IEND' && data.length > 0) rejectDamaged();
    if (type === 'IEND' && hasPixels) return { ...size, content: Buffer.concat(content) };
  }
  return rejectDamaged();
}
