import type { Condition } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { foreignCursor, type PageQuery, page, readCursor } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { hasScope } from '../../infra/context/scopes.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { isInstant } from '../../lib/instants.ts';
import { endAt } from '../tenants/time-zone.ts';
import { hasAttribute, isNamed } from '../users/groups.ts';
import { findUserId, userNotFound } from '../users/users.ts';
import { hasGroup } from './audience.ts';
import type { ObligationRow } from './evaluate.ts';
import { catchUp } from './follow.ts';
import { formerText, reportDay } from './former.ts';
import { type ListedObligation, Obligation } from './schemas.ts';
import {
  hasStatusSql,
  isPresent,
  type ObligationStatus,
  obligationStatusAt,
  obligationStatuses,
  obligationStatusSql,
} from './status.ts';

export const obligationOrders = ['due', 'due_descending', 'valid_until', 'valid_until_descending'] as const;

export type ObligationFilter = PageQuery & {
  Order?: (typeof obligationOrders)[number];
  Status?: string;
  RequirementID?: string;
  LoginID?: string;
  GroupName?: string;
  ManagerLoginID?: string;
  Attribute?: string;
  DueBefore?: string;
  ValidBefore?: string;
  Present?: boolean;
  AsOf?: string;
  Count?: boolean;
};

type NamedRow = ObligationRow & { login_id: string | null; title: string };
type ListedRow = NamedRow &
  Record<'first_name' | 'last_name' | 'email' | 'group_name' | 'manager', string | null>;

export function obligationNotFound(): Problem {
  return new Problem(
    'obligation_not_found',
    'The requirement does not concern this user. List their obligations with GET /obligation/{LoginID}.',
    { param: 'RequirementID' },
  );
}

const withNames = (group: string, manager: string) => (page: string) =>
  `
select held.*, known.login_id, known.first_name, known.last_name, known.email, ${group} as group_name,
  ${manager} as manager, rule.rule ->> 'Title' as title
from (${page}) held
left join "user" known on known.tenant_id = $1 and known.user_id = held.user_id
join requirement rule on rule.tenant_id = $1 and rule.requirement_id = held.requirement_id`;

function statusesIn(text: string): ObligationStatus[] {
  const names = text.split(',');
  const unknown = names.find((name) => !obligationStatuses.some((one) => one === name));
  if (unknown === undefined) return obligationStatuses.filter((one) => names.includes(one));
  throw invalid(
    'Status',
    `The status "${unknown}" does not exist. Use one of ${obligationStatuses.join(', ')}, or several separated by commas.`,
  );
}

/** SQL: what a past day needs beside what obligations keep of it. */
const formerColumns = [
  ...['obligation_id', 'user_id', 'requirement_id', 'cycle', 'opened_at', 'enroll_id', 'enrol_problem'],
  'closed_reason',
];

/** The conditions of the filters on `held`, an obligation, as it is or as it was at a time. */
export async function obligationConditions(
  ctx: TenantContext,
  input: ObligationFilter,
  past: Date | null = null,
): Promise<Condition[]> {
  const now = tenantNow(ctx);
  const { Status, RequirementID, LoginID, GroupName, ManagerLoginID, Attribute } = input;
  const conditions: Condition[] = past ? [] : [() => 'held.user_id is not null'];
  if (Status !== undefined) {
    const statuses = statusesIn(Status);
    conditions.push(({ add }) => {
      if (past)
        return `${obligationStatusSql('held', `${add(past)}::timestamptz`)} = any(${add(statuses)}::text[])`;
      const parts = statuses.map((status) => `(${hasStatusSql(status, () => `${add(now)}::timestamptz`)})`);
      return `(${parts.join(' or ')})`;
    });
  }
  if (RequirementID !== undefined)
    conditions.push(({ add }) => `held.requirement_id = ${add(RequirementID)}`);
  if (LoginID !== undefined)
    conditions.push(
      ({ add }) =>
        `held.user_id = (select own.user_id from "user" own where own.tenant_id = $1 and own.login_id = ${add(LoginID)})`,
    );
  if (GroupName === '') conditions.push(() => `held.group_names = '{}'`);
  else if (GroupName !== undefined) conditions.push(({ add }) => hasGroup('held', add(GroupName)));
  if (ManagerLoginID !== undefined) conditions.push(isNamed('held.manager_login_id', ManagerLoginID));
  if (Attribute !== undefined) conditions.push(hasAttribute('held', Attribute));
  if (input.Present) conditions.push(() => isPresent('held'));
  for (const [name, column] of [
    ['DueBefore', 'due_at'],
    ['ValidBefore', 'valid_until'],
  ] as const) {
    const sent = input[name];
    if (sent === undefined) continue;
    const until = await endAt(ctx, sent, name);
    conditions.push(({ add }) => `held.${column} < ${add(until)}`);
  }
  return conditions;
}

