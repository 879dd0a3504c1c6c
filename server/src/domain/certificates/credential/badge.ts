import { crc32, deflateSync } from 'node:zlib';
import { shadesOf } from '../../../../../standards/contrast.ts';
import { escapeHtml } from '../../../lib/escape-html.ts';

/** Of a certificate whose tenant has no colour. */
const defaultColour = '#1d4ed8';
const side = 320;
const samples = 3;

const colourOf = (colour: string | null) => shadesOf(colour ?? defaultColour, 'light');

/** A seal with a tick, with the credential baked in (Open Badges 3.0 §5.3.2.1). */
export function bakedSvg(input: { colour: string | null; title: string; credential: string }): string {
  const { Fill, OnFill } = colourOf(input.colour);
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:openbadges="https://purl.imsglobal.org/ob/v3p0" viewBox="0 0 100 100" role="img"><title>${escapeHtml(input.title)}</title><openbadges:credential verify="${input.credential}"></openbadges:credential><circle cx="50" cy="50" r="48" fill="${Fill}"/><circle cx="50" cy="50" r="41" fill="none" stroke="${OnFill}" stroke-width="1.6"/><path d="M31 51l13 13 26-28" fill="none" stroke="${OnFill}" stroke-width="8" stroke-linecap="round" stroke-linejoin="round"/></svg>\n`;
}

const tick = [
  [31, 51, 44, 64],
  [44, 64, 70, 36],
] as const;

function distanceToTick(x: number, y: number): number {
  const distances = tick.map(([x1, y1, x2, y2]) => {
    const [dx, dy] = [x2 - x1, y2 - y1];
    const at = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)));
    return Math.hypot(x - x1 - at * dx, y - y1 - at * dy);
  });
  return Math.min(...distances);
}

/** The part of the seal at a point: 0 outside, 1 in the colour, 2 in the colour of its text. */
function partAt(x: number, y: number): 0 | 1 | 2 {
  const radius = Math.hypot(x - 50, y - 50);
  if (radius > 48) return 0;
  return Math.abs(radius - 41) < 0.8 || distanceToTick(x, y) < 4 ? 2 : 1;
}

const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** The same seal as pixels, each the mean of nine samples. */
function pixels(colour: string | null): Buffer {
  const { Fill, OnFill } = colourOf(colour);
  const [fill, onFill] = [channels(Fill), channels(OnFill)];
  const rows = Buffer.alloc(side * (1 + side * 4));
  const unit = 100 / side;
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const counts = [0, 0, 0];
      for (let n = 0; n < samples * samples; n++) {
        const part = partAt(
          (column + ((n % samples) + 0.5) / samples) * unit,
          (row + (Math.floor(n / samples) + 0.5) / samples) * unit,
        );
        counts[part] = (counts[part] ?? 0) + 1;
      }
      const [, own = 0, text = 0] = counts;
      const at = row * (1 + side * 4) + 1 + column * 4;
      const inside = Math.max(1, own + text);
      for (let channel = 0; channel < 3; channel++)
        rows[at + channel] = ((fill[channel] ?? 0) * own + (onFill[channel] ?? 0) * text) / inside;
      rows[at + 3] = (255 * (own + text)) / (samples * samples);
    }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A PNG with the credential in an uncompressed iTXt chunk (Open Badges 3.0 §5.3.1.1). */
export function bakedPng(input: { colour: string | null; credential: string }): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // 8 bits a channel, RGB with alpha.
  header.set([8, 6, 0, 0, 0], 8);
  // Keyword, no compression, no language, no translated keyword.
  const text = `openbadgecredential\0\0\0\0\0${input.credential}`;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('iTXt', Buffer.from(text, 'utf8')),
    chunk('IDAT', deflateSync(pixels(input.colour), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
