import { afterCommit, afterReceipt, type Changes, changesIn } from './changes.ts';
import type { Commit, Receipt, Session } from './contract.ts';
import { renumberedBy } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { newestOf, nextOf, type Pending, type Queue } from './pending.ts';
import type { SaveState, Stop } from './save-state.ts';
import type { Answer } from './transport.ts';

/** The queue of numbered commits from the course to the server. At most one is in flight. */
export type CommitsState = {
  pending: Queue;
  /** The latest snapshot of each unit, as JSON. */
  staged: ReadonlyMap<string, string>;
  /** Of each unit, what the service lacks. */
  changes: ReadonlyMap<string, Changes>;
  /** Units for which the service has stored the results but not the latest data. */
  unstored: ReadonlySet<string>;
  nextNumber: number;
  /** The results so far in a preview. Null in a launch, because the server then stores the results. */
  reached: NonNullable<Commit['Preview']> | null;
  flights: number;
  /** Identifies the current request. */
  flight: number | null;
  /** Consecutive failures. */
  failures: number;
  /** The service asked not to be called before this time. */
  notBefore: number;
  slow: boolean;
  leaving: boolean;
  /** Commits sent while the page is closing; each is sent only once. */
  sentLeaving: readonly JournalEntry[];
  stop: Stop | null;
};

/** Times come from the page's monotonic clock, which is not affected by changes to the device's clock. */
export type CommitsEvent =
  | { kind: 'staged'; unitID: string; text: string; pending: Queue }
  | { kind: 'save'; delay: number }
  | { kind: 'due'; now: number }
  | { kind: 'slow' }
  | { kind: 'answered'; flight: number; sent: Pending; answer: Answer; now: number }
  /** The content waits in a blocking call. Nothing else is sent until the call returns. */
  | { kind: 'blocking' }
  | { kind: 'answered-blocking'; sent: Pending; answer: Answer; now: number }
  | { kind: 'unblocked' }
  | { kind: 'leave' }
  | { kind: 'stay' }
  | { kind: 'online' }
  /** The page's environment changed, such as its connection or the storage. */
  | { kind: 'changed' };

export type CommitsEffect =
  | { kind: 'announce' }
  | { kind: 'schedule'; delay: number }
  | { kind: 'send'; flight: number; sent: Pending; commit: Commit }
  | { kind: 'send-leaving'; commit: Commit }
  | { kind: 'abort' }
  | { kind: 'forget'; entry: JournalEntry }
  | { kind: 'renumber'; entries: JournalEntry[]; by: number }
  | { kind: 'report-receipt'; receipt: Receipt }
  | { kind: 'report-stopped'; stop: Stop };

export type Step = { state: CommitsState; effects: CommitsEffect[] };

const announce: CommitsEffect = { kind: 'announce' };
const longestWait = 60_000;
const schedule = (delay: number): CommitsEffect => ({
  kind: 'schedule',
  delay: Math.min(delay, longestWait),
});
const retryDelays = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
const delayAfter = (failures: number) => retryDelays[failures - 1] ?? 60_000;

export function beginCommits({ NextCommit, Receipt }: Pick<Session, 'NextCommit' | 'Receipt'>): CommitsState {
  return {
    ...{
      pending: [],
      staged: new Map(),
      changes: new Map(),
      unstored: new Set(),
      nextNumber: NextCommit,
      reached: Receipt.Preview ?? null,
    },
    ...{ flights: 0, flight: null, failures: 0, notBefore: 0 },
    ...{ slow: false, leaving: false, sentLeaving: [], stop: null },
  };
}

export function reduceCommits(state: CommitsState, event: CommitsEvent): Step {
  const to = (changes: Partial<CommitsState>, ...effects: CommitsEffect[]): Step => ({
    state: { ...state, ...changes },
    effects,
  });
  switch (event.kind) {
    case 'staged': {
      const { unitID, text, pending } = event;
      const staged = new Map(state.staged).set(unitID, text);
      const data = newestOf(pending, unitID)?.entry.Commit.Data ?? {};
      const now = afterCommit(state.changes.get(unitID), state.nextNumber, data);
      const changes = new Map(state.changes).set(unitID, now);
      return to({ staged, changes, pending, nextNumber: state.nextNumber + 1 }, announce);
    }
    case 'save':
      if (state.leaving) return sendLeaving(state);
      return state.failures === 0 ? to({}, schedule(event.delay)) : to({});
    case 'due':
      return sendNext(state, event.now);
    case 'slow':
      return to({ slow: true }, announce);
    case 'answered': {
      if (state.flight !== event.flight) return to({});
      const settled = settle({ ...state, flight: null }, event);
      const { pending, failures } = settled.state;
      const next = pending.length > 0 ? [schedule(failures === 0 ? 0 : delayAfter(failures))] : [];
      return { ...settled, effects: [...settled.effects, announce, ...next] };
    }
    case 'blocking':
      return to({ flight: null }, { kind: 'abort' });
    case 'answered-blocking':
      return settle(state, event);
    case 'unblocked':
      return state.pending.length > 0 ? to({}, schedule(0)) : to({});
    case 'leave':
      return sendLeaving({ ...state, leaving: true });
    case 'stay':
      return to({ leaving: false, sentLeaving: [] }, schedule(0));
    case 'online':
      return to({ failures: 0 }, announce, schedule(0));
    case 'changed':
      return to({}, announce);
  }
}

