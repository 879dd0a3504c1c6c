import type { TenantContext } from '../../platform/context.ts';
import type { Parameters } from '../../platform/db/parameters.ts';
import { run } from '../../platform/db/transaction.ts';
import { type AccessPath, visitRows } from '../../platform/db/visits.ts';
import type { StatementFilter } from './filter.ts';
import type { StoredRow } from './stored-statement.ts';

export type StatementPage = {
  rows: (StoredRow & { statement_id: string })[];
  /** Where the next page begins; null if this is the last one. */
  next: number | null;
};

type Visited = { position: number };

/** Pages end early so that they fit into memory, with their attachments. */
const maxPageBytes = 4 * 1024 ** 2;

/** Statements with a key, each also under the sources that it has it from; without keys, all statements. */
const allRows = 'statement held where held.tenant_id = $1';
const matchingRows = 'statement_match held where held.tenant_id = $1';

/**
 * Communication 2.1.3. A statement that refers to another one is found by what the other one has, so all keys must come
 * from the same source. Positions are the times of storing.
 */
export async function listStatements(
  ctx: TenantContext,
  filter: StatementFilter,
  after: number | null,
): Promise<StatementPage> {
  const { alternatives, ascending, limit } = filter;
  const visit = await visitRows<Visited>(ctx, {
    rows: alternatives.length === 0 ? allRows : matchingRows,
    values: [ctx.tenantId],
    key: ['position'],
    after: startOf(filter, after),
    newest: !ascending,
    accessPaths: alternatives.length === 0 ? [() => ({ ranges: ['true'] })] : alternatives.map(pathOf),
    filter: (parameters) => filterSql(filter, parameters),
    wanted: limit,
    maxVisited: 1_000,
  });
  const positions = [...new Set(visit.rows.map(({ position }) => position))];
  const page = await readPage(ctx, positions.slice(0, limit), ascending);
  const hasMore = page.length < positions.length || visit.rows.length > limit;
  const last = hasMore ? (page.at(-1)?.position ?? null) : (visit.end?.position ?? null);
  return { rows: page, next: last };
}

/** The position after which the page begins: that of the previous page, or the end of the period. */
function startOf({ since, until, ascending }: StatementFilter, after: number | null): [number] | null {
  if (after !== null) return [after];
  if (ascending) return since === null ? null : [since];
  return until === null ? null : [until + 1];
}

const pathOf =
  (keys: readonly string[]) =>
  ({ add }: Parameters): AccessPath => ({
    ranges: keys.map((key) => `held.key = ${add(key)}::uuid`),
  });

/** The limits keep the planner from reading all rows of the other tables. */
function filterSql({ alternatives, since, until }: StatementFilter, { add }: Parameters): string {
  // A single filter is the access path itself.
  const others = alternatives.length === 1 ? [] : alternatives;
  const conditions = others.map(
    (keys) => `coalesce((
      select true from statement_match other where other.tenant_id = $1 and other.key = any (${add(keys)}::uuid[])
        and other.position = held.position and other.source = held.source limit 1
    ), false)`,
  );
  if (since !== null) conditions.push(`held.position > ${add(since)}::bigint`);
  if (until !== null) conditions.push(`held.position <= ${add(until)}::bigint`);
  conditions.push(`not coalesce((
    select true from voided_statement voided
    where voided.tenant_id = $1 and voided.position = held.position limit 1
  ), false)`);
  return conditions.join(' and ');
}

/** The first statements that fit, at least one. */
const readText = (order: 'asc' | 'desc') => `
select held.statement_id, held.payload, held.position from (
  select found.statement_id, found.payload, found.position, found.bytes,
    sum(found.bytes) over (order by found.position ${order}) as sum
  from statement found where found.tenant_id = $1 and found.position = any ($2::bigint[])
) held where held.sum - held.bytes <= ${maxPageBytes} order by held.position ${order}`;

function readPage(
  ctx: TenantContext,
  positions: readonly number[],
  ascending: boolean,
): Promise<StatementPage['rows']> {
  if (positions.length === 0) return Promise.resolve([]);
  return run(ctx, { text: readText(ascending ? 'asc' : 'desc'), values: [ctx.tenantId, positions] });
}
