import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { type PathRule, pathOf } from '../catalogue/path-parts.ts';
import { type EnrolmentWithNames, selectEnrolments } from '../enrolments/record/record.ts';
import type { PartEnrolment } from '../enrolments/record-path.ts';
import { type PartResult, type PathState, rollUp } from './roll-up.ts';

/** An enrolment of the learner on a course of the path, or a completion from elsewhere. */
export type PartRow = PartEnrolment & {
  course_id: string;
  path_enroll_id: string | null;
  completion: string;
  success: string;
  score: number | null;
  progress: number;
  total_seconds: number;
  at: Date;
  /** Passed, or completed and not failed. */
  counts: boolean;
  /** Recorded from elsewhere; `enroll_id` is the ID of the completion. */
  is_external: boolean;
  /** Whether the completion is still valid for a requirement; null if none has counted it. */
  is_valid: boolean | null;
  is_void: boolean;
};

/** An enrolment on a path, and what decides its state. */
export type KnownPath = {
  path: EnrolmentWithNames;
  rule: PathRule;
  state: PathState;
  titles: ReadonlyMap<string, string>;
  /** The enrolment that represents each course. */
  parts: ReadonlyMap<string, PartRow>;
  /** The enrolments that were made for this one. */
  own: readonly PartRow[];
};

const success = `coalesce(held.override ->> 'Success', held.success)`;
const completion = `coalesce(held.override ->> 'Completion', held.completion)`;

const partsText = `
with result as (
  select held.enroll_id, held.course_id, held.status, held.expires_at, held.ended_at, held.path_enroll_id,
    held.withdrawn_with_path, held.progress, held.total_seconds, held.release_id,
    ${completion} as completion, ${success} as success,
    case when held.override ? 'Score' then (held.override ->> 'Score')::float8 else held.score end as score,
    coalesce(held.completed_at, (held.override ->> 'At')::timestamptz, held.last_accessed_at, held.changed_at) as at,
    ${success} = 'passed' or ${completion} = 'completed' and ${success} <> 'failed' as counts, false as is_external
  from enrolment held
  where held.tenant_id = $1 and held.user_id = $2 and held.course_id = any($3)
  union all
  select held.completion_id, held.course_id, 'completed', null, held.completed_at, null, false, 100, 0, null,
    'completed', held.success, held.score, held.completed_at, held.success <> 'failed', true
  from external_completion held
  where held.tenant_id = $1 and held.user_id = $2 and held.course_id = any($3) and held.deleted_at is null
)
select result.*, (
  select bool_or(held.valid_until is null or held.valid_until >= $4) from obligation held
  where held.tenant_id = $1 and held.user_id = $2 and held.met_by = result.enroll_id
) as is_valid, exists (
  select from requirement held
  join release on release.release_id = result.release_id
  cross join lateral jsonb_to_recordset(held.voided) voided ("CourseID" text, "Release" integer, "Before" timestamptz)
  where held.tenant_id = $1 and held.rule -> 'CourseIDs' ? result.course_id
    and voided."CourseID" = result.course_id and voided."Release" = release.number
    and (voided."Before" is null or result.at < voided."Before")
) as is_void
from result order by result.at, result.enroll_id`;

/** Completions up to then have already completed this path, in an earlier enrolment. */
const usedText = `
select max(held.completed_at) as at from enrolment held
where held.tenant_id = $1 and held.user_id = $2 and held.course_id = $3 and held.enroll_id < $4`;

/** Reads an enrolment on a path and its state; null for other enrolments. `isLocked` locks it until the end of the transaction. */
export async function readPathState(
  ctx: TenantContext,
  { enrollId, isLocked = false }: { enrollId: string; isLocked?: boolean },
): Promise<KnownPath | null> {
  const select = selectEnrolments(ctx)
    .select('course.path as rule')
    .where('enrolment.enroll_id', '=', enrollId);
  const found = await (isLocked ? select.forUpdate('enrolment') : select).executeTakeFirst();
  const rule = pathOf({ path: found?.rule ?? null });
  if (!found || !rule) return null;
  const { rule: _, ...path } = found;
  const courseIds = rule.Steps.flatMap(({ CourseIDs }) => CourseIDs);
  const rows = await run<PartRow>(ctx, partsText, [ctx.tenantId, path.user_id, courseIds, tenantNow(ctx)]);
  const [used] = await run<{ at: Date | null }>(ctx, usedText, [
    ctx.tenantId,
    path.user_id,
    path.course_id,
    enrollId,
  ]);
  const known = { path, now: tenantNow(ctx), used: used?.at ?? null };
  const parts = new Map<string, PartRow>();
  for (const [courseId, own] of Map.groupBy(rows, ({ course_id }) => course_id)) {
    const row = representing(own, known);
    if (row) parts.set(courseId, row);
  }
  const results = new Map([...parts].map(([id, row]) => [id, resultOf(row, known)]));
  const titles = await ctx.db
    .selectFrom('course')
    .select(['course_id', 'title'])
    .where((where) => where('course_id', '=', where.fn.any(where.val(courseIds))))
    .execute();
  return {
    ...{ path, rule, parts, state: rollUp(rule, results) },
    titles: new Map(titles.map(({ course_id, title }) => [course_id, title])),
    own: rows.filter(({ path_enroll_id }) => path_enroll_id === enrollId),
  };
}

type Known = { path: EnrolmentWithNames; now: Date; used: Date | null };

/**
 * Whether the completion counts for this enrolment on the path. One that a requirement counts is valid until that
 * requirement says otherwise. Any other one counts until it has completed the path once.
 */
function isValid(row: PartRow, { path, used }: Known): boolean {
  if (!row.counts || row.is_void) return false;
  if (row.is_valid !== null) return row.is_valid;
  if (row.path_enroll_id === path.enroll_id) return true;
  return used === null || row.at > used;
}

const isCurrent = (row: PartRow, { now }: Known) =>
  row.ended_at === null && (row.expires_at === null || row.expires_at > now);

/** The newest valid completion, or what the learner can continue, or what was made for this path. */
function representing(rows: readonly PartRow[], known: Known): PartRow | undefined {
  const isOfPath = ({ path_enroll_id }: PartRow) => path_enroll_id === known.path.enroll_id;
  return (
    rows.findLast((row) => isValid(row, known)) ??
    rows.findLast((row) => isCurrent(row, known) && (!row.counts || isOfPath(row)) && !row.is_void) ??
    rows.findLast((row) => isOfPath(row) && !row.counts)
  );
}

function resultOf(row: PartRow, known: Known): PartResult {
  const isDone = isValid(row, known);
  return {
    isDone,
    isPassed: isDone && row.success === 'passed',
    isFailed: !isDone && row.success === 'failed',
    isBegun: isCurrent(row, known) && row.status !== 'enrolled',
    progress: row.progress,
    score: row.score,
    seconds: row.total_seconds,
    at: row.at,
  };
}
