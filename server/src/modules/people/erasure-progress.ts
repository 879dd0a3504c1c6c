import type { Place } from '../../platform/keyset.ts';

/** How far an erasure is, as its row keeps it between two portions. */
export type UnderWay = {
  /** Records by kind of data. */
  counts: Record<string, number>;
  /** First all enrolments lose their user; then goes what points at the user, and what points at each enrolment. */
  at: 'enrolments' | 'user' | 'enrolment' | 'end';
  /** Which step of `user` or `enrolment` is next, and where in it. */
  step: number;
  place: Place | null;
  /** What was written later was written by the erasure. */
  until: string;
};

export function beginning(now: Date): UnderWay {
  return { counts: {}, at: 'enrolments', step: 0, place: null, until: now.toISOString() };
}

export function counted(state: UnderWay, name: string, records: number): UnderWay {
  return { ...state, counts: { ...state.counts, [name]: (state.counts[name] ?? 0) + records } };
}

/** Where to go on after a portion of a step; `next` null: with the next step. */
export function advanced(state: UnderWay, next: Place | null): UnderWay {
  return next === null ? { ...state, step: state.step + 1, place: null } : { ...state, place: next };
}

export const movedTo = (state: UnderWay, at: UnderWay['at']): UnderWay => ({
  ...state,
  at,
  step: 0,
  place: null,
});
