import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { addDays, dayOf, firstInstant } from '../../lib/days.ts';
import { showNumber } from '../certificates/record/number.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';
import { groupsSql } from '../users/groups.ts';
import { findUserId, userNotFound } from '../users/users.ts';
import { audienceParts } from './audience.ts';
import { type Because, type Reason, sentenceOf } from './because.ts';
import type { ObligationRow } from './evaluate.ts';
import { appliesTo, readRules } from './facts.ts';
import { catchUp } from './follow.ts';
import { presentObligation } from './obligations.ts';
import { requirementNotFound } from './requirements.ts';
import type { ObligationExplanation, Rule } from './schemas.ts';
import { isExemptionOver, obligationStatusAt } from './status.ts';

const parts = audienceParts('own', `(rule.rule -> 'Audience')`);

const matchesText = `
select ${appliesTo('own', 'rule')} as is_member, own.enabled, own.login_id, own.manager_login_id, own.attributes,
  ${groupsSql('own')}::text[] as group_names,
  jsonb_build_object(${Object.entries(parts)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')}) as parts,
  coalesce(
    (select held.course_id from enrolment held where held.tenant_id = $1 and held.enroll_id = $4::uuid),
    (select held.course_id from external_completion held where held.tenant_id = $1 and held.completion_id = $4::uuid)
  ) as met_course,
  (select given.number from certificate given where given.tenant_id = $1 and given.enroll_id = $4::uuid
    order by given.certificate_id desc limit 1) as certificate,
  array(select coalesce(course.title, required.id) from jsonb_array_elements_text(rule.rule -> 'CourseIDs')
    with ordinality required (id, n) left join course on course.course_id = required.id order by required.n) as titles
from requirement rule join "user" own on own.tenant_id = $1
where rule.tenant_id = $1 and rule.requirement_id = $3 and own.user_id = $2`;

type Matches = {
  login_id: string;
  manager_login_id: string | null;
  attributes: Record<string, string>;
  group_names: string[];
  is_member: boolean;
  enabled: boolean;
  parts: Record<string, boolean>;
  met_course: string | null;
  certificate: string | null;
  titles: string[];
};

/** The latest attempt that failed, here or elsewhere, among those that could have counted. */
const failedText = `
select failed.* from (
  select own.enroll_id, null::uuid as completion_id, own.course_id,
    coalesce((own.override ->> 'Score')::double precision, own.score) as score,
    coalesce(case when own.override ->> 'Success' = 'failed' then (own.override ->> 'At')::timestamptz end,
      own.completed_at, own.last_accessed_at, own.changed_at) as at
  from enrolment own where own.tenant_id = $1 and own.user_id = $2 and own.course_id = any($3::text[])
    and coalesce(own.override ->> 'Success', own.success) = 'failed'
  union all
  select null, own.completion_id, own.course_id, own.score, own.completed_at
  from external_completion own where own.tenant_id = $1 and own.user_id = $2 and own.course_id = any($3::text[])
    and own.deleted_at is null and own.success = 'failed'
) failed where $4::timestamptz is null or failed.at >= $4 order by failed.at desc limit 1`;

type Failed = Record<'enroll_id' | 'completion_id', string | null> & {
  course_id: string;
  score: number | null;
  at: Date;
};

const valuesOf = (part: unknown): string[] =>
  Array.isArray(part)
    ? part.map(String)
    : Object.entries((part ?? {}) as Record<string, string[]>).map(
        ([name, some]) => `${name}: ${some.join(' or ')}`,
      );

/** Which of the values are the user's. */
function matchingOf({ Groups, Attributes, Managers, LoginIDs }: Rule['Audience'], own: Matches) {
  const some = (wanted: readonly string[] | undefined, owned: readonly (string | null)[]) =>
    wanted?.filter((name) => owned.includes(name)) ?? [];
  const named = Object.entries(Attributes ?? {}).flatMap(([name, values]) =>
    some([values].flat(), [own.attributes[name] ?? null]).map((value) => `${name}: ${value}`),
  );
  return {
    Groups: some(Groups, own.group_names),
    Attributes: named,
    Managers: some(Managers, [own.manager_login_id]),
    LoginIDs: some(LoginIDs, [own.login_id]),
  };
}

