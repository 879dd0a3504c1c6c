import { sql } from 'kysely';
import { deleteOwn, ownRows, updateOwn } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import {
  foreignCursor,
  type Page,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
} from '../../http/pagination.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { requireScope } from '../../infra/context/scopes.ts';
import { Problem } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { audit } from '../audit/chain.ts';
import { endAt } from '../tenants/time-zone.ts';
import { dayOrInstantOf, orderOf } from './dates.ts';
import {
  type ImportExample,
  type ImportLine,
  type ImportRecord,
  lineOf,
  type RowNames,
  readRecord,
  recordOf,
  toImport,
  toRow,
} from './record.ts';
import type { Import, ImportAnswers, ImportRowsQuery, ImportWithRows } from './schemas.ts';
import { noCounts, workerOf } from './start.ts';

const questionsText = `
select coalesce(held.result, held.plan) ->> 'code' as code, count(*)::integer as rows,
  (array_agg(coalesce(held.result, held.plan) ->> 'detail' order by held.line))[1] as detail
from import_row held
where held.tenant_id = $1 and held.import_id = $2
  and coalesce(held.result, held.plan) ->> 'code' in ('ambiguous_date', 'similar_group', 'similar_login_id')
group by 1 order by 1`;

type Question = { code: string; rows: number; detail: string | null };

const cellSql = sql<string>`fields ->> 'ExpiresAt'`;

/** The first date of the file that can be read. */
async function exampleOf(ctx: TenantContext, record: ImportRecord): Promise<ImportExample> {
  if (!record.columns.some(({ Field }) => Field === 'ExpiresAt')) return null;
  const dates = await ownRows(ctx, 'import_row', { import_id: record.import_id })
    .select(cellSql.as('cell'))
    .where(cellSql, 'is not', null)
    .orderBy('line')
    .limit(1000)
    .execute();
  const cells = dates.map(({ cell }) => cell);
  const order = record.options.DateOrder ?? orderOf(cells);
  for (const cell of cells) {
    const read = dayOrInstantOf(cell, order);
    if (read !== null && read !== 'ambiguous')
      return { Cell: cell, At: (await endAt(ctx, read, 'ExpiresAt')).toISOString() };
  }
  return null;
}

async function withQuestions(ctx: TenantContext, record: ImportRecord): Promise<Import> {
  const found = await run<Question>(ctx, questionsText, [ctx.tenantId, record.import_id]);
  const Questions = found.map(({ code, rows, detail }) => ({ code, Rows: rows, detail: detail ?? '' }));
  return toImport(ctx, record, { Questions, example: await exampleOf(ctx, record) });
}

const outcomeSql = sql<string>`coalesce(result, plan) ->> 'outcome'`;
const keptSql = sql<boolean>`((undo ->> 'reason') is not null)`;
const isUntouchedSql = sql<boolean>`((undo ->> 'users') = '0' and (undo ->> 'restored') = '0'
  and (undo ->> 'enrolments') = '0')`;

export async function readImport(ctx: TenantContext, importId: string): Promise<Import> {
  return withQuestions(ctx, await readRecord(ctx, { importId }));
}

async function readNames(ctx: TenantContext, lines: readonly ImportLine[]): Promise<RowNames> {
  const ids = lines.flatMap(({ login_id }) => login_id ?? []);
  if (ids.length === 0) return new Map();
  const users = await ownRows(ctx, 'user', {})
    .select(['login_id', 'first_name', 'last_name'])
    .where('login_id', 'in', ids)
    .execute();
  return new Map(
    users.map((user) => [user.login_id, { FirstName: user.first_name, LastName: user.last_name }]),
  );
}

