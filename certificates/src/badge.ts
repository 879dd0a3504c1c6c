import { shadesOf } from '../../standards/contrast.ts';
import { escapeXml } from './escape-xml.ts';
import { fontsFor, type Style } from './fonts.ts';
import { type Fitted, fit, type Line, lineWidth } from './lines.ts';
import { pngOf } from './raster.ts';
import { type Command, circle, hexagon, type Shape, stroke } from './shapes.ts';
import type { BadgeInput } from './types.ts';

/** Of a certificate whose tenant has no colour. */
const defaultColour = '#1d4ed8';
const pngSide = 640;
const lineHeight = 1.22;

/** The outlines of a line's glyphs, so that the badge looks the same everywhere. */
function outlineOf(line: Line, size: number, baseline: number): Command[] {
  let x = 50 - lineWidth(line, size) / 2;
  return line.runs.flatMap(({ font: { font, unitsPerEm }, glyphs }) =>
    glyphs.flatMap(({ id, xAdvance, xOffset, yOffset }) => {
      const scale = size / unitsPerEm;
      const left = x + xOffset * scale;
      x += xAdvance * scale;
      return font.glyphToJson(id).map(({ type, values }) => ({
        type,
        values: values.map((value, n) =>
          n % 2 === 0 ? left + value * scale : baseline - (value + yOffset) * scale,
        ),
      }));
    }),
  );
}

type Area = {
  y: number;
  height: number;
  width: number;
  size: number;
  min: number;
  maxLines: number;
  style: Style;
};

/** The text in the largest size in which it fits into the area, in its middle. */
function textIn(text: string, { y, height, width, size, min, maxLines, style }: Area): Command[] {
  const fonts = fontsFor(style, text);
  let best: Fitted = { lines: [], size: 0 };
  for (let lines = maxLines; lines > 0; lines--) {
    const most = Math.min(size, height / (lines * lineHeight));
    const fitted = fit(fonts, text, { size: most, min: Math.min(min, most), width, maxLines: lines });
    if (fitted.size > best.size) best = fitted;
  }
  const top = y + (height - best.lines.length * best.size * lineHeight) / 2;
  return best.lines.flatMap((line, n) =>
    outlineOf(line, best.size, top + best.size * (lineHeight * n + (lineHeight + 0.72) / 2)),
  );
}

function shapesOf({ Title, Issuer, Colour }: BadgeInput): Shape[] {
  const { Fill, OnFill } = shadesOf(Colour ?? defaultColour, 'light');
  return [
    { colour: Fill, path: hexagon(49, 7) },
    { colour: OnFill, path: [...hexagon(45.4, 6.4), ...hexagon(44.5, 6.2, true)] },
    { colour: OnFill, path: circle(50, 21.5, 8.5) },
    {
      colour: Fill,
      path: [...stroke(45.9, 21.7, 48.8, 24.6, 2.2), ...stroke(48.8, 24.6, 54.4, 18.6, 2.2)],
    },
    {
      colour: OnFill,
      path: textIn(Title, {
        y: 33,
        height: 33,
        width: 68,
        size: 12,
        min: 3.2,
        maxLines: 8,
        style: 'sansBold',
      }),
    },
    { colour: OnFill, path: stroke(42, 69.5, 58, 69.5, 0.7) },
    {
      colour: OnFill,
      path: textIn(Issuer, {
        y: 71.5,
        height: 12,
        width: 43,
        size: 5.4,
        min: 2.6,
        maxLines: 2,
        style: 'sans',
      }),
    },
  ].filter(({ path }) => path.length > 0);
}

const show = (value: number) => String(Math.round(value * 100) / 100);
const pathOf = ({ path, colour }: Shape) =>
  `<path fill="${colour}" d="${path.map(({ type, values }) => type + values.map(show).join(' ')).join('')}"/>`;

/** A badge with the course and the issuer, and with the credential baked in (Open Badges 3.0 §5.3). */
export function drawBadge(input: BadgeInput): Uint8Array {
  const { Title, credential, type } = input;
  const shapes = shapesOf(input);
  // Keyword, no compression, no language, no translated keyword.
  if (type === 'image/png')
    return pngOf(shapes, pngSide, Buffer.from(`openbadgecredential\0\0\0\0\0${credential}`));
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:openbadges="https://purl.imsglobal.org/ob/v3p0" viewBox="0 0 100 100" role="img"><title>${escapeXml(Title)}</title><openbadges:credential verify="${credential}"></openbadges:credential>${shapes.map(pathOf).join('')}</svg>\n`,
  );
}
