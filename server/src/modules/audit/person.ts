import type { TenantContext } from '../../platform/context.ts';

/** More enrolments than anybody has. */
const maxEnrolments = 200;

/** `hasMore`: not all enrolments are listed. */
export type Person = { userId: string; enrolments: string[]; hasMore: boolean };

/** What the log and the trail know a person by; null: nobody has this LoginID. */
export async function findPerson(ctx: TenantContext, loginId: string): Promise<Person | null> {
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
