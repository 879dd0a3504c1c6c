import { checkSize, rejectDamaged, rejectLogo, type Size } from './logos.ts';

export const jpegStart = Buffer.from([0xff, 0xd8, 0xff]);

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
export function readJpeg(bytes: Buffer): Size & { content: Buffer } {
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
      if (++scans > maxScans) rejectLogo('The logo has too many scans. Save it as a baseline JPEG.');
      at = endOfScan(bytes, end);
      content.push(bytes.subarray(end, at));
    }
  }
  return rejectDamaged();
}