/** Why a requirement concerns a user, or why not: the part that matched, each date with its derivation, and what to do. */
export async function explainObligation(
  ctx: TenantContext,
  input: { loginId: string; requirementId: string; cycle?: number },
): Promise<ObligationExplanation> {
  const { loginId, requirementId } = input;
  await catchUp(ctx);
  const userId = await findUserId(ctx, loginId);
  if (userId === null) throw userNotFound();
  const [known] = await readRules(ctx, [requirementId]);
  if (!known) throw requirementNotFound();
  const { rule } = known;
  const row = await presentObligation(ctx, input);
  const values = [ctx.tenantId, userId, requirementId, row?.met_by ?? null];
  const [matches] = await run<Matches>(ctx, matchesText, values);
  const matching: Partial<ReturnType<typeof matchingOf>> = matches ? matchingOf(rule.Audience, matches) : {};
  const now = tenantNow(ctx);
  const zone = await timeZoneOf(ctx);
  const InAudience = matches?.is_member ?? false;
  const Enabled = matches?.enabled ?? false;
  const renewal = row?.met_at ? await renewalOf(ctx, input, row) : undefined;
  const failures = [ctx.tenantId, userId, rule.CourseIDs, row?.counts_from ?? null];
  const [failed] = row && row.met_at === null ? await run<Failed>(ctx, failedText, failures) : [];
  const at = { row, renewal, InAudience, Enabled, now, zone };
  const next = nextStep(rule, matches?.titles ?? rule.CourseIDs, at);
  return {
    LoginID: loginId,
    RequirementID: requirementId,
    Title: rule.Title,
    InAudience,
    Enabled,
    Audience: Object.entries(rule.Audience).map(([Part, part]) => ({
      ...{ Part, Values: valuesOf(part), Matches: matches?.parts[Part] ?? false },
      Matching: matching[Part as keyof Rule['Audience']] ?? [],
    })),
    Status: row ? obligationStatusAt(row, now) : null,
    Dates: row ? datesOf(rule, row, { zone, certificate: matches?.certificate ?? null }) : [],
    SatisfiedBy:
      row?.met_at && row.met_by
        ? {
            EnrollID: row.external ? null : row.met_by,
            CompletionID: row.external ? row.met_by : null,
            CourseID: matches?.met_course ?? null,
            At: row.met_at.toISOString(),
          }
        : null,
    Failed: failed
      ? {
          ...{ EnrollID: failed.enroll_id, CompletionID: failed.completion_id },
          ...{ CourseID: failed.course_id, At: failed.at.toISOString(), Score: failed.score },
        }
      : null,
    Renewal: renewal
      ? { Cycle: renewal.cycle, DueAt: renewal.due_at.toISOString(), EnrollID: renewal.enroll_id }
      : null,
    WouldSatisfy: sentenceOf(next),
    Next: next,
    EnrolProblem: row?.enrol_problem
      ? {
          Code: row.enrol_problem,
          Detail: `The user could not be enrolled on ${matches?.titles[0] ?? rule.CourseIDs[0]}. The obligation counts all the same.`,
          RetryAt: firstInstant(addDays(dayOf(now, zone), 1), zone).toISOString(),
        }
      : null,
  };
}

/** The next cycle, if it is open beside the present one. */
async function renewalOf(
  ctx: TenantContext,
  { loginId, requirementId }: { loginId: string; requirementId: string },
  { cycle }: ObligationRow,
): Promise<ObligationRow | undefined> {
  const next = await presentObligation(ctx, { loginId, requirementId, cycle: cycle + 1 });
  return next?.follows && next.closed_at === null ? next : undefined;
}

