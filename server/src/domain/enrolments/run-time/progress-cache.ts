import type { Evidence, RunTimeData } from '../../../../../standards/types.ts';
import { run } from '../../../db/transaction.ts';
import { coalesceReads, wantedRows } from '../../../infra/calls/queue.ts';
import { partOfState, type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import type { ErrorCode } from '../../../lib/errors.ts';
import { suspendedReason } from '../../tenants/tenants.ts';
import type { EnrolmentRow } from '../record/record.ts';
import { readUnits } from '../record/units.ts';

// A failover or a restored backup can lose a launch: it has no row, or its number belongs to
// another launch. Then only the ID in its session token identifies it. Its commits count like those
// of a superseded launch.

/**
 * The launch number for the commits of a lost launch. It is negative, so every launch in the
 * database has a different and higher number.
 */
export function lostLaunchNumber(launchId: string): number {
  return -1 - (Number.parseInt(launchId.slice(-8), 16) >>> 1);
}

/** Reads the start time of the launch from its ID (a UUIDv7). */
export function lostLaunchStart(launchId: string): Date {
  return new Date(Number.parseInt(launchId.replace('-', '').slice(0, 12), 16));
}

/** Why a launch's page can no longer load course files. `tenant_suspended` applies until the tenant is resumed. */
export const sessionEnds = {
  enrolment_withdrawn: 'This enrolment was withdrawn. Ask your administrator to enrol you again.',
  user_disabled: 'This account is disabled. Ask your administrator to enable it.',
  access_expired: 'Your access to this course has expired. Ask your administrator to extend it.',
  tenant_suspended: suspendedReason,
  session_superseded: 'The course was opened elsewhere. Continue there, or reopen it here.',
  session_ended: 'The session has ended. Open the course again.',
} as const satisfies Partial<Record<ErrorCode, string>>;
export type SessionEnd = keyof typeof sessionEnds;

/**
 * Codes for commits that are rejected permanently. When the page receives one of these codes, it deletes the
 * commit from its device and informs the learner.
 */
export const commitRejections = {
  enrolment_withdrawn: sessionEnds.enrolment_withdrawn,
  user_disabled: sessionEnds.user_disabled,
  results_too_late: 'The session ended too long ago for its results to be accepted.',
  session_exited: 'The learner left this session before the commit was made.',
  enrolment_erased: 'The data about this learner was erased.',
  validation_failed: 'The commit cannot be read, or its unit is not in the course.',
} as const satisfies Partial<Record<ErrorCode, string>>;
type CommitRejection = keyof typeof commitRejections;

export type SessionFacts = {
  status: string;
  expires_at: Date | null;
  launches: number;
  /** Number of the last launch that belongs to an earlier attempt. */
  attempt_launch: number;
  enabled: boolean;
  last_seen_at: Date;
  exit_number: number | null;
};

/** A session without a heartbeat for this long has ended. */
const heartbeatTimeoutMilliseconds = 24 * 3_600_000;

/** Whether the time at which a session was last seen is old enough to be written again, which is not free. */
export const isOverdue = (lastSeenAt: Date, now: Date) =>
  Math.abs(now.getTime() - lastSeenAt.getTime()) >= 60_000;

/** A session last seen before this time has ended. */
export const heartbeatDeadline = (now: Date) => new Date(now.getTime() - heartbeatTimeoutMilliseconds);

/** Why the learner no longer has access to the course; null if they still do. */
export function accessEnd(
  facts: Pick<SessionFacts, 'status' | 'enabled' | 'expires_at'>,
  now: Date,
): SessionEnd | null {
  if (facts.status === 'withdrawn') return 'enrolment_withdrawn';
  if (!facts.enabled) return 'user_disabled';
  return facts.expires_at !== null && facts.expires_at <= now ? 'access_expired' : null;
}

/** Why a launch's session has ended; null if it is open. */
export function sessionEnd(facts: SessionFacts, launch: number, now: Date): SessionEnd | null {
  const ended = accessEnd(facts, now);
  if (ended !== null) return ended;
  if (facts.launches !== launch) return 'session_superseded';
  if (launch <= facts.attempt_launch) return 'session_ended';
  return facts.last_seen_at < heartbeatDeadline(now) || facts.exit_number !== null ? 'session_ended' : null;
}

/** Why a commit is rejected permanently; null if its results count. Being superseded is not a reason. */
export function commitRejection(
  facts: SessionFacts,
  commit: { number: number },
  { now, lateDays, resumedAt }: { now: Date; lateDays: number; resumedAt: Date | null },
): CommitRejection | null {
  if (facts.status === 'withdrawn') return 'enrolment_withdrawn';
  if (!facts.enabled) return 'user_disabled';
  if (facts.exit_number !== null && commit.number > facts.exit_number) return 'session_exited';
  const silentAt = facts.last_seen_at.getTime() + heartbeatTimeoutMilliseconds;
  const endedAt = Math.min(silentAt, facts.expires_at?.getTime() ?? silentAt);
  // A device cannot send anything while its tenant is suspended.
  const lateSince = Math.max(endedAt, resumedAt?.getTime() ?? endedAt);
  return now.getTime() - lateSince > lateDays * 86_400_000 ? 'results_too_late' : null;
}

type Wanted = {
  enrollId: string;
  launch: number;
  launchId: string | null;
  number: number;
};

/** Only these columns are read. Reading the whole row would account for a tenth of the cost of a commit. */
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

/** A shared statement reads up to 20 units for each commit. The units of larger enrolments are read separately. */
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
  const [row] = await run<FactsRow>(ctx, facts, values);
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
type RefusedCommit = {
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
  await run(ctx, refuse, [ctx.tenantId, JSON.stringify([commit]), tenantNow(ctx)]);
}

/**
 * The data after a commit of the newest launch. `changedAt` is the time of that commit. The next
 * write is skipped if the enrolment has changed since then.
 */
export type CachedProgress = ProgressFacts &
  SessionFacts & {
    launch: number;
    user_id: string;
    launchId: string | null;
    changedAt: Date;
    /** The data that this commit stored, for the next one, which may contain only its changes. */
    stored: { unitId: string; launch: number; number: number; data: RunTimeData; bytes: number };
  };

/** Maximum number of cached enrolments. Without data, each takes about 1 kB, including the results of its units. */
const maxEntries = 4_000;
const maxCachedUnits = 20;
/** Of the data of all cached enrolments, as JSON. In memory, it takes about twice that. */
const maxBytes = 64 * 1024 ** 2;

const state = partOfState('progress_cache', () => ({ entries: new Map<string, CachedProgress>(), bytes: 0 }));
const keyOf = (ctx: TenantContext, enrollId: string) => `${ctx.tenantId} ${enrollId}`;

/**
 * Takes the data for the next commit of an open session out of the cache, so that the commit needs one statement instead
 * of two, and may change the data. Returns null for any other commit. The write checks that nothing has changed since.
 */
export function takeProgress(
  ctx: TenantContext,
  commit: { enrollId: string; launch: number; launchId: string | null; number: number },
): CachedProgress | null {
  const facts = state(ctx).entries.get(keyOf(ctx, commit.enrollId));
  if (!facts || commit.number !== facts.commits + 1) return null;
  if (commit.launch !== facts.launch || commit.launchId !== facts.launchId) return null;
  forgetProgress(ctx, commit.enrollId);
  return sessionEnd(facts, facts.launch, tenantNow(ctx)) === null ? facts : null;
}

export function cacheProgress(ctx: TenantContext, enrollId: string, facts: CachedProgress): void {
  const known = state(ctx);
  forgetProgress(ctx, enrollId);
  if (Object.keys(facts.units ?? {}).length > maxCachedUnits) return;
  known.entries.set(keyOf(ctx, enrollId), facts);
  known.bytes += facts.stored.bytes;
  for (const [oldest] of known.entries) {
    if (known.entries.size <= maxEntries && known.bytes <= maxBytes) return;
    forget(known, oldest);
  }
}

export function forgetProgress(ctx: TenantContext, enrollId: string): void {
  forget(state(ctx), keyOf(ctx, enrollId));
}

function forget(known: ReturnType<typeof state>, key: string): void {
  known.bytes -= known.entries.get(key)?.stored.bytes ?? 0;
  known.entries.delete(key);
}
