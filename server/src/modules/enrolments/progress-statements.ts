import type { Evidence, RunTimeData } from '../../../../standards/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { coalesce } from '../../platform/load/batch.ts';
import { readTogether } from '../../platform/load/read-together.ts';
import type { EventType } from '../events/types.ts';
import { insertEvent } from '../events/write.ts';
import { lostLaunchNumber } from './lost-launch.ts';
import type { EnrolmentRow } from './record.ts';
import { readUnits } from './units.ts';

type Wanted = {
  enrollId: string;
  launch: number;
  launchId: string | null;
  number: number;
};

/** Only these columns, because reading the whole row would take a tenth of the cost of a commit. */
const enrolmentColumns = [
  'status',
  'status_before_end',
  'started_at',
  'completed_at',
  'expires_at',
  'completion',
  'success',
  'score',
  'progress',
  'total_seconds',
  'override',
  'release_id',
  'launches',
  'commits',
  'revision',
] as const satisfies readonly (keyof EnrolmentRow)[];

/**
 * What a commit depends on: the enrolment, the best evidence for each unit, the launch, and whether the commit has
 * already been received.
 */
export type ProgressFacts = Pick<EnrolmentRow, (typeof enrolmentColumns)[number]> & {
  user_id: string | null;
  enabled: boolean | null;
  /** Null if the launch does not exist or another one has its number. */
  last_seen_at: Date | null;
  exit_number: number | null;
  /**
   * Hash of the commit that has this number; empty if it was stored before hashes existed; null if the number is free.
   */
  taken_by: string | null;
  units: Record<string, Evidence> | null;
  /** Size of each unit's run-time data. */
  sizes: Record<string, number> | null;
};

/** For each commit, a shared statement reads up to this many units; larger enrolments are read separately. */
const maxUnits = 20;
const maxTogether = 100;

const facts = `
select wanted.n, enrolment.user_id, ${enrolmentColumns.map((column) => `enrolment.${column}`).join(', ')}, known.enabled, played.last_seen_at, played.exit_number, case when wanted.number <= enrolment.commits then (
  select coalesce(taken.body_hash, '') from run_time_commit taken
  where taken.tenant_id = $1 and taken.enroll_id = wanted.enroll_id
    and taken.launch = coalesce(played.number, wanted.forgotten) and taken.number = wanted.number and taken.refused is null
) end as taken_by, kept.units, kept.sizes, kept.has_more
from unnest($2::uuid[], $3::integer[], $4::integer[], $5::uuid[], $6::integer[])
  with ordinality as wanted (enroll_id, launch, number, launch_id, forgotten, n)
join enrolment on enrolment.tenant_id = $1 and enrolment.enroll_id = wanted.enroll_id
left join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
left join launch played on played.tenant_id = $1 and played.enroll_id = wanted.enroll_id and played.number = wanted.launch
  and (wanted.launch_id is null or played.launch_id = wanted.launch_id)
left join lateral (
  select jsonb_object_agg(begun.unit_id, begun.evidence) as units, jsonb_object_agg(begun.unit_id, begun.bytes) as sizes,
    count(*) > ${maxUnits} as has_more
  from (
    select unit.unit_id, unit.evidence, unit.bytes from attempt_unit unit
    where unit.tenant_id = $1 and unit.enroll_id = wanted.enroll_id limit ${maxUnits + 1}
  ) begun
) kept on true`;

const readFacts = readTogether<Wanted, ProgressFacts & { has_more: boolean }>({
  name: 'read_progress',
  text: facts,
  most: maxTogether,
  values: (ctx, wanted) => [
    ctx.tenantId,
    wanted.map(({ enrollId }) => enrollId),
    wanted.map(({ launch }) => launch),
    wanted.map(({ number }) => number),
    wanted.map(({ launchId }) => launchId),
    wanted.map(({ launchId }) => launchId && lostLaunchNumber(launchId)),
  ],
});

