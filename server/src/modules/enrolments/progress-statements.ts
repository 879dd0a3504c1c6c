import type { Evidence } from '../../../../standards/types.ts';
import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { coalesceReads, wantedRows } from '../../platform/load/coalesce-reads.ts';
import { lostLaunchNumber } from './lost-launch.ts';
import type { EnrolmentRow } from './record.ts';
import { readUnits } from './units.ts';

type Wanted = {
  enrollId: string;
  launch: number;
  launchId: string | null;
  number: number;
};

/**
 * Only these columns are read. Reading the whole row would account for a tenth of the cost of a
 * commit.
 */
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
  'course_id',
  'release_id',
  'launches',
  'attempt_rules',
  'attempt_number',
  'attempt_launch',
  'attempt_state',
  'commits',
  'revision',
] as const satisfies readonly (keyof EnrolmentRow)[];

/**
 * The data needed to process a commit: the enrolment, the best evidence for each unit, the launch, and whether the
 * commit has already been received.
 */
export type ProgressFacts = Pick<EnrolmentRow, (typeof enrolmentColumns)[number]> & {
  user_id: string | null;
  enabled: boolean | null;
  /** Null if the launch does not exist or another launch has its number. */
  last_seen_at: Date | null;
  exit_number: number | null;
  /** Hash of the commit with this number; empty if it was erased; null if the number is free. */
  taken_by: string | null;
  units: Record<string, Evidence> | null;
  /** Size of each unit's run-time data. */
  sizes: Record<string, number> | null;
};

/**
 * A shared statement reads up to 20 units for each commit. The units of larger enrolments are read
 * separately.
 */
const maxUnits = 20;
const maxCommitsPerStatement = 100;

const facts = `
select wanted.n, enrolment.user_id, ${enrolmentColumns.map((column) => `enrolment.${column}`).join(', ')}, known.enabled, played.last_seen_at, played.exit_number, case when wanted.number <= enrolment.commits then (
  select coalesce(taken.body_hash, '') from run_time_commit taken
  where taken.tenant_id = $1 and taken.enroll_id = wanted.enroll_id
    and taken.launch = coalesce(played.number, wanted.forgotten) and taken.number = wanted.number and taken.refused is null
) end as taken_by, kept.units, kept.sizes, kept.has_more
from ${wantedRows('enroll_id uuid, launch integer, number integer, launch_id uuid, forgotten integer')}
cross join lateral (
  select own.* from enrolment own where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id limit 1
) enrolment
left join lateral (
  select own.enabled from "user" own where own.tenant_id = $1 and own.user_id = enrolment.user_id limit 1
) known on true
left join lateral (
  select own.number, own.last_seen_at, own.exit_number from launch own
  where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id and own.number = wanted.launch
    and (wanted.launch_id is null or own.launch_id = wanted.launch_id) limit 1
) played on true
left join lateral (
  select jsonb_object_agg(begun.unit_id, begun.evidence) as units, jsonb_object_agg(begun.unit_id, begun.bytes) as sizes,
    count(*) > ${maxUnits} as has_more
  from (
    select unit.unit_id, unit.evidence, unit.bytes from attempt_unit unit
    where unit.tenant_id = $1 and unit.enroll_id = wanted.enroll_id limit ${maxUnits + 1}
  ) begun
) kept on true`;

type FactsRow = ProgressFacts & { has_more: boolean };

const itemOf = ({ enrollId, launch, number, launchId }: Wanted) => ({
  enroll_id: enrollId,
  launch,
  number,
  launch_id: launchId,
  forgotten: launchId && lostLaunchNumber(launchId),
});

const readFacts = coalesceReads<Wanted, FactsRow>({
  name: 'read_progress',
  text: facts,
  max: maxCommitsPerStatement,
  item: itemOf,
});

/**
 * The units may be read in a second statement. A change in between increases the revision, so the
 * write is then skipped.
 */
export async function readProgress(ctx: TenantContext, wanted: Wanted): Promise<ProgressFacts | null> {
  return withAllUnits(ctx, wanted, await readFacts(ctx, wanted));
}

/** `readProgress` in the caller's transaction. */
export async function readProgressNow(ctx: TenantContext, wanted: Wanted): Promise<ProgressFacts | null> {
  const values = [ctx.tenantId, JSON.stringify([{ n: 0, ...itemOf(wanted) }])];
  const [row] = await run<FactsRow>(ctx, { name: 'read_progress', text: facts, values });
  return withAllUnits(ctx, wanted, row ?? null);
}

async function withAllUnits(
  ctx: TenantContext,
  wanted: Wanted,
  facts: FactsRow | null,
): Promise<ProgressFacts | null> {
  if (!facts?.has_more) return facts;
  const units = await readUnits(ctx, wanted.enrollId);
  return {
    ...facts,
    units: Object.fromEntries(units.map(({ unit_id, evidence }) => [unit_id, evidence])),
    sizes: Object.fromEntries(units.map(({ unit_id, bytes }) => [unit_id, bytes])),
  };
}

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

export async function writeRefused(ctx: TenantContext, commit: RefusedCommit): Promise<void> {
  const values = [ctx.tenantId, JSON.stringify([commit]), tenantNow(ctx)];
  await run(ctx, { name: 'refuse_commits', text: refuse, values });
}
