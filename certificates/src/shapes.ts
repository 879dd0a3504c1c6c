/** A command of an SVG path with absolute coordinates, in a square of 100 units. */
export type Command = { type: string; values: number[] };
export type Shape = { path: Command[]; colour: string };

/** A hexagon with a corner at the top and rounded corners. Drawn backwards, it is a hole. */
export function hexagon(radius: number, rounding: number, isHole = false): Command[] {
  const half = radius / 2;
  const wide = (radius * Math.sqrt(3)) / 2;
  const around = [
    [0, -radius],
    [wide, -half],
    [wide, half],
    [0, radius],
    [-wide, half],
    [-wide, -half],
  ].map(([x = 0, y = 0]) => [50 + x, 50 + y] as const);
  const corners = isHole ? around.toReversed() : around;
  const part = rounding / radius;
  const path = corners.flatMap(([x, y], n): Command[] => {
    const near = (step: number) => {
      const [x2, y2] = corners[(n + step + 6) % 6] ?? [x, y];
      return [x + (x2 - x) * part, y + (y2 - y) * part];
    };
    return [
      { type: n === 0 ? 'M' : 'L', values: near(-1) },
      { type: 'Q', values: [x, y, ...near(1)] },
    ];
  });
  return [...path, { type: 'Z', values: [] }];
}

/** The part of the radius at which the control points of a quarter of a circle lie. */
const arc = 0.5523;

export function circle(x: number, y: number, radius: number): Command[] {
  const quarters = [
    [1, 0, 0, 1],
    [0, 1, -1, 0],
    [-1, 0, 0, -1],
    [0, -1, 1, 0],
  ].map(([x1 = 0, y1 = 0, x2 = 0, y2 = 0]) => ({
    type: 'C',
    values: [x1 + x2 * arc, y1 + y2 * arc, x2 + x1 * arc, y2 + y1 * arc, x2, y2].map(
      (value, n) => (n % 2 === 0 ? x : y) + value * radius,
    ),
  }));
  return [{ type: 'M', values: [x + radius, y] }, ...quarters, { type: 'Z', values: [] }];
}

/** A line with round ends. */
export function stroke(x1: number, y1: number, x2: number, y2: number, width: number): Command[] {
  const length = Math.sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2);
  const [dx, dy] = [(((y2 - y1) / length) * width) / 2, (((x1 - x2) / length) * width) / 2];
  return [
    { type: 'M', values: [x1 + dx, y1 + dy] },
    { type: 'L', values: [x2 + dx, y2 + dy] },
    { type: 'L', values: [x2 - dx, y2 - dy] },
    { type: 'L', values: [x1 - dx, y1 - dy] },
    { type: 'Z', values: [] },
    ...circle(x1, y1, width / 2),
    ...circle(x2, y2, width / 2),
  ];
}