function sendNext(state: CommitsState, now: number): Step {
  const next = state.flight === null ? nextOf(state.pending, now) : null;
  if (!next) return { state, effects: [] };
  if ('wait' in next) return { state, effects: [schedule(next.wait)] };
  if (state.notBefore > now) return { state, effects: [schedule(state.notBefore - now)] };
  const flight = state.flights + 1;
  const send: CommitsEffect = { kind: 'send', flight, sent: next, commit: commitOf(state, next.entry) };
  return { state: { ...state, flight, flights: flight }, effects: [send] };
}

function sendLeaving(state: CommitsState): Step {
  const entries = state.pending.map(({ entry }) => entry);
  const unsent = entries.filter((entry) => !state.sentLeaving.includes(entry));
  return {
    state: { ...state, sentLeaving: [...state.sentLeaving, ...unsent] },
    effects: unsent.map((entry) => ({ kind: 'send-leaving', commit: commitOf(state, entry) })),
  };
}

function settle(before: CommitsState, given: { sent: Pending; answer: Answer; now: number }): Step {
  const { sent, answer, now } = given;
  const failed = answer.kind === 'unconfirmed' && !answer.temporarilyRejected;
  const state = { ...before, slow: false, failures: failed ? before.failures + 1 : 0 };
  switch (answer.kind) {
    case 'unconfirmed': {
      const waiting = { ...state, notBefore: now + (answer.retryAfter ?? 0) };
      return { state: answer.temporarilyRejected ? postpone(waiting, sent, now) : waiting, effects: [] };
    }
    case 'ahead':
      return renumber(state, answer.expected - sent.entry.Commit.Number);
    case 'unknown-base':
      return { state: { ...state, changes: without(state.changes, sent.entry.Commit.UnitID) }, effects: [] };
    case 'receipt': {
      const { receipt } = answer;
      const stop: Stop | null = receipt.Ended === null ? null : { ended: receipt.Ended };
      const report: CommitsEffect = { kind: 'report-receipt', receipt };
      const { UnitID, Number: number } = sent.entry.Commit;
      const unstored = unstoredAfter(state.unstored, UnitID, receipt);
      const known = unstored.has(UnitID) ? undefined : state.changes.get(UnitID);
      const changes = known ? new Map(state.changes).set(UnitID, afterReceipt(known, number)) : state.changes;
      return remove({ ...state, unstored, changes, reached: receipt.Preview ?? null }, sent, [report], stop);
    }
    case 'rejected':
      return remove(state, sent, [], { refused: answer.code });
  }
}

function unstoredAfter(before: ReadonlySet<string>, unitID: string, { Warning }: Receipt): Set<string> {
  const after = new Set(before);
  if (Warning === undefined) after.delete(unitID);
  else after.add(unitID);
  return after;
}

function without(changes: CommitsState['changes'], unitID: string): CommitsState['changes'] {
  return new Map([...changes].filter(([known]) => known !== unitID));
}

/** Delays only this commit, because others may be accepted in the meantime. */
function postpone(state: CommitsState, sent: Pending, now: number): CommitsState {
  const temporarilyRejected = (each: Pending): Pending => {
    const attempts = each.attempts + 1;
    return { ...each, attempts, notBefore: now + delayAfter(attempts) };
  };
  const pending = state.pending.map((each) => (each.entry === sent.entry ? temporarilyRejected(each) : each));
  return { ...state, pending };
}

/** Shifts the numbers of all pending commits by the same amount, which keeps their order. */
function renumber(state: CommitsState, by: number): Step {
  const entries = state.pending.map(({ entry }) => entry);
  const moved = renumberedBy(entries, by);
  const pending = state.pending.map((each, n) => ({
    ...each,
    ...{ entry: moved[n] ?? each.entry, attempts: 0, notBefore: 0 },
  }));
  const moving = { pending, changes: new Map(), nextNumber: state.nextNumber + by };
  return { state: { ...state, ...moving }, effects: [{ kind: 'renumber', entries, by }] };
}

/** Removes a commit whose outcome is final. The other commits are sent even if the session has ended. */
function remove(state: CommitsState, { entry }: Pending, reports: CommitsEffect[], stop: Stop | null): Step {
  const pending = state.pending.filter((each) => each.entry.Commit.Number !== entry.Commit.Number);
  const isNew = stop !== null && (state.stop === null || 'refused' in stop);
  const stopped: CommitsEffect[] = isNew ? [{ kind: 'report-stopped', stop }] : [];
  return {
    state: { ...state, pending, stop: isNew ? stop : state.stop },
    effects: [...reports, ...stopped, { kind: 'forget', entry }],
  };
}

/** In a preview, each commit contains everything and the results so far, because the server does not store them. */
export function commitOf({ reached, changes }: CommitsState, { Commit }: JournalEntry): Commit {
  return reached === null ? changesIn(Commit, changes.get(Commit.UnitID)) : { ...Commit, Preview: reached };
}

/** The next commit that may be sent now. */
export function readyOf(state: CommitsState, now: number): Pending | null {
  const next = now < state.notBefore ? null : nextOf(state.pending, now);
  return next && 'entry' in next ? next : null;
}

export const isUnreachable = ({ failures, slow }: CommitsState, onLine: boolean): boolean =>
  !onLine || failures > 0 || slow;

export function saveStateOf(
  state: CommitsState,
  device: { onLine: boolean; holds: (entry: JournalEntry) => boolean },
): SaveState {
  const { pending } = state;
  if (pending.length === 0) return state.unstored.size > 0 ? 'partly' : 'saved';
  const isTurnedAway = pending.some(({ attempts }) => attempts > 0);
  if (!isUnreachable(state, device.onLine) && !isTurnedAway) return 'saving';
  return pending.every(({ entry }) => device.holds(entry)) ? 'onDevice' : 'unsaved';
}
