import { explain } from './codes.ts';
import { shorten } from './errors.ts';
import { placeOf } from './model.ts';
import { changeAt, type Lookup } from './rules.ts';
import { modelFor, type State } from './session.ts';
import { read, written } from './store.ts';
import type { Problem } from './types.ts';

export type Call = { fn: string; args: readonly string[] };

/** The inputs of a call other than the state. */
export type Environment = {
  /** Milliseconds from any monotonic clock. */
  now: number;
  /**
   * Whether the page that began the session has been replaced, or stayed open although it had ended the session because it
   * was about to close. `Initialize` then begins another session.
   */
  mayRestart?: boolean;
  /** SCORM 2004: whether a navigation request would succeed now (SN 4th §5.6.5). */
  mayNavigate?: (request: string, target: string | null) => 'true' | 'false' | 'unknown';
};

export type Effect = 'initialised' | 'changed' | 'commit' | 'terminated';

export type Answer = {
  state: State;
  /** What the call returns to the content. */
  returned: string;
  error: number;
  diagnostic: string;
  effect?: Effect;
  /** How an accepted value deviates from the specification. */
  note?: string;
};

/** Content may pass numbers, nothing at all, or objects that cannot be converted to strings. */
export function argument(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    return String(value);
  } catch {
    return '';
  }
}

export function answer(
  state: State,
  returned: string,
  error: number,
  diagnostic = '',
  more: { effect?: Effect; note?: string } = {},
): Answer {
  const short = shorten(diagnostic);
  return { state: { ...state, error, diagnostic: short }, returned, error, diagnostic: short, ...more };
}

/** The answer to a call that leaves the last error unchanged. */
export function report({ error, diagnostic }: State, state: State, returned: string): Answer {
  return { state, returned, error, diagnostic };
}

export const lookupOf =
  ({ store }: State): Lookup =>
  (key) =>
    read(store, key);

export function setValue(
  state: State,
  name: string,
  value: string,
  codes: Readonly<Record<Problem, number>>,
): Answer {
  const place = placeOf(modelFor(state.edition), name);
  const change = changeAt(lookupOf(state), place, value, state);
  if ('problem' in change)
    return answer(state, 'false', codes[change.problem], explain(name, change.problem));
  const after = { ...state, store: written(state.store, change.changes) };
  return answer(after, 'true', 0, '', { effect: 'changed', ...(change.note && { note: change.note }) });
}
