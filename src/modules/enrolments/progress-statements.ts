import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import type { EventType } from '../events/types.ts';
import { insertEvent } from '../events/write.ts';
import type { Evidence, RunTimeData } from '../standards/types.ts';
import type { EnrolmentRow } from './record.ts';

/** What a commit needs to know of the enrolment; of each unit the best evidence and the last commit taken. */
export type ProgressFacts = EnrolmentRow & {
  units: Record<string, { evidence: Evidence; number: number }> | null;
};

const facts = `
select held.*, (
  select jsonb_object_agg(unit.unit_id, jsonb_build_object('evidence', unit.evidence, 'number', unit.commit_number))
  from attempt_unit unit
  where unit.tenant_id = $1 and unit.enroll_id = $2
) as units
from enrolment held
where held.tenant_id = $1 and held.enroll_id = $2 and held.user_id is not null`;

export async function readProgress(ctx: TenantContext, enrollId: string): Promise<ProgressFacts | null> {
  const [row] = await run<ProgressFacts>(ctx, {
    name: 'read_progress',
    text: facts,
    values: [ctx.tenantId, enrollId],
  });
  return row ?? null;
}

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
  warnings: string[];
  events: { id: string; type: EventType; data: Record<string, unknown> }[];
  now: Date;
};

/** All of a commit in one statement; it writes nothing when another commit or a change by others came between. */
const write = `
with moved as (
  update enrolment held set commits = greatest(held.commits, $4), revision = held.revision + 1, completion = $6,
    success = $7, score = $8, progress = $9, total_seconds = $10, status = $11, completed_at = $12,
    last_accessed_at = $5, changed_at = $5
  where held.tenant_id = $1 and held.enroll_id = $2 and held.launches = $3 and held.revision = $13
    and held.status = $22
  returning held.*
), saved as (
  insert into attempt_unit as unit (tenant_id, enroll_id, unit_id, commit_number, data, evidence, updated_at)
  select $1, $2, $14, $4, $15::jsonb, $16::jsonb, $5 from moved
  on conflict (tenant_id, enroll_id, unit_id) do update
    set commit_number = excluded.commit_number, data = excluded.data, evidence = excluded.evidence,
      updated_at = excluded.updated_at
), spanned as (
  insert into attempt as whole (tenant_id, enroll_id, tree_state, last_unit_id, root)
  select $1, $2, $17, $14, $18::jsonb from moved
  on conflict (tenant_id, enroll_id) do update set tree_state = coalesce(excluded.tree_state, whole.tree_state),
    last_unit_id = excluded.last_unit_id, root = coalesce(excluded.root, whole.root) where $23
), logged as (
  insert into run_time_commit (tenant_id, enroll_id, number, launch, unit_id, evidence, warnings, committed_at)
  select $1, $2, $4, $3, $14, $16::jsonb, $19, $5 from moved
  on conflict do nothing
), seen as (
  update launch set last_seen_at = $5, ended_at = case when $20 then $5 else launch.ended_at end
  from moved where launch.tenant_id = $1 and launch.enroll_id = $2 and launch.number = $3
), told as (
  ${insertEvent}
  select $1, e.id, e.type, $5, moved.user_id, moved.enroll_id, moved.course_id, e.data
  from moved, jsonb_to_recordset($21::jsonb) as e (id uuid, type text, data jsonb)
)
select moved.*, null::jsonb as units from moved`;

export async function writeProgress(ctx: TenantContext, progress: Progress): Promise<ProgressFacts | null> {
  const { course } = progress;
  const [row] = await run<ProgressFacts>(ctx, {
    name: 'write_progress',
    text: write,
    values: [
      ctx.tenantId,
      progress.enrollId,
      progress.launch,
      progress.number,
      progress.now,
      course.Completion,
      course.Success,
      course.Score,
      course.Progress,
      course.TotalSeconds,
      progress.status,
      progress.completedAt,
      progress.expectedRevision,
      progress.unitId,
      JSON.stringify(progress.data),
      JSON.stringify(progress.evidence),
      progress.treeState,
      progress.root === null ? null : JSON.stringify(progress.root),
      progress.warnings.length > 0 ? progress.warnings : null,
      progress.exit,
      JSON.stringify(progress.events),
      progress.expectedStatus,
      progress.isNewest,
    ],
  });
  return row ?? null;
}
