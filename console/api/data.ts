import { withQuery } from '../parts/download.tsx';
import type { Api } from './api.tsx';
import { toFailure } from './problem.ts';

/** Returns the data of a response, or throws its problem document with the number of seconds until a retry. */
export async function dataOf<T>(
  reply: Promise<{ data?: T | undefined; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await reply;
  if (error === undefined && response.ok) return data as T;
  const wait = Number(response.headers.get('Retry-After')) || 0;
  throw { status: response.status, ...(error as object), wait };
}

/** All rows of a list, read in one call. */
export async function readRows<T>(
  { headers }: Pick<Api, 'headers'>,
  path: string,
  query: Record<string, string | number | boolean | undefined> = {},
): Promise<T[]> {
  const response = await fetch(withQuery(path, query), {
    headers: { ...headers, Accept: 'application/x-ndjson' },
  });
  if (!response.ok) throw await response.json();
  const lines = (await response.text()).split('\n');
  return lines.filter((line) => line !== '').map((line): T => JSON.parse(line));
}

const maxAttempts = 4;
const maxWaitSeconds = 60;

/** Retries after network failures and overload. `act` must be safe to repeat. */
export async function withRetries<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await act();
    } catch (thrown) {
      const { status, document } = toFailure(thrown);
      const wait = (typeof document.wait === 'number' && document.wait) || tries;
      const isTemporary = status === 0 || status === 429 || status >= 502;
      if (!isTemporary || tries === maxAttempts || wait > maxWaitSeconds) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    }
}
