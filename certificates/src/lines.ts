import bidiFactory from 'bidi-js';
import { fontOf, type LoadedFont, type Shaped, shapeText, widthOf } from './fonts.ts';

type Bidi = {
  getEmbeddingLevels: (text: string) => { levels: Uint8Array; paragraphs: { level: number }[] };
};
/** The cast corrects the package's types, which declare a module instead of its default export. */
const bidi = (bidiFactory as unknown as () => Bidi)();

/** Text of one font and direction. */
export type Run = { font: LoadedFont; text: string; isRightToLeft: boolean; glyphs: Shaped };
/** Runs in the order in which they are drawn, from left to right. */
export type Line = { runs: Run[]; isRightToLeft: boolean };

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const words = new Intl.Segmenter('th', { granularity: 'word' });
/** Marks that order the text but are not drawn. */
const marks = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** A value inside a sentence, whose direction is its own. */
export const isolate = (text: string) => `\u2068${text}\u2069`;

const shaped = new Map<string, Shaped>();

function shapeOnce(font: LoadedFont, text: string, isRightToLeft: boolean): Shaped {
  const key = `${font.name} ${isRightToLeft} ${text}`;
  const glyphs = shaped.get(key) ?? shapeText(font, text, isRightToLeft);
  if (shaped.size > 500) shaped.clear();
  shaped.set(key, glyphs);
  return glyphs;
}

/** The text as one line (Unicode Bidirectional Algorithm, UAX 9), without the characters that no font can draw. */
export function lineOf(fonts: readonly LoadedFont[], text: string): Line {
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text);
  const runs: { font: LoadedFont; text: string; level: number }[] = [];
  let current: LoadedFont | undefined;
  for (const { segment, index } of graphemes.segment(text)) {
    if (marks.test(segment)) continue;
    current = fontOf(fonts, segment, current);
    if (!current) continue;
    const level = levels[index] ?? 0;
    const last = runs.at(-1);
    const isNew = !last || last.font !== current || last.level !== level;
    if (isNew) runs.push({ font: current, text: segment, level });
    else last.text += segment;
  }
  const ordered = reorder(runs).map(({ font, text, level }) => {
    const isRightToLeft = level % 2 === 1;
    return { font, text, isRightToLeft, glyphs: shapeOnce(font, text, isRightToLeft) };
  });
  return { runs: ordered, isRightToLeft: (paragraphs[0]?.level ?? 0) % 2 === 1 };
}

/** Reverses the runs of each level and above, from the highest to the lowest odd level (UAX 9, rule L2). */
function reorder<R extends { level: number }>(runs: readonly R[]): R[] {
  const ordered = [...runs];
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--)
    for (let start = 0; start < ordered.length; start++) {
      let end = start;
      while ((ordered[end]?.level ?? -1) >= level) end++;
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = end;
    }
  return ordered;
}

/** Whether the text has characters that no font can draw. */
export function isIncomplete(fonts: readonly LoadedFont[], text: string): boolean {
  for (const { segment } of graphemes.segment(text))
    if (!marks.test(segment) && !fontOf(fonts, segment, undefined)) return true;
  return false;
}

export const lineWidth = ({ runs }: Line, size: number) =>
  runs.reduce((sum, { glyphs, font }) => sum + widthOf(glyphs, font, size), 0);

/** Scripts that write without spaces can break between any two words. */
const spaceless = /[\p{Script=Thai}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** The pieces between which a line may break. */
function pieces(text: string): string[] {
  const found: string[] = [];
  for (const { segment } of words.segment(text)) {
    const last = found.at(-1);
    const mayBreak =
      last !== undefined &&
      !/^[\s\p{P}]/u.test(segment) &&
      (/[\s\u2010/]$|\p{Ll}-$/u.test(last) || spaceless.test(segment) || spaceless.test(last.at(-1) ?? ''));
    if (last === undefined || mayBreak) found.push(segment);
    else found[found.length - 1] = last + segment;
  }
  return found;
}

/** The texts of the lines. A word that is wider than a line is broken anywhere. */
function wrap(fonts: readonly LoadedFont[], text: string, size: number, width: number) {
  const fits = (line: string) => lineWidth(lineOf(fonts, line.trimEnd()), size) <= width;
  const lines: string[] = [];
  let line = '';
  let isBroken = false;
  for (const piece of pieces(text)) {
    if (fits(line + piece)) line += piece;
    else {
      if (line) lines.push(line.trimEnd());
      line = '';
      for (const { segment } of graphemes.segment(fits(piece) ? '' : piece)) {
        if (line && !fits(line + segment)) {
          lines.push(line);
          line = '';
          isBroken = true;
        }
        line += segment;
      }
      if (!line) line = piece;
    }
  }
  return { lines: line ? [...lines, line.trimEnd()] : lines, isBroken };
}

export type Fitted = { lines: Line[]; size: number };

/**
 * The largest size from `size` down to `min` in which the text has at most `maxLines`. What does not fit even then ends
 * with an ellipsis.
 */
export function fit(
  fonts: readonly LoadedFont[],
  text: string,
  { size, min, width, maxLines }: { size: number; min: number; width: number; maxLines: number },
): Fitted {
  for (let now = size; ; now = Math.max(min, now * 0.93)) {
    const { lines, isBroken } = wrap(fonts, text, now, width);
    if ((isBroken || lines.length > maxLines) && now > min) continue;
    const shown = lines.slice(0, maxLines);
    if (lines.length > maxLines)
      shown[maxLines - 1] = `${[...(shown[maxLines - 1] ?? '')].slice(0, -2).join('')}…`;
    return { lines: shown.map((line) => lineOf(fonts, line)), size: now };
  }
}
