import { run, transaction } from '../../../db/transaction.ts';
import type { Context } from '../../../infra/context/context.ts';
import type { NewAudit } from '../../audit/actions.ts';
import { appendAudit, deployment } from '../../audit/chain.ts';
import { newToken } from '../../tenants/token.ts';
import { endOtherOperatorSessions, findOperatorSession, lockOperatorPasskeys } from '../operator-sessions.ts';
import { nextStepOf } from '../second-factor.ts';
import type { SignedIn } from '../sessions.ts';
import { operatorActor } from '../sign-in-audit.ts';
import { countsBefore, type PasskeyStore } from './store.ts';

const take = `
with held as (
  select own.challenge_hash from operator_session own where own.session_hash = $1
    and own.challenge_for = $2 and own.challenge_until > $3 and own.challenge_hash is not null
  for no key update of own
)
update operator_session used set challenge_hash = null from held
where used.session_hash = $1
returning held.challenge_hash`;

export function operatorStore(owner: SignedIn): PasskeyStore {
  const { hash } = owner;
  const session = (ctx: Context) =>
    ctx.db.updateTable('operator_session').where('session_hash', '=', hash).where('ended_at', 'is', null);
  return {
    owner,
    change: (ctx, work) => transaction(ctx, work),
    lock: lockOperatorPasskeys,
    nextStep: async (ctx) => {
      const found = await findOperatorSession(ctx, hash);
      return found ? nextStepOf(found) : 'ended';
    },
    list: (ctx) => ctx.db.selectFrom('operator_passkey').selectAll().orderBy('passkey_id').execute(),
    setChallenge: async (ctx, { hash: challenge_hash, purpose, until }) => {
      const challenge = { challenge_hash, challenge_for: purpose, challenge_until: until };
      await session(ctx).set(challenge).execute();
    },
    takeChallenge: async (ctx, purpose) => {
      const [taken] = await run<{ challenge_hash: string }>(ctx, take, [hash, purpose, ctx.now()]);
      return taken?.challenge_hash ?? null;
    },
    insert: async (ctx, row) => {
      const made = await ctx.db
        .insertInto('operator_passkey')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .returning('passkey_id')
        .execute();
      return made.length > 0;
    },
    recordUse: async (ctx, { passkeyId, count }) => {
      const used = await ctx.db
        .updateTable('operator_passkey')
        .set({ sign_count: count, last_used_at: ctx.now() })
        .where('passkey_id', '=', passkeyId)
        .where('sign_count', countsBefore(count), count)
        .returning('passkey_id')
        .execute();
      return used.length > 0;
    },
    rename: async (ctx, { passkeyId, name }) => {
      const renamed = ctx.db
        .updateTable('operator_passkey')
        .set({ name })
        .where('passkey_id', '=', passkeyId)
        .returning('passkey_id');
      return (await renamed.execute()).length > 0;
    },
    remove: async (ctx, passkeyId) => {
      const removed = ctx.db
        .deleteFrom('operator_passkey')
        .where('passkey_id', '=', passkeyId)
        .returning('passkey_id');
      return (await removed.execute()).length > 0;
    },
    endOthers: (ctx) => endOtherOperatorSessions(ctx, hash),
    needsPasskey: async (ctx) => ctx.config.operatorPasskeyRequired,
    renew: async (ctx) => {
      const next = newToken(null);
      const now = ctx.now();
      const renewed = await session(ctx)
        .set({ session_hash: next.hash, second_factor: 'passkey', signed_in_at: now, last_seen_at: now })
        .returning('signed_in_at')
        .execute();
      return renewed.length > 0 ? next : null;
    },
    mail: async () => {},
    audit: async (ctx, sessionHash, entry) => {
      const actor = operatorActor(ctx, sessionHash);
      await appendAudit(ctx, deployment, { ...entry, targetId: null, actor } as NewAudit);
    },
  };
}
