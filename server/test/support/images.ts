import { crc32, deflateSync } from 'node:zlib';

// Small images for tests, built byte by byte, so that each of their parts can be wrong.

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** The format is the bit depth, the colour type, 0, 0, and whether the image is interlaced. */
export function pngHeader(width: number, height: number, format = [8, 2, 0, 0, 0]): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set(format, 8);
  return pngChunk('IHDR', data);
}

type Rgb = readonly [number, number, number];

/** An image of any format. Each of its lines begins with a filter. `extra` chunks follow the header. */
export function pngOf(header: Buffer, lines: Buffer, extra: Buffer[] = []): Buffer {
  const rest = [pngChunk('IDAT', deflateSync(lines)), pngChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, header, ...extra, ...rest]);
}

/** An image of one colour. */
export function png(width = 64, height = 32, colour: Rgb = [0, 87, 184], extra: Buffer[] = []): Buffer {
  const row = Buffer.concat([Buffer.alloc(1), ...Array.from({ length: width }, () => Buffer.from(colour))]);
  return pngOf(pngHeader(width, height), Buffer.concat(Array.from({ length: height }, () => row)), extra);
}

/** An image whose header declares a size that its pixels do not have. */
export function pngOfSize(width: number, height: number): Buffer {
  return pngOf(pngHeader(width, height), Buffer.alloc(4));
}

export function jpegSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** A JPEG with a valid structure. Its pixels are not meaningful. */
export function jpeg(width = 64, height = 32, extra: Buffer[] = []): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...extra,
    jpegSegment(0xc0, frame),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x12, 0xff, 0x00, 0xff, 0xd0, 0x34]),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function riffChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

const riff = (...chunks: Buffer[]) => riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));

function lossless(width: number, height: number): Buffer {
  const data = Buffer.alloc(7);
  data[0] = 0x2f;
  data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  return riffChunk('VP8L', data);
}

export const webp = (width = 64, height = 32): Buffer => riff(lossless(width, height));

export function extendedWebp({ flags = 0, width = 64, height = 32, extra = [] as Buffer[] } = {}): Buffer {
  const header = Buffer.alloc(10);
  header[0] = flags;
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  return riff(riffChunk('VP8X', header), lossless(64, 32), ...extra);
}

export const exifChunk = (text: string): Buffer => riffChunk('EXIF', Buffer.from(text));
