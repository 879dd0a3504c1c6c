import { batchOf, type PersonalData } from '../../../platform/personal-data.ts';
import { listPasskeys } from './user-store.ts';

/** A user has few passkeys, so one statement erases them all. */
export const passkeyData: PersonalData = {
  name: 'Passkeys',
  tables: ['passkey'],
  erased: 'Passkeys: their names and public keys.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    const erased = await ctx.db
      .deleteFrom('passkey')
      .where('tenant_id', '=', ctx.tenantId)
      .where('user_id', '=', userId)
      .returning('passkey_id')
      .execute();
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
