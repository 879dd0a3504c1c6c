import type { TenantContext } from '../../infra/context/context.ts';
import type { PersonalData } from '../../infra/context/personal-data.ts';
import { cancelMails } from '../mail/queue.ts';
import { unmatchablePasswordHash } from './passwords.ts';
import { toUser } from './users.ts';

export const userData: PersonalData = {
  name: 'User',
  tables: ['user', 'password_failure'],
  erased:
    'The record with LoginID, names, group, email address and its bounce, TimeFactor; the text that searches look through; the password hash; failed sign-ins.',
  retained: null,
  count: async () => 1,
  read: async function* (ctx, person) {
    // Select by user ID, because a user created later with the same LoginID is a different person.
    // After an erasure, there is no record.
    const row = await ctx.db
      .selectFrom('user')
      .selectAll()
      .where('tenant_id', '=', ctx.tenantId)
      .where('user_id', '=', person.userId)
      .executeTakeFirst();
    if (row) yield toUser(row);
  },
};

/** Ends access and removes the names, before anything else is erased. */
export async function closeUser(ctx: TenantContext, { userId }: { userId: string }): Promise<void> {
  await ctx.db
    .updateTable('user')
    .set({
      enabled: false,
      first_name: null,
      last_name: null,
      email: null,
      folded_email: null,
      sort_name: '',
      folded: '',
      email_bounced_at: null,
      email_bounce_reason: null,
      time_factor: 1,
      password_hash: unmatchablePasswordHash(),
      updated_at: ctx.now(),
    })
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', userId)
    .execute();
  await cancelMails(ctx, { userIds: [userId] });
}

/** The user record is deleted last, when nothing refers to it. */
export async function removeUser(ctx: TenantContext, { userId }: { userId: string }): Promise<void> {
  await ctx.db
    .deleteFrom('user')
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', userId)
    .execute();
}
