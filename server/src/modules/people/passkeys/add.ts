import type { Context } from '../../../platform/context.ts';
import { Problem } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { signedOut } from '../sessions.ts';
import { rejectWrongStep } from './challenge.ts';
import { toPasskey } from './manage.ts';
import { maxPasskeys, type NewPasskey, type Passkey } from './schemas.ts';
import type { PasskeyStore } from './store.ts';
import { passkeyRejected, verifyNew } from './verify.ts';

type Added = { passkey: Passkey; token: string };

/**
 * Checks the browser's answer. The returned function adds the passkey, which proves the second factor for this session,
 * and returns the session's new token.
 */
export async function addPasskey(
  ctx: Context,
  store: PasskeyStore,
  challengeHash: string,
  input: NewPasskey,
): Promise<() => Promise<Added>> {
  const verified = await verifyNew(ctx, challengeHash, input);
  if (!verified) throw passkeyRejected();
  const row = {
    ...verified,
    passkey_id: newId(ctx.now()),
    name: input.Name,
    transports: input.Transports ?? [],
    created_at: ctx.now(),
    last_used_at: null,
  };
  return () =>
    store.change(ctx, async (ctx) => {
      await store.lock(ctx);
      // Another session of the same person may have added the first passkey meanwhile.
      await rejectWrongStep(ctx, store, 'add');
      if ((await store.list(ctx)).length >= maxPasskeys) throw tooMany();
      if (!(await store.insert(ctx, row))) throw passkeyRejected();
      const renewed = await store.renew(ctx);
      if (!renewed) throw signedOut();
      await store.mail(ctx, 'passkey_added');
      await store.audit(ctx, renewed.hash, { action: 'passkey.added', data: {} });
      return { passkey: toPasskey(row), token: renewed.token };
    });
}

function tooMany(): Problem {
  return new Problem(
    'passkey_limit',
    `You can have at most ${maxPasskeys} passkeys. Remove one that you no longer use.`,
  );
}
