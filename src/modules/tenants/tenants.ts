import type { Selectable } from 'kysely';
import { remember } from '../../platform/cache.ts';
import type { Context } from '../../platform/context.ts';
import type { TenantTable } from '../../platform/db/generated.ts';
import { differences } from '../../platform/differences.ts';
import { Problem } from '../../platform/errors.ts';
import { containing, type PageQuery, pageLimit, readCursor, toPage } from '../../platform/pagination.ts';
import type { NewTenant, PasswordHash, Tenant, TenantChange } from './schemas.ts';

/** Creates a tenant. An existing one with the same fields is answered as it is (a safe retry). */
export async function createTenant(
  ctx: Context,
  input: NewTenant,
): Promise<{ tenant: Tenant; isNew: boolean }> {
  const now = ctx.now();
  const tenantId = input.TenantID.normalize('NFC');
  const row = await ctx.db
    .insertInto('tenant')
    .values({
      tenant_id: tenantId,
      name: input.Name ?? tenantId,
      password_hash: input.PasswordHash ?? 'opaque',
      return_origins: input.ReturnOrigins ?? null,
      frame_origins: input.FrameOrigins ?? null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  knownTenant.forget(ctx, tenantId);
  if (row) return { tenant: toTenant(row), isNew: true };
  const tenant = await readTenant(ctx, { tenantId });
  const differs = differences({ ...input, TenantID: tenantId }, tenant);
  if (differs.length > 0)
    throw new Problem(
      'tenant_exists',
      `The tenant exists, and differs in ${differs.join(', ')}. Use PUT to change it.`,
      {
        differs,
      },
    );
  return { tenant, isNew: false };
}

export async function readTenant(ctx: Context, input: { tenantId: string }): Promise<Tenant> {
  const row = await ctx.db
    .selectFrom('tenant')
    .selectAll()
    .where('tenant_id', '=', input.tenantId)
    .executeTakeFirst();
  if (!row) throw new Problem('tenant_not_found', 'The tenant does not exist. Create it with POST /tenant.');
  return toTenant(row);
}

export async function listTenants(ctx: Context, input: PageQuery & { Search?: string }) {
  const limit = pageLimit(input);
  const after = readCursor(input);
  let query = ctx.db.selectFrom('tenant').selectAll();
  if (after !== null) query = query.where('tenant_id', '>', after);
  const { Search } = input;
  if (Search !== undefined)
    query = query.where((where) =>
      where.or([where('tenant_id', 'ilike', containing(Search)), where('name', 'ilike', containing(Search))]),
    );
  const rows = await query
    .orderBy('tenant_id')
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit, (row) => row.tenant_id, toTenant);
}

/** Changes what is sent; what is not mentioned stays. */
export async function updateTenant(
  ctx: Context,
  input: TenantChange & { tenantId: string },
): Promise<Tenant> {
  const row = await ctx.db
    .updateTable('tenant')
    .set({
      updated_at: ctx.now(),
      ...(input.Name !== undefined && { name: input.Name }),
      ...(input.PasswordHash !== undefined && { password_hash: input.PasswordHash }),
      ...(input.ReturnOrigins !== undefined && { return_origins: input.ReturnOrigins }),
      ...(input.FrameOrigins !== undefined && { frame_origins: input.FrameOrigins }),
    })
    .where('tenant_id', '=', input.tenantId)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new Problem('tenant_not_found', 'The tenant does not exist. Create it with POST /tenant.');
  knownTenant.forget(ctx, input.tenantId);
  return toTenant(row);
}

/** The tenant, or null; remembered for a few seconds, so that a call costs no statement of its own. */
export const knownTenant = remember<Tenant | null>({
  milliseconds: 3_000,
  most: 10_000,
  load: (ctx, tenantId) =>
    readTenant(ctx, { tenantId }).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'tenant_not_found') return null;
      throw error;
    }),
});

function toTenant(row: Selectable<TenantTable>): Tenant {
  return {
    TenantID: row.tenant_id,
    Name: row.name,
    PasswordHash: row.password_hash as PasswordHash,
    ReturnOrigins: row.return_origins,
    FrameOrigins: row.frame_origins,
    CreatedAt: row.created_at.toISOString(),
    UpdatedAt: row.updated_at.toISOString(),
  };
}
