import { run } from '../../platform/db/transaction.ts';
import type { PersonalData } from '../../platform/personal-data.ts';

/** Erased in one statement, so that no link can become a session in between. */
const erase = `
with unlinked as (
  delete from sign_in_link link where link.tenant_id = $1 and link.user_id = $2
)
delete from user_session held where held.tenant_id = $1 and held.user_id = $2 returning 1`;

export const sessionData: PersonalData = {
  name: 'Sessions',
  tables: ['sign_in_link', 'user_session', 'erasure'],
  erased: 'Sign-in links and sessions, with the browser (user agent). The person has been signed out.',
  kept: null,
  erase: async (ctx, { userId }) =>
    (await run(ctx, { name: 'erase_sessions', text: erase, values: [ctx.tenantId, userId] })).length,
  read: async function* (ctx, { userId }) {
    const rows = await ctx.db
      .selectFrom('user_session')
      .selectAll()
      .where('tenant_id', '=', ctx.tenantId)
      .where('user_id', '=', userId)
      .orderBy('signed_in_at')
      .execute();
    for (const row of rows)
      yield {
        SignedInAt: row.signed_in_at,
        LastSeenAt: row.last_seen_at,
        ExpiresAt: row.expires_at,
        EndedAt: row.ended_at,
        UserAgent: row.user_agent,
      };
  },
};
