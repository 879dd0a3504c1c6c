import { sortedData } from '../standards/changed-data.ts';
import { openClosingRequests } from './closing-requests.ts';
import {
  beginCommits,
  type CommitsEffect,
  commitOf,
  isUnreachable,
  readyOf,
  reduceCommits,
  saveStateOf,
} from './commits-state.ts';
import type { Commit, Receipt, Session } from './contract.ts';
import type { Journal } from './journal.ts';
import { createMachine } from './machine.ts';
import { addTo, newestOf } from './pending.ts';
import { evaluateCommit } from './results.ts';
import type { SaveState, Stop } from './save-state.ts';
import { createTimer } from './timer.ts';
import { sendCommit, sendCommitBlocking, sendCommitOnClose } from './transport.ts';

export type Snapshot = Pick<Commit, 'UnitID' | 'Data' | 'Tree' | 'Root' | 'Exit' | 'Refused'>;
export type Commits = ReturnType<typeof createCommits>;

const slowAfter = 3_000;
/** Used for delays, because it is not affected by changes to the device's clock. */
const uptime = () => performance.now();

/** Stores commits on this device and sends them. `commits-state.ts` decides which ones to send and when. */
export function createCommits(
  session: Session,
  journal: Journal,
  tell: { state(state: SaveState): void; receipt(receipt: Receipt): void; stopped(stop: Stop): void },
) {
  let flight: AbortController | null = null;
  let waiting: (() => void)[] = [];
  const closingRequests = openClosingRequests();
  const timer = createTimer(() => machine.dispatch({ kind: 'due', now: uptime() }));
  const machine = createMachine(beginCommits(session), reduceCommits, {
    announce,
    schedule: ({ delay }) => timer.start(delay),
    send: (effect) => void send(effect),
    'send-leaving': ({ commit }) => sendCommitOnClose(closingRequests, session.Session, commit),
    abort: () => flight?.abort(),
    forget: ({ entry }) => journal.forget(entry),
    renumber: ({ entries, by }) => void journal.renumber(entries, by),
    'report-receipt': ({ receipt }) => tell.receipt(receipt),
    'report-stopped': ({ stop }) => tell.stopped(stop),
  });

  const saveState = () => saveStateOf(machine.state, { onLine: navigator.onLine, holds: journal.holds });
  const holdsNewest = (unitID: string) => {
    const newest = newestOf(machine.state.pending, unitID);
    return newest !== undefined && journal.holds(newest.entry);
  };

  function announce(): void {
    journal.restore();
    tell.state(saveState());
    if (machine.state.pending.length > 0) return;
    for (const resume of waiting) resume();
    waiting = [];
  }

  async function send({ flight: number, sent, commit }: CommitsEffect & { kind: 'send' }): Promise<void> {
    flight = new AbortController();
    const slowness = window.setTimeout(() => machine.dispatch({ kind: 'slow' }), slowAfter);
    const answer = await sendCommit(session.Session, commit, flight.signal);
    window.clearTimeout(slowness);
    machine.dispatch({ kind: 'answered', flight: number, sent, answer, now: uptime() });
  }

  /** Stores the snapshot on this device. Returns false if it has not changed and is no longer pending. */
  function stage(given: Snapshot): boolean {
    const snapshot = { ...given, Data: sortedData(given.Data) };
    const { UnitID: unitID } = snapshot;
    const text = JSON.stringify(snapshot);
    if (text === machine.state.staged.get(unitID))
      return newestOf(machine.state.pending, unitID) !== undefined;
    const { EnrollID, Session, CourseTitle } = session;
    const Commit = { Number: machine.state.nextNumber, ...snapshot };
    const entry = { EnrollID, Session, CourseTitle, KeptAt: Date.now(), Commit };
    const added = { entry, results: evaluateCommit(session, Commit), attempts: 0, notBefore: 0 };
    const pending = addTo(machine.state.pending, added, journal);
    machine.dispatch({ kind: 'staged', unitID, text, pending });
    return true;
  }

  /** Sends pending commits, and returns only after the receipts have arrived. */
  function sendBlocking(): boolean {
    machine.dispatch({ kind: 'blocking' });
    for (let sent = readyOf(machine.state, uptime()); sent; sent = readyOf(machine.state, uptime())) {
      const answer = sendCommitBlocking(session.Session, commitOf(machine.state, sent.entry));
      // A failed call does not prove that the device is offline, because browsers also refuse blocking requests while
      // the content's page is closing. The timer tries again without blocking.
      if (answer.kind === 'unconfirmed' && !answer.temporarilyRejected) break;
      machine.dispatch({ kind: 'answered-blocking', sent, answer, now: uptime() });
    }
    machine.dispatch({ kind: 'unblocked' });
    return machine.state.pending.length === 0 && machine.state.stop === null;
  }

  return {
    get state() {
      return saveState();
    },
    get stop() {
      return machine.state.stop;
    },
    /** Stores the snapshot on this device, and sends it after the delay. */
    save(snapshot: Snapshot, delay: number): void {
      if (stage(snapshot)) machine.dispatch({ kind: 'save', delay });
    },
    /** Returns true only if the snapshot can no longer be lost: it is on the server or stored on this device. */
    commit(snapshot: Snapshot): boolean {
      if (!stage(snapshot)) return machine.state.stop === null;
      const held = () => holdsNewest(snapshot.UnitID);
      if (machine.state.leaving) {
        machine.dispatch({ kind: 'save', delay: 0 });
        return held();
      }
      const sent = isUnreachable(machine.state, navigator.onLine) && held() ? false : sendBlocking();
      machine.dispatch({ kind: 'changed' });
      return sent || held();
    },
    /** Resolves when everything is confirmed or rejected, or after the given time. */
    async settled(limit: number): Promise<boolean> {
      timer.start(0);
      if (machine.state.pending.length > 0) {
        await Promise.race([
          new Promise<void>((resolve) => waiting.push(resolve)),
          new Promise((resolve) => setTimeout(resolve, limit)),
        ]);
      }
      return machine.state.pending.length === 0;
    },
    send: () => timer.start(0),
    get leaving() {
      return machine.state.leaving;
    },
    leave: () => machine.dispatch({ kind: 'leave' }),
    stay: () => machine.dispatch({ kind: 'stay' }),
    online: () => machine.dispatch({ kind: 'online' }),
    offline: () => machine.dispatch({ kind: 'changed' }),
    storageChanged: () => machine.dispatch({ kind: 'changed' }),
  };
}
