import type { Context } from '../../platform/context.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { eraseAnswersAboutTenant } from '../../platform/retries/stored-answers.ts';
import { appendAudit, deployment } from '../audit/append.ts';
import { withdrawOffers } from '../catalogue/offers-of-tenant.ts';
import { freeSeat } from '../catalogue/seats.ts';
import { listDeletions, lockTenant, removeTenant } from '../tenants/deletion.ts';
import { type OwnTable, ownTables } from './tables.ts';

/**
 * Transactions are short: others wait for the seats of one batch at most, and a killed process repeats one
 * batch at most.
 */
const batch = 500;

/** Until then another node may still have the tenant cached and write on the operator's behalf. */
const settledAfter = 10_000;

/** Job: deletes the data of deleted tenants; resumes after a crash. */
export async function finishDeletions(ctx: Context): Promise<void> {
  for (const tenantId of await listDeletions(ctx)) {
    for (const table of ownTables) await empty(ctx, tenantId, table);
    await eraseAnswersAboutTenant(ctx, tenantId);
    await finish(ctx, tenantId);
  }
}

async function empty(ctx: Context, tenantId: string, table: OwnTable): Promise<void> {
  while ((await transaction(ctx, (ctx) => deleteBatch(ctx, tenantId, table))) === batch);
}

type Gone = { course_id?: string; duration_id?: string; holds_seat?: boolean };

async function deleteBatch(ctx: Context, tenantId: string, { table, key }: OwnTable): Promise<number> {
  const columns = (alias: string) => ['tenant_id', ...key].map((name) => `${alias}.${name}`).join(', ');
  const gone = await run<Gone>(ctx, {
    text: `delete from "${table}" held where held.tenant_id = $1 and (${columns('held')}) in (
      select ${columns('old')} from "${table}" old where old.tenant_id = $1 limit ${batch})
      returning ${table === 'enrolment' ? 'held.course_id, held.duration_id, held.holds_seat' : '1'}`,
    values: [tenantId],
  });
  const seats = gone
    .filter((row) => row.holds_seat)
    .map((row) => [row.course_id ?? '', row.duration_id ?? '']);
  // In the same order in which enrolling locks them.
  for (const [course_id = '', duration_id = ''] of seats.sort())
    await freeSeat(ctx, { course_id, duration_id });
  return gone.length;
}

/** Rows written in the meantime are deleted with the tenant itself, whose lock prevents further writes. */
async function finish(ctx: Context, tenantId: string): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const tenant = await lockTenant(ctx, tenantId);
    if (tenant?.status !== 'deleting') return;
    if (ctx.now().getTime() - tenant.updated_at.getTime() < settledAfter) return;
    for (const table of ownTables) while ((await deleteBatch(ctx, tenantId, table)) === batch);
    await withdrawOffers(ctx, tenantId);
    await eraseAnswersAboutTenant(ctx, tenantId);
    await removeTenant(ctx, tenantId);
    const entry = { action: 'tenant.deletion_finished', targetId: tenantId, data: {} } as const;
    await appendAudit(ctx, deployment, entry);
  });
}
