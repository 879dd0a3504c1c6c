import { once as eventOf } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { fitsShape } from '../../../../standards/json-shape.ts';
import { once, valueOrThrow } from '../../infra/calls/once.ts';
import { type KeyedRequest, nameOf, readStoredOutcome } from '../../infra/calls/stored-responses.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { invalid, type Problem } from '../../lib/errors.ts';
import { cleanFields } from '../../lib/unicode.ts';
import { loginIdIn, readIdempotencyKey, scopesOf } from '../idempotency.ts';
import type { RouteResponse } from '../routes.ts';
import { Fields } from '../validation/schema.ts';
import { recordShape } from '../validation/validation.ts';
import { logFailedRows, type RowResult, refuse } from './refuse.ts';
import {
  acceptedRows,
  type RowFormat,
  type RowWriter,
  readCsvType,
  readRows,
  rowTypes,
  rowWriter,
  type SourceRow,
} from './rows.ts';
import { receiveFile } from './uploads.ts';
import { type BulkOperation, type Keyed, type NextStep, openWork } from './work-rows.ts';

/** Returns the error if the caller has lost access during the call, otherwise null. */
function refusalOf(ctx: TenantContext): Promise<unknown> {
  const check = ctx.checkCaller?.() ?? Promise.resolve();
  return check.then(
    () => null,
    (error: unknown) => error,
  );
}

export const bulkQuery = Fields({
  Plan: Type.Optional(
    Type.Boolean({
      description: 'If true, the response says what would happen to each row, and nothing is changed.',
    }),
  ),
});

export function bulkStreams(fields: string, row: Record<string, string>) {
  const description = `NDJSON with one object per line, or CSV with the field names in the first row. Spaces around IDs and names, and invisible characters in them, are removed. In CSV, an empty cell means that the field is not sent, and the apostrophe that an export puts before a formula is removed. A list in a cell has semicolons between its names. Fields: ${fields}. Other fields of an exported record, such as CreatedAt, are ignored. A row can be up to 64 kB in size. A file can be up to 1 GiB in size.`;
  const examples = {
    [rowTypes.ndjson]: `${JSON.stringify(row)}\n`,
    [rowTypes.csv]: `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`,
  };
  return { types: Object.values(rowTypes), description, bulk: true, examples } as const;
}

export const bulkResponse = {
  description:
    'One line for each row, in order: `Row` (from 1), `Status` as in the single call, and either the IDs of the record or `code` and `detail`. `Trimmed` names the ID fields from which surrounding spaces or invisible characters were removed. With the query `Plan=true`, `Plan` is created, updated, exists, differs or error. `Changed` lists the fields that an update changed, and `SimilarLoginID` is an existing LoginID that differs only in case from the one that would be created. `SameEmailLoginID` is another user, or the user in an earlier row of the same batch of 200, with the Email that the row would set. `Damaged` names the fields whose values look like errors or numbers of a spreadsheet, such as #N/A or 1.23457E+11. CSV includes none of these. Send `Accept: text/csv` to get CSV.',
  type: [rowTypes.ndjson, rowTypes.csv],
};

