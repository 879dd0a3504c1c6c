import { parseNumber } from '../numbers.ts';
import type { RunTimeData } from '../types.ts';

const statuses = ['passed', 'completed', 'failed', 'incomplete', 'browsed', 'not attempted'] as const;
const exits = ['logout', 'suspend', 'time-out'] as const;

/** Only the first letter of a word is significant (CMI001, section 5). Null if no word begins with it. */
export function wordOf<Word extends string>(
  words: readonly Word[],
  written: string | undefined,
): Word | null {
  const letter = written?.trim().charAt(0).toLowerCase() ?? '';
  return letter === '' ? null : (words.find((word) => word.startsWith(letter)) ?? null);
}

/** The status as SCORM 1.2 spells it. Null for `not attempted`, because content cannot undo an attempt. */
export function statusOf(written: string | undefined): string | null {
  const status = wordOf(statuses, written);
  return status === 'not attempted' ? null : status;
}

/** The second part of a status such as `c,logout`; empty if there is none. */
export function exitOf(status: string): string {
  return wordOf(exits, status.split(',')[1]) ?? '';
}

/**
 * The elements of a score that is written as `raw,max,min`. Only `raw` is required. Returns null if it is not
 * a number.
 */
export function scoreOf(prefix: string, written: string | undefined): RunTimeData | null {
  const [raw, max, min] = (written ?? '')
    .slice(0, 1_000)
    .split(/[,;]/)
    .map((part) => parseNumber(part));
  if (typeof raw !== 'number') return null;
  const low = min ?? 0;
  // In `85,5`, the decimal comma looks like the separator before a maximum of 5.
  const hasRange = typeof max === 'number' && max > low && raw >= low && raw <= max;
  return {
    [`${prefix}.score.raw`]: String(raw),
    ...(hasRange && { [`${prefix}.score.max`]: String(max), [`${prefix}.score.min`]: String(low) }),
  };
}

/** Replaces the whole score. An earlier minimum or maximum does not apply to the new value. */
export function withScore(data: RunTimeData, prefix: string, written: string | undefined): RunTimeData {
  const score = scoreOf(prefix, written);
  if (!score) return data;
  const {
    [`${prefix}.score.raw`]: _,
    [`${prefix}.score.max`]: __,
    [`${prefix}.score.min`]: ___,
    ...rest
  } = data;
  return { ...rest, ...score };
}
