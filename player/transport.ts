import type { ClosingRequests } from './closing-requests.ts';
import { bytesOf, fitting, reduced } from './commit-size.ts';
import type { Commit, CommitRejection, Receipt } from './contract.ts';
import { isFinalRejection } from './messages.ts';

/**
 * The result of a commit. Only the service's receipts and rejections are final. Any other response, for example from a
 * proxy, a captive portal or an unknown version of the service, leaves the commit unconfirmed.
 */
export type Answer =
  | { kind: 'receipt'; receipt: Receipt }
  | { kind: 'rejected'; code: CommitRejection }
  | { kind: 'ahead'; expected: number }
  /** The service needs all data of the unit. */
  | { kind: 'unknown-base' }
  | Unconfirmed;
type Unconfirmed = {
  kind: 'unconfirmed';
  /** This commit was rejected, but others may be accepted. */
  temporarilyRejected: boolean;
  /** The service does not know the session. */
  isUnknown?: true;
  /** How many milliseconds to wait before anything is sent. */
  retryAfter?: number;
};

const unreachable: Answer = { kind: 'unconfirmed', temporarilyRejected: false };

/** The browsers' limit for requests that outlive their page, minus room for headers. */
const outlivingBytes = 60_000;

export const commitPath = (session: string) => `/play/${encodeURIComponent(session)}/commit`;

/** Whether the service or something in front of it may accept the commit once it is smaller. */
const isTooLarge = (reply: Reply, sent: Commit) => !sent.DataOmitted && !sent.Base && isRefusedAsSent(reply);

const isRefusedAsSent = (reply: Reply) =>
  reply.status === 413 || problemOf(reply)?.code === 'validation_failed';

export async function sendCommit(session: string, commit: Commit, signal: AbortSignal): Promise<Answer> {
  const ask = async (sent: Commit): Promise<Reply> => {
    const body = JSON.stringify(sent);
    const response = await fetch(commitPath(session), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal,
      keepalive: bytesOf(body) < outlivingBytes,
    });
    const { status, headers } = response;
    const text = await response.text();
    return { status, type: headers.get('content-type'), retryAfter: headers.get('retry-after'), text };
  };
  try {
    const sent = fitting(commit);
    const reply = await ask(sent);
    return answerOf(isTooLarge(reply, sent) ? await ask(reduced(commit)) : reply, commit);
  } catch {
    return unreachable;
  }
}

/** Blocks until the response arrives, because the content waits for it within its own call. */
export function sendCommitBlocking(session: string, commit: Commit): Answer {
  const ask = (sent: Commit): Reply => {
    const request = new XMLHttpRequest();
    request.open('POST', commitPath(session), false);
    request.setRequestHeader('content-type', 'application/json');
    request.send(JSON.stringify(sent));
    const type = request.getResponseHeader('content-type');
    const retryAfter = request.getResponseHeader('retry-after');
    return { status: request.status, type, retryAfter, text: request.responseText };
  };
  try {
    const sent = fitting(commit);
    const reply = ask(sent);
    return answerOf(isTooLarge(reply, sent) ? ask(reduced(commit)) : reply, commit);
  } catch {
    return unreachable;
  }
}

/** A closing page does not receive the response. */
export function sendCommitOnClose(requests: ClosingRequests, session: string, commit: Commit): void {
  requests.send(commitPath(session), JSON.stringify(fitting(commit)));
}

export type Reply = { status: number; type: string | null; text: string; retryAfter?: string | null };

/** The longest `Retry-After` that the player follows, in seconds. */
const longestWait = 60;

export function answerOf(reply: Reply, commit: Commit): Answer {
  const { status } = reply;
  const body = parse(reply.text);
  if (status === 200 && isReceipt(body, commit)) return { kind: 'receipt', receipt: body };
  const problem = problemOf(reply);
  if (commit.Base && (problem?.code === 'commit_base_unknown' || isRefusedAsSent(reply)))
    return { kind: 'unknown-base' };
  if (problem && isFinalRejection(problem.code)) return { kind: 'rejected', code: problem.code };
  if (problem?.code === 'commit_number_ahead' && Number.isSafeInteger(problem.Expected))
    return { kind: 'ahead', expected: Number(problem.Expected) };
  const mayPass = status < 400 || status >= 500 || status === 408 || status === 429;
  return {
    kind: 'unconfirmed',
    temporarilyRejected: !mayPass,
    ...(problem?.code === 'session_ended' && { isUnknown: true }),
    ...(problem && waitOf(reply)),
  };
}

/** How many more times a page that is opening may wait because the service asks it to. */
export type RetryBudget = { left: number };
export const newRetryBudget = (): RetryBudget => ({ left: 3 });
const longestRetryPause = 5_000;

/** Retries a request while the service asks the player to wait, and retries are left. */
export async function retryBriefly<A>(
  retries: RetryBudget,
  ask: () => Promise<A>,
  waitFor: (answer: A) => number | undefined,
): Promise<A> {
  for (;;) {
    const answer = await ask();
    const wait = waitFor(answer);
    if (wait === undefined || wait > longestRetryPause || retries.left === 0) return answer;
    retries.left--;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** How long the service asks the player to wait. */
export function waitOf({ status, retryAfter }: Reply): Pick<Unconfirmed, 'retryAfter'> {
  if ((status !== 429 && status !== 503) || !/^\d+$/.test(retryAfter ?? '')) return {};
  return { retryAfter: Math.min(Number(retryAfter), longestWait) * 1_000 };
}

/** The service's problem document; null for any other response. */
export function problemOf({ type, text }: Pick<Reply, 'type' | 'text'>): Record<string, unknown> | null {
  const body = parse(text);
  return type?.startsWith('application/problem+json') && isRecord(body) ? body : null;
}

function isReceipt(body: unknown, commit: Commit): body is Receipt {
  return (
    isRecord(body) &&
    body.Number === commit.Number &&
    ['Status', 'Completion', 'Success'].every((name) => typeof body[name] === 'string') &&
    typeof body.Progress === 'number' &&
    (body.Score === null || typeof body.Score === 'number') &&
    (body.Ended === null || typeof body.Ended === 'string')
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