export async function readImportRows(
  ctx: TenantContext,
  { importId, ...input }: ImportRowsQuery & { importId: string },
): Promise<ImportWithRows> {
  const limit = pageLimit(input);
  const after = readCursor(input);
  if (after !== null && !/^\d{1,9}$/.test(after)) throw foreignCursor();
  const record = await readRecord(ctx, { importId });
  let query = ownRows(ctx, 'import_row', { import_id: importId }).selectAll();
  if (after !== null) query = query.where('line', '>', Number(after));
  if (input.Outcome !== undefined) query = query.where(outcomeSql, '=', input.Outcome);
  if (input.Undone !== undefined)
    query = query.where('undo', 'is not', null).where(keptSql, '=', input.Undone !== 'removed');
  if (input.Undone === 'kept' || input.Undone === 'partly')
    query = query.where(isUntouchedSql, '=', input.Undone === 'kept');
  const rows = await query
    .orderBy('line')
    .limit(limit + 1)
    .execute();
  const page = toPage(
    rows.map(lineOf),
    limit,
    ({ line }) => String(line),
    (line) => line,
  );
  const names = await readNames(ctx, page.Items);
  const Rows = page.Items.map((line) => toRow(line, names));
  return { ...(await withQuestions(ctx, record)), Rows, NextCursor: page.NextCursor };
}

export async function listImports(ctx: TenantContext, input: PageQuery): Promise<Page<Import>> {
  const limit = pageLimit(input);
  const after = readCursor(input);
  let query = ownRows(ctx, 'import').selectAll().where('status', '<>', 'reading');
  if (after !== null && isId(after)) query = query.where('import_id', '<', after);
  const rows = await query
    .orderBy('import_id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(
    rows.map(recordOf),
    limit,
    ({ import_id }) => import_id,
    (record) => toImport(ctx, record, { Questions: [] }),
  );
}

/** Deletes a plan that a newer one replaces. False if it is no longer waiting. */
export async function discardPlan(ctx: TenantContext, importId: string): Promise<boolean> {
  const deleted = await deleteOwn(ctx, 'import', { import_id: importId, status: 'planned' })
    .returning('import_id')
    .execute();
  return deleted.length > 0;
}

function notReady({ status }: ImportRecord, what: string): Problem {
  const advice = status.endsWith('ing') ? 'Wait until the service has finished it.' : 'Start another import.';
  return new Problem('import_not_ready', `The import is ${status} and cannot be ${what}. ${advice}`, {
    ImportStatus: status,
  });
}

/** Starts the work on a planned import. Repeating the call is safe. */
export async function applyImport(
  ctx: TenantContext,
  { importId, ...answers }: ImportAnswers & { importId: string },
): Promise<Import> {
  return transaction(ctx, async (ctx) => {
    const record = await readRecord(ctx, { importId, lock: true });
    if (record.status === 'applying' || record.status === 'applied') return withQuestions(ctx, record);
    if (record.status !== 'planned') throw notReady(record, 'applied');
    if (record.columns.some(({ Field }) => Field === 'CourseID') || record.options.CourseID !== undefined)
      requireScope(ctx, 'enrolments:write', 'Enrolling');
    const counts = noCounts(record.counts.Rows);
    const options = { ...record.options, ...answers };
    const change = { ...workerOf(ctx), status: 'applying' as const, line: 0, claimed_until: null };
    await updateOwn(ctx, 'import', { import_id: importId })
      .set({ ...change, counts: JSON.stringify(counts), options: JSON.stringify(options) })
      .execute();
    await audit(ctx, 'import.applied', importId, { Rows: record.counts.Rows });
    return withQuestions(ctx, { ...record, status: 'applying', counts, options });
  });
}

/** Starts to remove what an import has created. Repeating the call is safe. */
export async function undoImport(ctx: TenantContext, { importId }: { importId: string }): Promise<Import> {
  return transaction(ctx, async (ctx) => {
    const record = await readRecord(ctx, { importId, lock: true });
    if (record.status === 'undoing' || record.status === 'undone') return withQuestions(ctx, record);
    if (record.status !== 'applied') throw notReady(record, 'undone');
    if (record.counts.EnrolmentsCreated > 0) requireScope(ctx, 'enrolments:write', 'Withdrawing enrolments');
    const { Created, Updated, Partial } = record.counts;
    const undo = {
      ...{ Rows: Created + Updated + Partial, Done: 0 },
      ...{ UsersRemoved: 0, UsersRestored: 0, EnrolmentsWithdrawn: 0, Kept: 0 },
    };
    const change = { ...workerOf(ctx), status: 'undoing' as const, line: 0, claimed_until: null };
    await updateOwn(ctx, 'import', { import_id: importId })
      .set({ ...change, undo_counts: JSON.stringify(undo) })
      .execute();
    await audit(ctx, 'import.undone', importId);
    return withQuestions(ctx, { ...record, status: 'undoing', undo_counts: undo });
  });
}
