import type { CommitRejection, Session, SessionEnd } from './contract.ts';
import type { Journal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { isSessionEnd } from './messages.ts';
import { newRetryBudget, problemOf, type Reply, retryBriefly, sendCommit, waitOf } from './transport.ts';

/** A rejection as shown to the learner, in their language. */
export type RejectionPage = { Title: string; Reason: string; Link: { Text: string; URL: string } | null };
export type Rejection = { kind: 'refused'; page: RejectionPage | null; detail: string; back: string | null };
export type Opening = { kind: 'session'; session: Session } | Rejection | { kind: 'unreachable' };

/** Exchanges the launch ticket for a session. */
export async function openSession(ticketPath: string): Promise<Opening> {
  try {
    const { status, type, text } = await retryBriefly(
      newRetryBudget(),
      () => post(`${ticketPath}/session`),
      (reply) => (problemOf(reply) ? waitOf(reply).retryAfter : undefined),
    );
    if (status === 201) return { kind: 'session', session: JSON.parse(text) };
    const problem = problemOf({ type, text });
    if (!problem || status >= 500 || status === 429) return { kind: 'unreachable' };
    // The cast is safe: the problem and its page come from the same service.
    const page = (problem.Page ?? null) as RejectionPage | null;
    return { kind: 'refused', page, detail: String(problem.detail), back: webAddress(problem.ReturnURL) };
  } catch {
    return { kind: 'unreachable' };
  }
}

async function post(path: string): Promise<Reply> {
  const response = await fetch(path, { method: 'POST', cache: 'no-store' });
  const { status, headers } = response;
  const text = await response.text();
  return { status, type: headers.get('content-type'), retryAfter: headers.get('retry-after'), text };
}

export type Replayed = {
  /** Rejected permanently; deleted from the device once the learner has been informed. */
  refused: { entry: JournalEntry; code: CommitRejection | 'unknown' }[];
  /** Rejected by an intermediary such as a proxy, and kept on the device. */
  temporarilyRejected: JournalEntry[];
  /** Whether any commit could not be sent because the device is offline. */
  isOffline: boolean;
};

/** Sends the commits that earlier pages on this device could not send. Each commit is sent to its own session. */
export async function replay(journal: Journal): Promise<Replayed> {
  const replayed: Replayed = { refused: [], temporarilyRejected: [], isOffline: false };
  const renumbered = new Set<string>();
  // All commits share the retries, so that the learner does not wait for each commit.
  const retries = newRetryBudget();
  let left = journal.list();
  for (let entry = left.shift(); entry; entry = left.shift()) {
    const { Session, Commit } = entry;
    const answer = await retryBriefly(
      retries,
      () => sendCommit(Session, Commit, AbortSignal.timeout(15_000)),
      (given) => (given.kind === 'unconfirmed' ? given.retryAfter : undefined),
    );
    if (answer.kind === 'ahead' && !renumbered.has(Session)) {
      renumbered.add(Session);
      left = renumber(journal, [entry, ...left], Session, answer.expected - Commit.Number);
    } else if (answer.kind === 'receipt') journal.forget(entry);
    else if (answer.kind === 'rejected') replayed.refused.push({ entry, code: answer.code });
    else if (answer.kind === 'ahead' || answer.kind === 'unknown-base')
      replayed.temporarilyRejected.push(entry);
    else if (!answer.temporarilyRejected) replayed.isOffline = true;
    else if (answer.isUnknown && isTooOld(entry)) replayed.refused.push({ entry, code: 'unknown' });
    else replayed.temporarilyRejected.push(entry);
  }
  return replayed;
}

/** Renumbers a whole session, so that no commit takes another's number. */
function renumber(journal: Journal, left: JournalEntry[], session: string, by: number): JournalEntry[] {
  const own = left.filter((entry) => entry.Session === session);
  const moved = journal.renumber(own, by);
  return left.map((entry) => moved[own.indexOf(entry)] ?? entry);
}

const maxAge = 30 * 86_400_000;

/** An unknown session may become known within this time, for example from another node or a newer backup. */
const isTooOld = ({ KeptAt }: JournalEntry) => Date.now() - KeptAt > maxAge;

export type Heartbeat = { beat(): Promise<void>; stop(): void };

/** Keeps the session alive while its page is open, for example during a long video. */
export function startHeartbeat(
  session: string,
  tell: { heard(): void; ended(why: SessionEnd): void },
): Heartbeat {
  const beat = async () => {
    try {
      const response = await fetch(`/play/${encodeURIComponent(session)}/alive`, { cache: 'no-store' });
      if (response.status === 204) return tell.heard();
      const text = await response.text();
      const code = problemOf({ type: response.headers.get('content-type'), text })?.code;
      if (isSessionEnd(code)) tell.ended(code);
    } catch {
      // No message is needed here, because unsent commits show that the device is offline.
    }
  };
  const timer = window.setInterval(beat, 60_000);
  const onVisible = () => {
    if (!document.hidden) void beat();
  };
  document.addEventListener('visibilitychange', onVisible);
  const stop = () => {
    window.clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisible);
  };
  return { beat, stop };
}

/** Other URL schemes are rejected, because they could run a script. */
export function webAddress(address: unknown): string | null {
  return typeof address === 'string' && /^https?:\/\//i.test(address) ? address : null;
}
