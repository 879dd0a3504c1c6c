import type { CommitVerdict, SessionEnd } from '../../src/modules/enrolments/session-end.ts';
import type { Commit, Receipt, Session } from '../../src/modules/player/schemas.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { createPending, type Pending, saidBy } from './pending.ts';
import { type Answer, sendCommit, sendCommitBlocking, sendCommitLeaving } from './transport.ts';

/** What the learner is told: `kept` is on this device only, `unkept` is in danger. */
export type SaveState = 'saved' | 'saving' | 'kept' | 'unkept';
/** Why there is nothing to play any more. */
export type Stop = { ended: SessionEnd } | { refused: CommitVerdict };
export type Snapshot = Pick<Commit, 'UnitID' | 'Data' | 'Tree' | 'Root' | 'Exit'>;
export type Commits = ReturnType<typeof createCommits>;

const slowAfter = 3_000;
const retryDelays = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
const delayAfter = (failures: number) => retryDelays[failures - 1] ?? 60_000;

/** The line of commits between the course and the server: numbered, one in flight, the latest of each unit. */
export function createCommits(
  session: Session,
  journal: Journal,
  tell: { state(state: SaveState): void; receipt(receipt: Receipt): void; stopped(stop: Stop): void },
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
  let stop: Stop | null = null;
  let waiting: (() => void)[] = [];

  const unreachable = () => !navigator.onLine || failures > 0 || slow;

  function announce(): void {
    tell.state(stateNow());
    if (pending.size > 0) return;
    for (const resume of waiting) resume();
    waiting = [];
  }

  function stateNow(): SaveState {
    if (pending.size === 0) return 'saved';
    if (!unreachable() && !pending.isTurnedAway()) return 'saving';
    return pending.inOrder().every(({ kept }) => kept) ? 'kept' : 'unkept';
  }

  function keep(entry: JournalEntry): void {
    pending.set(entry.Commit.UnitID, { entry, kept: journal.write(entry), attempts: 0, notBefore: 0 });
  }

  /** Writes the snapshot down on this device. False when there is nothing new to send. */
  function stage(snapshot: Snapshot): boolean {
    const said = JSON.stringify(snapshot);
    const before = pending.get(snapshot.UnitID)?.entry.Commit;
    if (before ? said === saidBy(before) : said === confirmed.get(snapshot.UnitID))
      return before !== undefined;
    const { EnrollID, Session, CourseTitle } = session;
    keep({ EnrollID, Session, CourseTitle, Commit: { Number: number++, ...snapshot } });
    announce();
    return true;
  }

  function toSend({ Commit }: JournalEntry): Commit {
    return reached === null ? Commit : { ...Commit, Preview: reached };
  }

  /** The same order, beginning with the number that the server expects. */
  function renumber(by: number): void {
    number -= by;
    for (const { entry } of pending.inOrder())
      keep({ ...entry, Commit: { ...entry.Commit, Number: entry.Commit.Number - by } });
  }

  function settle(sent: Pending, answer: Answer): void {
    const { entry } = sent;
    slow = false;
    failures = answer.kind === 'unconfirmed' && !answer.turnedAway ? failures + 1 : 0;
    if (answer.kind === 'unconfirmed') {
      if (!answer.turnedAway) return;
      sent.attempts++;
      sent.notBefore = Date.now() + delayAfter(sent.attempts);
      return;
    }
    if (answer.kind === 'ahead') {
      renumber(entry.Commit.Number - answer.expected);
      return;
    }
    if (answer.kind === 'receipt') {
      confirmed.set(entry.Commit.UnitID, saidBy(entry.Commit));
      reached = answer.receipt.Preview ?? null;
      tell.receipt(answer.receipt);
      if (answer.receipt.Ended !== null) end({ ended: answer.receipt.Ended });
    } else {
      end({ refused: answer.code });
    }
    journal.forget(entry);
    const current = pending.get(entry.Commit.UnitID);
    if (current?.entry.Commit.Number === entry.Commit.Number) pending.delete(entry.Commit.UnitID);
  }

  /** What is pending is sent all the same. */
  function end(why: Stop): void {
    if (stop && !('refused' in why)) return;
    stop = why;
    tell.stopped(why);
  }

  function schedule(delay: number): void {
    window.clearTimeout(timer);
    timer = window.setTimeout(pump, delay);
  }

  async function pump(): Promise<void> {
    window.clearTimeout(timer);
    if (flight) return;
    const next = pending.next(Date.now());
    if (!next) return;
    if ('wait' in next) return schedule(next.wait);
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
    settle(next, answer);
    announce();
    if (pending.size > 0) schedule(failures === 0 ? 0 : delayAfter(failures));
  }

  /** Sends what is pending and waits for the receipts inside the call. */
  function drainBlocking(): boolean {
    flight?.abort();
    flight = null;
    for (let next = pending.next(Date.now()); next && !('wait' in next); next = pending.next(Date.now())) {
      const answer = sendCommitBlocking(session.Session, toSend(next.entry));
      if (answer.kind === 'unconfirmed' && !answer.turnedAway) break;
      settle(next, answer);
    }
    // Browsers also refuse to block while the content's page is being left; only pump() tells if we are offline.
    if (pending.size > 0) schedule(0);
    return pending.size === 0 && stop === null;
  }

  function flushLeaving(): void {
    for (const { entry } of pending.inOrder()) sendCommitLeaving(session.Session, toSend(entry));
  }

  return {
    get state() {
      return stateNow();
    },
    get stop() {
      return stop;
    },
    /** Keeps the snapshot on this device and sends it a little later. */
    save(snapshot: Snapshot, delay: number): void {
      if (!stage(snapshot)) return;
      if (leaving) flushLeaving();
      else if (failures === 0) schedule(delay);
    },
    /** True only when the snapshot cannot be lost any more: the server has it, or this device keeps it. */
    commit(snapshot: Snapshot): boolean {
      if (!stage(snapshot)) return stop === null;
      const held = () => pending.get(snapshot.UnitID)?.kept ?? false;
      if (leaving) {
        flushLeaving();
        return held();
      }
      const sent = unreachable() && held() ? false : drainBlocking();
      announce();
      return sent || held();
    },
    /** Resolves when everything is confirmed or refused, or after the given time. */
    async settled(limit: number): Promise<boolean> {
      schedule(0);
      if (pending.size > 0) {
        await Promise.race([
          new Promise<void>((resolve) => waiting.push(resolve)),
          new Promise((resolve) => setTimeout(resolve, limit)),
        ]);
      }
      return pending.size === 0;
    },
    send: () => schedule(0),
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
