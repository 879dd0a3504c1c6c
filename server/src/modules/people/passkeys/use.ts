import type { Context } from '../../../platform/context.ts';
import { auditFailure } from '../sign-in-audit.ts';
import { rejectWrongStep } from './challenge.ts';
import type { PasskeyAnswer } from './schemas.ts';
import type { PasskeyStore } from './store.ts';
import { passkeyRejected, verifyUse } from './verify.ts';

/** Checks the browser's answer. The returned function completes the sign-in and returns the session's new token. */
export async function usePasskey(
  ctx: Context,
  store: PasskeyStore,
  challengeHash: string,
  input: PasskeyAnswer,
): Promise<() => Promise<string>> {
  const passkey = (await store.list(ctx)).find((row) => row.credential_id === input.CredentialID);
  const count = passkey ? await verifyUse(ctx, challengeHash, { passkey, input }) : null;
  if (!passkey || count === null) return () => refuse(ctx, store);
  const complete = async (ctx: Context) => {
    // A new password, or the removal of the passkey, either ends this session or is found here.
    await store.lock(ctx);
    await rejectWrongStep(ctx, store, 'use');
    if (!(await store.recordUse(ctx, { passkeyId: passkey.passkey_id, count }))) return null;
    const renewed = await store.renew(ctx);
    if (!renewed) return null;
    await store.audit(ctx, renewed.hash, { action: 'sign_in.succeeded', data: { Method: 'passkey' } });
    return renewed.token;
  };
  return async () => (await store.change(ctx, complete)) ?? refuse(ctx, store);
}

async function refuse(ctx: Context, { owner }: PasskeyStore): Promise<never> {
  const { userId, session } = owner;
  const named = userId === null ? null : { user_id: userId, is_admin: true };
  await auditFailure(ctx, { tenantId: session.TenantID, method: 'passkey', named });
  throw passkeyRejected();
}
