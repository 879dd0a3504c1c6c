import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type LogoType, maxLogoBytes } from '../../../../standards/logo.ts';
import { checkSize, logoNameLength, rejectDamaged, rejectLogo, type Size } from './branding.ts';

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

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

type PngChunk = { type: string; data: Buffer; whole: Buffer };

function* pngChunks(bytes: Buffer): Generator<PngChunk> {
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
function readPng(bytes: Buffer): Size & { content: Buffer } {
  const content: Buffer[] = [pngSignature];
  let size: Size | null = null;
  let hasPixels = false;
  for (const { type, data, whole } of pngChunks(bytes)) {
    if ((type === 'IHDR') !== (size === null)) rejectDamaged();
    size ??= readHeader(data);
    hasPixels ||= type === 'IDAT' && data.length > 0;
    if (kept.has(type)) content.push(whole);
    if (type === 'IEND' && data.length > 0) rejectDamaged();
    if (type === 'IEND' && hasPixels) return { ...size, content: Buffer.concat(content) };
  }
  return rejectDamaged();
}

const jpegStart = Buffer.from([0xff, 0xd8, 0xff]);

/** Browsers decode the whole image for each scan. Progressive images have about ten. */
const maxScans = 100;

const endOfImage = 0xd9;
const startOfScan = 0xda;
/** Baseline, extended and progressive images with Huffman coding. Browsers show no others. */
const frames = [0xc0, 0xc1, 0xc2];
const otherFrames = [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];
/**
 * JFIF, colour profile and Adobe's colour transform. All other application data is removed: it can contain the place at
 * which a photo was taken.
 */
const keptApplications = [0xe0, 0xe2, 0xee];
const isRemoved = (marker: number) =>
  marker === 0xfe || (marker >= 0xe0 && marker <= 0xef && !keptApplications.includes(marker));

function readFrame(segment: Buffer): Size {
  if (segment.length < 10 || segment[4] !== 8) rejectDamaged();
  return checkSize({ height: segment.readUInt16BE(5), width: segment.readUInt16BE(7) });
}

/** The end of the compressed data that begins here: the next marker, apart from restart markers. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return rejectDamaged();
}

/** Checks the structure. Metadata and anything after the image are removed. */
function readJpeg(bytes: Buffer): Size & { content: Buffer } {
  const content: Buffer[] = [bytes.subarray(0, 2)];
  let size: Size | null = null;
  let scans = 0;
  for (let at = 2; at + 4 <= bytes.length || bytes[at + 1] === endOfImage; ) {
    if (bytes[at] !== 0xff) rejectDamaged();
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === endOfImage) {
      if (!size || scans === 0) rejectDamaged();
      content.push(bytes.subarray(at, at + 2));
      return { ...size, content: Buffer.concat(content) };
    }
    if (otherFrames.includes(marker))
      rejectLogo('Browsers cannot show this kind of JPEG. Save it as a baseline or progressive JPEG.');
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) rejectDamaged();
    const segment = bytes.subarray(at, end);
    if (frames.includes(marker)) {
      if (size) rejectDamaged();
      size = readFrame(segment);
    }
    if (!isRemoved(marker)) content.push(segment);
    at = end;
    if (marker === startOfScan) {
      if (++scans > maxScans) rejectLogo('The image has too many scans. Save it as a baseline JPEG.');
      at = endOfScan(bytes, end);
      content.push(bytes.subarray(end, at));
    }
  }
  return rejectDamaged();
}

const isWebp = (bytes: Buffer) =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';

type WebpChunk = { type: string; data: Buffer };

function webpChunks(bytes: Buffer): WebpChunk[] {
  if (bytes.length < 20) rejectDamaged();
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) rejectDamaged();
  const chunks: WebpChunk[] = [];
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

function toChunk({ type, data }: WebpChunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** The extended header (RFC 9649 §2.7) without the flags of the removed chunks. */
function readExtended(data: Buffer, { width, height }: Size): WebpChunk {
  if (data.length !== 10) rejectDamaged();
  if (data.readUIntLE(4, 3) + 1 !== width || data.readUIntLE(7, 3) + 1 !== height) rejectDamaged();
  const header = Buffer.from(data);
  header[0] = (data[0] ?? 0) & hasAlpha;
  return { type: 'VP8X', data: header };
}

/** Checks the structure. Metadata and anything after the image are removed. */
function readWebp(bytes: Buffer): Size & { content: Buffer } {
  const chunks = webpChunks(bytes);
  const extended = chunks[0]?.type === 'VP8X' ? chunks[0] : null;
  if (extended && ((extended.data[0] ?? 0) & isAnimated) !== 0)
    rejectLogo('The image is animated. Use an image with a single frame.');
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

/** `name` changes with the content, so a logo's URL can be cached forever. */
export type Logo = Size & { type: LogoType; name: string; content: Buffer };

const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start);

function readImage(bytes: Buffer): Size & { type: LogoType; content: Buffer } {
  if (startsWith(bytes, pngSignature)) return { type: 'image/png', ...readPng(bytes) };
  if (startsWith(bytes, jpegStart)) return { type: 'image/jpeg', ...readJpeg(bytes) };
  if (isWebp(bytes)) return { type: 'image/webp', ...readWebp(bytes) };
  return rejectLogo('The image is not a PNG, JPEG or WebP image. Save it in one of these formats.');
}

/**
 * Recognises the image by its bytes, checks it, and keeps only what a browser needs to show it. The result contains
 * no metadata and no other file.
 */
export function readLogo(bytes: Buffer): Logo {
  if (bytes.length > maxLogoBytes)
    rejectLogo(
      `The image is larger than ${maxLogoBytes / 1024} KiB. Reduce its size or its number of colours.`,
    );
  const image = readImage(bytes);
  const name = createHash('sha256').update(image.content).digest('base64url').slice(0, logoNameLength);
  return { ...image, name };
}
