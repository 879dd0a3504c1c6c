import { remember } from '../../platform/cache.ts';
import type { Context } from '../../platform/context.ts';
import type { Scope } from '../../platform/scopes.ts';

export type KnownKey = {
  keyId: string;
  tenantId: string | null;
  scopes: readonly Scope[];
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Of its tenant; null: a key of the operator. */
  tenantStatus: string | null;
};

/** Well below the 5 s within which a revocation or suspension must hold on every node. */
const rememberedFor = 3_000;

/** The key with this `secret_hash`, or null; remembered, so that a call costs no statement of its own. */
export const usableKey = remember<KnownKey | null>({
  milliseconds: rememberedFor,
  most: 10_000,
  load: (ctx, secretHash) => load(ctx, 'secret_hash', secretHash),
});

/** The key with this `key_id`, or null; for access tokens, which name their key. */
export const usableKeyById = remember<KnownKey | null>({
  milliseconds: rememberedFor,
  most: 10_000,
  load: (ctx, keyId) => load(ctx, 'key_id', keyId),
});

async function load(ctx: Context, column: 'secret_hash' | 'key_id', value: string): Promise<KnownKey | null> {
  const row = await ctx.db
    .selectFrom('api_key')
    .leftJoin('tenant', 'tenant.tenant_id', 'api_key.tenant_id')
    .select(['key_id', 'api_key.tenant_id', 'scopes', 'expires_at', 'revoked_at', 'last_used_at'])
    .select('tenant.status as tenant_status')
    .where(column, '=', value)
    .executeTakeFirst();
  if (!row) return null;
  noteUse(ctx, row.key_id, row.last_used_at);
  return {
    keyId: row.key_id,
    tenantId: row.tenant_id,
    scopes: row.scopes as Scope[],
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    tenantStatus: row.tenant_status,
  };
}

/** At most one write a minute for each key; a failed one is only a date that lags. */
function noteUse(ctx: Context, keyId: string, last: Date | null): void {
  const now = ctx.now();
  if (last && now.getTime() - last.getTime() < 60_000) return;
  ctx.db
    .updateTable('api_key')
    .set({ last_used_at: now })
    .where('key_id', '=', keyId)
    .execute()
    .catch((error: unknown) => ctx.log.warn({ err: error, key: keyId }, 'last use not noted'));
}
