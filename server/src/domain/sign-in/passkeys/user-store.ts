import { deleteOwn, ownRows, updateOwn } from '../../../db/own-rows.ts';
import { forTenant, run, transaction } from '../../../db/transaction.ts';
import type { Context } from '../../../infra/context/context.ts';
import { batchOf, type PersonalData } from '../../../infra/context/personal-data.ts';
import { derivedId } from '../../../lib/ids.ts';
import type { NewAudit } from '../../audit/actions.ts';
import { appendAudit } from '../../audit/chain.ts';
import { findAnyTenant } from '../../tenants/tenants.ts';
import { newToken } from '../../tenants/token.ts';
import { mailAccountChange } from '../../users/account-mails.ts';
import { endSessionsWithoutPasskey, lockForPasskeys } from '../../users/passkey-changes.ts';
import { nextStepOf } from '../second-factor.ts';
import type { SignedIn } from '../sessions.ts';
import { personActor } from '../sign-in-audit.ts';
import { findUserSession } from '../user-sessions.ts';
import { countsBefore, type PasskeyStore } from './store.ts';

const take = `
with held as (
  select own.challenge_hash from user_session own where own.tenant_id = $1 and own.session_hash = $2
    and own.challenge_for = $3 and own.challenge_until > $4 and own.challenge_hash is not null
  for no key update of own
)
update user_session used set challenge_hash = null from held
where used.tenant_id = $1 and used.session_hash = $2
returning held.challenge_hash`;

export function userStore(owner: SignedIn & { userId: string }, tenantId: string): PasskeyStore {
  const { userId, hash } = owner;
  const own = (ctx: Context) => ({ ...ctx, tenantId });
  const session = (ctx: Context) =>
    updateOwn(own(ctx), 'user_session', { session_hash: hash, ended_at: null });
  const rows = (ctx: Context) => updateOwn(own(ctx), 'passkey', { user_id: userId });
  return {
    owner,
    change: (ctx, work) => transaction(forTenant(ctx, tenantId), work),
    lock: (ctx) => lockForPasskeys(own(ctx), userId),
    nextStep: async (ctx) => {
      const found = await findUserSession(ctx, { tenantId, hash });
      return found?.is_admin ? nextStepOf(found) : 'ended';
    },
    list: (ctx) => listPasskeys(ctx, { tenantId, userId }),
    setChallenge: async (ctx, { hash: challenge_hash, purpose, until }) => {
      const challenge = { challenge_hash, challenge_for: purpose, challenge_until: until };
      await session(ctx).set(challenge).execute();
    },
    takeChallenge: async (ctx, purpose) => {
      const [taken] = await run<{ challenge_hash: string }>(ctx, take, [tenantId, hash, purpose, ctx.now()]);
      return taken?.challenge_hash ?? null;
    },
    insert: async (ctx, row) => {
      const made = await ctx.db
        .insertInto('passkey')
        .values({ tenant_id: tenantId, user_id: userId, ...row })
        .onConflict((conflict) => conflict.doNothing())
        .returning('passkey_id')
        .execute();
      return made.length > 0;
    },
    recordUse: async (ctx, { passkeyId, count }) => {
      const used = await rows(ctx)
        .set({ sign_count: count, last_used_at: ctx.now() })
        .where('passkey_id', '=', passkeyId)
        .where('sign_count', countsBefore(count), count)
        .returning('passkey_id')
        .execute();
      return used.length > 0;
    },
    rename: async (ctx, { passkeyId, name }) => {
      const renamed = rows(ctx).set({ name }).where('passkey_id', '=', passkeyId);
      return (await renamed.returning('passkey_id').execute()).length > 0;
    },
    remove: async (ctx, passkeyId) => {
      const removed = await deleteOwn(own(ctx), 'passkey', { user_id: userId, passkey_id: passkeyId })
        .returning('passkey_id')
        .execute();
      return removed.length > 0;
    },
    endOthers: (ctx) => endSessionsWithoutPasskey(own(ctx), { userId, sessionId: derivedId(hash) }),
    needsPasskey: async (ctx) => (await findAnyTenant(ctx, tenantId))?.second_factor === 'required',
    renew: async (ctx) => {
      const next = newToken(tenantId);
      const now = ctx.now();
      const renewed = await session(ctx)
        .set({ session_hash: next.hash, second_factor: 'passkey', signed_in_at: now, last_seen_at: now })
        .returning('user_id')
        .execute();
      return renewed.length > 0 ? next : null;
    },
    mail: (ctx, kind) => mailAccountChange(own(ctx), { userId, kind, isOwn: true }),
    audit: async (ctx, sessionHash, entry) => {
      const actor = personActor(ctx, { hash: sessionHash, userId, isAdmin: true });
      await appendAudit(ctx, tenantId, { ...entry, targetId: userId, actor } as NewAudit);
    },
  };
}

export function listPasskeys(ctx: Context, { tenantId, userId }: { tenantId: string; userId: string }) {
  return ownRows({ db: ctx.db, tenantId }, 'passkey', { user_id: userId })
    .selectAll()
    .orderBy('passkey_id')
    .execute();
}

/** A user has few passkeys, so one statement erases them all. */
export const passkeyData: PersonalData = {
  name: 'Passkeys',
  tables: ['passkey'],
  erased: 'Passkeys: their names and public keys.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    const erased = await deleteOwn(ctx, 'passkey', { user_id: userId }).returning('passkey_id').execute();
    return batchOf(erased.length);
  },
  count: async (ctx, { userId }) => (await listPasskeys(ctx, { tenantId: ctx.tenantId, userId })).length,
  read: async function* (ctx, { userId }) {
    for (const row of await listPasskeys(ctx, { tenantId: ctx.tenantId, userId }))
      yield {
        PasskeyID: row.passkey_id,
        Name: row.name,
        CredentialID: row.credential_id,
        PublicKey: row.public_key,
        SignCount: row.sign_count,
        Transports: row.transports,
        CreatedAt: row.created_at,
        LastUsedAt: row.last_used_at,
      };
  },
};
