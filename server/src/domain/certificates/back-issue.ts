import { run, transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { appendAudit } from '../audit/chain.ts';
import { type Earned, issueDue, issueNow } from './issue.ts';
import type { BackIssue } from './record/schemas.ts';
import { ruleOfCourse } from './templates.ts';

const batch = 200;
const success = "coalesce(held.override ->> 'Success', held.success)";
const completion = "coalesce(held.override ->> 'Completion', held.completion)";

/** The latest result of each person on the course $2 that earns a certificate under the present rule, from those without one. */
const missing = `
select distinct on (held.user_id) held.enroll_id, held.user_id, held.course_id, course.title,
  coalesce(own.rule, course.certificate) as rule,
  coalesce(held.completed_at, (held.override ->> 'At')::timestamptz, held.last_accessed_at, held.changed_at) as completed_at,
  coalesce((held.override ->> 'Score')::float8, held.score) as score,
  coalesce((select min(former.number) from earlier_attempt former where former.tenant_id = $1
    and former.enroll_id = held.enroll_id and not former.discarded
    and (former.result ->> 'Success' = 'passed' or former.result ->> 'Completion' = 'completed')),
    held.attempt_number) as attempt
from enrolment held
join course on course.course_id = held.course_id
left join certificate_template own on own.tenant_id = $1 and own.course_id = held.course_id
where held.tenant_id = $1 and held.course_id = $2 and held.user_id is not null
  and (case coalesce(own.rule, course.certificate) ->> 'On' when 'passed' then ${success} = 'passed'
    when 'completed' then ${completion} = 'completed' end)
  and not exists (select from certificate given
    where given.tenant_id = $1 and given.user_id = held.user_id and given.course_id = $2)
order by held.user_id, completed_at desc`;

const countText = `select count(*)::integer as people, min(found.completed_at) as first, max(found.completed_at) as last
from (${missing}) found`;

type Count = { people: number; first: Date | null; last: Date | null };

/** Issues certificates for results that were reached before the course had a rule. With `plan`, only counts them. */
export async function issueEarlier(
  ctx: TenantContext,
  input: { courseId: string; plan: boolean },
): Promise<BackIssue> {
  await ruleOfCourse(ctx, input.courseId);
  await issueDue(ctx);
  const [found] = await run<Count>(ctx, countText, [ctx.tenantId, input.courseId]);
  const { people = 0, first = null, last = null } = found ?? {};
  const times = {
    FirstCompletedAt: first?.toISOString() ?? null,
    LastCompletedAt: last?.toISOString() ?? null,
  };
  if (input.plan) return { Plan: true, Certificates: people, ...times };
  let issued = 0;
  for (let added = batch; added > 0; issued += added) added = await issueBatch(ctx, input.courseId);
  return { Plan: false, Certificates: issued, ...times };
}

function issueBatch(ctx: TenantContext, courseId: string): Promise<number> {
  return transaction(ctx, async (ctx) => {
    const values = [ctx.tenantId, courseId];
    const text = `${missing} limit ${batch}`;
    const earned = await run<Earned>(ctx, text, values);
    if (earned.length === 0) return 0;
    const count = await issueNow(ctx, earned);
    await appendAudit(ctx, ctx.tenantId, {
      action: 'certificate.issued_earlier',
      targetId: courseId,
      data: { Certificates: count },
    });
    return count;
  });
}
