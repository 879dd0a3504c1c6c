import { bytesOfElement, type UsedSpace } from '../../standards/storage-limits.ts';
import { formatInterval, formatTimespan, secondsIn } from './intervals.ts';
import { type Position, placeOf } from './model.ts';
import { canonical12, model12 } from './model-12.ts';
import { models2004 } from './model-2004.ts';
import { nextSession } from './next.ts';
import { changeAt, countOf, type Lookup, memberWith } from './rules.ts';
import { entriesOf, read, type Store, storeOf } from './store.ts';
import type { Bucket, Edition, Model, Refusal, RunTimeData } from './types.ts';

/**
 * One session between a content object and the API. The state is plain data, so it can be stored as JSON and
 * continued later.
 */
export type State = {
  readonly version: 1;
  readonly edition: Edition;
  readonly phase: 'not initialised' | 'running' | 'terminated';
  readonly error: number;
  readonly diagnostic: string;
  readonly store: Store;
  /** The size of the data that `snapshot` returns. */
  readonly used: UsedSpace;
  /** Values that the content set in this session but that were not accepted, and of each list only the first. */
  readonly refused: readonly Refusal[];
  readonly buckets: readonly Bucket[];
  /** When the session began, in milliseconds of the caller's clock. */
  readonly begunAt: number | null;
  /** The final status if SCORM 1.2 content never set one. */
  readonly unsetStatus: 'completed' | 'incomplete';
};

export type Launch = {
  edition: Edition;
  /** The unit's stored data and the system data: learner, credit, mode, entry, thresholds and limits. */
  data: RunTimeData;
  /** SCORM 2004: the identifiers of the manifest's objectives (RTE 4th §4.2.17.1). */
  objectives?: readonly string[];
  /** SCORM 2004 4th edition: the shared data that the unit's manifest maps. */
  buckets?: readonly Bucket[];
  /**
   * RTE 1.2 §3.4.4 specifies `completed`. The default is `incomplete`, because otherwise content that only
   * stores bookmarks would be completed after its first session.
   */
  unsetStatus?: State['unsetStatus'];
};

/** A stored value or system value that was changed, accepted with a note, or rejected. */
export type LaunchNote = { element: string; note: string };

export const modelFor = (edition: Edition): Model => (edition === 'scorm12' ? model12 : models2004[edition]);

export function begin(launch: Launch): { state: State; notes: LaunchNote[] } {
  const { edition, data, objectives = [], buckets = [], unsetStatus = 'incomplete' } = launch;
  const is12 = edition === 'scorm12';
  const { values, notes } = load(edition, data);
  const set = (name: string, value: string) => put(modelFor(edition), values, name, value, notes);
  if (!is12)
    for (const id of objectives) {
      if (memberWith(lookupIn(values), 'cmi.objectives', id) === null)
        set(`cmi.objectives.${countOf(lookupIn(values), 'cmi.objectives')}.id`, id);
    }
  if (edition === 'scorm2004-4th')
    for (const [index, { id, store }] of buckets.entries()) {
      set(`adl.data.${index}.id`, id);
      if (store !== null) set(`adl.data.${index}.store`, store);
    }
  const state: State = {
    version: 1,
    edition,
    phase: 'not initialised',
    error: 0,
    diagnostic: '',
    store: storeOf(values),
    used: usedBy(values),
    refused: [],
    buckets: edition === 'scorm2004-4th' ? buckets : [],
    begunAt: null,
    unsetStatus,
  };
  return { state, notes };
}

const lookupIn =
  (values: ReadonlyMap<string, string>): Lookup =>
  (key) =>
    values.get(key);

function put(
  model: Model,
  values: Map<string, string>,
  name: string,
  value: string,
  notes: LaunchNote[],
): boolean {
  const change = changeAt(lookupIn(values), placeOf(model, name), value, 'system');
  if ('problem' in change) {
    notes.push({ element: name, note: `not loaded: ${change.problem}` });
    return false;
  }
  for (const [key, to] of change.changes) values.set(key, to);
  if (change.note) notes.push({ element: name, note: change.note });
  return true;
}

export const isStored = (key: string) => key.startsWith('cmi.');

function usedBy(values: ReadonlyMap<string, string>): UsedSpace {
  const stored = [...values].filter(([key]) => isStored(key));
  const bytes = stored.reduce((sum, [key, value]) => sum + bytesOfElement(key, value), 2);
  return { elements: stored.length, bytes };
}

/**
 * Lists are filled in index order. A member's identifier and type come before the elements that depend on
 * them.
 */
function rank(name: string): number[] {
  const leaf = name.slice(name.lastIndexOf('.') + 1);
  const indices = [...name.matchAll(/\.(\d{1,15})(?=\.)/g)].map(([, index]) => Number(index));
  return [
    indices[0] ?? -1,
    indices.length > 1 ? 2 : leaf === 'id' ? 0 : leaf === 'type' ? 1 : 2,
    indices[1] ?? -1,
  ];
}

