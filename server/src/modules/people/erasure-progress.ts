import type { Place } from '../../platform/keyset.ts';

/** The progress of an erasure, stored between two portions. */
export type UnderWay = {
  /** Records by kind of data. */
  counts: Record<string, number>;
  /**
   * First all enrolments lose their user; then records that refer to the user are erased, then those of each
   * enrolment.
   */
  at: 'enrolments' | 'user' | 'enrolment' | 'end';
  /** The next step of `user` or `enrolment`, and the position in it. */
  step: number;
  place: Place | null;
  /** Events written after this one were written by the erasure. */
  until: string;
};

export function beginning(now: Date): UnderWay {
  return { counts: {}, at: 'enrolments', step: 0, place: null, until: now.toISOString() };
}

export function counted(state: UnderWay, name: string, records: number): UnderWay {
  return { ...state, counts: { ...state.counts, [name]: (state.counts[name] ?? 0) + records } };
}

/** Where to continue after a portion of a step; `next` null: with the next step. */
export function advanced(state: UnderWay, next: Place | null): UnderWay {
  return next === null ? { ...state, step: state.step + 1, place: null } : { ...state, place: next };
}

export const movedTo = (state: UnderWay, at: UnderWay['at']): UnderWay => ({
  ...state,
  at,
  step: 0,
  place: null,
});
