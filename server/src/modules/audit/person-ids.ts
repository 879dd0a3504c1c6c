import type { TenantContext } from '../../platform/context.ts';

/** Maximum number of enrolments read for a person. No one is expected to have more. */
const maxEnrolments = 200;

/** `hasMore` is true if the list of enrolments is incomplete. */
export type PersonIds = { userId: string; enrolments: string[]; hasMore: boolean };

/**
 * The IDs by which the event log and the audit trail refer to a person; null if no user has this LoginID. The
 * module `users` has the same look-up, but this module must not import it.
 */
export async function findPersonIds(ctx: TenantContext, loginId: string): Promise<PersonIds | null> {
  const user = await ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', loginId)
    .executeTakeFirst();
  if (!user) return null;
  const rows = await ctx.db
    .selectFrom('enrolment')
    .select('enroll_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', user.user_id)
    .orderBy('enroll_id')
    .limit(maxEnrolments + 1)
    .execute();
  const enrolments = rows.slice(0, maxEnrolments).map(({ enroll_id }) => enroll_id);
  return { userId: user.user_id, enrolments, hasMore: rows.length > maxEnrolments };
}
