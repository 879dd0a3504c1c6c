import { once as eventOf } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TObject } from 'typebox';
import type { TenantContext } from '../context.ts';
import type { Problem } from '../errors.ts';
import type { RouteResponse } from '../http/routes.ts';
import { Fields } from '../http/schema.ts';
import { compileRows } from '../http/validation/validation.ts';
import { validationProblem } from '../http/validation/validation-issues.ts';
import { newId, normalizeIdentifiers } from '../ids.ts';
import { recordGrowth } from '../operations/analyze-tables.ts';
import { loginIdIn, readIdempotencyKey, scopesOf } from '../retries/idempotency.ts';
import { once, type TransactionContext, valueOrThrow } from '../retries/once.ts';
import { type KeyedRequest, nameOf, readStoredOutcome } from '../retries/stored-responses.ts';
import { type FailedRows, logFailedRows, type RowResult, refuse } from './refuse.ts';
import {
  acceptedRows,
  batchSize,
  type RowFormat,
  readRows,
  rowTypes,
  rowWriter,
  type SourceRow,
} from './rows.ts';
import { spool } from './spool.ts';
import { requireDiskSpace, spoolBytes } from './uploads.ts';

/** Returns the error if the caller has lost access during the call, otherwise null. */
function refusalOf(ctx: TenantContext): Promise<unknown> {
  const check = ctx.checkCaller?.() ?? Promise.resolve();
  return check.then(
    () => null,
    (error: unknown) => error,
  );
}

/**
 * The outcome of one row: the status that a single call would have returned, the IDs of the record and, if it was
 * updated, the names of the changed fields.
 */
export type RowDone = { Status: 200 | 201; Changed?: string[] } & Record<string, unknown>;

export type BulkOperation<T> = {
  /**
   * Does the slow work for one row and returns a function that processes the row. That function is
   * coalesced and writes nothing if it fails.
   */
  prepare: (ctx: TenantContext, row: T) => Promise<(ctx: TenantContext) => Promise<RowDone>>;
  /** Plans up to 200 rows without changing anything; each row succeeds or fails independently. */
  plan: (ctx: TenantContext, rows: T[]) => Promise<PromiseSettledResult<RowDone>[]>;
  row: TObject;
  /** Tables that grow with each call. */
  tables: readonly string[];
  /** Fields of the row that its result repeats. */
  names: readonly string[];
  /** Additional fields of the result. */
  ids: readonly string[];
};

export const bulkQuery = Fields({
  Plan: Type.Optional(
    Type.Boolean({
      description: 'If true, the response says what would happen to each row, and nothing is changed.',
    }),
  ),
});

export function bulkStreams(fields: string, row: Record<string, string>) {
  const description = `NDJSON with one object per line, or CSV with the field names in the first row. In CSV, an empty cell means that the field is not sent, and spaces around an ID are removed. Fields: ${fields}. A row can be up to 64 kB in size. The number of rows is not limited.`;
  const examples = {
    [rowTypes.ndjson]: `${JSON.stringify(row)}\n`,
    [rowTypes.csv]: `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`,
  };
  return { types: Object.values(rowTypes), description, bulk: true, examples } as const;
}

export const bulkResponse = {
  description:
    'One line for each row, in order: `Row` (from 1), `Status` as in the single call, and either the IDs of the record or `code` and `detail`. With the query `Plan=true`, `Plan` is created, updated, exists, differs or error. `Changed` lists the fields that an update changed; CSV does not include it. Send `Accept: text/csv` to get CSV.',
  type: [rowTypes.ndjson, rowTypes.csv],
};

type Keyed = (
  row: number,
  prepare: () => Promise<(ctx: TenantContext) => Promise<RowDone>>,
) => Promise<RowDone>;

/** The numbers of the chunks before which tables are analysed. */
const analyzeBefore = [3, 6, 25, 100, 500];

