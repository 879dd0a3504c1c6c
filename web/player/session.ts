import type { Session } from '../../src/modules/player/schemas.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { sendCommit } from './transport.ts';

export type Refusal = { kind: 'refused'; detail: string; back: string | null };
export type Opening = { kind: 'session'; session: Session } | Refusal | { kind: 'unreachable' };

/** Exchanges the click for a session. */
export async function openSession(ticketPath: string): Promise<Opening> {
  try {
    const response = await fetch(`${ticketPath}/session`, { method: 'POST', cache: 'no-store' });
    const body = await response.json();
    if (response.ok) return { kind: 'session', session: body };
    if (response.status >= 500) return { kind: 'unreachable' };
    return {
      kind: 'refused',
      detail: String(body.detail ?? body.title ?? ''),
      back: webAddress(body.ReturnURL),
    };
  } catch {
    return { kind: 'unreachable' };
  }
}

/** Sends what earlier pages on this device could not, each with the session it belongs to. */
export async function replay(journal: Journal): Promise<{ dropped: JournalEntry[]; left: boolean }> {
  const dropped: JournalEntry[] = [];
  let left = false;
  for (const entry of journal.list()) {
    const answer = await sendCommit(entry.Session, entry.Commit, AbortSignal.timeout(15_000));
    if (answer.kind === 'unreachable') {
      left = true;
      continue;
    }
    if (answer.kind === 'refused') dropped.push(entry);
    journal.forget(entry);
  }
  return { dropped, left };
}

/** Keeps the session alive while its page is, however long the video. */
export function startHeartbeat(
  session: string,
  tell: { heard(): void; gone(reason: 'elsewhere' | 'ended'): void },
): () => void {
  const beat = async () => {
    try {
      const response = await fetch(`/play/${encodeURIComponent(session)}/alive`, { cache: 'no-store' });
      if (response.ok) tell.heard();
      else if (response.status === 409) tell.gone('elsewhere');
      else if (response.status === 410 || response.status === 403 || response.status === 404)
        tell.gone('ended');
    } catch {
      // Being offline for a while is no news: the commits tell the learner.
    }
  };
  const timer = window.setInterval(beat, 60_000);
  const onVisible = () => {
    if (!document.hidden) void beat();
  };
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisible);
  };
}

/** Only such addresses are followed; anything else would be a way to run a script. */
export function webAddress(address: unknown): string | null {
  return typeof address === 'string' && /^https?:\/\//i.test(address) ? address : null;
}
