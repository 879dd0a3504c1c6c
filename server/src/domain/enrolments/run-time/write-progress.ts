import type { Evidence, RunTimeData } from '../../../../../standards/types.ts';
import { databaseFunction, functionForTenants } from '../../../db/functions.ts';
import { byTenant, type Call, contextOf, openQueue } from '../../../infra/calls/queue.ts';
import { type Context, type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import type { EventType } from '../../events/types.ts';
import { eventBuffer } from '../../events/write.ts';
import type { EnrolmentRow } from '../record/record.ts';
import { type AttemptState, changedAtSql, listedSinceSql } from '../record/states.ts';

export type Progress = {
  enrollId: string;
  launch: number;
  number: number;
  bodyHash: string;
  /** False if the session has ended; the commit then does not extend it. */
  isLive: boolean;
  /** Whether to write the time at which the session was last seen. */
  isSeen: boolean;
  expectedRevision: number;
  expectedStatus: EnrolmentRow['status'];
  /** Null if the data has just been read. */
  expectedChange: Date | null;
  unitId: string;
  data: RunTimeData;
  /** The data as JSON. */
  json: string;
  /** Size of the data as JSON; 0 if it is not stored. */
  bytes: number;
  evidence: Evidence;
  treeState: string | null;
  /** The data that the tree state shares with the learner's other courses. Null if there is no tree state. */
  shared: string | null;
  root: unknown;
  /** False if the commit leaves everything but its unit as the last commit has left it. */
  isSpanning: boolean;
  exit: boolean;
  course: Evidence;
  attemptState: AttemptState | null;
  /** The result of the attempt to which the commit belongs. */
  attemptResult: Evidence;
  attemptFinishedAt: Date | null;
  status: EnrolmentRow['status'];
  completedAt: Date | null;
  warnings: string[] | null;
  /** The result that the page claimed but its data does not support. */
  claimed: unknown;
  events: { id: string; type: EventType; data: Record<string, unknown> }[];
};

/** SQL: sets a column of the run-time data, unless a later launch or a higher commit number has set it. */
export const ifNewer = (column: string) => `${column} = case
      when excluded.bytes > 0 and (excluded.launch, excluded.commit_number) > (unit.launch, unit.commit_number)
      then excluded.${column} else unit.${column} end`;

/** These columns of the commits in `$2` whose numbers are in the array. */
const requests = (numbers: string, columns: string) =>
  `jsonb_to_recordset($2) as request (n integer, "enrollId" uuid, launch integer, number integer, ${columns})
    where request.n = any(${numbers})`;

/**
 * Writes commits of different enrolments of the tenant `$1` at the time `$3`. Skips a commit if the
 * enrolment has changed since it was read. Merges results. Run-time data and the bookmark come from
 * the newest launch and its highest commit number. `$2` is an array of `toRow`, ordered by the enrolments, so that two
 * statements cannot wait for each other. Returns the numbers of the commits that were written. `$4` has the run-time
 * data of each commit in a line, because the parser of `jsonb` rejects U+0000 and unpaired surrogates, which `json` keeps.
 */
export const writeProgressFunction = databaseFunction({
  name: 'write_progress',
  parameters: 'text, jsonb, timestamptz, text',
  returns: 'table (n integer)',
  body: `
declare
  moved record;
  event record;
  listed_since constant timestamptz := ${listedSinceSql('$3')};
  lines constant text[] := string_to_array($4, e'\\n');
  done integer[] := '{}';
  spanning integer[] := '{}';
  seen integer[] := '{}';
  ${eventBuffer.declare}
begin
  for moved in
    update enrolment set commits = greatest(enrolment.commits, request.number), revision = enrolment.revision + 1,
      completion = request.completion, success = request.success, score = request.score, progress = request.progress,
      total_seconds = request."totalSeconds", status = request.status, completed_at = request."completedAt",
      attempt_state = request."attemptState", last_accessed_at = $3,
      changed_at = (case when enrolment.changed_at > listed_since and enrolment.status = request.status then enrolment.changed_at else $3 end)
    from jsonb_to_recordset($2) as request (n integer, "enrollId" uuid, number integer, "expectedRevision" integer,
      "expectedStatus" text, "expectedChange" timestamptz, completion text, success text, score double precision,
      progress double precision, "totalSeconds" double precision, status text, "completedAt" timestamptz,
      "attemptState" jsonb, "isSpanning" boolean, "isSeen" boolean, events jsonb), "user" known
    where enrolment.tenant_id = $1 and enrolment.enroll_id = request."enrollId"
      and enrolment.revision = request."expectedRevision" and enrolment.status = request."expectedStatus"
      and (request."expectedChange" is null or ${changedAtSql('enrolment')} = request."expectedChange")
      and known.tenant_id = $1 and known.user_id = enrolment.user_id and known.enabled
    returning request.n, request."isSpanning", request."isSeen", request.events, enrolment.enroll_id,
      enrolment.user_id, enrolment.course_id
  loop
    n := moved.n;
    done := done || n;
    if moved."isSpanning" then
      spanning := spanning || n;
    end if;
    if moved."isSeen" then
      seen := seen || n;
    end if;
    if moved.events is not null then
      for event in select e.id, e.type, e.data
        from jsonb_to_recordset(moved.events) as e (id uuid, type text, data jsonb)
      loop
        ${eventBuffer.add({ id: 'event.id', type: 'event.type', user: 'moved.user_id', enrolment: 'moved.enroll_id', course: 'moved.course_id', data: 'event.data' })}
      end loop;
    end if;
    return next;
  end loop;
  if cardinality(done) = 0 then
    return;
  end if;
  insert into attempt_unit as unit
    (tenant_id, enroll_id, unit_id, launch, commit_number, data, bytes, evidence, updated_at)
  select $1, request."enrollId", request."unitId", request.launch, request.number, lines[request.line]::json,
    request.bytes, request.evidence, $3
  from ${requests('done', '"unitId" text, line integer, bytes integer, evidence jsonb')}
  on conflict (tenant_id, enroll_id, unit_id) do update set
    ${['launch', 'commit_number', 'data', 'bytes'].map(ifNewer).join(',\n    ')},
    evidence = excluded.evidence, updated_at = excluded.updated_at;
  if cardinality(spanning) > 0 then
    insert into attempt as whole (tenant_id, enroll_id, tree_state, shared, last_unit_id, root)
    select $1, request."enrollId", request."treeState", request.shared, request."unitId", request.root
    from ${requests('spanning', '"unitId" text, "treeState" text, shared text, root jsonb')}
      and not exists (
        select from run_time_commit later where later.tenant_id = $1 and later.enroll_id = request."enrollId"
          and (later.launch, later.number) > (request.launch, request.number) and later.refused is null
      )
    on conflict (tenant_id, enroll_id) do update set
      tree_state = coalesce(excluded.tree_state, whole.tree_state), shared = coalesce(excluded.shared, whole.shared),
      last_unit_id = excluded.last_unit_id, root = coalesce(excluded.root, whole.root);
  end if;
  insert into run_time_commit
    (tenant_id, enroll_id, number, launch, body_hash, unit_id, evidence, warnings, claimed, committed_at)
  select $1, request."enrollId", request.number, request.launch, request."bodyHash", request."unitId",
    request.evidence - 'Supports', request.warnings, request.claimed, $3
  from ${requests('done', '"bodyHash" text, "unitId" text, evidence jsonb, warnings text[], claimed jsonb')}
  on conflict (tenant_id, enroll_id, launch, number) do update set refused = null, body_hash = excluded.body_hash,
    unit_id = excluded.unit_id, evidence = excluded.evidence, warnings = excluded.warnings,
    claimed = excluded.claimed, committed_at = excluded.committed_at;
  if cardinality(seen) > 0 then
    update launch set last_seen_at = (case when request."isLive" then $3 else launch.last_seen_at end),
      ended_at = (case when request.exit then $3 else launch.ended_at end),
      exit_number = (case when request.exit then request.number else launch.exit_number end)
    from ${requests('seen', '"isLive" boolean, exit boolean')}
      and launch.tenant_id = $1 and launch.enroll_id = request."enrollId" and launch.number = request.launch;
  end if;
  ${eventBuffer.write('true')}
end`,
});

export const writeForTenants = functionForTenants(writeProgressFunction, 'outcome.n');

/**
 * Maximum number of commits and bytes per statement. A commit can have up to 1 MiB, and other tenants'
 * statements wait until it is written.
 */
const max = { commits: 50, bytes: 1024 ** 2 };

/** Leaves out what is null or does not change anything. */
function toRow(progress: Progress, { n, line }: { n: number; line: number }) {
  const { course, treeState, shared, root, exit, isLive, completedAt, expectedChange, ...rest } = progress;
  const { attemptState, warnings, claimed, events } = rest;
  return {
    n,
    line,
    enrollId: rest.enrollId,
    launch: rest.launch,
    number: rest.number,
    bodyHash: rest.bodyHash,
    unitId: rest.unitId,
    bytes: rest.bytes,
    evidence: rest.evidence,
    expectedRevision: rest.expectedRevision,
    expectedStatus: rest.expectedStatus,
    status: rest.status,
    completion: course.Completion,
    success: course.Success,
    progress: course.Progress,
    totalSeconds: course.TotalSeconds,
    ...(course.Score !== null && { score: course.Score }),
    ...(expectedChange && { expectedChange }),
    ...(completedAt && { completedAt }),
    ...(attemptState && { attemptState }),
    ...(rest.isSpanning && { isSpanning: true, treeState, shared, ...(root ? { root } : {}) }),
    ...((rest.isSeen || exit) && { isSeen: true, isLive, exit }),
    ...(warnings && { warnings }),
    ...(claimed ? { claimed } : {}),
    ...(events.length > 0 && { events }),
  };
}

async function writeRows(
  ctx: Context,
  calls: readonly Call<TenantContext, Progress>[],
): Promise<(Date | null | undefined)[]> {
  const ordered = calls
    .map(({ ctx, row }, n) => ({ ctx, row, n }))
    .sort((a, b) => (a.row.enrollId < b.row.enrollId ? -1 : 1));
  const tenants = byTenant(ordered);
  const values = tenants.map((own) => {
    const { ctx } = own[0] as (typeof own)[0];
    const rows = own.map(({ n, row }, at) => toRow(row, { n, line: at + 1 }));
    const lines = own.map(({ row: { json } }) => json).join('\n');
    return { ctx, values: [JSON.stringify(rows), tenantNow(ctx), lines] };
  });
  const { rows, isLeftOut } = await writeForTenants.call<{ n: number }>(ctx, values);
  const written = new Set(rows.map(({ n }) => n));
  const times = new Map(values.map(({ ctx, values }) => [ctx.tenantId, values[1] as Date]));
  return calls.map(({ ctx: { tenantId } }, n) =>
    isLeftOut(tenantId) ? undefined : written.has(n) ? times.get(tenantId) : null,
  );
}

/** `writeProgress` in the caller's transaction. */
export async function writeProgressNow(ctx: TenantContext, progress: Progress): Promise<Date | null> {
  const [writtenAt = null] = await writeRows(ctx, [{ ctx, row: progress }]);
  return writtenAt;
}

const queue = openQueue<TenantContext, Progress, Date | null>({
  name: 'write_progress',
  isShared: true,
  key: (progress) => progress.enrollId,
  max: max.commits,
  bytes: {
    of: ({ bytes, treeState, shared }) => bytes + (treeState?.length ?? 0) + (shared?.length ?? 0),
    max: max.bytes,
  },
  run: (calls) => writeRows(contextOf(calls), calls),
});

/** Returns the time at which the commit was written; null if another change came first. */
export const writeProgress = (ctx: TenantContext, progress: Progress): Promise<Date | null> =>
  queue.add(ctx, progress);