function inOrder(data: RunTimeData): [string, string][] {
  const ranked = Object.entries(data).map((entry) => ({ entry, rank: rank(entry[0]) }));
  ranked.sort((a, b) => {
    const at = a.rank.findIndex((part, index) => part !== b.rank[index]);
    return at < 0 ? 0 : (a.rank[at] ?? 0) - (b.rank[at] ?? 0);
  });
  return ranked.map(({ entry }) => entry);
}

/** Adds values one at a time, so a rejected value does not affect the others. Closes gaps in lists. */
function load(edition: Edition, data: RunTimeData): { values: Map<string, string>; notes: LaunchNote[] } {
  const model = modelFor(edition);
  const values = new Map<string, string>();
  const notes: LaunchNote[] = [];
  /** The new index of each stored member. The key consists of the list and the stored index. */
  const moved = new Map<string, number>();
  for (const [stored, text] of inOrder(data)) {
    const place = placeOf(model, stored);
    if (place.kind !== 'element' || stored.startsWith('adl.')) {
      if (place.kind === 'undefined') notes.push({ element: stored, note: 'not loaded: undefined' });
      continue;
    }
    const { name, members } = renumbered(stored, place.lists, moved, lookupIn(values));
    const value = edition === 'scorm12' ? canonical12(place.element.name, text) : text;
    if (put(model, values, name, value, notes))
      for (const [member, index] of members) moved.set(member, index);
  }
  return { values, notes };
}

function renumbered(
  stored: string,
  lists: readonly Position[],
  moved: ReadonlyMap<string, number>,
  lookup: Lookup,
): { name: string; members: [string, number][] } {
  const members: [string, number][] = [];
  let [before, now] = ['', ''];
  for (const part of stored.split('.')) {
    const isMember = lists.some(({ list }) => list === before);
    const member = before === '' ? part : `${before}.${part}`;
    const index = isMember ? (moved.get(member) ?? countOf(lookup, now)) : part;
    if (typeof index === 'number') members.push([member, index]);
    now = now === '' ? part : `${now}.${index}`;
    before = member;
  }
  return { name: now, members };
}

/** Seconds since the session began. */
function elapsed({ begunAt }: State, now: number): number {
  return begunAt === null ? 0 : Math.max(0, Math.round((now - begunAt) / 10) / 100);
}

/**
 * The complete data of the unit, for storage. If the content reports no session time, the measured time is
 * used.
 */
export function snapshot(state: State, now: number): RunTimeData {
  const data: RunTimeData = {};
  for (const [key, value] of entriesOf(state.store)) if (isStored(key)) data[key] = value;
  if (state.begunAt === null) return data;
  const is12 = state.edition === 'scorm12';
  const element = is12 ? 'cmi.core.session_time' : 'cmi.session_time';
  // SCORM 1.2 content that does not measure time often reports 00:00:00.
  const isCounted = is12 ? secondsIn(data[element]) > 0 : data[element] !== undefined;
  if (!isCounted) data[element] = (is12 ? formatTimespan : formatInterval)(elapsed(state, now));
  return data;
}

/** Begins a session. If the state has one already, another session of the same attempt begins. */
export function begunSession(state: State, now: number): State {
  const begun: State = { ...state, phase: 'running', begunAt: now };
  if (state.phase === 'not initialised') return begun;
  const next = nextSession(state.edition, snapshot(state, now));
  const kept = entriesOf(state.store).filter(([key]) => !key.startsWith('cmi.') || key in next);
  const values = new Map([...kept, ...Object.entries(next)]);
  return { ...begun, store: storeOf(values), used: usedBy(values) };
}

/** The session of a page that ended it because it was about to close, but stayed open. */
export const resumedSession = (state: State): State => ({ ...state, phase: 'running' });

/** The shared data that this unit may write, by identifier. Null means that the bucket is empty. */
export function sharedData({ store, buckets }: State): Map<string, string | null> {
  const writable = [...buckets.entries()].filter(([, { write }]) => write);
  return new Map(writable.map(([index, { id }]) => [id, read(store, `adl.data.${index}.store`) || null]));
}

/** The content's navigation request, or null if there is none. */
export function navigationRequest({ store }: State): string | null {
  const request = read(store, 'adl.nav.request');
  return request === undefined || request === '_none_' ? null : request;
}

/** The seconds that remain of the maximum time allowed, or null if there is no maximum. */
export function remainingSeconds(state: State, now: number): number | null {
  const is12 = state.edition === 'scorm12';
  const allowed = read(state.store, is12 ? 'cmi.student_data.max_time_allowed' : 'cmi.max_time_allowed');
  const taken = read(state.store, is12 ? 'cmi.core.total_time' : 'cmi.total_time');
  return allowed === undefined || allowed === ''
    ? null
    : Math.max(0, secondsIn(allowed) - secondsIn(taken) - elapsed(state, now));
}
