import {
  type AuRecord,
  isSatisfied,
  nothingReported,
  recordOf,
} from '../../../../../standards/cmi5/satisfaction.ts';
import type { AuVerb, LaunchMode, MoveOn } from '../../../../../standards/cmi5/vocabulary.ts';
import { playable } from '../../../../../standards/evidence.ts';
import { ownRows, updateOwn } from '../../../db/own-rows.ts';
import { run } from '../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { playableContent } from '../../catalogue/playable.ts';
import { readUnitsWithData } from '../record/units.ts';

/** The enrolment and the learner of an AU's session. */
export type Registration = {
  enroll_id: string;
  course_id: string;
  release_id: string | null;
  user_id: string;
  login_id: string;
  enabled: boolean;
  status: string;
  expires_at: Date | null;
  launches: number;
  /** The enrolment's or the user's; 0: no time limits. */
  time_factor: number;
};

export type AuSessionRow = {
  session_id: string;
  unit_id: string;
  launch: number;
  mode: LaunchMode | 'Waived';
  token_hash: string | null;
  prepared: boolean;
  verbs: AuVerb[];
  opened_at: Date;
  last_statement_at: Date | null;
  ended_at: Date | null;
};

const registrationColumns = `enrolment.enroll_id, enrolment.course_id, enrolment.release_id, enrolment.user_id,
  known.login_id, known.enabled, enrolment.status, enrolment.expires_at, enrolment.launches,
  coalesce(enrolment.time_factor, known.time_factor) as time_factor`;

const ofEnrolment = `
from enrolment join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id`;

/** Locks the learner first, like all other transactions. Otherwise, an erasure could cause a deadlock. */
const lockText = `
with known as materialized (
  select learner.user_id, learner.login_id, learner.enabled, learner.time_factor from "user" learner
  where learner.tenant_id = $1 and learner.user_id = (
    select own.user_id from enrolment own where own.tenant_id = $1 and own.enroll_id = $2
  ) for key share
)
select ${registrationColumns} from known, enrolment
where enrolment.user_id = known.user_id and enrolment.tenant_id = $1 and enrolment.enroll_id = $2 for update of enrolment`;

/**
 * Locks the enrolment until the transaction ends, so that a registration's statements and launches are processed one at
 * a time. Returns null after an erasure.
 */
export async function lockRegistration(ctx: TenantContext, enrollId: string): Promise<Registration | null> {
  const [row] = await run<Registration>(ctx, lockText, [ctx.tenantId, enrollId]);
  return row ?? null;
}

const readText = `
select ${registrationColumns}, opened.session_id, opened.unit_id, opened.launch, opened.mode, opened.token_hash,
  opened.prepared, opened.verbs, opened.opened_at, opened.last_statement_at, opened.ended_at
${ofEnrolment}
join au_session opened on opened.tenant_id = $1 and opened.enroll_id = $2 and opened.session_id = $3
where enrolment.tenant_id = $1 and enrolment.enroll_id = $2`;

type Handle = { enrollId: string; sessionId: string };

export async function readAuSession(
  ctx: TenantContext,
  { enrollId, sessionId }: Handle,
): Promise<(Registration & AuSessionRow) | null> {
  const [row] = await run<Registration & AuSessionRow>(ctx, readText, [ctx.tenantId, enrollId, sessionId]);
  return row ?? null;
}

