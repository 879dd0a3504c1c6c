import { run, runUnprepared } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { groupsSql } from '../users/groups.ts';
import { isInAudience } from './audience.ts';
import type { Completion, ObligationRow } from './evaluate.ts';
import type { Requirement, Rule } from './schemas.ts';

/** Completions of the release from before this time do not count any more. */
export type VoidedRelease = Requirement['Voided'][number];

export type RuleRow = {
  requirement_id: string;
  rule: Rule;
  voided: VoidedRelease[];
  pending_after: string | null;
  created_at: Date;
  updated_at: Date;
};

export const readRules = (ctx: TenantContext, ids: readonly string[] | null): Promise<RuleRow[]> =>
  run<RuleRow>(
    ctx,
    `select held.* from requirement held
      where held.tenant_id = $1 and ($2::text[] is null or held.requirement_id = any($2))`,
    [ctx.tenantId, ids],
  );

export type Member = {
  user_id: string;
  login_id: string;
  enabled: boolean;
  group_names: string[];
  manager_login_id: string | null;
  attributes: Record<string, string>;
  requirement_id: string;
  is_member: boolean;
};

/** SQL: whether the rule applies to the user at present. */
export const appliesTo = (user: string, rule: string) =>
  `(${user}.enabled and ${rule}.rule ->> 'Status' = 'active' and ${isInAudience(user, `(${rule}.rule -> 'Audience')`)})`;

const membersText = `
select own.user_id, own.login_id, own.enabled, ${groupsSql('own')}::text[] as group_names,
  own.manager_login_id, own.attributes, rule.requirement_id,
  ${appliesTo('own', 'rule')} as is_member
from "user" own
join requirement rule on rule.tenant_id = $1 and ($3::text[] is null or rule.requirement_id = any($3))
where own.tenant_id = $1 and own.user_id = any($2::uuid[])`;

const obligationsText = `
select held.* from unnest($2::uuid[]) wanted (user_id)
cross join lateral (
  select own.* from obligation own where own.tenant_id = $1 and own.user_id = wanted.user_id offset 0
) held
where $3::text[] is null or held.requirement_id = any($3)
order by held.user_id, held.requirement_id, held.cycle`;

/** The result that counts: passed, or completed and not failed. A plan by course would read everybody's enrolments. */
const enrolmentsText = `
select held.user_id, held.enroll_id, held.course_id, held.status, held.ended_at, release.number as release,
  coalesce(held.completed_at, (held.override ->> 'At')::timestamptz, held.last_accessed_at, held.changed_at) as at,
  coalesce(coalesce(held.override ->> 'Success', held.success) = 'passed'
    or coalesce(held.override ->> 'Completion', held.completion) = 'completed'
      and coalesce(held.override ->> 'Success', held.success) <> 'failed', false) as counts,
  (select given.valid_until from certificate given where given.tenant_id = $1 and given.enroll_id = held.enroll_id
    order by given.certificate_id desc limit 1) as certified
from unnest($2::uuid[]) wanted (user_id)
cross join lateral (
  select own.* from enrolment own where own.tenant_id = $1 and own.user_id = wanted.user_id offset 0
) held
left join release on release.release_id = held.release_id
where held.course_id = any($3) order by held.enroll_id`;

/** Completions from elsewhere. */
const completionsText = `
select held.user_id, held.completion_id, held.course_id, held.completed_at as at from external_completion held
where held.tenant_id = $1 and held.user_id = any($2::uuid[]) and held.course_id = any($3) and held.deleted_at is null
  and held.success <> 'failed'`;

type CompletionFact = { user_id: string; completion_id: string; course_id: string; at: Date };

type EnrolmentFact = {
  user_id: string;
  enroll_id: string;
  course_id: string;
  status: string;
  ended_at: Date | null;
  release: number | null;
  at: Date;
  counts: boolean;
  certified: Date | null;
};

export type Facts = {
  rules: Map<string, RuleRow>;
  members: Member[];
  rowsOf: (member: Member) => ObligationRow[];
  completionsOf: (member: Member) => Completion[];
  /** The newest enrolment on the course. */
  enrolmentOn: (member: Member, courseId: string) => EnrolmentFact | undefined;
};

const pairOf = (row: { user_id: string; requirement_id: string }) => `${row.user_id} ${row.requirement_id}`;

/** Everything on which the obligations of these users depend; `requirements` null: all of the tenant's. */
export async function readFacts(
  ctx: TenantContext,
  users: readonly string[],
  requirements: readonly string[] | null,
): Promise<Facts> {
  const rules = new Map((await readRules(ctx, requirements)).map((row) => [row.requirement_id, row]));
  const courses = [...new Set([...rules.values()].flatMap(({ rule }) => rule.CourseIDs))];
  // A plan that was prepared while the tables were small would read all of them.
  const read = <R>(text: string, last: unknown) => runUnprepared<R>(ctx, text, [ctx.tenantId, users, last]);
  const [members, rows, enrolments, completions] = await Promise.all([
    read<Member>(membersText, requirements),
    read<ObligationRow>(obligationsText, requirements),
    read<EnrolmentFact>(enrolmentsText, courses),
    read<CompletionFact>(completionsText, courses),
  ]);
  const rowsByPair = Map.groupBy(rows, pairOf);
  const completionsByUser = Map.groupBy(completions, ({ user_id }) => user_id);
  const enrolmentsByUser = Map.groupBy(enrolments, ({ user_id }) => user_id);
  return {
    rules,
    members,
    rowsOf: (member) => rowsByPair.get(pairOf(member)) ?? [],
    completionsOf: ({ user_id, requirement_id }) => {
      const known = rules.get(requirement_id);
      const ofRule = ({ course_id }: { course_id: string }) => known?.rule.CourseIDs.includes(course_id);
      const external = (completionsByUser.get(user_id) ?? []).filter(ofRule).map(({ completion_id, at }) => ({
        ...{ id: completion_id, external: true, at, voided: false, certified: null },
      }));
      return (enrolmentsByUser.get(user_id) ?? [])
        .filter((held) => held.counts && ofRule(held))
        .map(
          ({ enroll_id, course_id, at, release, certified }): Completion => ({
            ...{ id: enroll_id, external: false, at, certified },
            voided: (known?.voided ?? []).some(
              ({ CourseID, Release, Before }) =>
                CourseID === course_id && Release === release && at < new Date(Before),
            ),
          }),
        )
        .concat(external)
        .sort((a, b) => a.at.getTime() - b.at.getTime());
    },
    enrolmentOn: ({ user_id }, courseId) =>
      enrolmentsByUser.get(user_id)?.findLast(({ course_id }) => course_id === courseId),
  };
}
