import { LecternError, retryAfterOf } from './errors.ts';

export type Fetch = (request: Request) => Promise<Response>;

export type RetryOptions = {
  /** Retries after the first attempt. Default 4; 0 disables retries. */
  retries?: number;
  /** The longest pause in milliseconds. If `Retry-After` is longer, the call is not retried. Default 60,000. */
  longestPause?: number;
};

const firstPause = 250;
const maxBackoff = 8_000;
const temporaryStatuses = new Set([429, 502, 503, 504]);

/** Only requests with JSON or a form are retried. Other uploads, such as packages, would have to stay in memory. */
export function isRepeatable(request: Request): boolean {
  return !request.body || /json|form-urlencoded/.test(request.headers.get('content-type') ?? '');
}

/** A 409 with `Retry-After` means that our own earlier attempt is still in progress. */
function isTemporary(response: Response): boolean {
  return (
    temporaryStatuses.has(response.status) || (response.status === 409 && response.headers.has('retry-after'))
  );
}

/**
 * Retries after a broken connection or a temporary rejection. Every call to Lectern can be retried: a POST has an
 * `Idempotency-Key`, which stays the same. If a response's Content-Type matches `whole`, the call is also retried when
 * the connection breaks in the middle of the response.
 */
export function withRetries(
  send: Fetch,
  { retries = 4, longestPause = 60_000 }: RetryOptions,
  whole: RegExp = /[/+]json\b/,
): Fetch {
  return async (request) => {
    for (let tried = 0; ; tried++) {
      const last = tried >= retries || !isRepeatable(request);
      const answer = await send(last ? request : request.clone())
        .then((response) => complete(response, whole))
        .catch(notAborted(request));
      const wanted = answer instanceof Response ? retryAfterOf(answer) : null;
      const done = answer instanceof Response && !isTemporary(answer);
      if (done || last || (wanted ?? 0) * 1000 > longestPause) {
        if (answer instanceof Response) return answer;
        throw answer;
      }
      if (answer instanceof Response) await answer.body?.cancel();
      await pause(
        wanted === null ? backoff(tried) : wanted * 1000 + Math.random() * firstPause,
        request.signal,
      );
    }
  };
}

/** Half of the delay is random, so that clients that failed together do not retry together. */
function backoff(tried: number): number {
  const delay = Math.min(maxBackoff, firstPause * 2 ** tried);
  return delay / 2 + (Math.random() * delay) / 2;
}

/** Reads a matching response to its end to detect a broken connection. Other responses are streamed. */
async function complete(response: Response, whole: RegExp): Promise<Response> {
  if (!whole.test(response.headers.get('content-type') ?? '')) return response;
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

function notAborted(request: Request): (cause: unknown) => LecternError {
  return (cause) => {
    if (request.signal.aborted) throw request.signal.reason;
    // If the token request was rejected, its error explains more than `connection_failed`.
    if (cause instanceof LecternError) throw cause;
    const detail = `No response from ${new URL(request.url).origin}. Check the URL and the network.`;
    return new LecternError({ code: 'connection_failed', status: 0, detail, cause });
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
