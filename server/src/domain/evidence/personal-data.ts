import { countTenantRows } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import {
  type Context,
  secondsAhead,
  type TenantContext,
  tenantNow,
  tenantNowOfSql,
} from '../../infra/context/context.ts';
import type { PersonalData } from '../../infra/context/personal-data.ts';
import { isServed, serveInTurns } from '../../infra/operations/jobs.ts';
import { completionSql, successSql } from '../enrolments/record/states.ts';
import { completionColumns, personSql } from './rows.ts';

/** The longest term, in years, of the course and of the requirements for which the person $2 had it. */
const years = `greatest(course.retain_years, (
  select max((rule.rule ->> 'RetainYears')::integer) from requirement rule
  where rule.tenant_id = $1 and rule.rule -> 'CourseIDs' ? course.course_id and exists (
    select from obligation due where due.tenant_id = $1 and due.user_id = $2 and due.requirement_id = rule.requirement_id)))`;

/** The completions of the person $2 whose evidence must still be kept at the time $3. */
const kept = `
select done.* from (
  select held.enroll_id as record_id, null::jsonb as line,
    coalesce(held.completed_at, (held.override ->> 'At')::timestamptz, held.changed_at)
      + make_interval(years => ${years}) as kept_until
  from enrolment held join course on course.course_id = held.course_id
  where held.tenant_id = $1 and held.user_id = $2
    and (${successSql('held')} = 'passed' or ${completionSql('held')} = 'completed')
  union all
  select held.completion_id, (select to_jsonb(found) from (select ${completionColumns}) found),
    held.completed_at + make_interval(years => ${years})
  from external_completion held join course on course.course_id = held.course_id
  where held.tenant_id = $1 and held.user_id = $2 and held.deleted_at is null
) done where done.kept_until > $3`;

const keepText = `
insert into retained_record (tenant_id, record_id, erasure_id, login_id, person, line, kept_until)
select $1, found.record_id, $4, owner.login_id, ${personSql('owner')}, found.line, found.kept_until
from (${kept}) found join "user" owner on owner.tenant_id = $1 and owner.user_id = $2
returning 1`;

/** Keeps who completed what, for as long as courses and requirements say. Call it before the person is erased. */
export async function retainEvidence(
  ctx: TenantContext,
  of: { userId: string; erasureId: string },
): Promise<number> {
  return (await run(ctx, keepText, [ctx.tenantId, of.userId, tenantNow(ctx), of.erasureId])).length;
}

const lastText = `select max(found.kept_until) as until from (${kept}) found`;
const lastOfErasure = `select max(held.kept_until) as until from retained_record held
where held.tenant_id = $1 and held.erasure_id = $2`;

const retained = {
  what: 'Who completed what: the LoginID, the names, the groups and the role, with these results.',
  why: 'The course or a requirement says for how many years evidence of completions is kept.',
};

export const evidenceData: PersonalData = {
  name: 'RetainedEvidence',
  tables: ['retained_record'],
  erased: null,
  retained,
  describe: async (ctx, { userId, erasureId }) => {
    const [found] = await (erasureId === null
      ? run<{ until: Date | null }>(ctx, lastText, [ctx.tenantId, userId, tenantNow(ctx)])
      : run<{ until: Date | null }>(ctx, lastOfErasure, [ctx.tenantId, erasureId]));
    const until = found?.until ?? null;
    return { erased: null, retained: until && { ...retained, until } };
  },
  count: (ctx, { userId, max }) => countTenantRows(ctx, `${kept} limit $4`, [userId, tenantNow(ctx), max]),
  // Evidence is retained when the person is erased, and then nobody is left who could export it.
  read: async function* () {},
};

const dueTenants = `/* across tenants: retention ends in all tenants */
select log.tenant_id from event_log log cross join lateral (
  select held.record_id from retained_record held where held.tenant_id = log.tenant_id
    and held.kept_until <= ${tenantNowOfSql('$3', '$4', 'log.tenant_id')} limit 1
) next
where log.tenant_id <> all($1::text[]) and ${isServed('log.tenant_id', '$2')}`;

const forgetText = `
delete from retained_record held where held.tenant_id = $1 and held.record_id = any(array(
  select own.record_id from retained_record own where own.tenant_id = $1 and own.kept_until <= $2 limit 100))
returning 1`;

/** Job: deletes evidence of erased people whose retention has ended. */
export const forgetEvidence = (ctx: Context): Promise<void> =>
  serveInTurns(ctx, {
    name: 'ending_retention',
    text: dueTenants,
    values: () => [ctx.now(), secondsAhead(ctx)],
    work: async (ctx) => run(ctx, forgetText, [ctx.tenantId, tenantNow(ctx)]),
  });
