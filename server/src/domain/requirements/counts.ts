import { ownRows } from '../../db/own-rows.ts';
import { run, runUnprepared } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { isPresent } from './status.ts';

/** The statuses that reports count. */
export const counted = ['not_due', 'due_soon', 'overdue', 'met', 'expiring', 'expired', 'exempt'] as const;

export const eachCounted = (sql: (status: (typeof counted)[number]) => string) => counted.map(sql).join(', ');

/** SQL: the lines in which an obligation counts. The name is empty for users without a manager or a group. */
const linesSql = `(
  select 'all' as kind, '' as name
  union all select 'manager', coalesce(held.manager_login_id, '')
  union all select 'group', unnest(case when held.group_names = '{}' then array[''] else held.group_names end)
)`;

const linesText = `
select place.kind, place.name, held.requirement_id,
  ${eachCounted((status) => `count(*) filter (where held.announced = '${status}')::integer as ${status}`)}
from unnest($2::uuid[]) wanted (obligation_id)
cross join lateral (
  select own.* from obligation own where own.tenant_id = $1 and own.obligation_id = wanted.obligation_id limit 1
) held
cross join lateral ${linesSql} place
where ${isPresent('held')}
group by place.kind, place.name, held.requirement_id`;

const addText = `
insert into obligation_count as line (tenant_id, kind, name, requirement_id, ${eachCounted((status) => status)})
select $1::text, made.* from jsonb_to_recordset($2::jsonb)
  as made (kind text, name text, requirement_id text, ${eachCounted((status) => `${status} integer`)})
on conflict (tenant_id, kind, name, requirement_id) do update
  set ${eachCounted((status) => `${status} = line.${status} + excluded.${status}`)}
returning line.kind, line.name, line.requirement_id, ${counted.map((status) => `line.${status}`).join(' + ')} as people`;

const removeText = `
delete from obligation_count line
using unnest($2::text[], $3::text[], $4::text[]) as empty (kind, name, requirement_id)
where line.tenant_id = $1 and line.kind = empty.kind and line.name = empty.name
  and line.requirement_id = empty.requirement_id and ${counted.map((status) => `line.${status}`).join(' + ')} = 0`;

type Line = { kind: string; name: string; requirement_id: string };
type Counts = Line & Record<(typeof counted)[number], number>;

const keyOf = ({ kind, name, requirement_id }: Line) => JSON.stringify([kind, name, requirement_id]);

/** A plan that was prepared while the table was small would read all of it. */
const linesOf = async (ctx: TenantContext, ids: readonly string[]): Promise<Counts[]> =>
  ids.length === 0 ? [] : runUnprepared<Counts>(ctx, linesText, [ctx.tenantId, ids]);

/** What to add, in a fixed order, so that no two transactions wait for lines of each other. */
function differenceOf(before: readonly Counts[], after: readonly Counts[]): Counts[] {
  const lines = new Map(after.map((line) => [keyOf(line), line]));
  for (const was of before) {
    const line = lines.get(keyOf(was)) ?? {
      ...was,
      ...Object.fromEntries(counted.map((status) => [status, 0])),
    };
    const less = counted.map((status) => [status, line[status] - was[status]]);
    lines.set(keyOf(was), { ...line, ...Object.fromEntries(less) });
  }
  return [...lines]
    .filter(([, line]) => counted.some((status) => line[status] !== 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, line]) => line);
}

/**
 * Changes these obligations with `work`, and then the figures of the reports: other changes of the tenant wait for the
 * lines until the commit. `added`: those that `work` opens. To call in a transaction that holds `requirement_log`.
 */
export async function recount(
  ctx: TenantContext,
  { changed, added = [] }: { changed: readonly string[]; added?: readonly string[] },
  work: () => Promise<unknown>,
): Promise<void> {
  const before = await linesOf(ctx, changed);
  await work();
  const lines = differenceOf(before, await linesOf(ctx, [...changed, ...added]));
  if (lines.length === 0) return;
  const left = await run<Line & { people: number }>(ctx, addText, [ctx.tenantId, JSON.stringify(lines)]);
  const empty = left.filter(({ people }) => people === 0);
  if (empty.length === 0) return;
  const keys = (['kind', 'name', 'requirement_id'] as const).map((key) => empty.map((line) => line[key]));
  await run(ctx, removeText, [ctx.tenantId, ...keys]);
}

/** The same for a change that is not an evaluation: it waits for one in progress. */
export async function recountAlone(
  ctx: TenantContext,
  changed: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  await ownRows(ctx, 'requirement_log').select('position').forUpdate().execute();
  await recount(ctx, { changed }, work);
}
