import { bytesOfElement, hasSpace, storageLimits, type UsedSpace } from '../../standards/storage-limits.ts';
import { explain } from './codes.ts';
import { shorten } from './errors.ts';
import { type Place, placeOf } from './model.ts';
import { changeAt, type Lookup } from './rules.ts';
import { isStored, modelFor, type State } from './session.ts';
import { read, written } from './store.ts';
import type { Problem, Refusal } from './types.ts';

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
  const change = withinLimits(state, place, value);
  if ('problem' in change) {
    const refused = refusedAfter(state.refused, place, value, change.problem);
    return answer({ ...state, refused }, 'false', codes[change.problem], explain(name, change.problem));
  }
  const { changes, note, used } = change;
  const refused = state.refused.filter(({ element }) => element !== changes.at(-1)?.[0]);
  const after = { ...state, store: written(state.store, changes), used, refused };
  return answer(after, 'true', 0, '', { effect: 'changed', ...(note && { note }) });
}

type Change = ReturnType<typeof changeAt>;

/** The changes, if the value also fits into the space of the unit. */
function withinLimits(
  state: State,
  place: Place,
  value: string,
): Extract<Change, { problem: Problem }> | (Exclude<Change, { problem: Problem }> & { used: UsedSpace }) {
  const { used } = state;
  const change = changeAt(lookupOf(state), place, value, state);
  if ('problem' in change || place.kind !== 'element') return { ...change, used };
  const { name, element, lists } = place;
  const longest = element.isShared ? storageLimits.bucketCharacters : storageLimits.valueCharacters;
  if (value.length > longest) return { problem: 'too long' };
  if (!isStored(name)) return { ...change, used };
  const before = read(state.store, name);
  const added = bytesOfElement(name, value) - (before === undefined ? 0 : bytesOfElement(name, before));
  const after = { elements: used.elements + (before === undefined ? 1 : 0), bytes: used.bytes + added };
  const isLarger = added > 0 && !hasSpace(after, value, lists.length > 0);
  return isLarger ? { problem: 'no space' } : { ...change, used: after };
}

const maxRefusals = 10;
/** Content may look for elements in this way, so nothing is lost. */
const harmless: readonly Problem[] = ['undefined', 'keyword', 'read only'];

/** Keeps the first member of each list, because a course may set thousands of answers after the unit is full. */
function refusedAfter(
  before: readonly Refusal[],
  place: Place,
  value: string,
  problem: Problem,
): readonly Refusal[] {
  if (place.kind !== 'element' || harmless.includes(problem)) return before;
  const kindOf = (name: string) => name.replace(/\d+/g, 'n');
  const known = before.find(({ element }) => kindOf(element) === kindOf(place.name));
  if (known && known.element !== place.name) return before;
  const others = before.filter((refusal) => refusal !== known);
  return [...others, { element: place.name, value: value.slice(0, 100), problem }].slice(-maxRefusals);
}
