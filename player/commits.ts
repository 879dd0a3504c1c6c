import type { CommitVerdict, SessionEnd } from '../server/src/modules/enrolments/session-end.ts';
import type { Commit, Receipt, Session } from '../server/src/modules/player/schemas.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { createPending, type Pending } from './pending.ts';
import { judge } from './results.ts';
import { type Answer, sendCommit, sendCommitBlocking, sendCommitLeaving } from './transport.ts';

/** Shown to the learner. `partly`: results saved without the bookmark; `kept`: on this device only; `unkept`: may be lost. */
export type SaveState = 'saved' | 'partly' | 'saving' | 'kept' | 'unkept';
/** Why there is nothing to play any more. */
export type Stop = { ended: SessionEnd } | { refused: CommitVerdict };
export type Snapshot = Pick<Commit, 'UnitID' | 'Data' | 'Tree' | 'Root' | 'Exit'>;
export type Commits = ReturnType<typeof createCommits>;

const slowAfter = 3_000;
const retryDelays = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
/** Changes of the device's clock do not move the time at which something is sent. */
const uptime = () => performance.now();
const longestWait = 60_000;
const delayAfter = (failures: number) => retryDelays[failures - 1] ?? 60_000;

/** The line of commits between the course and the server: numbered, and one in flight. */
export function createCommits(
  session: Session,
  journal: Journal,
  tell: { state(state: SaveState): void; receipt(receipt: Receipt): void; stopped(stop: Stop): void },
) {
  const pending = createPending(journal, (commit) => judge(session, commit));
  /** The latest snapshot of each unit. */
  const staged = new Map<string, string>();
  /** Units of which the service has the results and not the latest data. */
  const unstored = new Set<string>();
  let number = session.NextCommit;
  /** What a preview has reached; null for a launch, of which the server knows it. */
  let reached = session.Receipt.Preview ?? null;
  let flight: AbortController | null = null;
  let timer: number | undefined;
  let failures = 0;
  /** The service asked for nothing to be sent before. */
  let notBefore = 0;
  let slow = false;
  let leaving = false;
  /** Sent while the page is being left: once is enough. */
  const sentLeaving = new Set<JournalEntry>();
  let stop: Stop | null = null;
  let waiting: (() => void)[] = [];

  const unreachable = () => !navigator.onLine || failures > 0 || slow;

  function announce(): void {
    journal.restore();
    tell.state(stateNow());
    if (pending.size > 0) return;
    for (const resume of waiting) resume();
    waiting = [];
  }

  function stateNow(): SaveState {
    if (pending.size === 0) return unstored.size > 0 ? 'partly' : 'saved';
    if (!unreachable() && !pending.isTurnedAway()) return 'saving';
    return pending.inOrder().every(({ entry }) => journal.holds(entry)) ? 'kept' : 'unkept';
  }

  /** Writes the snapshot down on this device. False when there is nothing new to send. */
  function stage(snapshot: Snapshot): boolean {
    const said = JSON.stringify(snapshot);
    if (said === staged.get(snapshot.UnitID)) return pending.newest(snapshot.UnitID) !== undefined;
    staged.set(snapshot.UnitID, said);
    const { EnrollID, Session, CourseTitle } = session;
    const Commit = { Number: number++, ...snapshot };
    pending.add({ EnrollID, Session, CourseTitle, KeptAt: Date.now(), Commit });
    announce();
    return true;
  }

  function toSend({ Commit }: JournalEntry): Commit {
    return reached === null ? Commit : { ...Commit, Preview: reached };
  }

  function settle(sent: Pending, answer: Answer): void {
    const { entry } = sent;
    slow = false;
    failures = answer.kind === 'unconfirmed' && !answer.turnedAway ? failures + 1 : 0;
    if (answer.kind === 'unconfirmed') {
      notBefore = uptime() + (answer.retryAfter ?? 0);
      if (!answer.turnedAway) return;
      sent.attempts++;
      sent.notBefore = uptime() + delayAfter(sent.attempts);
      return;
    }
    if (answer.kind === 'ahead') {
      const by = answer.expected - entry.Commit.Number;
      number += by;
      pending.renumber(by);
      return;
    }
    if (answer.kind === 'receipt') {
      reached = answer.receipt.Preview ?? null;
      if (answer.receipt.Warning === undefined) unstored.delete(entry.Commit.UnitID);
      else unstored.add(entry.Commit.UnitID);
      tell.receipt(answer.receipt);
      if (answer.receipt.Ended !== null) end({ ended: answer.receipt.Ended });
    } else {
      end({ refused: answer.code });
    }
    pending.remove(entry);
  }

  /** What is pending is sent all the same. */
  function end(why: Stop): void {
    if (stop && !('refused' in why)) return;
    stop = why;
    tell.stopped(why);
  }

  function schedule(delay: number): void {
    window.clearTimeout(timer);
    timer = window.setTimeout(pump, Math.min(delay, longestWait));
  }

  async function pump(): Promise<void> {
    window.clearTimeout(timer);
    if (flight) return;
    const next = pending.next(uptime());
    if (!next) return;
    const wait = 'wait' in next ? next.wait : notBefore - uptime();
    if ('wait' in next || wait > 0) return schedule(wait);
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

  function ready(): Pending | null {
    const next = uptime() < notBefore ? null : pending.next(uptime());
    return next && 'entry' in next ? next : null;
  }

  /** Sends what is pending and waits for the receipts inside the call. */
  function drainBlocking(): boolean {
    flight?.abort();
    flight = null;
    for (let next = ready(); next; next = ready()) {
      const answer = sendCommitBlocking(session.Session, toSend(next.entry));
      if (answer.kind === 'unconfirmed' && !answer.turnedAway) break;
      settle(next, answer);
    }
    // Browsers also refuse to block while the content's page is being left; only pump() tells if we are offline.
    if (pending.size > 0) schedule(0);
    return pending.size === 0 && stop === null;
  }

  function flushLeaving(): void {
    for (const { entry } of pending.inOrder()) {
      if (sentLeaving.has(entry)) continue;
      sentLeaving.add(entry);
      sendCommitLeaving(session.Session, toSend(entry));
    }
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
      const held = () => pending.holdsNewest(snapshot.UnitID);
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
      sentLeaving.clear();
      schedule(0);
    },
    online(): void {
      failures = 0;
      announce();
      schedule(0);
    },
    offline: announce,
    storageChanged: announce,
  };
}
