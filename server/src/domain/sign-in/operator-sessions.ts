import { run, transaction } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import type { NewAudit } from '../audit/actions.ts';
import { appendAudit, deployment } from '../audit/chain.ts';
import { newToken } from '../tenants/token.ts';
import { newSessionTimes, sessionTimes, type Times } from './cookie.ts';
import { deleteOperatorLinks } from './operator-links.ts';
import { type Factors, nextStepOf } from './second-factor.ts';
import { operatorActor } from './sign-in-audit.ts';

const open = `
with cleaned as (delete from operator_session old where old.expires_at <= $2)
insert into operator_session (session_hash, signed_in_at, last_seen_at, expires_at, user_agent)
values ($1, $2, $2, $3, $4)`;

export async function openOperatorSession(
  ctx: Context,
  input: { userAgent: string | null; removesPasskeys?: boolean },
): Promise<string> {
  const { token, hash } = newToken(null);
  await transaction(ctx, async (ctx) => {
    // Passkeys are locked before the audit trail, as when one of them is changed.
    const removed = input.removesPasskeys ? await removeAllOfOperator(ctx) : 0;
    await run(ctx, open, [hash, ...newSessionTimes(ctx), input.userAgent]);
    if (removed > 0) await endOtherOperatorSessions(ctx, hash);
    const actor = operatorActor(ctx, hash);
    const entries: NewAudit[] = [{ action: 'operator.signed_in', targetId: null, data: {}, actor }];
    if (removed > 0)
      entries.push({ action: 'passkey.removed', targetId: null, data: { Passkeys: removed }, actor });
    await appendAudit(ctx, deployment, ...entries);
  });
  return token;
}

const read = `
with found as (
  select operator_session.signed_in_at, operator_session.last_seen_at, operator_session.expires_at, operator_session.second_factor,
    exists (select from operator_passkey) as has_passkey, $5::boolean as needs_passkey
  from operator_session
  where operator_session.session_hash = $1 and operator_session.ended_at is null and operator_session.expires_at > $2 and operator_session.last_seen_at > $3
), noted as (
  update operator_session set last_seen_at = $2 from found
  where operator_session.session_hash = $1 and found.last_seen_at <= $4
)
select * from found`;

export type OperatorSession = Times & Factors;

export async function findOperatorSession(ctx: Context, hash: string): Promise<OperatorSession | null> {
  const [row] = await run<OperatorSession>(ctx, read, [
    hash,
    ...sessionTimes(ctx),
    ctx.config.operatorPasskeyRequired,
  ]);
  return row ?? null;
}

const end = `
with own as (
  select operator_session.session_hash from operator_session where operator_session.session_hash = $1 and operator_session.ended_at is null
)
update operator_session set ended_at = $2 from own
where operator_session.ended_at is null and (operator_session.session_hash = own.session_hash or $3::boolean)
returning 1`;

/** Ends this session, or all operator sessions and unused links if this one is still valid. */
export async function endOperatorSessions(
  ctx: Context,
  input: { hash: string; everywhere: boolean },
): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const session = input.everywhere ? await findOperatorSession(ctx, input.hash) : null;
    const everywhere = session !== null && nextStepOf(session) === null;
    const ended = await run(ctx, end, [input.hash, ctx.now(), everywhere]);
    if (!everywhere || ended.length === 0) return;
    const actor = operatorActor(ctx, input.hash);
    await appendAudit(ctx, deployment, { action: 'sessions.ended', targetId: null, data: {}, actor });
    await deleteOperatorLinks(ctx);
  });
}

/** Changes to the operator's passkeys are rare, so they may wait for each other. */
const lockPasskeys = 'lock table operator_passkey in share row exclusive mode';

export async function lockOperatorPasskeys(ctx: Context): Promise<void> {
  await run(ctx, lockPasskeys);
}

/** Returns how many passkeys the operator had. */
async function removeAllOfOperator(ctx: Context): Promise<number> {
  await lockOperatorPasskeys(ctx);
  return (await ctx.db.deleteFrom('operator_passkey').returning('passkey_id').execute()).length;
}

export async function endOtherOperatorSessions(ctx: Context, hash: string): Promise<void> {
  await ctx.db
    .updateTable('operator_session')
    .set({ ended_at: ctx.now() })
    .where('ended_at', 'is', null)
    .where('session_hash', '<>', hash)
    .execute();
}
