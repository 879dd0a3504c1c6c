import { constants, inflateSync } from 'node:zlib';

/** Samples of a pixel by colour type (PNG §11.2.1). */
const channelsOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** The first column and line, and the steps to the next, of interlaced images (§8.2). */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

function chunkOf(png: Buffer, type: string): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === type)
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return Buffer.concat(parts);
}

function nearest(left: number, up: number, corner: number): number {
  const [toLeft, toUp] = [Math.abs(up - corner), Math.abs(left - corner)];
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** Reverses the filter of a line, which its first byte names (§9.2). */
function unfilter(line: Buffer, above: Buffer, pixelBytes: number): void {
  const filter = line[0] ?? 0;
  if (filter > 4) throw new Error('The PNG is damaged.');
  for (let n = 1; n < line.length && filter > 0; n++) {
    const left = n > pixelBytes ? (line[n - pixelBytes] ?? 0) : 0;
    const up = above[n] ?? 0;
    const corner = n > pixelBytes ? (above[n - pixelBytes] ?? 0) : 0;
    const guesses = filter === 4 ? nearest(left, up, corner) : [0, left, up, (left + up) >> 1][filter];
    line[n] = (line[n] ?? 0) + (guesses ?? 0);
  }
}

/** Decodes a PNG to eight bits per sample, and throws an error if it is incomplete or damaged. */
export function decodePng(png: Buffer) {
  const header = chunkOf(png, 'IHDR');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth = 0, type = 0, , , interlace] = header.subarray(8);
  const [palette, transparency] = [chunkOf(png, 'PLTE'), chunkOf(png, 'tRNS')];
  const channels = channelsOf[type] ?? 0;
  const parts = (interlace ? passes : ([[0, 0, 1, 1]] as const)).map(([x, y, stepX, stepY]) => {
    const [columns, lines] = [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)];
    return { x, y, stepX, stepY, columns, lines, length: 1 + Math.ceil((columns * channels * depth) / 8) };
  });
  const size = parts.reduce((sum, { columns, lines, length }) => sum + (columns && lines * length), 0);
  const options = { maxOutputLength: size, finishFlush: constants.Z_SYNC_FLUSH };
  const data = inflateSync(chunkOf(png, 'IDAT'), options);
  if (data.length < size) throw new Error('The PNG is incomplete.');

  const most = 2 ** depth - 1;
  const sampleOf = (line: Buffer, n: number) => {
    if (depth === 8) return line[1 + n] ?? 0;
    if (depth === 16) return line.readUInt16BE(1 + 2 * n);
    return ((line[1 + ((n * depth) >> 3)] ?? 0) >> (8 - depth - ((n * depth) & 7))) & most;
  };
  const byteOf = (sample: number) => (depth === 8 ? sample : Math.round((sample * 255) / most));
  const hasKey = type < 3 && transparency.length >= 2 * channels;
  const colours = Buffer.alloc(width * height * 3);
  const opacity = Buffer.alloc(width * height, 255);
  const samples = Array<number>(channels).fill(0);
  const put = (at: number) => {
    const [first = 0] = samples;
    if (type === 3) {
      palette.copy(colours, at * 3, first * 3, first * 3 + 3);
      opacity[at] = transparency[first] ?? 255;
      return;
    }
    for (let n = 0; n < 3; n++) colours[at * 3 + n] = byteOf(samples[channels < 3 ? 0 : n] ?? 0);
    if (type >= 4) opacity[at] = byteOf(samples[channels - 1] ?? 0);
    else if (hasKey && samples.every((one, n) => one === transparency.readUInt16BE(2 * n))) opacity[at] = 0;
  };
  let start = 0;
  for (const { x, y, stepX, stepY, columns, lines, length } of parts) {
    let above = Buffer.alloc(length);
    for (let row = 0; row < lines && columns > 0; row++) {
      const line = data.subarray(start, start + length);
      unfilter(line, above, Math.ceil((channels * depth) / 8));
      for (let column = 0; column < columns; column++) {
        for (let n = 0; n < channels; n++) samples[n] = sampleOf(line, column * channels + n);
        put((y + row * stepY) * width + x + column * stepX);
      }
      start += length;
      above = line;
    }
  }
  return { width, height, colours, opacity };
}
