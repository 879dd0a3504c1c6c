import { countingResult } from '../enrolments/record/states.ts';

export const maximum = 100;

/** The state of an enrolment as a score (AGS 2.0, 3.4.5). `given` is between 0 and 100; null: there is no score yet. */
export type Score = { given: number | null; activity: 'Initialized' | 'InProgress' | 'Completed' };

type Row = Parameters<typeof countingResult>[0] & { started_at: Date | null };

/** Courses without a score count as 100 when they are completed or passed, and as 0 when they are failed. */
export function scoreOf(row: Row): Score {
  const { Completion, Success, Score: score } = countingResult(row);
  const isDone = Completion === 'completed' || Success === 'passed';
  const whole = Success === 'failed' ? 0 : isDone ? maximum : null;
  const begun = row.started_at === null ? 'Initialized' : 'InProgress';
  return { given: score ?? whole, activity: isDone || Success === 'failed' ? 'Completed' : begun };
}

/** The paths of a line item's services precede its query (AGS 2.0, 3.1.2), which Moodle uses. */
export function serviceUrl(lineItem: string, name: 'scores' | 'results'): URL {
  const url = new URL(lineItem);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${name}`;
  return url;
}

/** Platforms reject a score that is not newer than their grade, so the time is that of the first request. */
export const scoreBody = (score: Score, { subject, at }: { subject: string; at: Date }) => ({
  userId: subject,
  timestamp: at.toISOString(),
  activityProgress: score.activity,
  ...(score.given === null
    ? { gradingProgress: 'NotReady' }
    : { gradingProgress: 'FullyGraded', scoreGiven: score.given, scoreMaximum: maximum }),
});

/** The score in a result container (AGS 2.0, 3.3), between 0 and 100; null if the platform has none. */
export function readResult(text: string, subject: string): number | null {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return null;
  }
  const results = Array.isArray(list) ? (list as Record<string, unknown>[]) : [];
  const own = results.find((one) => String(one?.userId) === subject);
  if (typeof own?.resultScore !== 'number') return null;
  const out = typeof own.resultMaximum === 'number' && own.resultMaximum > 0 ? own.resultMaximum : 1;
  return (own.resultScore / out) * maximum;
}

/** Platforms store some digits only. */
export const isSame = (one: number, other: number): boolean => Math.abs(one - other) < 0.01;