/** Compiles the validation of a bulk operation once, on its first call. */
export function bulk<T>(operation: BulkOperation<T>) {
  const checks: Partial<Record<RowFormat, ReturnType<typeof compileRows>>> = {};

  /** `keyed` makes a row idempotent; null without an Idempotency-Key. */
  async function work(
    ctx: TenantContext,
    rows: SourceRow[],
    {
      format,
      plan,
      keyed,
      failed,
    }: { format: RowFormat; plan: boolean; keyed: Keyed | null; failed: FailedRows },
  ) {
    const results: RowResult[] = [];
    const valid: { at: number; row: number; value: T }[] = [];
    for (const [at, source] of rows.entries()) {
      const problem = 'problem' in source ? source.problem : check(source.value);
      results[at] = {
        Row: source.row,
        Status: 0,
        ...('value' in source ? named(source.value) : {}),
      };
      if (problem) refuse(failed, results[at], problem, plan);
      else if ('value' in source) valid.push({ at, row: source.row, value: source.value as T });
    }
    const settled = plan
      ? await operation.plan(
          ctx,
          valid.map(({ value }) => value),
        )
      : await Promise.allSettled(
          valid.map(async ({ row, value }) =>
            keyed
              ? keyed(row, () => operation.prepare(ctx, value))
              : (await operation.prepare(ctx, value))(ctx),
          ),
        );
    for (const [index, { at }] of valid.entries()) {
      const [result, outcome] = [results[at] as RowResult, settled[index]];
      if (outcome?.status === 'fulfilled') succeed(result, outcome.value, plan);
      else refuse(failed, result, outcome?.reason, plan);
    }
    return results;

    function check(value: unknown): Problem | null {
      checks[format] ??= compileRows(operation.row, format === 'csv');
      const validate = checks[format];
      return validate(value) ? null : validationProblem(validate.errors ?? [], 'row');
    }
  }

  /** The row's identifying fields, which its result repeats even if the row is rejected. */
  function named(value: unknown): Record<string, unknown> {
    const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
    return Object.fromEntries(
      operation.names.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]]] : [])),
    );
  }

  function succeed(result: RowResult, done: RowDone, plan: boolean): void {
    if (!plan) Object.assign(result, done);
    else {
      const { Status, Changed } = done;
      const Plan = Status === 201 ? 'created' : Changed?.length ? 'updated' : 'exists';
      Object.assign(result, { Status, Plan, ...(Changed && { Changed }) });
    }
  }

  /**
   * Streams the results. The first chunk is processed before the response begins, so an error in the whole input
   * becomes a problem document.
   */
  return async (
    ctx: TenantContext,
    input: { request: FastifyRequest; reply: FastifyReply; body: unknown; plan: boolean },
  ): Promise<RouteResponse> => {
    const { request, reply, plan } = input;
    const format: RowFormat = request.headers['content-type']?.startsWith(rowTypes.csv) ? 'csv' : 'ndjson';
    const wanted = acceptedRows(request.headers.accept) ?? { format: 'ndjson' as const, rawCells: false };
    const key = plan ? null : readIdempotencyKey(request);
    const columns = [
      'Row',
      'Status',
      ...(plan ? ['Plan'] : []),
      ...operation.names,
      ...(plan ? [] : operation.ids),
    ];
    const write = rowWriter(wanted.format, [...columns, 'code', 'param', 'detail'], wanted);
    const failed = logFailedRows(ctx.log, request.id);
    const path = await ctx.files.scratch(`bulk-${newId(ctx.now())}`);
    const resized = (bytes: number) => {
      ctx.admission.spoolBytes += bytes;
    };
    const rows = readRows(
      spool(
        { path, capacity: spoolBytes, room: () => requireDiskSpace(ctx, 0), resized },
        input.body as Readable,
      ),
      format,
    );

    async function workOnce(source: SourceRow[], first: boolean): Promise<RowResult[]> {
      // During a long call, its key may be revoked or its tenant suspended.
      const refused = first ? null : await refusalOf(ctx);
      if (refused) return source.map(({ row }) => refuse(failed, { Row: row, Status: 0 }, refused, plan));
      for (const one of source) {
        if (!('value' in one)) continue;
        if (format === 'csv') trimIdentifiers(one.value);
        normalizeIdentifiers(one.value);
      }
      if (key === null) return work(ctx, source, { format, plan, keyed: null, failed });
      let replays = 0;
      // Keep the rows as they were sent, because validation converts the cells of CSV.
      const asked = new Map(
        source.flatMap((one) =>
          'value' in one ? [[one.row, keyedRequestOf(request, key, one)] as const] : [],
        ),
      );
      const keyed: Keyed = async (row, prepare) => {
        const call = {
          prepare: async () => {
            const act = await prepare();
            return (inside: TransactionContext) => act({ ...ctx, ...inside });
          },
          shares: request.routeOptions.url ?? null,
        };
        const { outcome, replayed } = await once(ctx, asked.get(row) as KeyedRequest, call);
        if (replayed) replays += 1;
        return valueOrThrow(outcome);
      };
      try {
        // Rows that differ from those of an earlier call with the same key are rejected before any row is processed.
        await Promise.all([...asked.values()].map((one) => readStoredOutcome(ctx, nameOf(ctx, one))));
        const results = await work(ctx, source, { format, plan, keyed, failed });
        if (first && replays > 0) void reply.header('Idempotency-Replayed', 'true');
        return results;
      } catch (error) {
        if (first) throw error;
        return source.map(({ row }) => refuse(failed, { Row: row, Status: 0 }, error, plan));
      }
    }

    /** While one chunk is in the database, the next one is read and validated. */
    async function* lines(): AsyncGenerator<string, void> {
      let running: Promise<RowResult[]> | null = null;
      let batches = 0;
      try {
        for await (const source of rows) {
          if (analyzeBefore.includes(++batches))
            await recordGrowth(ctx, operation.tables, batches * batchSize);
          const next = workOnce(source, running === null);
          next.catch(() => {});
          if (running) yield write(await running);
          running = next;
        }
        yield write(running ? await running : []);
      } finally {
        failed.end();
      }
    }

    const body = Readable.from(lines(), { objectMode: false });
    await eventOf(body, 'readable');
    return {
      status: 200,
      body,
      headers: { 'Content-Type': `${rowTypes[wanted.format]}; charset=utf-8` },
    };
  };
}

/** Spreadsheets may contain cells such as "A00050 ", and an ID cannot be changed later. */
function trimIdentifiers(fields: unknown): void {
  for (const [name, value] of Object.entries(fields ?? {}))
    if (name.endsWith('ID') && typeof value === 'string') Reflect.set(fields as object, name, value.trim());
}

/** Each row is a separate request. Its outcome is replayed independently of the other rows. */
function keyedRequestOf(
  request: FastifyRequest,
  key: string,
  { row, value }: { row: number; value: unknown },
): KeyedRequest {
  return {
    key: `${key}\0${row}`,
    request: `${request.url}\n${scopesOf(request)}\n${JSON.stringify(value)}`,
    about: loginIdIn(value),
  };
}
