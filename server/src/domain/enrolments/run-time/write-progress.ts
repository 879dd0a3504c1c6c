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

const isNewer = (row: string) => `(request.launch, request.number) > (${row}.launch, ${row}.commit_number)`;

const ifNewer = (column: string, value: string) => `${column} = (case
        when request.bytes > 0 and ${isNewer('unit')} then ${value} else unit.${column} end)`;

/**
 * Writes commits of different enrolments of the tenant `$1` at the time `$3`. Skips a commit if the
 * enrolment has changed since it was read. Merges results. Run-time data and the bookmark come from
 * the newest launch and its highest commit number. `$2` is an array of `Progress`, each with its
 * number `n` and its `line` in `$4`. Returns the numbers of the commits that were written. `$4` has the run-time data of each commit in a
 * line, because the parser of `jsonb` rejects U+0000 and unpaired surrogates, which `json` keeps.
 */
export const writeProgressFunction = databaseFunction({
  name: 'write_progress',
  parameters: 'text, jsonb, timestamptz, text',
  returns: 'table (n integer)',
  body: `
declare
  request record;
  moved record;
  event record;
  listed_since constant timestamptz := ${listedSinceSql('$3')};
  ${eventBuffer.declare}
begin
  for request in
    select r.*, given.data::json as data from jsonb_to_recordset($2) as r (n integer, line integer, "enrollId" uuid, launch integer, number integer,
      "bodyHash" text, "isLive" boolean, "expectedRevision" integer, "expectedStatus" text,
      "expectedChange" timestamptz, "unitId" text, bytes integer, evidence jsonb,
      "treeState" text, shared text, root jsonb, exit boolean, completion text, success text, score double precision,
      progress double precision, "totalSeconds" double precision, status text, "completedAt" timestamptz,
      warnings text[], claimed jsonb, events jsonb, "attemptState" jsonb)
    join unnest(string_to_array($4, e'\\n')) with ordinality as given (data, line) on given.line = r.line
    order by r."enrollId"
  loop
    update enrolment set commits = greatest(enrolment.commits, request.number), revision = enrolment.revision + 1,
      completion = request.completion, success = request.success, score = request.score, progress = request.progress,
      total_seconds = request."totalSeconds", status = request.status, completed_at = request."completedAt",
      attempt_state = nullif(request."attemptState", 'null'),
      last_accessed_at = $3,
      changed_at = (case when enrolment.changed_at > listed_since and enrolment.status = request.status then enrolment.changed_at else $3 end)
    from "user" known
    where enrolment.tenant_id = $1 and enrolment.enroll_id = request."enrollId"
      and enrolment.revision = request."expectedRevision" and enrolment.status = request."expectedStatus"
      and (request."expectedChange" is null or ${changedAtSql('enrolment')} = request."expectedChange")
      and known.tenant_id = $1 and known.user_id = enrolment.user_id and known.enabled
    returning enrolment.user_id, enrolment.course_id into moved;
    continue when not found;
    update attempt_unit unit set
      ${ifNewer('launch', 'request.launch')},
      ${ifNewer('commit_number', 'request.number')},
      ${ifNewer('data', 'request.data')},
      ${ifNewer('bytes', 'request.bytes')},
      evidence = request.evidence, updated_at = $3
    where unit.tenant_id = $1 and unit.enroll_id = request."enrollId" and unit.unit_id = request."unitId";
    if not found then
      insert into attempt_unit (tenant_id, enroll_id, unit_id, launch, commit_number, data, bytes, evidence, updated_at)
      values ($1, request."enrollId", request."unitId", request.launch, request.number, request.data, request.bytes,
        request.evidence, $3);
    end if;
    update attempt whole set launch = request.launch, commit_number = request.number,
      tree_state = coalesce(request."treeState", whole.tree_state), shared = coalesce(request.shared, whole.shared),
      last_unit_id = request."unitId", root = coalesce(request.root, whole.root)
    where whole.tenant_id = $1 and whole.enroll_id = request."enrollId" and ${isNewer('whole')};
    if not found then
      insert into attempt (tenant_id, enroll_id, launch, commit_number, tree_state, shared, last_unit_id, root)
      values ($1, request."enrollId", request.launch, request.number, request."treeState", request.shared,
        request."unitId", request.root)
      on conflict (tenant_id, enroll_id) do nothing;
    end if;
    insert into run_time_commit
      (tenant_id, enroll_id, number, launch, body_hash, unit_id, evidence, warnings, claimed, committed_at)
    values ($1, request."enrollId", request.number, request.launch, request."bodyHash", request."unitId",
      request.evidence - 'Supports', request.warnings, nullif(request.claimed, 'null'), $3)
    on conflict (tenant_id, enroll_id, launch, number) do update set refused = null, body_hash = excluded.body_hash,
      unit_id = excluded.unit_id, evidence = excluded.evidence, warnings = excluded.warnings,
      claimed = excluded.claimed, committed_at = excluded.committed_at;
    if request."isLive" or request.exit then
      update launch set last_seen_at = (case when request."isLive" then $3 else launch.last_seen_at end),
        ended_at = (case when request.exit then $3 else launch.ended_at end),
        exit_number = (case when request.exit then request.number else launch.exit_number end)
      where launch.tenant_id = $1 and launch.enroll_id = request."enrollId" and launch.number = request.launch;
    end if;
    if request.events <> '[]' then
      for event in select e.id, e.type, e.data
        from jsonb_to_recordset(request.events) as e (id uuid, type text, data jsonb)
      loop
        ${eventBuffer.add({ id: 'event.id', type: 'event.type', user: 'moved.user_id', enrolment: 'request."enrollId"', course: 'moved.course_id', data: 'event.data' })}
      end loop;
    end if;
    n := request.n;
    return next;
  end loop;
  ${eventBuffer.write('true')}
end`,
});

export const writeForTenants = functionForTenants(writeProgressFunction, 'outcome.n');

/**
 * Maximum number of commits and bytes per statement. A commit can have up to 1 MiB, and other tenants'
 * statements wait until it is written.
 */
const max = { commits: 50, bytes: 1024 ** 2 };

async function writeRows(
  ctx: Context,
  calls: readonly Call<TenantContext, Progress>[],
): Promise<(Date | null | undefined)[]> {
  const tenants = byTenant(calls.map(({ ctx, row }, n) => ({ ctx, row, n })));
  const values = tenants.map((own) => {
    const { ctx } = own[0] as (typeof own)[0];
    const rows = own.map(
      (
        { n, row: { course, data: _, json: __, attemptResult: ___, attemptFinishedAt: ____, ...progress } },
        at,
      ) => ({
        ...progress,
        n,
        line: at + 1,
        completion: course.Completion,
        success: course.Success,
        score: course.Score,
        progress: course.Progress,
        totalSeconds: course.TotalSeconds,
      }),
    );
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
