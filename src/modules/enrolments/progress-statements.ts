import { coalesce } from '../../platform/batch.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { readTogether } from '../../platform/read-together.ts';
import type { EventType } from '../events/types.ts';
import { insertEvent } from '../events/write.ts';
import type { Evidence, RunTimeData } from '../standards/types.ts';
import type { EnrolmentRow } from './record.ts';

/** What a commit needs to know of the enrolment; of each unit the best evidence and the last commit taken. */
export type ProgressFacts = EnrolmentRow & {
  units: Record<string, { evidence: Evidence; number: number }> | null;
};

const facts = `
select wanted.n, held.*, (
  select jsonb_object_agg(unit.unit_id, jsonb_build_object('evidence', unit.evidence, 'number', unit.commit_number))
  from attempt_unit unit
  where unit.tenant_id = $1 and unit.enroll_id = wanted.enroll_id
) as units
from unnest($2::uuid[]) with ordinality as wanted (enroll_id, n)
join enrolment held on held.tenant_id = $1 and held.enroll_id = wanted.enroll_id and held.user_id is not null`;

export const readProgress = readTogether<string, ProgressFacts>({
  name: 'read_progress',
  text: facts,
  values: (ctx, enrollIds) => [ctx.tenantId, enrollIds],
});

export type Progress = {
  enrollId: string;
  launch: number;
  number: number;
  /** False for a commit that was overtaken by one of another unit. */
  isNewest: boolean;
  expectedRevision: number;
  expectedStatus: string;
  unitId: string;
  data: RunTimeData;
  evidence: Evidence;
  treeState: string | null;
  root: unknown;
  exit: boolean;
  course: Evidence;
  status: string;
  completedAt: Date | null;
  warnings: string[] | null;
  events: { id: string; type: EventType; data: Record<string, unknown> }[];
};

/**
 * All of n commits of different enrolments in one statement; it writes nothing for one when another commit or a change
 * by others came between. $2 is an array of `Progress`, each with its number `n`.
 */
const write = `
with request as materialized (
  select * from jsonb_to_recordset($2::jsonb) as r (n integer, "enrollId" uuid, launch integer, number integer,
    "isNewest" boolean, "expectedRevision" integer, "expectedStatus" text, "unitId" text, data jsonb, evidence jsonb,
    "treeState" text, root jsonb, exit boolean, completion text, success text, score double precision,
    progress double precision, "totalSeconds" double precision, status text, "completedAt" timestamptz, warnings text[],
    events jsonb)
), moved as (
  update enrolment held set commits = greatest(held.commits, request.number), revision = held.revision + 1,
    completion = request.completion, success = request.success, score = request.score, progress = request.progress,
    total_seconds = request."totalSeconds", status = request.status, completed_at = request."completedAt",
    last_accessed_at = $3, changed_at = $3
  from request
  where held.tenant_id = $1 and held.enroll_id = request."enrollId" and held.launches = request.launch
    and held.revision = request."expectedRevision" and held.status = request."expectedStatus"
  returning request.n, held.*
), taken as materialized (
  select request.*, moved.user_id, moved.course_id from request join moved on moved.n = request.n
), saved as (
  insert into attempt_unit as unit (tenant_id, enroll_id, unit_id, commit_number, data, evidence, updated_at)
  select $1, taken."enrollId", taken."unitId", taken.number, taken.data, taken.evidence, $3 from taken
  on conflict (tenant_id, enroll_id, unit_id) do update
    set commit_number = excluded.commit_number, data = excluded.data, evidence = excluded.evidence,
      updated_at = excluded.updated_at
), begun as (
  insert into attempt (tenant_id, enroll_id, tree_state, last_unit_id, root)
  select $1, taken."enrollId", taken."treeState", taken."unitId", taken.root from taken where not taken."isNewest"
  on conflict do nothing
), spanned as (
  insert into attempt as whole (tenant_id, enroll_id, tree_state, last_unit_id, root)
  select $1, taken."enrollId", taken."treeState", taken."unitId", taken.root from taken where taken."isNewest"
  on conflict (tenant_id, enroll_id) do update set tree_state = coalesce(excluded.tree_state, whole.tree_state),
    last_unit_id = excluded.last_unit_id, root = coalesce(excluded.root, whole.root)
), logged as (
  insert into run_time_commit (tenant_id, enroll_id, number, launch, unit_id, evidence, warnings, committed_at)
  select $1, taken."enrollId", taken.number, taken.launch, taken."unitId", taken.evidence, taken.warnings, $3 from taken
  on conflict do nothing
), seen as (
  update launch set last_seen_at = $3, ended_at = case when taken.exit then $3 else launch.ended_at end
  from taken
  where launch.tenant_id = $1 and launch.enroll_id = taken."enrollId" and launch.number = taken.launch
), told as (
  ${insertEvent}
  select $1, e.id, e.type, $3, taken.user_id, taken."enrollId", taken.course_id, e.data
  from taken, jsonb_to_recordset(taken.events) as e (id uuid, type text, data jsonb)
)
select moved.*, null::jsonb as units from moved`;

/** Fewer than of other statements, because a commit may have megabytes. */
const mostCommits = 50;

export const writeProgress = coalesce<TenantContext, Progress, ProgressFacts | null>({
  group: (ctx) => ctx.tenantId,
  key: (progress) => progress.enrollId,
  most: mostCommits,
  run: async (ctx, rows) => {
    const requests = rows.map(({ course, ...progress }, n) => ({
      ...progress,
      n,
      completion: course.Completion,
      success: course.Success,
      score: course.Score,
      progress: course.Progress,
      totalSeconds: course.TotalSeconds,
    }));
    const values = [ctx.tenantId, JSON.stringify(requests), ctx.now()];
    const moved = await run<ProgressFacts & { n: number }>(ctx, {
      name: 'write_progress',
      text: write,
      values,
    });
    const answers: (ProgressFacts | null)[] = rows.map(() => null);
    for (const row of moved) answers[row.n] = row;
    return answers;
  },
});
