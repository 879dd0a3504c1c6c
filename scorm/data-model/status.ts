import type { RunTimeData } from './types.ts';
import { numberIn } from './values.ts';

/** Reads an element of one unit. */
type Read = (element: string) => string | undefined;

const from =
  (data: RunTimeData): Read =>
  (element) =>
    Object.hasOwn(data, element) ? data[element] : undefined;

/**
 * RTE 4th §4.2.4.1: if there is a threshold, the status depends only on the progress measure. Otherwise, the
 * content sets it.
 */
export function completionOf(read: Read): string {
  const threshold = numberIn(read('cmi.completion_threshold'));
  if (threshold === null) return read('cmi.completion_status') ?? 'unknown';
  const progress = numberIn(read('cmi.progress_measure'));
  if (progress === null) return 'unknown';
  return progress >= threshold ? 'completed' : 'incomplete';
}

/**
 * RTE 4th §4.2.22.1: if there is a passing score, the status depends only on the scaled score. Otherwise, the
 * content sets it.
 */
export function successOf(read: Read): string {
  const passing = numberIn(read('cmi.scaled_passing_score'));
  if (passing === null) return read('cmi.success_status') ?? 'unknown';
  const scaled = numberIn(read('cmi.score.scaled'));
  if (scaled === null) return 'unknown';
  return scaled >= passing ? 'passed' : 'failed';
}

export const completionStatus = (data: RunTimeData) => completionOf(from(data));
export const successStatus = (data: RunTimeData) => successOf(from(data));

/**
 * RTE 1.2 §3.4.4, lesson_status: the status at the end of a session. If the unit is taken for credit, the
 * mastery score determines whether it is passed, but only once the content has reported a final status. Until
 * then, the score may be partial.
 */
export function finalStatus12(read: Read, unset: string): string {
  const status = read('cmi.core.lesson_status') || 'not attempted';
  const mode = read('cmi.core.lesson_mode') || 'normal';
  if (status === 'not attempted') {
    if (mode === 'browse') return 'browsed';
    return mode === 'normal' ? judged(read, mode, unset) : status;
  }
  return judged(read, mode, status);
}

function judged(read: Read, mode: string, status: string): string {
  const forCredit = mode === 'normal' && (read('cmi.core.credit') || 'credit') === 'credit';
  const hasEnded = status === 'completed' || status === 'passed' || status === 'failed';
  const mastery = numberIn(read('cmi.student_data.mastery_score'));
  const raw = numberIn(read('cmi.core.score.raw'));
  if (!forCredit || !hasEnded || mastery === null || raw === null) return status;
  return raw >= mastery ? 'passed' : 'failed';
}
