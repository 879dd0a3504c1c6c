import type { KeyPosition } from '../../platform/keyset.ts';

/** The progress of an erasure, stored between batches. */
export type ErasureProgress = {
  /** Number of erased records for each kind of data. */
  counts: Record<string, number>;
  /**
   * First, the user is removed from all enrolments. Then records that refer to the user are erased, and finally those
   * of each enrolment.
   */
  at: 'enrolments' | 'user' | 'enrolment' | 'end';
  /** The next step of `user` or `enrolment`, and the position in it. */
  step: number;
  place: KeyPosition | null;
  /** Anything written after this time was written by the erasure itself. */
  until: string;
};

export function beginning(now: Date): ErasureProgress {
  return { counts: {}, at: 'enrolments', step: 0, place: null, until: now.toISOString() };
}

export function counted(state: ErasureProgress, name: string, records: number): ErasureProgress {
  return { ...state, counts: { ...state.counts, [name]: (state.counts[name] ?? 0) + records } };
}

/** Returns the state after a batch. If `next` is null, the next step follows. */
export function advanced(state: ErasureProgress, next: KeyPosition | null): ErasureProgress {
  return next === null ? { ...state, step: state.step + 1, place: null } : { ...state, place: next };
}

export const movedTo = (state: ErasureProgress, at: ErasureProgress['at']): ErasureProgress => ({
  ...state,
  at,
  step: 0,
  place: null,
});
