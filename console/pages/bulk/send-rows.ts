import { isSignedOut, toFailure } from '../../api/problem.ts';
import { isTemporary, type Line, maxAttempts, pause, waitAfter } from './call.ts';
import type { RowChunk } from './chunks.ts';

/** The plan or result for one row. */
export type RowResult = Pick<Line, 'Status' | 'Changed' | 'code' | 'param' | 'detail'>;

/** How a row is planned and changed. Repeating a change has no effect, so an interrupted run can be continued. */
export type RowCalls<T> = {
  ids: (row: T) => Pick<Line, 'LoginID' | 'CourseID' | 'EnrollID'>;
  plan: (row: T, signal: AbortSignal) => Promise<RowResult>;
  apply: (row: T, signal: AbortSignal) => Promise<RowResult>;
};

type Sending = { requestKey: string | null; signal: AbortSignal; onRows: (rows: number) => void };
export type Send = (chunk: RowChunk, sending: Sending) => Promise<Line[]>;

const concurrentCalls = 4;

/** Returns the data of a response, or throws its problem document with the number of seconds until a retry. */
export async function dataOf<T>(
  reply: Promise<{ data?: T | undefined; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await reply;
  if (data !== undefined) return data;
  const wait = Number(response.headers.get('Retry-After')) || 0;
  throw { status: response.status, ...(error as object), wait };
}

/** Sends rows for which there is no bulk call one by one, and reports them like a bulk call. */
export function sendRows<T>(rows: readonly T[], calls: RowCalls<T>): Send {
  const known = new Map<string, RowResult>();
  return async ({ from, to }, { requestKey, signal, onRows }) => {
    const act = requestKey === null ? calls.plan : calls.apply;
    const sent = rows.slice(from, to);
    const results = new Map<number, RowResult>();
    const waiting = sent.entries();
    const failure = new AbortController();
    const stop = AbortSignal.any([signal, failure.signal]);
    const work = async () => {
      for (const [at, row] of waiting) {
        stop.throwIfAborted();
        const key = `${requestKey} ${from + at}`;
        const result = known.get(key) ?? (await resultOf(() => act(row, stop), stop));
        if (!isTemporary(result)) known.set(key, result);
        results.set(at, result);
        onRows(results.size);
      }
    };
    try {
      await Promise.all(Array.from({ length: concurrentCalls }, work));
    } catch (error) {
      failure.abort();
      throw error;
    }
    return sent.flatMap((row, at) => {
      const result = results.get(at);
      return result ? [{ Row: at + 1, ...calls.ids(row), ...result }] : [];
    });
  };
}

/** Retries a call after overload and network failures. A rejection becomes the row's result. */
async function resultOf(act: () => Promise<RowResult>, signal: AbortSignal): Promise<RowResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (thrown) {
      signal.throwIfAborted();
      const { status, code, detail, param } = toFailure(thrown);
      const wait = waitAfter(thrown, tries);
      if (wait === null || tries === maxAttempts) {
        if (status === 0 || isSignedOut(thrown)) throw thrown;
        return { Status: status, code, detail, ...(param === null ? {} : { param }) };
      }
      await pause(wait, signal);
    }
  }
}
