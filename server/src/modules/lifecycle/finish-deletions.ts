import type { Context } from '../../platform/context.ts';
import { inBatches, readByIndex } from '../../platform/db/batches.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { type KeyPosition, positionOf, type Row } from '../../platform/keyset.ts';
import { eraseResponsesAboutTenant } from '../../platform/retries/stored-responses.ts';
import { appendAudit, deployment } from '../audit/append.ts';
import { withdrawOffers } from '../catalogue/offers-of-tenant.ts';
import { freeSeats } from '../catalogue/seats.ts';
import { listDeletions, lockTenant, removeTenant, takeDeletion } from '../tenants/deletion.ts';
import { type TenantDataTable, tenantTables } from './tables.ts';

/**
 * Maximum rows per transaction. While a transaction frees seats, other requests wait for the
 * options. After a crash, at most one transaction is repeated.
 */
const maxRows = 500;

/**
 * For this long, another node may still have the tenant in its cache and write tenant data for the operator.
 */
const settledAfter = 10_000;

/**
 * Job: deletes the data of deleted tenants, and resumes after a crash. Tenants that another node is deleting are left
 * to it. If the deletion fails for some tenants, throws after the others have been deleted.
 */
export async function finishDeletions(ctx: Context): Promise<void> {
  const failures: unknown[] = [];
  for (const tenantId of await listDeletions(ctx))
    await finishDeletion(ctx, tenantId).catch((error) => failures.push(error));
  if (failures.length > 0)
    throw new AggregateError(failures, 'The data of some deleted tenants could not be deleted.');
}

async function finishDeletion(ctx: Context, tenantId: string): Promise<void> {
  for (const table of tenantTables) if (!(await empty(ctx, tenantId, table))) return;
  await eraseResponsesAboutTenant(ctx, tenantId);
  await finish(ctx, tenantId);
}

/**
 * Each batch starts by scanning the rows that the previous batch deleted. This marks their index entries as
 * dead, so later scans skip them. Returns false if another node is deleting the tenant, or has deleted it.
 */
async function empty(ctx: Context, tenantId: string, table: TenantDataTable): Promise<boolean> {
  let places: [KeyPosition, KeyPosition] = [[], []];
  let isTaken = false;
  await inBatches(ctx, maxRows, async (ctx, rows) => {
    isTaken = await takeDeletion(ctx, tenantId);
    if (!isTaken) return 0;
    const [after, last] = places;
    const gone = await deleteBatch(ctx, tenantId, table, { after, rows });
    places = [last, positionOf(gone.at(-1), table.key)];
    return gone.length;
  });
  return isTaken;
}

type Batch = { after: KeyPosition; rows: number };

/** Deletes in primary-key order. */
async function deleteBatch(
  ctx: Context,
  tenantId: string,
  own: TenantDataTable,
  batch: Batch,
): Promise<Row[]> {
  // Sequential scans are ruled out, because the planner's statistics still describe the table before the
  // deletion.
  await readByIndex(ctx);
  const { after, rows } = batch;
  const text = deleteText(own, after.length > 0);
  const gone = await run<Row>(ctx, { text, values: [tenantId, rows, ...after] });
  if (own.table === 'enrolment') await freeSeatsOf(ctx, gone);
  return gone;
}

function deleteText({ table, key }: TenantDataTable, isAfter: boolean): string {
  const names = (alias: string) => ['tenant_id', ...key].map((name) => `${alias}.${name}`).join(', ');
  const place = key.map((_, at) => `$${at + 3}`).join(', ');
  const behind = isAfter ? `and (${key.map((name) => `old.${name}`).join(', ')}) > (${place})` : '';
  return `with gone as (
      delete from "${table}" held where held.tenant_id = $1 and (${names('held')}) in (
        select ${names('old')} from "${table}" old where old.tenant_id = $1 ${behind} order by ${names('old')} limit $2)
      returning ${names('held')}${table === 'enrolment' ? ', held.course_id, held.duration_id, held.holds_seat' : ''}
    )
    select gone.* from gone order by ${names('gone')}`;
}

/** Locks the options in the same order as enrolling does. */
async function freeSeatsOf(ctx: Context, gone: readonly Row[]): Promise<void> {
  const taken = Map.groupBy(
    gone.filter(({ holds_seat }) => holds_seat),
    ({ course_id, duration_id }) => JSON.stringify([course_id, duration_id]),
  );
  for (const option of [...taken.keys()].sort()) {
    const [course_id, duration_id]: [string, string] = JSON.parse(option);
    await freeSeats(ctx, { course_id, duration_id }, taken.get(option)?.length ?? 0);
  }
}

/**
 * Rows written in the meantime are deleted together with the tenant. The lock on the tenant prevents further
 * writes.
 */
async function finish(ctx: Context, tenantId: string): Promise<void> {
  await transaction(ctx, async (ctx) => {
    if (!(await takeDeletion(ctx, tenantId))) return;
    const tenant = await lockTenant(ctx, tenantId);
    if (tenant?.status !== 'deleting') return;
    if (ctx.now().getTime() - tenant.updated_at.getTime() < settledAfter) return;
    for (const table of tenantTables) {
      const gone = await deleteBatch(ctx, tenantId, table, { after: [], rows: maxRows });
      // If there are more rows, the next run deletes them.
      if (gone.length === maxRows) return;
    }
    await withdrawOffers(ctx, tenantId);
    await eraseResponsesAboutTenant(ctx, tenantId);
    await removeTenant(ctx, tenantId);
    const entry = { action: 'tenant.deletion_finished', targetId: tenantId, data: {} } as const;
    await appendAudit(ctx, deployment, entry);
  });
}
