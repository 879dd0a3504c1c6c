import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { addDays, dayOf, firstInstant } from '../../lib/days.ts';
import { showNumber } from '../certificates/record/number.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';
import { groupsSql } from '../users/groups.ts';
import { findUserId, userNotFound } from '../users/users.ts';
import { audienceParts } from './audience.ts';
import type { ObligationRow } from './evaluate.ts';
import { appliesTo, readRules } from './facts.ts';
import { catchUp } from './follow.ts';
import { presentObligation } from './obligations.ts';
import { requirementNotFound } from './requirements.ts';
import type { ObligationExplanation, Rule } from './schemas.ts';
import { obligationStatusAt } from './status.ts';

const parts = audienceParts('own', `(rule.rule -> 'Audience')`);

const matchesText = `
select ${appliesTo('own', 'rule')} as is_member, own.login_id, own.manager_login_id, own.attributes,
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
  parts: Record<string, boolean>;
  met_course: string | null;
  certificate: string | null;
  titles: string[];
};

const units: Record<string, string> = { Y: 'year', M: 'month', W: 'week', D: 'day' };

/** A period in words: P2M is 2 months. */
const inWords = (period: string) =>
  period.replace(
    /^P(\d+)([YMWD])$/,
    (_, count, unit) => `${count} ${units[unit]}${count === '1' ? '' : 's'}`,
  );

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
  const [matches] = await run<Matches>(ctx, { name: 'explain_audience', text: matchesText, values });
  const matching: Partial<ReturnType<typeof matchingOf>> = matches ? matchingOf(rule.Audience, matches) : {};
  const now = tenantNow(ctx);
  const zone = await timeZoneOf(ctx);
  const InAudience = matches?.is_member ?? false;
  return {
    LoginID: loginId,
    RequirementID: requirementId,
    Title: rule.Title,
    InAudience,
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
    WouldSatisfy: nextStep(rule, matches?.titles ?? rule.CourseIDs, { row, InAudience, now, zone }),
    EnrolProblem: row?.enrol_problem
      ? {
          Code: row.enrol_problem,
          Detail: `The user could not be enrolled on ${matches?.titles[0] ?? rule.CourseIDs[0]}. The obligation counts all the same.`,
          RetryAt: firstInstant(addDays(dayOf(now, zone), 1), zone).toISOString(),
        }
      : null,
  };
}

function datesOf(
  rule: Rule,
  row: ObligationRow,
  { zone, certificate }: { zone: string; certificate: string | null },
): ObligationExplanation['Dates'] {
  const on = (at: Date) => dayOf(at, zone);
  const lastSecond = `the last second of that day in ${zone}`;
  const due = {
    Name: 'DueAt',
    At: row.due_at.toISOString(),
    Derivation:
      row.assigned_on === null
        ? row.cycle > 1 && row.counts_from !== null
          ? 'The end of the previous term.'
          : 'An earlier completion was declared void.'
        : rule.DueAfter === null
          ? `DueOn is ${rule.DueOn}: ${lastSecond}.`
          : `Joined the audience on ${row.assigned_on}, plus ${inWords(rule.DueAfter)}: ${lastSecond}.`,
  };
  const soon = {
    Name: 'DueSoonAt',
    At: row.due_soon_at.toISOString(),
    Derivation: `${rule.DueSoonDays} days before it is due.`,
  };
  if (row.met_at === null) return [due, soon];
  const met = {
    Name: 'MetAt',
    At: row.met_at.toISOString(),
    Derivation: row.external ? 'A completion from elsewhere.' : 'The course was completed.',
  };
  if (row.valid_until === null)
    return [
      ...[due, soon, met],
      {
        ...{ Name: 'ValidUntil', At: null },
        Derivation: `The requirement has neither ValidFor nor Cycle, and ${certificate === null ? 'the completion has no certificate' : `the certificate ${showNumber(certificate)} has no end`}.`,
      },
    ];
  const start = row.term_start ?? on(row.met_at);
  const valid = {
    Name: 'ValidUntil',
    At: row.valid_until.toISOString(),
    Derivation: rule.Cycle
      ? `The cycle that ends every ${(rule.Cycle.Years ?? 1) === 1 ? 'year' : `${rule.Cycle.Years} years`} on ${rule.Cycle.On}, for a completion on ${start}.`
      : rule.ValidFor === null
        ? `The end of the certificate ${showNumber(certificate ?? '')}, because the requirement has neither ValidFor nor Cycle.`
        : `Counts from ${start}, plus ${row.term === 1 ? '' : `${row.term} × `}${inWords(rule.ValidFor)}: ${lastSecond}.`,
  };
  const expiring = {
    Name: 'ExpiringAt',
    At: row.expiring_at?.toISOString() ?? null,
    Derivation: `${rule.ExpiringDays} days before the term ends.`,
  };
  return [due, soon, met, valid, expiring];
}

type Step = { row: ObligationRow | undefined; InAudience: boolean; now: Date; zone: string };

function nextStep(
  { CountsEarlier }: Rule,
  titles: readonly string[],
  { row, InAudience, now, zone }: Step,
): string {
  if (!InAudience) return 'Nothing: the user does not belong to the audience.';
  if (row?.exempt_at) return `Nothing: the user is exempt. ${row.exempt_reason ?? ''}`.trim();
  const courses = `Complete ${titles.join(' or ')}`;
  if (!row || row.met_at === null) {
    const from = row?.counts_from;
    const since = from && from <= now ? ` on or after ${dayOf(from, zone)}` : '';
    return `${courses}${since}${CountsEarlier === true && !since ? '. A completion that is still valid counts too' : ''}.`;
  }
  if (row.valid_until === null) return 'Nothing: the completion counts permanently.';
  return `Nothing until ${dayOf(row.valid_until, zone)}. Then it must be completed again.`;
}
