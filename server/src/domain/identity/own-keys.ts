import { sql } from 'kysely';
import { ownRows } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { grantedScopes, tenantScopes } from '../../infra/context/scopes.ts';
import { Problem } from '../../lib/errors.ts';
import { createKey } from './keys.ts';
import type { KeyWithSecret, NewKey } from './schemas.ts';

/** Maximum number of keys that are neither revoked nor expired, including those that the operator created. */
export const maxKeys = 100;

/** Creates a key for the caller's own tenant, by default with all scopes that the caller has. */
export async function createOwnKey(ctx: TenantContext, input: NewKey): Promise<KeyWithSecret> {
  const Scopes = input.Scopes ?? grantedScopes(ctx, tenantScopes);
  return transaction(ctx, async (ctx) => {
    const key = await createKey(ctx, { ...input, Scopes, tenantId: ctx.tenantId });
    await rejectExcessKey(ctx);
    return key;
  });
}

/** Call this after writing the audit entry: its lock makes concurrent calls count keys one after another. */
async function rejectExcessKey(ctx: TenantContext): Promise<void> {
  // The order makes PostgreSQL use the index of usable keys, regardless of its statistics.
  const end = sql<Date>`coalesce(expires_at, 'infinity')`;
  const rows = await ownRows(ctx, 'api_key', { revoked_at: null })
    .select('key_id')
    .where(end, '>', ctx.now())
    .orderBy(end)
    .limit(maxKeys + 1)
    .execute();
  if (rows.length > maxKeys)
    throw new Problem(
      'key_limit',
      `A tenant can have at most ${maxKeys} usable keys. Revoke those that are no longer needed.`,
    );
}
