import type { Condition } from '../../db/page.ts';
import { parametersAfter, run } from '../../db/transaction.ts';
import { foreignCursor, type PageQuery, pageLimit, readCursor, toPage } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { invalid } from '../../lib/errors.ts';
import { hasAttribute } from '../users/groups.ts';
import { counted, eachCounted } from './counts.ts';
import { catchUp, isUpToDate } from './follow.ts';
import { formerText, keptColumns, reportDay } from './former.ts';
import { Compliance } from './schemas.ts';
import { isPresent, obligationStatusSql } from './status.ts';

export const complianceBy = ['requirement', 'group', 'manager', 'attribute', 'total'] as const;
type By = (typeof complianceBy)[number];

/** The obligations as they are. */
const presentText = `
select held.requirement_id, ${keptColumns.map((name) => `held.${name}`).join(', ')}
from obligation held where held.tenant_id = $1 and held.opened_at <= $2 and held.closed_at is null`;

const groupsOrNone = `(case when seen.group_names = '{}' then array[''] else seen.group_names end)`;

/** SQL for the rows that the lines count: a user is in each of their groups. */
const placeSql: Record<By, { join: string; key: string }> = {
  requirement: { join: '', key: 'seen.requirement_id' },
  group: {
    join: `cross join lateral unnest(${groupsOrNone}) own (name)`,
    key: `nullif(own.name, '')`,
  },
  manager: { join: '', key: 'seen.manager_login_id' },
  attribute: { join: '', key: 'seen.attributes ->> $3' },
  total: { join: '', key: 'null::text' },
};

/** No requirement has an empty ID. Citus would ask all shards for a join that is always false. */
const titledBy = (by: By) => (by === 'requirement' ? 'line.key' : "''");

const linesText = (by: By, isPast: boolean, hasValue: string) => `
with seen as (${isPast ? formerText('$2', ['requirement_id']) : presentText})
select coalesce(line.key, '') as key, line.key is null as is_rest, rule.rule ->> 'Title' as title,
  ${eachCounted((status) => `line.${status}`)}
from (
  select ${placeSql[by].key} as key,
    ${eachCounted((status) => `count(*) filter (where told.status = '${status}')::integer as ${status}`)}
  from seen ${placeSql[by].join}
  cross join lateral (select ${obligationStatusSql('seen', '$2::timestamptz')} as status) told
  where ${isPresent('seen')}
    and ($3::text is null or true) and ($4::text is null or seen.requirement_id = $4)
    and ($8::text is null or ${groupsOrNone} @> array[$8])
    and ($9::text is null or coalesce(seen.manager_login_id, '') = $9) and ${hasValue}
  group by 1
) line
left join requirement rule on rule.tenant_id = $1 and rule.requirement_id = ${titledBy(by)}
where ($5::text is null or (coalesce(line.key, ''), line.key is null) > ($5, $6::boolean))
order by coalesce(line.key, ''), line.key is null limit $7`;

const countedKey: Record<By, string> = {
  ...{ requirement: 'own.requirement_id', group: 'own.name', manager: 'own.name' },
  ...{ total: `''`, attribute: `''` },
};

const countedText = (by: By) => `
select line.*, line.key = '' as is_rest, rule.rule ->> 'Title' as title
from (
  select ${countedKey[by]} as key, ${eachCounted((status) => `sum(own.${status})::integer as ${status}`)}
  from obligation_count own
  where own.tenant_id = $1 and own.kind = $2 and ($3::text is null or own.name = $3)
    and ($4::text is null or own.requirement_id = $4) and ($5::text is null or ${countedKey[by]} > $5)
  group by 1 having sum(${counted.map((status) => `own.${status}`).join(' + ')}) > 0
  order by 1 limit $6
) line
left join requirement rule on rule.tenant_id = $1 and rule.requirement_id = ${titledBy(by)}
order by line.key`;

/** Which lines are counted in advance for these filters; null: the report has to count the obligations. */
function countedFor(by: By, { GroupName, ManagerLoginID, Attribute }: ComplianceQuery) {
  if (Attribute !== undefined || (GroupName !== undefined && ManagerLoginID !== undefined)) return null;
  if (GroupName !== undefined)
    return by === 'group' || by === 'manager' ? null : { kind: 'group', name: GroupName };
  if (ManagerLoginID !== undefined) return by === 'group' ? null : { kind: 'manager', name: ManagerLoginID };
  return by === 'group' || by === 'manager' ? { kind: by, name: null } : { kind: 'all', name: '' };
}

type Line = { key: string; is_rest: boolean; title: string | null } & Record<
  (typeof counted)[number],
  number
>;

export type ComplianceQuery = PageQuery & {
  By?: By;
  AsOf?: string;
  Attribute?: string;
  RequirementID?: string;
  GroupName?: string;
  ManagerLoginID?: string;
};

/**
 * Counts users by the status of their obligations, now or at the end of a past day, in the groups that they had then. What
 * is counted in advance is used for today. For earlier days, the obligations keep their former values.
 */
export async function listCompliance(ctx: TenantContext, input: ComplianceQuery) {
  const { By: by = 'requirement', AsOf, Attribute = null, RequirementID = null } = input;
  const { GroupName = null, ManagerLoginID = null } = input;
  if (by === 'attribute' && Attribute === null)
    throw invalid('Attribute', 'Send Attribute, the name of one, together with By=attribute.');
  const hasValue = by === 'attribute' || Attribute === null ? null : hasAttribute('seen', Attribute);
  await catchUp(ctx);
  const { day, isPast, at } = await reportDay(ctx, AsOf);
  const cursor = readCursor(input);
  const [, rest, key = null] = /^([01])(.*)$/su.exec(cursor ?? '') ?? [];
  if (cursor !== null && key === null) throw foreignCursor();
  const max = pageLimit(input) + 1;
  const lines = isPast || !(await isUpToDate(ctx)) ? null : countedFor(by, input);
  const rows = lines
    ? await run<Line>(ctx, countedText(by), [ctx.tenantId, lines.kind, lines.name, RequirementID, key, max])
    : await readLines(ctx, by, isPast, hasValue, [
        ...[ctx.tenantId, at, Attribute, RequirementID],
        ...[key, rest === '1', max, GroupName, ManagerLoginID],
      ]);
  return toPage(
    rows,
    pageLimit(input),
    (row) => `${row.is_rest ? 1 : 0}${row.key}`,
    (row): Compliance => toLine(row, by, day),
  );
}

function readLines(
  ctx: TenantContext,
  by: By,
  isPast: boolean,
  hasValue: Condition | null,
  values: readonly unknown[],
): Promise<Line[]> {
  const parameters = parametersAfter(...values);
  const text = linesText(by, isPast, hasValue?.(parameters) ?? 'true');
  return run<Line>(ctx, text, parameters.values);
}

function toLine(row: Line, by: By, day: string): Compliance {
  const key = row.is_rest ? null : row.key;
  const people = counted.reduce((sum, status) => sum + row[status], 0);
  const required = people - row.exempt;
  const valid = row.met + row.expiring;
  return recordOf(Compliance, row, {
    RequirementID: by === 'requirement' ? key : null,
    GroupName: by === 'group' ? key : null,
    ManagerLoginID: by === 'manager' ? key : null,
    AttributeValue: by === 'attribute' ? key : null,
    AsOf: day,
    Obligations: people,
    ValidPercent: required === 0 ? null : Math.round((1000 * valid) / required) / 10,
  });
}