function datesOf(
  rule: Rule,
  row: ObligationRow,
  { zone, certificate }: { zone: string; certificate: string | null },
): ObligationExplanation['Dates'] {
  const date = (Name: string, At: Date | null, reason: Because, Values: Reason['Values'] = {}) => ({
    ...{ Name, At: At?.toISOString() ?? null, Because: reason, Values },
    Derivation: sentenceOf({ Because: reason, Values }),
  });
  const dueOf = (): [Because, Reason['Values']?] => {
    if (row.assigned_on === null)
      return [row.cycle > 1 && row.counts_from !== null ? 'previous_term' : 'earlier_void'];
    return rule.DueAfter === null
      ? ['due_on', { day: rule.DueOn ?? '', zone }]
      : ['due_after', { day: row.assigned_on, period: rule.DueAfter, zone }];
  };
  const due = date('DueAt', row.due_at, ...dueOf());
  const soon = date('DueSoonAt', row.due_soon_at, 'before_due', { days: String(rule.DueSoonDays) });
  const exempt = row.exempt_until === null ? [] : [date('ExemptUntil', row.exempt_until, 'exemption_ends')];
  if (row.met_at === null) return [...exempt, due, soon];
  const met = date('MetAt', row.met_at, row.external ? 'elsewhere' : 'completed');
  const number = certificate === null ? '' : showNumber(certificate);
  if (row.valid_until === null) {
    const end =
      certificate === null
        ? date('ValidUntil', null, 'no_certificate')
        : date('ValidUntil', null, 'endless_certificate', { number });
    return [...exempt, due, soon, met, end];
  }
  const day = row.term_start ?? dayOf(row.met_at, zone);
  const validOf = (): [Because, Reason['Values']] => {
    if (rule.Cycle) {
      const { On, Years = 1 } = rule.Cycle;
      return Years === 1
        ? ['cycle', { on: On, day }]
        : ['cycle_of_years', { on: On, day, years: String(Years) }];
    }
    if (rule.ValidFor === null) return ['certificate', { number }];
    const term = { day, period: rule.ValidFor, zone };
    return row.term === 1 ? ['term', term] : ['terms', { ...term, times: String(row.term) }];
  };
  const valid = date('ValidUntil', row.valid_until, ...validOf());
  const expiring = date('ExpiringAt', row.expiring_at, 'before_end', { days: String(rule.ExpiringDays) });
  return [...exempt, due, soon, met, valid, expiring];
}

type Step = {
  row: ObligationRow | undefined;
  renewal: ObligationRow | undefined;
  InAudience: boolean;
  Enabled: boolean;
  now: Date;
  zone: string;
};

function nextStep(
  { CountsEarlier, Status }: Rule,
  titles: readonly string[],
  { row, renewal, InAudience, Enabled, now, zone }: Step,
): Reason {
  const step = (reason: Because, Values: Reason['Values'] = {}) => ({ Because: reason, Values });
  if (!Enabled) return step('disabled');
  if (Status === 'retired') return step('retired');
  if (!InAudience) return step('not_required');
  if (row?.exempt_at && !isExemptionOver(row, now)) {
    const reason = row.exempt_reason ?? '';
    if (row.exempt_until === null) return step('exempt', { reason });
    return step('exempt_until', { reason, day: dayOf(row.exempt_until, zone) });
  }
  const courses = titles.join('\n');
  if (!row || row.met_at === null) {
    const from = row?.counts_from;
    if (from && from <= now) return step('complete_since', { courses, day: dayOf(from, zone) });
    return step(CountsEarlier === true ? 'complete_or_valid' : 'complete', { courses });
  }
  if (row.valid_until === null) return step('permanent');
  const day = dayOf(row.valid_until, zone);
  if (row.valid_until < now) return step('renew_late', { courses, day });
  return renewal ? step('renew_by', { courses, day }) : step('renew', { day });
}
