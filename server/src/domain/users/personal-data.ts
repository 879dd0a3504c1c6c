import { deleteOwn, ownRows, updateOwn } from '../../db/own-rows.ts';
import { countTenantRows } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';
import { appendEvents } from '../events/append.ts';
import { cancelMails } from '../mail/queue.ts';
import { unmatchablePasswordHash } from './passwords.ts';
import { toUser } from './users.ts';

export const userData: PersonalData = {
  name: 'User',
  tables: ['user', 'user_group', 'password_failure'],
  erased:
    'The record with LoginID, names, groups, manager, attributes, email address and its bounce, TimeFactor; the text that searches look through; the password hash; failed sign-ins.',
  retained: null,
  count: async () => 1,
  read: async function* (ctx, person) {
    // Select by user ID, because a user created later with the same LoginID is a different person.
    // After an erasure, there is no record.
    const row = await ownRows(ctx, 'user', { user_id: person.userId }).selectAll().executeTakeFirst();
    if (row) yield toUser(row);
  },
};

const teamText = `
select 1 from "user" member where member.tenant_id = $1 and member.manager_login_id = (
  select own.login_id from "user" own where own.tenant_id = $1 and own.user_id = $2::uuid
) limit $3`;

const leaveTeam = `
with team as (
  select own.user_id from "user" own where own.tenant_id = $1 and own.manager_login_id = $2
  order by own.login_id limit ${batchRows} for update
)
update "user" account set manager_login_id = null, updated_at = $3 from team
where account.tenant_id = $1 and account.user_id = team.user_id
returning account.user_id, account.login_id`;

/** The people whose manager is erased. Each of them gets an event, so that others notice who has no manager. */
export const teamData: PersonalData = {
  name: 'Team',
  tables: [],
  erased: 'The ManagerLoginID of the people in the team.',
  retained: null,
  eraseForUser: async (ctx, { loginId }) => {
    const values = [ctx.tenantId, loginId, tenantNow(ctx)];
    const rows = await run<{ user_id: string; login_id: string }>(ctx, leaveTeam, values);
    await appendEvents(
      ctx,
      rows.map(({ user_id: userId, login_id: LoginID }) => ({
        type: 'user.updated',
        userId,
        data: { LoginID, Changed: ['ManagerLoginID'] },
      })),
    );
    return batchOf(rows.length);
  },
  count: (ctx, { userId, max }) => countTenantRows(ctx, teamText, [userId, max]),
  read: async function* (ctx, { loginId }) {
    let after = '';
    for (let rows = batchRows; rows === batchRows; ) {
      const page = await ownRows(ctx, 'user', { manager_login_id: loginId })
        .select('login_id')
        .where('login_id', '>', after)
        .orderBy('login_id')
        .limit(batchRows)
        .execute();
      yield* page.map(({ login_id }) => ({ LoginID: login_id }));
      rows = page.length;
      after = page.at(-1)?.login_id ?? after;
    }
  },
};

/** Ends access and removes the names, before anything else is erased. */
export async function closeUser(ctx: TenantContext, { userId }: { userId: string }): Promise<void> {
  await updateOwn(ctx, 'user', { user_id: userId })
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
      manager_login_id: null,
      attributes: '{}',
      password_hash: unmatchablePasswordHash(),
      updated_at: ctx.now(),
    })
    .execute();
  await cancelMails(ctx, { userIds: [userId] });
}

/** The user record is deleted last, when nothing refers to it. */
export async function removeUser(ctx: TenantContext, { userId }: { userId: string }): Promise<void> {
  await deleteOwn(ctx, 'user', { user_id: userId }).execute();
}
