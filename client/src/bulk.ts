import { errorOf } from './errors.ts';
import type { paths } from './generated.ts';
import type { Fetch } from './retry.ts';

export type BulkPath = Extract<keyof paths, `${string}/bulk`>;

/**
 * The result of one row: the status and fields that the single call would return. A rejected row has `code` and
 * `detail`.
 */
export type BulkResult = {
  Row: number;
  Status: number;
  code?: string;
  detail?: string;
  /** The result for the enrolment, if a row of `/user/bulk` has a CourseID and its user was accepted. */
  Enrolment?: { Status: number; EnrollID?: string; code?: string; detail?: string } & Record<string, unknown>;
} & Record<string, unknown>;

/** Rows per call. If the connection breaks, the whole call is retried. Its idempotency key makes this safe. */
const rowsOfCall = 1_000;

/** Sends 1,000 rows per call and yields one result per row, in order. Row numbers continue across calls. */
export function openBulk(send: Fetch, baseUrl: string, headers: Record<string, string>) {
  return async function* bulk(
    path: BulkPath,
    rows: Iterable<object> | AsyncIterable<object>,
    { plan = false }: { plan?: boolean } = {},
  ): AsyncGenerator<BulkResult, void> {
    let sent = 0;
    for await (const batch of batches(rows)) {
      const answer = await send(
        new Request(`${baseUrl}${path}${plan ? '?Plan=true' : ''}`, {
          method: 'POST',
          headers: {
            ...headers,
            'Content-Type': 'application/x-ndjson',
            'Idempotency-Key': crypto.randomUUID(),
          },
          body: batch.map((row) => `${JSON.stringify(row)}\n`).join(''),
        }),
      );
      yield* (await read(answer)).map((result) => ({ ...result, Row: result.Row + sent }));
      sent += batch.length;
    }
  };
}

async function read(answer: Response): Promise<BulkResult[]> {
  if (!answer.ok) throw await errorOf(answer);
  const lines = (await answer.text()).split('\n').filter(Boolean);
  return lines.map((line): BulkResult => JSON.parse(line));
}

async function* batches(rows: Iterable<object> | AsyncIterable<object>): AsyncGenerator<object[], void> {
  let batch: object[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < rowsOfCall) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
