import type { Selectable } from 'kysely';
import type { ApiKeyTable } from '../../db/engine/generated.ts';
import { forAnyone, run } from '../../db/transaction.ts';
import { createCache } from '../../infra/context/cache.ts';
import type { Context } from '../../infra/context/context.ts';
import type { Scope } from '../../infra/context/scopes.ts';

export type KnownKey = {
  keyId: string;
  tenantId: string | null;
  scopes: readonly Scope[];
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Null for an operator's key. */
  tenantStatus: string | null;
};

/** Well below the 5 s within which a revocation or suspension must take effect on every node. */
const cacheMilliseconds = 3_000;

/** The key with this `secret_hash`, or null. Cached, so most calls need no query. */
export const usableKey = createCache<KnownKey | null>({
  name: 'keys_by_secret',
  milliseconds: cacheMilliseconds,
  max: 10_000,
  load: (ctx, secretHash) => load(ctx, 'secret_hash', secretHash),
});

/** The key with this `key_id`, or null. For access tokens, which contain the KeyID. */
export const usableKeyById = createCache<KnownKey | null>({
  name: 'keys_by_id',
  milliseconds: cacheMilliseconds,
  max: 10_000,
  load: (ctx, keyId) => load(ctx, 'key_id', keyId),
});

type Row = Pick<
  Selectable<ApiKeyTable>,
  'key_id' | 'tenant_id' | 'scopes' | 'expires_at' | 'revoked_at' | 'last_used_at'
> & { tenant_status: string | null };

const textBy = (column: 'secret_hash' | 'key_id') => `
select used.key_id, used.tenant_id, used.scopes, used.expires_at, used.revoked_at, used.last_used_at,
  client.status as tenant_status
from api_key used left join tenant client on client.tenant_id = used.tenant_id
where used.${column} = $1`;

async function load(ctx: Context, column: 'secret_hash' | 'key_id', value: string): Promise<KnownKey | null> {
  const [row] = await run<Row>(ctx, textBy(column), [value]);
  if (!row) return null;
  recordUse(ctx, row.key_id, row.last_used_at);
  return {
    keyId: row.key_id,
    tenantId: row.tenant_id,
    scopes: row.scopes as Scope[],
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    tenantStatus: row.tenant_status,
  };
}

const use = `
update api_key set last_used_at = $2 where api_key.key_id = (
  select used.key_id from api_key used where used.key_id = $1 for no key update skip locked)`;

/**
 * Writes at most once a minute for each key. If the write fails, only the time of last use is out of date.
 * The write uses none of the connections that look-ups of all tenants' keys need.
 */
function recordUse(ctx: Context, keyId: string, last: Date | null): void {
  const now = ctx.now();
  if (last && now.getTime() - last.getTime() < 60_000) return;
  run(forAnyone(ctx), use, [keyId, now]).catch((error: unknown) =>
    ctx.log.warn({ err: error, key: keyId }, 'could not update the last use of a key'),
  );
}
