import type { Context } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { appendAudit, deployment } from '../audit/append.ts';
import { readTenant } from '../tenants/tenants.ts';
import { type OwnTable, ownTables, publicName } from './tables.ts';

/** Rows read at a time. Rows with run-time data can have 1 MiB each. */
const page = 200;
const largePage = 4;

/**
 * All data of a tenant as NDJSON, one line per record, streamed in constant memory. Secrets and their hashes
 * are left out. Concurrent changes may or may not be included.
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
    for (const table of ownTables) if (!table.notExported) yield* linesOf(ctx, input.tenantId, table);
  };
  return lines();
}

type Row = Record<string, unknown>;

const line = (Type: string, Record: object) => `${JSON.stringify({ Type, Record })}\n`;

async function* linesOf(ctx: Context, tenantId: string, own: OwnTable): AsyncGenerator<string> {
  const type = publicName(own.table);
  let after: unknown[] | null = null;
  do {
    await ctx.checkCaller?.();
    const rows: Row[] = await readPage(ctx, tenantId, own, after);
    if (rows.length > 0) yield rows.map((row) => line(type, recordOf(row, own))).join('');
    const last: Row | undefined = rows.length === rowsOf(own) ? rows.at(-1) : undefined;
    after = last && own.key.length > 0 ? own.key.map((name) => last[name]) : null;
  } while (after);
}

const rowsOf = ({ hasLargeRows }: OwnTable) => (hasLargeRows ? largePage : page);

function readPage(ctx: Context, tenantId: string, own: OwnTable, after: unknown[] | null) {
  const { table, key } = own;
  const columns = key.map((name) => `held.${name}`).join(', ');
  const place = key.map((_, index) => `$${index + 2}`).join(', ');
  const beyond = after ? `and (${columns}) > (${place})` : '';
  const order = columns ? `order by ${columns}` : '';
  const text = `select held.* from "${table}" held where held.tenant_id = $1 ${beyond} ${order} limit ${rowsOf(own)}`;
  return run<Row>(ctx, { text, values: [tenantId, ...(after ?? [])] });
}

function recordOf(row: Row, { secrets = [] }: OwnTable): Row {
  const shown = Object.entries(row).filter(([name]) => name !== 'tenant_id' && !secrets.includes(name));
  return Object.fromEntries(shown.map(([name, value]) => [publicName(name), value]));
}
