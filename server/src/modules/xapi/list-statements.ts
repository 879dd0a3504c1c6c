import type { TenantContext } from '../../platform/context.ts';
import { type AccessPath, scanRows } from '../../platform/db/list-scan.ts';
import type { Parameters } from '../../platform/db/parameters.ts';
import type { StatementFilter } from './filter.ts';
import type { StoredRow } from './stored-statement.ts';

export type StatementPage = {
  rows: (StoredRow & { statement_id: string })[];
  /** Where the next page begins; null if this is the last one. */
  next: number | null;
};

/**
 * If `payload` is null, the statement does not fit on the page, or the row only marks where the
 * search stopped.
 */
type Visited = { position: number; statement_id: string | null; payload: string | null };

/** Maximum bytes of a page with its attachments. Pages end early so that they fit into memory. */
const maxPageBytes = 4 * 1024 ** 2;

/** The rows to search: with keys, one per key and source; without keys, all statements. */
const allRows = 'statement held where held.tenant_id = $1';
const matchingRows = 'statement_match held where held.tenant_id = $1';

/**
 * Communication 2.1.3. The keys of a statement also apply to statements that refer to it, so all
 * keys of a match must come from the same source. A position is the time at which a statement was
 * stored.
 */
export async function listStatements(
  ctx: TenantContext,
  filter: StatementFilter,
  after: number | null,
): Promise<StatementPage> {
  const { alternatives, ascending, limit } = filter;
  const visit = await scanRows<Visited>(ctx, {
    rows: alternatives.length === 0 ? allRows : matchingRows,
    values: [ctx.tenantId],
    key: ['position'],
    after: startOf(filter, after),
    newest: !ascending,
    accessPaths: alternatives.length === 0 ? [() => ({ ranges: ['true'] })] : alternatives.map(pathOf),
    filter: (parameters) => filterSql(filter, parameters),
    wanted: limit,
    show: (page) => showText(page, ascending ? 'asc' : 'desc', limit),
    maxScanned: 1_000,
  });
  const page = visit.rows.filter(isShown);
  const last = page.at(-1)?.position;
  const hasMore = visit.rows.length > limit || visit.rows.at(-1)?.position !== last;
  return { rows: page, next: (hasMore ? last : visit.end?.position) ?? null };
}

const isShown = (row: Visited): row is Visited & StatementPage['rows'][number] => row.payload !== null;

/**
 * The position after which the page begins: the end of the previous page, or the bound of the
 * period.
 */
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

/** Each `limit` keeps the planner from reading all rows of the other tables. */
function filterSql({ alternatives, since, until }: StatementFilter, { add }: Parameters): string {
  // A single filter needs no condition, because it is already the access path.
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

/**
 * Reads the payloads of the first statements that fit, but at least one. A statement that has the
 * key from several sources is visited for each of them, but shown once.
 */
const showText = (page: string, order: 'asc' | 'desc', limit: number) => `
select held.position, held.visited, held.found, held.statement_id,
  case when held.shown <= ${limit} and held.sum - held.bytes <= ${maxPageBytes} then held.payload end as payload
from (
  select page.position, page.visited, page.found, own.statement_id, own.payload, own.bytes,
    count(own.bytes) over so_far as shown, sum(own.bytes) over so_far as sum
  from (
    select held.*, held.found and row_number() over (
      partition by held.position order by held.found desc, held.visited
    ) = 1 as first from (${page}) held
  ) page
  left join lateral (
    select found.statement_id, found.payload, found.bytes from statement found
    where page.first and found.tenant_id = $1 and found.position = page.position limit 1
  ) own on true
  window so_far as (order by page.position ${order}, page.visited)
) held`;
