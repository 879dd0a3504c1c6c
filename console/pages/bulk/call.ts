import type { Api } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';

/** The service's result for one row. */
export type Line = {
  Row: number;
  Status: number;
  Plan?: 'created' | 'updated' | 'exists' | 'differs' | 'error';
  /** The fields that an update changed. */
  Changed?: string[];
  LoginID?: string;
  /** In a plan: an existing LoginID that differs only in case from the one that would be created. */
  SimilarLoginID?: string;
  /** In a plan: another user with the address that the row would set. */
  SameEmailLoginID?: string;
  /** In a plan: fields with errors or numbers of a spreadsheet. */
  Damaged?: string[];
  CourseID?: string;
  DurationID?: string;
  EnrollID?: string;
  LaunchURL?: string | null;
  InvitationURL?: string;
  ExpiresAt?: string;
  MailID?: string | null;
  code?: string;
  param?: string;
  detail?: string;
  differs?: string[];
  AvailableEnrolOptions?: { DurationID: string }[];
  /** The result for the user's enrolment, if the row has one and the user was accepted. */
  Enrolment?: Omit<Line, 'Row' | 'Enrolment'>;
};

type Call = {
  path: string;
  /** Null for a plan, which needs no key because it can be repeated safely. */
  requestKey: string | null;
  isCsv: boolean;
  body: BodyInit;
  rows: number;
  signal: AbortSignal;
  onRows: (rows: number) => void;
  /** Called with each part of the results as it arrives, again after a retry. */
  onLines?: (lines: readonly Line[]) => void;
};

/** Thrown when a response ended before its last row. */
export const truncatedResponse = { code: 'unreachable' };

/** Sends one chunk and reads its results as they arrive. Throws the problem if the whole call is rejected. */
async function callOnce(api: Api, call: Call): Promise<Line[]> {
  const { path, requestKey, isCsv, body, rows, signal, onRows, onLines } = call;
  const response = await fetch(requestKey === null ? `${path}?Plan=true` : path, {
    method: 'POST',
    headers: {
      ...api.headers,
      'Content-Type': isCsv ? 'text/csv' : 'application/x-ndjson',
      Accept: 'application/x-ndjson',
      ...(requestKey === null ? {} : { 'Idempotency-Key': requestKey }),
    },
    body,
    signal,
  });
  if (!response.ok || !response.body) {
    const wait = Number(response.headers.get('Retry-After')) || 0;
    const document: unknown = await response.json().catch(() => truncatedResponse);
    throw { ...(document as object), wait };
  }
  const lines: Line[] = [];
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const texts = (rest + value).split('\n');
    rest = texts.pop() ?? '';
    const arrived = texts.map((text): Line => JSON.parse(text));
    for (const line of arrived) lines.push(line);
    onLines?.(arrived);
    onRows(lines.length);
  }
  if (lines.length !== rows) throw truncatedResponse;
  return lines;
}

export const maxAttempts = 4;
const maxWaitSeconds = 60;

export const pause = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    signal.addEventListener('abort', stop, { once: true });
  });

/** Whether a retry of the row could succeed. */
export function isTemporary({
  Status,
  code,
  Enrolment,
}: Pick<Line, 'Status' | 'code' | 'Enrolment'>): boolean {
  if (Status >= 500 || Status === 429 || code === 'in_progress') return true;
  return Enrolment !== undefined && isTemporary(Enrolment);
}

/** Seconds to wait before a retry; null if a retry cannot help. */
export function waitAfter(thrown: unknown, tries: number): number | null {
  const { status, document } = toFailure(thrown);
  if (status !== 0 && status !== 429 && status < 502) return null;
  const wait = typeof document.wait === 'number' ? document.wait : 0;
  return wait > maxWaitSeconds ? null : wait || tries;
}

/** Retries after network failures or overload. `act` must be safe to repeat. */
export async function withRetries<T>(
  act: () => Promise<T>,
  signal: AbortSignal,
  mayImprove: (result: T) => boolean = () => false,
): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      const result = await act();
      if (tries === maxAttempts || !mayImprove(result)) return result;
      await pause(tries, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      const wait = waitAfter(thrown, tries);
      if (tries === maxAttempts || wait === null) throw thrown;
      await pause(wait, signal);
    }
}

/** The Idempotency-Key ensures that nothing is done twice. */
export async function sendChunk(api: Api, call: Call): Promise<Line[]> {
  if (call.rows === 0) return [];
  const send = () => {
    call.onRows(0);
    return callOnce(api, call);
  };
  return withRetries(send, call.signal, (lines) => lines.some(isTemporary));
}
