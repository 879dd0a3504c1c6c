import { run } from '../../db/transaction.ts';
import { type PageQuery, pageLimit, readCursor, toPage } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { listEnrolmentsOfUser } from '../enrolments/list.ts';
import { catchUp } from '../requirements/follow.ts';
import { listObligationsOfUser } from '../requirements/obligations.ts';
import {
  hasStatusSql,
  isPresent,
  type ObligationStatus,
  obligationStatusSql,
} from '../requirements/status.ts';
import { findUserId, userNotFound } from '../users/users.ts';
import { remind } from './remind.ts';
import { maxUrgent, type RemindResult, type TeamMember, TeamRecord } from './schemas.ts';

const count = (...statuses: ObligationStatus[]) =>
  `count(*) filter (where ${statuses.map((status) => `(${hasStatusSql(status, () => '$3::timestamptz')})`).join(' or ')})::integer`;

const isMember = 'account.tenant_id = $1 and account.manager_login_id = $2 and account.enabled';

const membersText = `
select account.login_id, account.first_name, account.last_name, own.*, next.urgent
from "user" account
cross join lateral (
  select ${count('overdue')} as overdue, ${count('due_soon')} as due_soon, ${count('not_due')} as not_due,
    ${count('expired')} as expired, ${count('expiring')} as expiring, ${count('met', 'expiring')} as met,
    min(held.due_at) filter (where ${['overdue', 'due_soon', 'not_due'].map((status) => `(${hasStatusSql(status as ObligationStatus, () => '$3::timestamptz')})`).join(' or ')}) as next_due_at
  from obligation held where held.tenant_id = $1 and held.user_id = account.user_id and ${isPresent('held')}
) own
cross join lateral (
  select coalesce(jsonb_agg(jsonb_build_object('RequirementID', first.requirement_id, 'Title', first.title,
    'Status', first.status, 'At', first.at) order by first.at, first.requirement_id), '[]') as urgent
  from (
    select held.requirement_id, rule.rule ->> 'Title' as title, told.status,
      case when held.met_at is null then held.due_at else held.valid_until end as at
    from obligation held
    join requirement rule on rule.tenant_id = $1 and rule.requirement_id = held.requirement_id
    cross join lateral (select ${obligationStatusSql('held', '$3::timestamptz')} as status) told
    where held.tenant_id = $1 and held.user_id = account.user_id and ${isPresent('held')}
      and told.status not in ('met', 'exempt')
    order by at, held.requirement_id limit ${maxUrgent}
  ) first
) next
where ${isMember} and ($4::text is null or account.login_id > $4)
order by account.login_id limit $5`;

type Row = {
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  overdue: number;
  due_soon: number;
  not_due: number;
  expired: number;
  expiring: number;
  met: number;
  urgent: TeamMember['Urgent'];
  next_due_at: Date | null;
};

type Managed = { loginId: string };

/** The direct reports of a manager, without leavers. */
export async function listTeam(ctx: TenantContext, { loginId, ...input }: PageQuery & Managed) {
  if ((await findUserId(ctx, loginId)) === null) throw userNotFound();
  await catchUp(ctx);
  const values = [ctx.tenantId, loginId, tenantNow(ctx), readCursor(input), pageLimit(input) + 1];
  const rows = await run<Row>(ctx, membersText, values);
  return toPage(
    rows,
    pageLimit(input),
    ({ login_id }) => login_id,
    (row): TeamMember => ({
      LoginID: row.login_id,
      FirstName: row.first_name,
      LastName: row.last_name,
      ...{ Overdue: row.overdue, Expired: row.expired, DueSoon: row.due_soon, NotDue: row.not_due },
      ...{ Expiring: row.expiring, Met: row.met },
      Urgent: row.urgent.map((one) => ({ ...one, At: new Date(one.At).toISOString() })),
      NextDueAt: row.next_due_at?.toISOString() ?? null,
    }),
  );
}

const memberText = `
select account.login_id, account.first_name, account.last_name from "user" account
where ${isMember} and account.login_id = $3`;

const most = 200;

/** The training record of one direct report. Anybody else is not found. */
export async function readTeamRecord(
  ctx: TenantContext,
  { loginId, member }: Managed & { member: string },
): Promise<TeamRecord> {
  const values = [ctx.tenantId, loginId, member];
  const [row] = await run<Pick<Row, 'login_id' | 'first_name' | 'last_name'>>(ctx, memberText, values);
  if (!row) throw userNotFound();
  const own = { LoginID: row.login_id, Limit: most };
  const obligations = await listObligationsOfUser(ctx, { ...own, Order: 'due_descending' });
  const enrolments = await listEnrolmentsOfUser(ctx, { ...own, Order: 'newest' });
  return recordOf(TeamRecord, row, { Obligations: obligations.Items, Enrolments: enrolments.Items });
}

/** Reminds direct reports only. Anybody else is left out as unknown. */
export async function remindTeam(
  ctx: TenantContext,
  { loginId, ...input }: Managed & { LoginIDs?: string[]; Plan?: boolean; Confirm?: number },
): Promise<RemindResult> {
  if ((await findUserId(ctx, loginId)) === null) throw userNotFound();
  return remind(ctx, { ...input, ManagerLoginID: loginId });
}