/** If a unit changes between the two statements, so does the revision, and the write is skipped. */
export async function readProgress(ctx: TenantContext, wanted: Wanted): Promise<ProgressFacts | null> {
  const facts = await readFacts(ctx, wanted);
  if (!facts?.has_more) return facts;
  const units = await readUnits(ctx, wanted.enrollId);
  return {
    ...facts,
    units: Object.fromEntries(units.map(({ unit_id, evidence }) => [unit_id, evidence])),
    sizes: Object.fromEntries(units.map(({ unit_id, bytes }) => [unit_id, bytes])),
  };
}

export type Progress = {
  enrollId: string;
  launch: number;
  number: number;
  bodyHash: string;
  /** False if the session has ended, in which case the commit does not keep it alive. */
  isLive: boolean;
  expectedRevision: number;
  expectedStatus: string;
  /** Null if the facts have just been read. */
  expectedChange: Date | null;
  unitId: string;
  data: RunTimeData;
  /** Size of the data as JSON; 0 if it is not stored. */
  bytes: number;
  evidence: Evidence;
  treeState: string | null;
  root: unknown;
  exit: boolean;
  course: Evidence;
  status: EnrolmentRow['status'];
  completedAt: Date | null;
  warnings: string[] | null;
  events: { id: string; type: EventType; data: Record<string, unknown> }[];
};

const ifNewer = (column: string) => `${column} = case
    when excluded.bytes > 0 and (excluded.launch, excluded.commit_number) > (unit.launch, unit.commit_number) then excluded.${column}
    else unit.${column} end`;

/**
 * Writes n commits of different enrolments in one statement; skips a commit if another commit or change came first.
 * Results are merged; run-time data and the bookmark come from the newest launch and its highest commit number. $2 is
 * an array of `Progress`, each with its number `n`.
 */
const write = `
with request as materialized (
  select * from jsonb_to_recordset($2::jsonb) as r (n integer, "enrollId" uuid, launch integer, number integer,
    "bodyHash" text, "isLive" boolean, "expectedRevision" integer, "expectedStatus" text,
    "expectedChange" timestamptz, "unitId" text, data jsonb, bytes integer, evidence jsonb,
    "treeState" text, root jsonb, exit boolean, completion text, success text, score double precision,
    progress double precision, "totalSeconds" double precision, status text, "completedAt" timestamptz, warnings text[],
    events jsonb)
), moved as (
  update enrolment set commits = greatest(enrolment.commits, request.number), revision = enrolment.revision + 1,
    completion = request.completion, success = request.success, score = request.score, progress = request.progress,
    total_seconds = request."totalSeconds", status = request.status, completed_at = request."completedAt",
    last_accessed_at = $3, changed_at = $3
  from request, "user" known
  where enrolment.tenant_id = $1 and enrolment.enroll_id = request."enrollId"
    and enrolment.revision = request."expectedRevision" and enrolment.status = request."expectedStatus"
    and (request."expectedChange" is null or enrolment.changed_at = request."expectedChange")
    and known.tenant_id = $1 and known.user_id = enrolment.user_id and known.enabled
  returning request.n, enrolment.user_id, enrolment.course_id
), taken as materialized (
  select request.*, moved.user_id, moved.course_id from request join moved on moved.n = request.n
), saved as (
  insert into attempt_unit as unit (tenant_id, enroll_id, unit_id, launch, commit_number, data, bytes, evidence, updated_at)
  select $1, taken."enrollId", taken."unitId", taken.launch, taken.number, taken.data, taken.bytes, taken.evidence, $3 from taken
  on conflict (tenant_id, enroll_id, unit_id) do update set ${['launch', 'commit_number', 'data', 'bytes'].map(ifNewer).join(', ')},
    evidence = excluded.evidence, updated_at = excluded.updated_at
), spanned as (
  insert into attempt as whole (tenant_id, enroll_id, launch, commit_number, tree_state, last_unit_id, root)
  select $1, taken."enrollId", taken.launch, taken.number, taken."treeState", taken."unitId", taken.root from taken
  on conflict (tenant_id, enroll_id) do update set launch = excluded.launch, commit_number = excluded.commit_number,
    tree_state = coalesce(excluded.tree_state, whole.tree_state), last_unit_id = excluded.last_unit_id,
    root = coalesce(excluded.root, whole.root)
  where (excluded.launch, excluded.commit_number) > (whole.launch, whole.commit_number)
), logged as (
  insert into run_time_commit (tenant_id, enroll_id, number, launch, body_hash, unit_id, evidence, warnings, committed_at)
  select $1, taken."enrollId", taken.number, taken.launch, taken."bodyHash", taken."unitId", taken.evidence,
    taken.warnings, $3 from taken
  on conflict (tenant_id, enroll_id, launch, number) do update
    set refused = null, body_hash = excluded.body_hash, unit_id = excluded.unit_id, evidence = excluded.evidence, warnings = excluded.warnings,
      committed_at = excluded.committed_at
), seen as (
  update launch set last_seen_at = case when taken."isLive" then $3 else launch.last_seen_at end,
    ended_at = case when taken.exit then $3 else launch.ended_at end,
    exit_number = case when taken.exit then taken.number else launch.exit_number end
  from taken
  where launch.tenant_id = $1 and launch.enroll_id = taken."enrollId" and launch.number = taken.launch
    and (taken."isLive" or taken.exit)
), written_events as (
  ${insertEvent}
  select $1, e.id, e.type, $3, taken.user_id, taken."enrollId", taken.course_id, e.data
  from taken, jsonb_to_recordset(taken.events) as e (id uuid, type text, data jsonb)
)
select moved.n from moved`;

