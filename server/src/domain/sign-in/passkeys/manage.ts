import { deleteOwn, ownRows } from '../../../db/own-rows.ts';
import { transaction } from '../../../db/transaction.ts';
import { recordOf } from '../../../http/records.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { appendAudit } from '../../audit/chain.ts';
import { mailAccountChange } from '../../users/account-mails.ts';
import { requireScopesOf } from '../../users/administrators.ts';
import { endSessionsWithoutPasskey, lockForPasskeys } from '../../users/passkey-changes.ts';
import { findUserId, userNotFound } from '../../users/users.ts';
import { passkeyRequired } from '../second-factor.ts';
import { signedOut } from '../sessions.ts';
import { Passkey } from './schemas.ts';
import type { PasskeyRow, PasskeyStore } from './store.ts';
import { listPasskeys } from './user-store.ts';

export function toPasskey(row: PasskeyRow): Passkey {
  return recordOf(Passkey, row, {});
}

function notFound(): Problem {
  return new Problem('passkey_not_found', 'You have no such passkey. It may have been removed.');
}

/** Passkeys can only be listed and changed after one was used, if there is any. */
async function rejectPartial(ctx: Context, store: PasskeyStore): Promise<void> {
  const step = await store.nextStep(ctx);
  if (step === 'ended') throw signedOut();
  if (step !== null) throw passkeyRequired();
}

export async function listOwnPasskeys(ctx: Context, store: PasskeyStore): Promise<Passkey[]> {
  await rejectPartial(ctx, store);
  return (await store.list(ctx)).map(toPasskey);
}

type Naming = { passkeyId: string; name: string };

export function renamePasskey(ctx: Context, store: PasskeyStore, input: Naming): Promise<Passkey> {
  return store.change(ctx, async (ctx) => {
    await store.lock(ctx);
    await rejectPartial(ctx, store);
    if (!(await store.rename(ctx, input))) throw notFound();
    const row = (await store.list(ctx)).find(({ passkey_id }) => passkey_id === input.passkeyId);
    if (!row) throw notFound();
    await store.audit(ctx, store.owner.hash, { action: 'passkey.renamed', data: {} });
    return toPasskey(row);
  });
}

/** Removes the passkey and ends all other sessions, because one of them may be an attacker's. */
export function removePasskey(ctx: Context, store: PasskeyStore, passkeyId: string): Promise<void> {
  return store.change(ctx, async (ctx) => {
    await store.lock(ctx);
    await rejectPartial(ctx, store);
    if (!(await store.remove(ctx, passkeyId))) throw notFound();
    if ((await store.needsPasskey(ctx)) && (await store.list(ctx)).length === 0) throw lastPasskey();
    await store.endOthers(ctx);
    await store.mail(ctx, 'passkey_removed');
    await store.audit(ctx, store.owner.hash, { action: 'passkey.removed', data: { Passkeys: 1 } });
  });
}

function lastPasskey(): Problem {
  return new Problem(
    'last_passkey',
    'You need at least one passkey. Add another one before you remove this one.',
  );
}

async function requireUserId(ctx: TenantContext, loginId: string): Promise<string> {
  const userId = await findUserId(ctx, loginId);
  if (userId === null) throw userNotFound();
  return userId;
}

/** The passkeys of another user, for those who manage users. */
export async function listUserPasskeys(ctx: TenantContext, input: { loginId: string }): Promise<Passkey[]> {
  const userId = await requireUserId(ctx, input.loginId);
  return (await listPasskeys(ctx, { tenantId: ctx.tenantId, userId })).map(toPasskey);
}

/** For a user who lost their passkeys. Ends all of their sessions. */
export async function removeUserPasskeys(
  ctx: TenantContext,
  input: { loginId: string; Notify?: boolean },
): Promise<void> {
  const userId = await requireUserId(ctx, input.loginId);
  const { tenantId } = ctx;
  await transaction(ctx, async (ctx) => {
    await lockForPasskeys(ctx, userId);
    const user = await ownRows({ db: ctx.db, tenantId }, 'user', { user_id: userId })
      .select(['is_admin', 'admin_scopes'])
      .executeTakeFirst();
    if (!user) throw userNotFound();
    requireScopesOf(ctx, user, "Removing an administrator's passkeys");
    const removed = await deleteOwn({ db: ctx.db, tenantId }, 'passkey', { user_id: userId })
      .returning('passkey_id')
      .execute();
    if (removed.length === 0) return;
    await endSessionsWithoutPasskey(ctx, { userId, sessionId: null });
    if (input.Notify ?? true)
      await mailAccountChange(ctx, {
        userId,
        kind: 'passkey_removed',
        isOwn: ctx.actor.userId === userId,
        isAll: true,
      });
    const data = { Passkeys: removed.length };
    await appendAudit(ctx, tenantId, { action: 'passkey.removed', targetId: userId, data });
  });
}
