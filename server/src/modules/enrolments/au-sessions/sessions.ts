import type { AuVerb, LaunchMode } from '../../../../../standards/cmi5/vocabulary.ts';
import { tenantNow } from '../../../platform/clocks.ts';
import type { TenantContext } from '../../../platform/context.ts';
import { run } from '../../../platform/db/transaction.ts';

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
  known.login_id, known.enabled, enrolment.status, enrolment.expires_at, enrolment.launches`;

const ofEnrolment = `
from enrolment join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id`;

/** Locks the learner first, like all other transactions. Otherwise, an erasure could cause a deadlock. */
const lockText = `
with known as materialized (
  select learner.user_id, learner.login_id, learner.enabled from "user" learner
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
  const values = [ctx.tenantId, enrollId];
  const [row] = await run<Registration>(ctx, { name: 'lock_registration', text: lockText, values });
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
  const values = [ctx.tenantId, enrollId, sessionId];
  const [row] = await run<Registration & AuSessionRow>(ctx, {
    name: 'read_au_session',
    text: readText,
    values,
  });
  return row ?? null;
}

export async function hasAuSessions(ctx: TenantContext, enrollId: string): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('au_session')
    .select('session_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the latest launch in which each unit was opened, by UnitID. */
export async function readLastOpenings(ctx: TenantContext, enrollId: string): Promise<Map<string, number>> {
  const rows = await ctx.db
    .selectFrom('au_session')
    .select(({ fn }) => ['unit_id', fn.max('launch').as('launch')])
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .groupBy('unit_id')
    .execute();
  return new Map(rows.map(({ unit_id, launch }) => [unit_id, launch]));
}

export type NewAuSession = Pick<AuSessionRow, 'unit_id' | 'launch' | 'mode'> & {
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
  const rows = await ctx.db
    .updateTable('au_session')
    .set({ ended_at: tenantNow(ctx), ended_by: 'abandoned', token_hash: null })
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .where('ended_at', 'is', null)
    .returningAll()
    .execute();
  return rows as unknown as AuSessionRow[];
}

/** Issues the session's token once. Returns false if it already has one or has ended. */
export async function setAuToken(
  ctx: TenantContext,
  { enrollId, sessionId, tokenHash }: Handle & { tokenHash: string },
): Promise<boolean> {
  const rows = await ctx.db
    .updateTable('au_session')
    .set({ token_hash: tokenHash })
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .where('session_id', '=', sessionId)
    .where('token_hash', 'is', null)
    .where('ended_at', 'is', null)
    .returning('session_id')
    .execute();
  return rows.length > 0;
}

/** Changes caused by statements or by reading documents. */
export type AuSessionChange = {
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
  await ctx.db
    .updateTable('au_session')
    .set({
      ...(prepared && { prepared }),
      ...(verbs && { verbs }),
      ...(isStatement && { last_statement_at: now }),
      ...(isTerminated && { ended_at: now, ended_by: 'terminated', token_hash: null }),
    })
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .where('session_id', '=', sessionId)
    .execute();
}
