import { crc32, deflateSync } from 'node:zlib';
import type { Shape } from './shapes.ts';

type Point = readonly [number, number];
type Edge = { from: Point; to: Point; winding: 1 | -1 };

const curveSteps = 8;

/** The point of a Bézier curve at a part of its way. */
function pointAt(points: readonly Point[], part: number): Point {
  const [first = [0, 0], ...others] = points;
  if (others.length === 0) return first;
  const next = others.map(([x, y], n): Point => {
    const [x0, y0] = points[n] ?? first;
    return [x0 + (x - x0) * part, y0 + (y - y0) * part];
  });
  return pointAt(next, part);
}

/** The outline as straight edges from the top down, in pixels. */
function edgesOf({ path }: Shape, scale: number): Edge[] {
  const edges: Edge[] = [];
  let [start, at]: [Point, Point] = [
    [0, 0],
    [0, 0],
  ];
  const lineTo = (to: Point) => {
    if (at[1] < to[1]) edges.push({ from: at, to, winding: 1 });
    if (at[1] > to[1]) edges.push({ from: to, to: at, winding: -1 });
    at = to;
  };
  for (const { type, values } of path) {
    const points = Array.from({ length: values.length / 2 }, (_, n): Point => {
      const [x = 0, y = 0] = values.slice(2 * n);
      return [x * scale, y * scale];
    });
    if (type === 'M') [start, at] = [points[0] ?? start, points[0] ?? start];
    else if (type === 'Z') lineTo(start);
    else {
      const curve = [at, ...points];
      const steps = points.length === 1 ? 1 : curveSteps;
      for (let step = 1; step <= steps; step++) lineTo(pointAt(curve, step / steps));
    }
  }
  return edges;
}

/** Lines of samples in each line of pixels. Along them, the covered part of a pixel is exact. */
const samples = 4;

/** Each line of pixels with the covered part of each pixel, by the nonzero rule. */
function* coverageOf(shape: Shape, side: number): Generator<[row: number, covered: Float32Array]> {
  const edges = edgesOf(shape, side / 100);
  const top = Math.floor(Math.min(...edges.map(({ from }) => from[1])));
  const bottom = Math.max(...edges.map(({ to }) => to[1]));
  for (let row = top; row < bottom; row++) {
    const covered = new Float32Array(side);
    const near = edges.filter(({ from, to }) => from[1] < row + 1 && to[1] > row);
    for (let sample = 0; sample < samples; sample++) {
      const y = row + (sample + 0.5) / samples;
      const crossings = near
        .filter(({ from, to }) => from[1] <= y && y < to[1])
        .map(({ from, to, winding }) => ({
          x: from[0] + ((y - from[1]) / (to[1] - from[1])) * (to[0] - from[0]),
          winding,
        }))
        .sort((one, other) => one.x - other.x);
      let count = 0;
      for (const [n, { x, winding }] of crossings.entries()) {
        count += winding;
        const end = crossings[n + 1]?.x ?? x;
        for (let pixel = Math.floor(x); count !== 0 && pixel < end; pixel++)
          covered[pixel] = (covered[pixel] ?? 0) + (Math.min(end, pixel + 1) - Math.max(x, pixel)) / samples;
      }
    }
    yield [row, covered];
  }
}

const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Shapes in a square of 100 units as a PNG with a text (an uncompressed iTXt chunk). The first shape is below all others. */
export function pngOf(shapes: readonly Shape[], side: number, text: Buffer): Buffer {
  const stride = 1 + side * 4;
  const rows = Buffer.alloc(side * stride);
  for (const [n, shape] of shapes.entries()) {
    const colour = channels(shape.colour);
    for (const [row, covered] of coverageOf(shape, side))
      for (let column = 0; column < side; column++) {
        const part = Math.min(1, covered[column] ?? 0);
        if (part === 0) continue;
        const at = row * stride + 1 + column * 4;
        // What is drawn later lies within the first shape.
        for (let channel = 0; channel < 3; channel++) {
          const [below = 0, own = 0] = [rows[at + channel], colour[channel]];
          rows[at + channel] = n === 0 ? own : Math.round(below * (1 - part) + own * part);
        }
        if (n === 0) rows[at + 3] = Math.round(255 * part);
      }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // 8 bits a channel, RGB with alpha.
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('iTXt', text),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
