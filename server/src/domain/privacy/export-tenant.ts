import { pagesOf, type Row } from '../../db/page.ts';
import { forTenant } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { appendAudit, deployment } from '../audit/chain.ts';
import { readTenant } from '../tenants/tenants.ts';
import { publicName, type TenantDataTable, tenantTables } from './tables.ts';

/** Rows read at a time. */
const rows = 200;

/**
 * All data of a tenant as NDJSON, one line per record, streamed in constant memory. Secrets and their hashes are left
 * out. Concurrent changes may or may not be included.
 */
export async function exportTenant(
  ctx: Context,
  input: { tenantId: string },
): Promise<AsyncGenerator<string>> {
  const tenant = await readTenant(ctx, input);
  const entry = { action: 'tenant.exported', targetId: tenant.TenantID, data: {} } as const;
  await appendAudit(ctx, deployment, entry);
  const lines = async function* () {
    yield line('Tenant', { ...tenant, ExportedAt: ctx.now() });
    for (const table of tenantTables) if (!table.notExported) yield* linesOf(ctx, input.tenantId, table);
  };
  return lines();
}

const line = (Type: string, Record: object) => `${JSON.stringify({ Type, Record })}\n`;

async function* linesOf(ctx: Context, tenantId: string, own: TenantDataTable): AsyncGenerator<string> {
  const type = publicName(own.table);
  const { table, key, bytes } = own;
  await ctx.checkCaller?.();
  for await (const found of pagesOf(forTenant(ctx, tenantId), { table, key, rows, bytes })) {
    yield found.map((row) => line(type, recordOf(row, own))).join('');
    await ctx.checkCaller?.();
  }
}

function recordOf(row: Row, { secrets = [] }: TenantDataTable): Row {
  const shown = Object.entries(row).filter(([name]) => name !== 'tenant_id' && !secrets.includes(name));
  return Object.fromEntries(shown.map(([name, value]) => [publicName(name), value]));
}
