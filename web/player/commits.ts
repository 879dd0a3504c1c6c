import type { Commit, Receipt, Session } from '../../src/modules/player/schemas.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { createPending, saidBy } from './pending.ts';
import { type Answer, sendCommit, sendCommitBlocking, sendCommitLeaving } from './transport.ts';

/** What the learner is told: `kept` is on this device only, `unkept` is in danger. */
export type SaveState = 'saved' | 'saving' | 'kept' | 'unkept' | 'refused' | 'elsewhere' | 'ended';
export type Snapshot = Pick<Commit, 'UnitID' | 'Data' | 'Tree' | 'Root' | 'Exit'>;
export type Commits = ReturnType<typeof createCommits>;

const slowAfter = 3_000;
const retryDelays = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** The line of commits between the course and the server: numbered, one in flight, the latest of each unit. */
export function createCommits(
  session: Session,
  journal: Journal,
  tell: { state(state: SaveState): void; receipt(receipt: Receipt): void },
) {
  const pending = createPending();
  const confirmed = new Map<string, string>();
  let number = session.NextCommit;
  /** What a preview has reached; null for a launch, of which the server knows it. */
  let reached = session.Receipt.Preview ?? null;
  let flight: AbortController | null = null;
  let timer: number | undefined;
  let failures = 0;
  let slow = false;
  let leaving = false;
  let frozen: 'elsewhere' | 'ended' | null = null;
  let rejected = false;
  let waiting: (() => void)[] = [];

  const unreachable = () => !navigator.onLine || failures > 0 || slow;

  function announce(): void {
    tell.state(stateNow());
    if (pending.size > 0 && !frozen) return;
    for (const resume of waiting) resume();
    waiting = [];
  }

  function stateNow(): SaveState {
    if (frozen) return frozen;
    if (pending.size === 0) return rejected ? 'refused' : 'saved';
    if (!unreachable()) return 'saving';
    return pending.inOrder().every(({ kept }) => kept) ? 'kept' : 'unkept';
  }

  /** Writes the snapshot down on this device. False when there is nothing new to send. */
  function stage(snapshot: Snapshot): boolean {
    if (frozen) return false;
    const said = JSON.stringify(snapshot);
    const before = pending.get(snapshot.UnitID)?.entry.Commit;
    if (before ? said === saidBy(before) : said === confirmed.get(snapshot.UnitID))
      return before !== undefined;
    const { EnrollID, Session, CourseTitle } = session;
    const entry = { EnrollID, Session, CourseTitle, Commit: { Number: number++, ...snapshot } };
    pending.set(snapshot.UnitID, { entry, kept: journal.write(entry) });
    announce();
    return true;
  }

  function toSend({ Commit }: JournalEntry): Commit {
    return reached === null ? Commit : { ...Commit, Preview: reached };
  }

  function settle(entry: JournalEntry, answer: Answer): void {
    slow = false;
    if (answer.kind === 'unreachable') {
      failures++;
      return;
    }
    failures = 0;
    const current = pending.get(entry.Commit.UnitID);
    const isCurrent = current?.entry.Commit.Number === entry.Commit.Number;
    if (answer.kind === 'receipt') {
      confirmed.set(entry.Commit.UnitID, saidBy(entry.Commit));
      rejected = false;
      reached = answer.receipt.Preview ?? null;
      tell.receipt(answer.receipt);
      if (answer.receipt.Ended !== null)
        freeze(answer.receipt.Ended === 'session_superseded' ? 'elsewhere' : 'ended');
    } else if (
      answer.status === 409 ||
      answer.status === 410 ||
      answer.status === 403 ||
      answer.status === 404
    ) {
      freeze(answer.code === 'session_superseded' ? 'elsewhere' : 'ended');
    } else {
      rejected = true;
      console.error(`The server refused commit ${entry.Commit.Number}: ${answer.detail}`);
    }
    journal.forget(entry);
    if (isCurrent) pending.delete(entry.Commit.UnitID);
  }

  function freeze(reason: 'elsewhere' | 'ended'): void {
    frozen = reason;
    for (const { entry } of pending.inOrder()) journal.forget(entry);
    pending.clear();
    window.clearTimeout(timer);
  }

  function schedule(delay: number): void {
    window.clearTimeout(timer);
    timer = window.setTimeout(pump, delay);
  }

  async function pump(): Promise<void> {
    window.clearTimeout(timer);
    const next = pending.inOrder()[0];
    if (!next || flight || frozen) return;
    const controller = new AbortController();
    flight = controller;
    const slowness = window.setTimeout(() => {
      slow = true;
      announce();
    }, slowAfter);
    const answer = await sendCommit(session.Session, toSend(next.entry), controller.signal);
    window.clearTimeout(slowness);
    if (flight !== controller) return;
    flight = null;
    settle(next.entry, answer);
    announce();
    if (pending.size > 0) schedule(failures === 0 ? 0 : (retryDelays[failures - 1] ?? 30_000));
  }

  /** Sends what is pending and waits for the receipts inside the call. */
  function drainBlocking(): boolean {
    flight?.abort();
    flight = null;
    rejected = false;
    for (let next = pending.inOrder()[0]; next && !frozen; next = pending.inOrder()[0]) {
      const answer = sendCommitBlocking(session.Session, toSend(next.entry));
      if (answer.kind === 'unreachable') {
        // Browsers also refuse to block while the content's page is being left; only pump() tells if we are offline.
        schedule(0);
        break;
      }
      settle(next.entry, answer);
      if (answer.kind !== 'receipt') break;
    }
    return pending.size === 0 && !frozen && !rejected;
  }

  function flushLeaving(): void {
    for (const { entry } of pending.inOrder()) sendCommitLeaving(session.Session, toSend(entry));
  }

  return {
    get state() {
      return stateNow();
    },
    /** Keeps the snapshot on this device and sends it a little later. */
    save(snapshot: Snapshot, delay: number): void {
      if (!stage(snapshot)) return;
      if (leaving) flushLeaving();
      else if (failures === 0) schedule(delay);
    },
    /** True only when the snapshot cannot be lost any more: the server has it, or this device keeps it. */
    commit(snapshot: Snapshot): boolean {
      if (frozen) return false;
      if (!stage(snapshot)) return true;
      const held = () => pending.get(snapshot.UnitID)?.kept ?? false;
      if (leaving) {
        flushLeaving();
        return held();
      }
      const sent = unreachable() && held() ? false : drainBlocking();
      announce();
      return sent || held();
    },
    /** Resolves when everything is confirmed, or after the given time. */
    async settled(limit: number): Promise<boolean> {
      schedule(0);
      if (pending.size > 0 && !frozen) {
        await Promise.race([
          new Promise<void>((resolve) => waiting.push(resolve)),
          new Promise((resolve) => setTimeout(resolve, limit)),
        ]);
      }
      return pending.size === 0 && !frozen;
    },
    send: () => schedule(0),
    freeze(reason: 'elsewhere' | 'ended'): void {
      freeze(reason);
      announce();
    },
    leave(): void {
      leaving = true;
      flushLeaving();
    },
    stay(): void {
      leaving = false;
      schedule(0);
    },
    online(): void {
      failures = 0;
      announce();
      schedule(0);
    },
    offline: announce,
  };
}
