import { run } from '../../db/transaction.ts';
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

const addText = `
insert into obligation_count as line (tenant_id, kind, name, requirement_id, ${eachCounted((status) => status)})
select $1, place.kind, place.name, held.requirement_id,
  ${eachCounted((status) => `$3::integer * count(*) filter (where held.announced = '${status}')`)}
from obligation held cross join lateral ${linesSql} place
where held.tenant_id = $1 and held.obligation_id = any($2::uuid[]) and ${isPresent('held')}
group by place.kind, place.name, held.requirement_id
on conflict (tenant_id, kind, name, requirement_id) do update
  set ${eachCounted((status) => `${status} = line.${status} + excluded.${status}`)}
returning line.kind, line.name, line.requirement_id, ${counted.map((status) => `line.${status}`).join(' + ')} as people`;

const removeText = `
delete from obligation_count line
using unnest($2::text[], $3::text[], $4::text[]) as empty (kind, name, requirement_id)
where line.tenant_id = $1 and line.kind = empty.kind and line.name = empty.name
  and line.requirement_id = empty.requirement_id and ${counted.map((status) => `line.${status}`).join(' + ')} = 0`;

type Line = { kind: string; name: string; requirement_id: string; people: number };

const add = (ctx: TenantContext, ids: readonly string[], sign: 1 | -1) =>
  run<Line>(ctx, { name: 'count_obligations', text: addText, values: [ctx.tenantId, ids, sign] });

/**
 * Changes these obligations with `work`, and the figures of the reports with them. `added`: those that `work` opens. To call
 * in a transaction.
 */
export async function recount(
  ctx: TenantContext,
  { changed, added = [] }: { changed: readonly string[]; added?: readonly string[] },
  work: () => Promise<unknown>,
): Promise<void> {
  // The evaluation holds this lock too, so that no two transactions wait for lines of each other.
  if (changed.length > 0)
    await ctx.db
      .selectFrom('requirement_log')
      .select('position')
      .where('tenant_id', '=', ctx.tenantId)
      .forUpdate()
      .execute();
  const before = changed.length > 0 ? await add(ctx, changed, -1) : [];
  await work();
  if (changed.length + added.length > 0) await add(ctx, [...changed, ...added], 1);
  const empty = before.filter(({ people }) => people === 0);
  if (empty.length === 0) return;
  const keys = (['kind', 'name', 'requirement_id'] as const).map((key) => empty.map((line) => line[key]));
  await run(ctx, { name: 'remove_obligation_counts', text: removeText, values: [ctx.tenantId, ...keys] });
}
