import type { TenantContext } from '../../platform/context.ts';
import { type Condition, pageSql } from '../../platform/db/page.ts';
import { type Parameters, parametersAfter } from '../../platform/db/parameters.ts';
import { runUnprepared } from '../../platform/db/transaction.ts';
import type { StatementFilter } from './filter.ts';
import type { StoredRow } from './stored-statement.ts';

export type StatementPage = {
  rows: (StoredRow & { statement_id: string })[];
  /** Where the next page begins; null if this is the last one. */
  next: number | null;
};

/** If `payload` is null, the statement does not fit on the page. */
type Found = { position: number; statement_id: string; payload: string | null };

/** Maximum bytes of a page with its attachments. Pages end early so that they fit into memory. */
const maxPageBytes = 4 * 1024 ** 2;

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
  const parameters = parametersAfter(ctx.tenantId);
  const text = showText(positionsSql(filter, after, parameters), filter);
  const found = await runUnprepared<Found>(ctx, { text, values: parameters.values });
  const page = found.filter(isShown);
  const hasMore = found.length > page.length;
  return { rows: page, next: (hasMore ? page.at(-1)?.position : null) ?? null };
}

const isShown = (row: Found): row is Found & StatementPage['rows'][number] => row.payload !== null;

/**
 * SQL for the positions of the first statements after the previous page, one more than wanted. The rows of each key are
 * in the order of their index.
 */
function positionsSql(filter: StatementFilter, after: number | null, parameters: Parameters): string {
  const { ascending, limit } = filter;
  const [keys, ...others] = filter.alternatives;
  const list = { values: [], key: ['position'], after: startOf(filter, after), newest: !ascending };
  const where = [...periodOf(filter), isNotVoided];
  if (!keys)
    return pageSql(
      { ...list, rows: 'statement held where held.tenant_id = $1', where },
      limit + 1,
      parameters,
      'held.position',
    );
  const rows = 'statement_match held where held.tenant_id = $1';
  const ofKeys = keys.map((key) => {
    const isKey: Condition = ({ add }) => `held.key = ${add(key)}::uuid`;
    const own = { ...list, rows, where: [isKey, ...others.map(hasKey), ...where] };
    return `(${pageSql(own, limit + 1, parameters, 'distinct held.position')})`;
  });
  return `select distinct held.position from (${ofKeys.join(' union all ')}) held
    order by held.position ${ascending ? 'asc' : 'desc'} limit ${limit + 1}`;
}

/**
 * The position after which the page begins: the end of the previous page, or the bound of the
 * period.
 */
function startOf({ since, until, ascending }: StatementFilter, after: number | null): [number] | null {
  if (after !== null) return [after];
  if (ascending) return since === null ? null : [since];
  return until === null ? null : [until + 1];
}

function periodOf({ since, until }: StatementFilter): Condition[] {
  const conditions: Condition[] = [];
  if (since !== null) conditions.push(({ add }) => `held.position > ${add(since)}::bigint`);
  if (until !== null) conditions.push(({ add }) => `held.position <= ${add(until)}::bigint`);
  return conditions;
}

const hasKey =
  (keys: readonly string[]): Condition =>
  ({ add }) =>
    `exists (select from statement_match other where other.tenant_id = $1 and other.key = any (${add(keys)}::uuid[])
      and other.position = held.position and other.source = held.source)`;

const isNotVoided: Condition = () =>
  `not exists (select from voided_statement voided
    where voided.tenant_id = $1 and voided.position = held.position)`;

/** Reads the payloads of the first statements that fit, but at least one. */
function showText(positions: string, { ascending, limit }: StatementFilter): string {
  const order = `order by held.position ${ascending ? 'asc' : 'desc'}`;
  return `
select held.position, held.statement_id,
  case when held.shown <= ${limit} and held.sum - held.bytes <= ${maxPageBytes} then held.payload end as payload
from (
  select own.position, own.statement_id, own.payload, own.bytes,
    count(*) over so_far as shown, sum(own.bytes) over so_far as sum
  from (${positions}) held
  cross join lateral (
    select found.position, found.statement_id, found.payload, found.bytes from statement found
    where found.tenant_id = $1 and found.position = held.position limit 1
  ) own
  window so_far as (${order})
) held ${order}`;
}
