import type { Selectable } from 'kysely';
import type { ApiKeyTable } from '../../db/engine/generated.ts';
import { transaction } from '../../db/transaction.ts';
import { foreignCursor, type PageQuery, pageLimit, readCursor, toPage } from '../../http/pagination.ts';
import type { Context } from '../../infra/context/context.ts';
import { isScope, requireScope, scopes, tenantScopes } from '../../infra/context/scopes.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { isId, newId, newSecret, sha256 } from '../../lib/ids.ts';
import { appendAudit, deployment } from '../audit/chain.ts';
import { readCreators } from '../audit/list.ts';
import { usableKey, usableKeyById } from './known-keys.ts';
import type { Key, KeyWithSecret, NewKey } from './schemas.ts';

/**
 * Creates a key for a tenant, or for the operator if `tenantId` is null. The key cannot have a scope that the
 * caller lacks. The secret is not stored.
 */
export async function createKey(
  ctx: Context,
  input: NewKey & { tenantId: string | null; secret?: string },
): Promise<KeyWithSecret> {
  const allowed = input.tenantId === null ? scopes : tenantScopes;
  const wanted = input.Scopes ?? [...allowed];
  const excess = wanted.find((scope) => !allowed.includes(scope));
  if (excess) throw invalid('Scopes', `A tenant's key cannot have the scope ${excess}. Leave it out.`);
  const expiresAt = input.ExpiresAt ? new Date(input.ExpiresAt) : null;
  if (expiresAt !== null && expiresAt <= ctx.now())
    throw invalid('ExpiresAt', 'ExpiresAt must be in the future.');
  for (const scope of wanted) requireScope(ctx, scope, `Creating a key with the scope ${scope}`);
  const secret = input.secret ?? newSecret('lectern');
  const key = await transaction(ctx, async (ctx) => {
    const row = await ctx.db
      .insertInto('api_key')
      .values({
        key_id: newId(ctx.now()),
        tenant_id: input.tenantId,
        name: input.Name,
        secret_hash: sha256(secret),
        scopes: wanted,
        created_at: ctx.now(),
        expires_at: expiresAt,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await appendAudit(ctx, input.tenantId ?? deployment, {
      action: 'key.created',
      targetId: row.key_id,
      data: { Scopes: wanted, ExpiresAt: row.expires_at?.toISOString() ?? null },
    });
    return toKey(ctx, row);
  });
  return { ...key, Secret: secret };
}

export async function listKeys(ctx: Context, input: PageQuery & { tenantId: string }) {
  const limit = pageLimit(input);
  const after = readCursor(input);
  let query = ctx.db.selectFrom('api_key').selectAll().where('tenant_id', '=', input.tenantId);
  if (after !== null && !isId(after)) throw foreignCursor();
  if (after !== null) query = query.where('key_id', '>', after);
  const rows = await query
    .orderBy('key_id')
    .limit(limit + 1)
    .execute();
  const toRecord = await recordsOf(ctx, input.tenantId, rows);
  return toPage(rows, limit, (row) => row.key_id, toRecord);
}

/**
 * Revokes a key. Revoking it again changes nothing. If `tenantId` is undefined, the key may belong to any
 * tenant or to the operator.
 */
export async function revokeKey(ctx: Context, input: { keyId: string; tenantId?: string }): Promise<Key> {
  const row = isId(input.keyId) ? await transaction(ctx, (ctx) => revoke(ctx, input)) : undefined;
  if (!row)
    throw new Problem(
      'key_not_found',
      `The key ${input.keyId} does not exist. List the keys to find the right one.`,
    );
  usableKey.forget(ctx, row.secret_hash);
  usableKeyById.forget(ctx, row.key_id);
  return toKey(ctx, row);
}

async function revoke(ctx: Context, input: { keyId: string; tenantId?: string }) {
  const before = await ctx.db
    .selectFrom('api_key')
    .selectAll()
    .where('key_id', '=', input.keyId)
    .$if(input.tenantId !== undefined, (query) => query.where('tenant_id', '=', input.tenantId ?? ''))
    .forUpdate()
    .executeTakeFirst();
  if (!before || before.revoked_at) return before;
  const revoked_at = ctx.now();
  await ctx.db.updateTable('api_key').set({ revoked_at }).where('key_id', '=', before.key_id).execute();
  await appendAudit(ctx, before.tenant_id ?? deployment, {
    action: 'key.revoked',
    targetId: before.key_id,
    data: {},
  });
  return { ...before, revoked_at };
}

/** Creates the operator's first key on an empty database. Returns null if a key already exists. */
export async function bootstrapKey(ctx: Context, secret: string | null): Promise<KeyWithSecret | null> {
  const first = await ctx.db
    .selectFrom('api_key')
    .select('key_id')
    .where('tenant_id', 'is', null)
    .limit(1)
    .execute();
  if (first.length > 0) return null;
  return createKey(ctx, { tenantId: null, Name: 'bootstrap', ...(secret ? { secret } : {}) });
}

type Row = Selectable<ApiKeyTable>;

async function toKey(ctx: Context, row: Row): Promise<Key> {
  return (await recordsOf(ctx, row.tenant_id, [row]))(row);
}

async function recordsOf(ctx: Context, tenantId: string | null, rows: readonly Row[]) {
  const targetIds = rows.map(({ key_id }) => key_id);
  const creators = await readCreators(ctx, tenantId ?? deployment, { action: 'key.created', targetIds });
  return (row: Row): Key => {
    const creator = creators.get(row.key_id);
    return {
      KeyID: row.key_id,
      TenantID: row.tenant_id,
      Name: row.name,
      Scopes: row.scopes.filter(isScope),
      CreatedAt: row.created_at.toISOString(),
      CreatedBy: creator?.by ?? null,
      CreatorLoginID: creator?.loginId ?? null,
      ExpiresAt: row.expires_at?.toISOString() ?? null,
      LastUsedAt: row.last_used_at?.toISOString() ?? null,
      RevokedAt: row.revoked_at?.toISOString() ?? null,
    };
  };
}