/** Lists obligations by due date, or those with a validity by its end. What the caller has just changed is evaluated first. */
export async function listObligations(ctx: TenantContext, input: ObligationFilter) {
  const cursor = readCursor(input);
  if (cursor === null) await catchUp(ctx);
  const [at = '', id = ''] = cursor?.split(' ') ?? [];
  if (cursor !== null && !(isInstant(at) && isId(id))) throw foreignCursor();
  const { isPast, at: shown } = await reportDay(ctx, input.AsOf);
  const { Order = 'due' } = input;
  const time = Order.startsWith('valid_until') ? 'valid_until' : 'due_at';
  const where = await obligationConditions(ctx, input, isPast ? shown : null);
  if (time === 'valid_until') where.push(() => 'held.valid_until is not null');
  return page<ListedRow, ListedObligation>(
    ctx,
    input,
    {
      ...(isPast
        ? {
            rows: `(${formerText('$2', formerColumns)}) held where true`,
            values: [ctx.tenantId, shown],
            show: withNames('held.group_names[1]', 'held.manager_login_id'),
          }
        : {
            rows: 'obligation held where held.tenant_id = $1',
            values: [ctx.tenantId],
            show: withNames('known.group_name', 'known.manager_login_id'),
          }),
      where,
      key: [time, 'obligation_id'],
      after: cursor === null ? null : [new Date(at), id],
      newest: Order.endsWith('_descending'),
    },
    (row) => `${row[time]?.toISOString()} ${row.obligation_id}`,
    (row) => toListed(ctx, row, shown),
  );
}

export async function listObligationsOfUser(
  ctx: TenantContext,
  input: ObligationFilter & { LoginID: string },
) {
  if ((await findUserId(ctx, input.LoginID)) === null) throw userNotFound();
  return listObligations(ctx, input);
}

function toListed(ctx: TenantContext, row: ListedRow, now: Date): ListedObligation {
  const isNamed = hasScope(ctx, 'users:read');
  return {
    ...toObligation(row, now),
    FirstName: isNamed ? row.first_name : null,
    LastName: isNamed ? row.last_name : null,
    Email: isNamed ? row.email : null,
    GroupName: isNamed ? row.group_name : null,
    ManagerLoginID: isNamed ? row.manager : null,
  };
}

export function toObligation(row: NamedRow, now: Date): Obligation {
  return recordOf(Obligation, row, {
    Status: obligationStatusAt(row, now),
    ClosedReason: row.closed_at && row.closed_reason,
  });
}

const presentText = `
select held.*, known.login_id, rule.rule ->> 'Title' as title from obligation held
join "user" known on known.tenant_id = $1 and known.user_id = held.user_id
join requirement rule on rule.tenant_id = $1 and rule.requirement_id = held.requirement_id
where held.tenant_id = $1 and known.login_id = $2 and held.requirement_id = $3
  and ($4::integer is null or held.cycle = $4)
order by held.closed_at is not null, held.cycle desc limit 1`;

/** The given cycle of the user; by default the latest one that is not closed, or else the latest one. */
export async function presentObligation(
  ctx: TenantContext,
  input: { loginId: string; requirementId: string; cycle?: number },
): Promise<NamedRow | undefined> {
  const values = [ctx.tenantId, input.loginId, input.requirementId, input.cycle ?? null];
  const [row] = await run<NamedRow>(ctx, presentText, values);
  return row;
}
