import {
  abandoned,
  type LaunchedAu,
  type LmsStatement,
  satisfied,
} from '../../../../../../standards/cmi5/lms-statements.ts';
import type { SatisfiedNode } from '../../../../../../standards/cmi5/satisfaction.ts';
import { formatDuration } from '../../../../../../standards/durations.ts';
import { type Context, type TenantContext, tenantNow } from '../../../../infra/context/context.ts';
import { newId } from '../../../../lib/ids.ts';
import type { AuSessionRow, Registration } from '../../../enrolments/run-time/au-sessions.ts';
import type { OwnStatement } from '../../../lrs/au-session.ts';
import { accountOf, lmsAuthority } from '../../../lrs/identity.ts';
import { storeStatements } from '../../../lrs/store-statements.ts';
import { activityIdOf } from './identity.ts';

export function registrationOf(ctx: Context, { login_id, enroll_id }: Registration) {
  return { account: accountOf(ctx, login_id), registration: enroll_id };
}

/** The cast is safe: `standards/cmi5` builds valid statements. */
export function toStatements(ctx: TenantContext, statements: readonly LmsStatement[]): OwnStatement[] {
  const authority = lmsAuthority(ctx);
  return statements.map(
    (statement) => ({ id: newId(tenantNow(ctx)), ...statement, authority }) as OwnStatement,
  );
}

/** Must be the last step of the transaction, because it blocks all other writers of the tenant's statements. */
export async function storeLmsStatements(
  ctx: TenantContext,
  statements: readonly LmsStatement[],
): Promise<void> {
  const own = { authority: lmsAuthority(ctx), edition: '1.0.3' as const };
  await storeStatements(ctx, { ...own, statements: toStatements(ctx, statements) });
}

/** Returns statements for blocks and courses that have just been satisfied. */
export function satisfiedStatements(
  ctx: TenantContext,
  registration: Registration,
  { nodes, sessionId }: { nodes: readonly SatisfiedNode[]; sessionId: string },
): LmsStatement[] {
  const at = tenantNow(ctx);
  return nodes.map((node) => {
    const activityId = activityIdOf(ctx, registration.course_id, node.id);
    return satisfied(registrationOf(ctx, registration), node, { at, sessionId, activityId });
  });
}

/** The time from the launch to the AU's last statement (section 9.5.4.2). */
export function secondsOf({ opened_at, last_statement_at }: AuSessionRow): number {
  return ((last_statement_at ?? opened_at).getTime() - opened_at.getTime()) / 1_000;
}

export function abandonedStatement(
  ctx: TenantContext,
  registration: Registration,
  session: AuSessionRow,
): LmsStatement {
  const about: Pick<LaunchedAu, 'sessionId' | 'publisherId' | 'activityId'> = {
    sessionId: session.session_id,
    publisherId: session.unit_id,
    activityId: activityIdOf(ctx, registration.course_id, session.unit_id),
  };
  const duration = formatDuration(secondsOf(session));
  return abandoned(registrationOf(ctx, registration), about, { at: tenantNow(ctx), duration });
}
