import { countTenantRows, countUpToSql, rowsOf } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';

/**
 * The range makes the planner read the rows in the order of the user's index. Links are deleted first, so that none
 * becomes a session.
 */
const eraseLinks = `
delete from sign_in_link link where link.tenant_id = $1 and link.link_hash = any(array(
  select sign_in_link.link_hash from sign_in_link where sign_in_link.tenant_id = $1 and sign_in_link.user_id between $2 and $2
  order by sign_in_link.user_id limit ${batchRows}
)) returning 1`;

const eraseSessions = `
delete from user_session gone where gone.tenant_id = $1 and gone.session_hash = any(array(
  select user_session.session_hash from user_session where user_session.tenant_id = $1 and user_session.user_id between $2 and $2
  order by user_session.user_id limit ${batchRows}
)) returning 1`;

type SessionRow = {
  signed_in_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  ended_at: Date | null;
  user_agent: string | null;
};

export const sessionData: PersonalData = {
  name: 'Sessions',
  tables: ['sign_in_link', 'user_session', 'erasure', 'erasure_under_way', 'erasure_enrolment'],
  erased: 'Sign-in links and sessions, with the browser (user agent). The person has been signed out.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    const values = [ctx.tenantId, userId];
    const links = await run(ctx, eraseLinks, values);
    if (links.length === batchRows) return { records: 0, next: [] };
    return batchOf((await run(ctx, eraseSessions, values)).length);
  },
  count: (ctx, { userId, max }) =>
    countTenantRows(ctx, countUpToSql({ table: 'user_session', column: 'user_id', key: 'expires_at' }), [
      [userId],
      max,
    ]),
  read: async function* (ctx, { userId }) {
    const key = ['session_hash'];
    const keyset = { table: 'user_session', of: { user_id: userId }, key, rows: 200 };
    for await (const row of rowsOf<SessionRow>(ctx, keyset))
      yield {
        SignedInAt: row.signed_in_at,
        LastSeenAt: row.last_seen_at,
        ExpiresAt: row.expires_at,
        EndedAt: row.ended_at,
        UserAgent: row.user_agent,
      };
  },
};
