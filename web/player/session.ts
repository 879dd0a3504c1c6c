import type { CommitVerdict, SessionEnd } from '../../src/modules/enrolments/session-end.ts';
import type { Session } from '../../src/modules/player/schemas.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { isSessionEnd } from './messages.ts';
import { problemOf, sendCommit } from './transport.ts';

export type Refusal = { kind: 'refused'; detail: string; back: string | null };
export type Opening = { kind: 'session'; session: Session } | Refusal | { kind: 'unreachable' };

/** Exchanges the click for a session. */
export async function openSession(ticketPath: string): Promise<Opening> {
  try {
    const response = await fetch(`${ticketPath}/session`, { method: 'POST', cache: 'no-store' });
    const text = await response.text();
    if (response.status === 201) return { kind: 'session', session: JSON.parse(text) };
    const problem = problemOf({ type: response.headers.get('content-type'), text });
    if (!problem || response.status >= 500 || response.status === 429) return { kind: 'unreachable' };
    return { kind: 'refused', detail: String(problem.detail), back: webAddress(problem.ReturnURL) };
  } catch {
    return { kind: 'unreachable' };
  }
}

export type Replayed = {
  /** Refused for good: deleted from the device once the learner knows. */
  refused: { entry: JournalEntry; code: CommitVerdict }[];
  /** Turned away by whatever stands between; kept. */
  turnedAway: JournalEntry[];
  /** Whether something could not be sent, because there is no connection. */
  isOffline: boolean;
};

/** Sends what earlier pages on this device could not, each with the session it belongs to. */
export async function replay(journal: Journal): Promise<Replayed> {
  const replayed: Replayed = { refused: [], turnedAway: [], isOffline: false };
  for (const entry of journal.list()) {
    const { entry: sent, answer } = await sendAgain(journal, entry);
    if (answer.kind === 'receipt') journal.forget(sent);
    else if (answer.kind === 'verdict') replayed.refused.push({ entry: sent, code: answer.code });
    else if (answer.kind === 'unconfirmed' && !answer.turnedAway) replayed.isOffline = true;
    else replayed.turnedAway.push(sent);
  }
  return replayed;
}

/** With the number that the server expects, when it is too far ahead. */
async function sendAgain(journal: Journal, entry: JournalEntry) {
  const send = ({ Session, Commit }: JournalEntry) =>
    sendCommit(Session, Commit, AbortSignal.timeout(15_000));
  const answer = await send(entry);
  if (answer.kind !== 'ahead') return { entry, answer };
  const renumbered = { ...entry, Commit: { ...entry.Commit, Number: answer.expected } };
  journal.write(renumbered);
  return { entry: renumbered, answer: await send(renumbered) };
}

export type Heartbeat = { beat(): Promise<void>; stop(): void };

/** Keeps the session alive while its page is, however long the video. */
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
      // Being offline for a while is no news: the commits tell the learner.
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

/** Only such addresses are followed; anything else would be a way to run a script. */
export function webAddress(address: unknown): string | null {
  return typeof address === 'string' && /^https?:\/\//i.test(address) ? address : null;
}
