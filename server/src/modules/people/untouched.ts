import type { TenantContext } from '../../platform/context.ts';
import type { Person } from '../../platform/personal-data.ts';
import { requireUntouched } from '../users/untouched.ts';
import { userNotFound } from '../users/users.ts';
import { allPersonalData } from './all-personal-data.ts';

/** Data that remains after a user is created or an enrolment is withdrawn before its first launch. */
const ofCreation = ['Enrolments', 'Deliveries', 'Events', 'User'];

/**
 * Throws `touched` unless the user was created within the last hour and has had no changes or activity since.
 */
export async function requireUntouchedUser(ctx: TenantContext, person: Person): Promise<void> {
  const user = await ctx.db
    .selectFrom('user')
    .select(['created_at', 'updated_at'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', person.userId)
    .executeTakeFirst();
  if (!user) throw userNotFound();
  const enrolment = await findEnrolment(ctx, person);
  const isUsed = (enrolment?.launches ?? 0) > 0 || (await hasOtherData(ctx, person));
  const isEnrolled = enrolment !== undefined;
  requireUntouched(ctx, { createdAt: user.created_at, changedAt: user.updated_at, isUsed, isEnrolled });
}

/**
 * The enrolment with the most launches. Ignores enrolments withdrawn before their first launch, for example
 * by the same undo.
 */
async function findEnrolment(ctx: TenantContext, { userId }: Person) {
  return ctx.db
    .selectFrom('enrolment')
    .select('launches')
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', userId)
    .where((is) => is.or([is('status', '<>', 'withdrawn'), is('launches', '>', 0)]))
    .orderBy('launches', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function hasOtherData(ctx: TenantContext, { userId, isAdmin }: Person): Promise<boolean> {
  for (const { name, count } of allPersonalData) {
    if (ofCreation.includes(name)) continue;
    // The audit trail records that an administrator was created.
    const expected = name === 'AuditTrail' && isAdmin ? 1 : 0;
    if ((await count(ctx, { userId, enrollIds: [], max: 2 })) > expected) return true;
  }
  return false;
}
