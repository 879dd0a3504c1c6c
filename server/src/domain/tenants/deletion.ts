import { deleteOwn, ownRows, updateOwn } from '../../db/own-rows.ts';
import { run } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { knownBranding } from './branding.ts';
import { knownTenant, tenantNotFound } from './tenants.ts';

/** The tenant's status, and the receipt if it is being deleted. The row stays locked until the transaction ends. */
export async function lockTenant(ctx: Context, tenantId: string) {
  const row = await ownRows({ db: ctx.db, tenantId }, 'tenant')
    .select(['status', 'deletion', 'updated_at'])
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Hides the tenant immediately. Returns the receipt of an earlier call, if there was one. */
export async function markAsDeleting(ctx: Context, tenantId: string, receipt: object): Promise<unknown> {
  const tenant = await lockTenant(ctx, tenantId);
  if (!tenant) throw tenantNotFound();
  if (tenant.status === 'deleting') return tenant.deletion;
  rejectUnlessSuspended(tenant.status);
  await updateOwn({ db: ctx.db, tenantId }, 'tenant')
    .set({ status: 'deleting', deletion: JSON.stringify(receipt), updated_at: ctx.now() })
    .execute();
  return null;
}

export function rejectUnlessSuspended(status: string): void {
  if (status === 'suspended') return;
  throw new Problem(
    'tenant_not_suspended',
    'Only a suspended tenant can be deleted. Suspend it first: send "Status": "suspended" with PUT /tenant/{TenantID}.',
  );
}

export function invalidateTenant(ctx: Context, tenantId: string): void {
  knownTenant.forget(ctx, tenantId);
  knownBranding.forget(ctx, tenantId);
}

export async function listDeletions(ctx: Context): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('tenant')
    .select('tenant_id')
    .where('status', '=', 'deleting')
    .orderBy('updated_at')
    .execute();
  return rows.map((row) => row.tenant_id);
}

const takeText = `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken`;

/**
 * Whether this transaction may delete the tenant's data. Until it ends, no other transaction may, because two nodes
 * that delete the same rows can deadlock. The status is read after taking the lock: another node may have removed the
 * tenant in the meantime, and a new tenant may have its ID.
 */
export async function takeDeletion(ctx: Context, tenantId: string): Promise<boolean> {
  const [lock] = await run<{ taken: boolean }>(ctx, takeText, [`deletion ${tenantId}`]);
  if (!lock?.taken) return false;
  const tenant = await ownRows({ db: ctx.db, tenantId }, 'tenant').select('status').executeTakeFirst();
  return tenant?.status === 'deleting';
}

export async function removeTenant(ctx: Context, tenantId: string): Promise<void> {
  await deleteOwn({ db: ctx.db, tenantId }, 'tenant').execute();
}