export async function hasAuSessions(ctx: TenantContext, enrollId: string): Promise<boolean> {
  const row = await ownRows(ctx, 'au_session', { enroll_id: enrollId })
    .select('session_id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the latest launch in which each unit was opened, by UnitID. */
export async function readLastOpenings(ctx: TenantContext, enrollId: string): Promise<Map<string, number>> {
  const rows = await ownRows(ctx, 'au_session', { enroll_id: enrollId })
    .select(({ fn }) => ['unit_id', fn.max('launch').as('launch')])
    .groupBy('unit_id')
    .execute();
  return new Map(rows.map(({ unit_id, launch }) => [unit_id, launch]));
}

type NewAuSession = Pick<AuSessionRow, 'unit_id' | 'launch' | 'mode'> & {
  enrollId: string;
  sessionId: string;
  tokenHash?: string;
};

/** A waiver is a session that ends immediately. */
export async function insertAuSession(ctx: TenantContext, opened: NewAuSession): Promise<void> {
  const now = tenantNow(ctx);
  const isWaiver = opened.mode === 'Waived';
  await ctx.db
    .insertInto('au_session')
    .values({
      tenant_id: ctx.tenantId,
      enroll_id: opened.enrollId,
      session_id: opened.sessionId,
      unit_id: opened.unit_id,
      launch: opened.launch,
      mode: opened.mode,
      token_hash: opened.tokenHash ?? null,
      opened_at: now,
      ended_at: isWaiver ? now : null,
      ended_by: isWaiver ? 'waived' : null,
    })
    .execute();
}

/** Ends and returns the open sessions of a registration. There is at most one. */
export async function abandonAuSessions(ctx: TenantContext, enrollId: string): Promise<AuSessionRow[]> {
  const rows = await updateOwn(ctx, 'au_session', { enroll_id: enrollId, ended_at: null })
    .set({ ended_at: tenantNow(ctx), ended_by: 'abandoned', token_hash: null })
    .returningAll()
    .execute();
  return rows as unknown as AuSessionRow[];
}

/** Issues the session's token once. Returns false if it already has one or has ended. */
export async function setAuToken(
  ctx: TenantContext,
  { enrollId, sessionId, tokenHash }: Handle & { tokenHash: string },
): Promise<boolean> {
  const rows = await updateOwn(ctx, 'au_session', {
    enroll_id: enrollId,
    session_id: sessionId,
    token_hash: null,
    ended_at: null,
  })
    .set({ token_hash: tokenHash })
    .returning('session_id')
    .execute();
  return rows.length > 0;
}

/** Changes caused by statements or by reading documents. */
type AuSessionChange = {
  prepared?: true;
  verbs?: AuVerb[];
  isStatement?: true;
  isTerminated?: boolean;
};

export async function updateAuSession(
  ctx: TenantContext,
  { enrollId, sessionId }: Handle,
  { prepared, verbs, isStatement, isTerminated }: AuSessionChange,
): Promise<void> {
  const now = tenantNow(ctx);
  await updateOwn(ctx, 'au_session', { enroll_id: enrollId, session_id: sessionId })
    .set({
      ...(prepared && { prepared }),
      ...(verbs && { verbs }),
      ...(isStatement && { last_statement_at: now }),
      ...(isTerminated && { ended_at: now, ended_by: 'terminated', token_hash: null }),
    })
    .execute();
}

/**
 * Maximum bytes that the AUs of an enrolment can store. A statement takes about 1 kB, and SCORM units may store 1 MiB
 * each.
 */
export const maxAuBytes = 64 * 1024 ** 2;

/** Bytes that only launches and statements with a new result may use, so that other data cannot displace them. */
const reservedBytes = 8 * 1024 ** 2;

const take = `update enrolment set au_bytes = greatest(au_bytes + $3, 0)
where tenant_id = $1 and enroll_id = $2 and ($3 <= 0 or au_bytes + $3 <= $4) returning 1`;

/**
 * Counts bytes against the enrolment's limit, or frees them if `bytes` is negative. Runs in the transaction that stores
 * them.
 */
export async function countStorage(
  ctx: TenantContext,
  enrollId: string,
  { bytes, isReserved }: { bytes: number; isReserved: boolean },
): Promise<void> {
  const values = [ctx.tenantId, enrollId, bytes, isReserved ? maxAuBytes + reservedBytes : maxAuBytes];
  const taken = await run(ctx, take, values);
  if (taken.length > 0) return;
  throw new Problem(
    'storage_limit',
    `The units of an enrolment can store at most ${maxAuBytes / 1024 ** 2} MiB of statements, attachments and documents. Replace documents instead of adding new ones.`,
  );
}

/** Reads what the AUs of a registration have reported so far, by UnitID. */
export async function readRecords(ctx: TenantContext, enrollId: string): Promise<Map<string, AuRecord>> {
  const units = await readUnitsWithData(ctx, enrollId);
  return new Map(units.map(({ unit_id, data }) => [unit_id, recordOf(data)]));
}

export type AuProgress = Omit<AuRecord, 'seconds' | 'progress' | 'answers'> & {
  unitId: string;
  title: string;
  moveOn: MoveOn;
  isSatisfied: boolean;
};

/**
 * Returns each AU of an enrolment's release with its `moveOn` criterion and what it has reported.
 * Returns an empty list for other standards.
 */
export async function readAus(
  ctx: TenantContext,
  { enrollId, releaseId }: { enrollId: string; releaseId: string | null },
): Promise<AuProgress[]> {
  const { standard, tree } = await playableContent(ctx, releaseId);
  if (standard !== 'cmi5') return [];
  const records = await readRecords(ctx, enrollId);
  return playable(tree.Units).flatMap(({ UnitID, Title, AssignableUnit }) => {
    if (!AssignableUnit) return [];
    const { seconds: _, progress: __, answers: ___, ...record } = records.get(UnitID) ?? nothingReported;
    const moveOn = AssignableUnit.MoveOn;
    const satisfied = isSatisfied(moveOn, records.get(UnitID) ?? nothingReported);
    return [{ unitId: UnitID, title: Title, moveOn, isSatisfied: satisfied, ...record }];
  });
}
