import type { Api } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';
import { pause, withRetries } from './call.ts';
import type { CreatedRow } from './created.ts';

/** `removed`, or the reason why a row is kept: the one given by the error `touched`, or the code of another error. */
export type Outcome = string;
export const removed = 'removed';

const callsAtOnce = 4;
/** The part of the session's calls per minute that is left for the console's other pages. */
const keptShare = 0.1;

/** Seconds until the next call, according to the service's `RateLimit` headers. */
export function secondsUntilNext(headers: Headers): number {
  const [, limit] = headers.get('RateLimit-Policy')?.match(/;q=(\d+)/) ?? [];
  const [, left, reset] = headers.get('RateLimit')?.match(/;r=(\d+);t=(\d+)/) ?? [];
  return Number(left) < Number(limit) * keptShare ? Number(reset) : 0;
}

async function undoOnce(api: Api, [LoginID, EnrollID]: CreatedRow, isPlan: boolean) {
  const { error, response } = await api.client.PUT('/enrolment/{LoginID}/{EnrollID}', {
    params: { path: { LoginID, EnrollID }, query: isPlan ? { Plan: true } : {} },
    body: { Withdrawn: true, IfUntouched: true },
  });
  const wait = secondsUntilNext(response.headers);
  // 404 means that somebody else has removed the record.
  if (response.ok || response.status === 404) return { outcome: removed, wait };
  const { status } = response;
  const { code, document } = toFailure(error);
  if (status === 401 || status === 429 || status >= 500)
    throw { ...document, status, wait: Number(response.headers.get('Retry-After')) || 0 };
  return { outcome: typeof document.reason === 'string' ? document.reason : code, wait };
}

type Undoing = {
  isPlan: boolean;
  signal: AbortSignal;
  onOutcome: (row: CreatedRow, outcome: Outcome) => void;
  /** Called before a pause for the rate limit. */
  onWait: () => void;
};

/** Plans or withdraws enrolments. Repeating a withdrawal is safe. */
export async function undoRows(api: Api, all: readonly CreatedRow[], undoing: Undoing): Promise<void> {
  const rows = all.values();
  const { isPlan, onOutcome, onWait } = undoing;
  const failing = new AbortController();
  const signal = AbortSignal.any([undoing.signal, failing.signal]);
  let resumesAt = 0;
  const work = async () => {
    for (let next = rows.next(); !next.done; next = rows.next()) {
      const row = next.value;
      const act = async () => {
        signal.throwIfAborted();
        const left = resumesAt - Date.now();
        if (left > 0) onWait();
        if (left > 0) await pause(left / 1000, signal);
        const { outcome, wait } = await undoOnce(api, row, isPlan);
        if (wait > 0) resumesAt = Date.now() + wait * 1000;
        return outcome;
      };
      onOutcome(row, await withRetries(act, signal));
    }
  };
  const working = Array.from({ length: callsAtOnce }, () =>
    work().catch((error: unknown) => {
      failing.abort(error);
    }),
  );
  // Calls in progress are completed, so that their outcomes are known.
  await Promise.all(working);
  failing.signal.throwIfAborted();
}