export function bulk<T>(operation: BulkOperation<T>) {
  const work = openWork(operation);
  const { next: nextStep } = operation;
  const known = new Set(Object.keys(operation.row.properties));
  const ignored = Object.keys(operation.record.properties).filter((name) => !known.has(name));
  const required = operation.row.required ?? [];
  const fieldsOfType = (type: string) =>
    [...known].filter((name) =>
      [Reflect.get(operation.row.properties[name] ?? {}, 'type')].flat().includes(type),
    );
  const objects = fieldsOfType('object');
  const lists = fieldsOfType('array');

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
      ...['code', 'param', 'detail'],
    ];
    /** Whether rows can ask for the next step. CSV input can only if its header names the field for it. */
    let hasNext = nextStep !== undefined && format === 'ndjson';
    const failed = logFailedRows(ctx.log, request.id);
    const rows = readRows(
      await receiveFile(ctx, input.body as Readable),
      format,
      (header) => {
        const missing = required.find((name) => !header.includes(name));
        if (missing !== undefined) throw missingColumn(missing, header);
        hasNext = nextStep !== undefined && header.includes(nextStep.field);
      },
      readCsvType(request.headers['content-type']).rawCells,
    );

    async function workOnce(source: SourceRow[], first: boolean): Promise<RowResult[]> {
      // During a long call, its key may be revoked or its tenant suspended.
      const refused = await refusalOf(ctx);
      if (refused && first) throw refused;
      if (refused) return source.map(({ row }) => refuse(failed, { Row: row, Status: 0 }, refused, plan));
      for (const one of source) {
        if (!('value' in one)) continue;
        for (const name of ignored) delete (Object(one.value) as Record<string, unknown>)[name];
        if (format === 'csv') {
          readObjects(one.value, [...objects, ...lists]);
          readLists(one.value, lists);
        }
        one.trimmed = cleanFields(one.value, { blankIsNull: true });
      }
      if (key === null) return work(ctx, source, { format, plan, keyed: null, failed });
      let replays = 0;
      // Keep the rows as they were sent, because validation converts the cells of CSV.
      const asked = new Map(
        source.flatMap((one) =>
          'value' in one ? [[one.row, keyedRequestOf(request, key, one)] as const] : [],
        ),
      );
      const keyed: Keyed = async (row, prepare, step) => {
        const asking = asked.get(row) as KeyedRequest;
        const { outcome, replayed } = await once(ctx, stepOf(asking, step), prepare);
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

    let write: RowWriter | null = null;
    const written = (results: RowResult[]) => {
      write ??= rowWriter(
        wanted.format,
        [...columns, ...(hasNext ? nextColumns(nextStep, plan) : [])],
        wanted,
      );
      return write(results);
    };

    /** While one chunk is in the database, the next one is read and validated. */
    async function* lines(): AsyncGenerator<string, void> {
      let running: Promise<RowResult[]> | null = null;
      try {
        for await (const source of rows) {
          const next = workOnce(source, running === null);
          next.catch(() => {});
          if (running) yield written(await running);
          running = next;
        }
        yield written(running ? await running : []);
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

/** An export writes a field with members as JSON into one cell. Other text is left for the validation to reject. */
function readObjects(fields: unknown, names: readonly string[]): void {
  for (const name of names) {
    const text: unknown = Reflect.get(Object(fields), name);
    if (typeof text !== 'string' || !fitsShape(text, recordShape)) continue;
    try {
      Reflect.set(fields as object, name, JSON.parse(text));
    } catch {}
  }
}

/** People separate the names in a cell with semicolons. */
export function readLists(fields: unknown, names: readonly string[]): void {
  for (const name of names) {
    const text: unknown = Reflect.get(Object(fields), name);
    if (typeof text !== 'string') continue;
    const parts = text.split(/[;\n]/).map((part) => part.trim());
    Reflect.set(
      fields as object,
      name,
      parts.filter((part) => part !== ''),
    );
  }
}

/** Applies to the whole file, so that no row is refused for it. */
function missingColumn(name: string, header: readonly string[]): Problem {
  const found = header.join(', ').slice(0, 200);
  const detail = `The file has no column ${name}. Its first row must have the names of the fields, separated by commas${found === '' ? '' : `, but is: ${found}`}.`;
  return invalid(name, detail);
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

function stepOf(asked: KeyedRequest, step: string | null): KeyedRequest {
  return step === null ? asked : { ...asked, key: `${asked.key}\0${step}` };
}

/** In CSV, each member of the next step's result is a column. */
function nextColumns<T>(next: NextStep<T> | undefined, plan: boolean): string[] {
  if (!next) return [];
  const members = ['Status', ...(plan ? ['Plan'] : []), ...next.names, ...(plan ? [] : next.ids)];
  return [...members, 'code', 'param', 'detail'].map((member) => `${next.name}.${member}`);
}
