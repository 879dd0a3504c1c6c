import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Blob, Direction, Face, Font, Buffer as Glyphs, shape } from 'harfbuzzjs';
import type { fontFiles } from './font-files.ts';

export type FontName = keyof typeof fontFiles;
export type Style = 'sans' | 'sansBold' | 'serif';

/** What pdfkit keeps of a font. */
export type ParsedFont = {
  getGlyph: (id: number) => { advanceWidth: number };
  layout: (text: string) => object;
};

export type LoadedFont = {
  name: FontName;
  bytes: Buffer;
  font: Font;
  unitsPerEm: number;
  /** Set when pdfkit has parsed it, which takes longer than drawing a page. */
  parsed?: ParsedFont;
};

/** A glyph in font units, with the characters that it stands for. */
export type Shaped = {
  id: number;
  codePoints: number[];
  xAdvance: number;
  xOffset: number;
  yOffset: number;
}[];

const loaded = new Map<FontName, LoadedFont>();

/** Fonts are read when they are first needed. They take 24 MB in all. */
function load(name: FontName): LoadedFont {
  const known = loaded.get(name);
  if (known) return known;
  const bytes = readFileSync(join(import.meta.dirname, 'fonts', `${name}.ttf`));
  const face = new Face(new Blob(bytes));
  const font: LoadedFont = { name, bytes, font: new Font(face), unitsPerEm: face.upem };
  loaded.set(name, font);
  return font;
}

const scripts: readonly (readonly [RegExp, FontName])[] = [
  [/\p{Script=Arabic}/u, 'arabic'],
  [/\p{Script=Hebrew}/u, 'hebrew'],
  [/\p{Script=Thai}/u, 'thai'],
  [/\p{Script=Devanagari}/u, 'devanagari'],
  [/\p{Script=Hiragana}|\p{Script=Katakana}/u, 'japanese'],
  [/\p{Script=Hangul}/u, 'korean'],
];
const han = /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u;

/**
 * The fonts to try for these texts, in order. Chinese characters look different in Japanese and Korean, so kana or
 * Hangul anywhere in the texts decide. Fonts of scripts that do not occur are not loaded.
 */
export function fontsFor(style: Style, texts: string): readonly LoadedFont[] {
  const own = scripts.filter(([script]) => script.test(texts)).map(([, name]) => name);
  const wanted: FontName[] = [style, ...(style === 'sans' ? [] : ['sans' as const]), ...own];
  if (han.test(texts)) wanted.push('chinese', 'japanese', 'korean');
  return [...new Set(wanted)].map(load);
}

const invisible = /^[\p{Mn}\p{Cf}\u200c\u200d]$/u;

const hasGlyphs = ({ font }: LoadedFont, cluster: string) =>
  [...cluster].every(
    (character) =>
      font.nominalGlyph(character.codePointAt(0) ?? 0) !== undefined || /^\p{Cf}$/u.test(character),
  );

/** The first font that can draw these characters, which are one for the reader. Undefined if none can. */
export function fontOf(
  fonts: readonly LoadedFont[],
  cluster: string,
  current: LoadedFont | undefined,
): LoadedFont | undefined {
  // Spaces and punctuation stay in the font of the word before them.
  const isCommon = /^[\s\p{P}\p{Mn}\p{Cf}]+$/u.test(cluster) || invisible.test(cluster);
  if (isCommon && current && hasGlyphs(current, cluster)) return current;
  return fonts.find((font) => hasGlyphs(font, cluster));
}

/** Buffers of HarfBuzz lie outside of the heap, so V8 would collect many of them too late. */
const buffer = new Glyphs();

/** Shapes text of one font and direction. The glyphs are in the order in which they are drawn, from left to right. */
export function shapeText({ font }: LoadedFont, text: string, isRightToLeft: boolean): Shaped {
  buffer.reset();
  buffer.addText(text);
  buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR);
  buffer.guessSegmentProperties();
  shape(font, buffer);
  const glyphs = buffer.getGlyphInfosAndPositions();
  const starts = [...new Set(glyphs.map(({ cluster }) => cluster))].sort((a, b) => a - b);
  const endOf = new Map(starts.map((start, n) => [start, starts[n + 1] ?? text.length]));
  const seen = new Set<number>();
  return glyphs.map(({ codepoint: id, cluster, xAdvance = 0, xOffset = 0, yOffset = 0 }) => {
    const characters = seen.has(cluster) ? '' : text.slice(cluster, endOf.get(cluster));
    seen.add(cluster);
    return {
      id,
      codePoints: [...characters].map((one) => one.codePointAt(0) ?? 0),
      xAdvance,
      xOffset,
      yOffset,
    };
  });
}

export const widthOf = (glyphs: Shaped, font: LoadedFont, size: number) =>
  (glyphs.reduce((sum, { xAdvance }) => sum + xAdvance, 0) * size) / font.unitsPerEm;