/**
 * Maximum commits and bytes per statement. A commit can have 1 MiB, and other tenants' statements wait while it is
 * written.
 */
const most = { commits: 50, bytes: 1024 ** 2 };

/** Returns the time at which the commit was written; null if something else came first. */
export const writeProgress = coalesce<TenantContext, Progress, Date | null>({
  name: 'write_progress',
  group: (ctx) => ctx.tenantId,
  key: (progress) => progress.enrollId,
  most: most.commits,
  bytes: { of: ({ bytes, treeState }) => bytes + (treeState?.length ?? 0), most: most.bytes },
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
    const now = ctx.now();
    const values = [ctx.tenantId, JSON.stringify(requests), now];
    const moved = await run<{ n: number }>(ctx, { name: 'write_progress', text: write, values });
    const written: (Date | null)[] = rows.map(() => null);
    for (const { n } of moved) written[n] = now;
    return written;
  },
});

/**
 * Records a commit that does not count. It stays visible in the timeline and may count later, for example when a
 * withdrawal is reversed.
 */
export type RefusedCommit = {
  enrollId: string;
  launch: number;
  number: number;
  unitId: string;
  evidence: Evidence;
  refused: string;
};

const refuse = `
with held as materialized (
  select locked.enroll_id from enrolment locked
  where locked.tenant_id = $1 and locked.enroll_id in (
    select (r.value ->> 'enrollId')::uuid from jsonb_array_elements($2::jsonb) r
  ) for key share
)
insert into run_time_commit (tenant_id, enroll_id, number, launch, unit_id, evidence, refused, committed_at)
select $1, held.enroll_id, r.number, r.launch, r."unitId", r.evidence, r.refused, $3
from jsonb_to_recordset($2::jsonb) as r ("enrollId" uuid, number integer, launch integer, "unitId" text, evidence jsonb,
  refused text) join held on held.enroll_id = r."enrollId"
on conflict do nothing`;

export const writeRefused = coalesce<TenantContext, RefusedCommit, null>({
  name: 'refuse_commits',
  group: (ctx) => ctx.tenantId,
  run: async (ctx, rows) => {
    const values = [ctx.tenantId, JSON.stringify(rows), ctx.now()];
    await run(ctx, { name: 'refuse_commits', text: refuse, values });
    return rows.map(() => null);
  },
});
