import { inBatches, readByIndex } from '../../db/batches.ts';
import { countPages, type KeyPosition, positionOf, type Row } from '../../db/page.ts';
import { forTenant, run, transaction } from '../../db/transaction.ts';
import { countResponsesAboutTenant, eraseResponsesAboutTenant } from '../../infra/calls/stored-responses.ts';
import type { Context } from '../../infra/context/context.ts';
import { newId } from '../../lib/ids.ts';
import { appendAudit, deployment } from '../audit/chain.ts';
import { countOffers, deleteOwnCourses, withdrawOffers } from '../catalogue/offers-of-tenant.ts';
import { freeSeats } from '../catalogue/seats.ts';
import {
  invalidateTenant,
  listDeletions,
  lockTenant,
  markAsDeleting,
  rejectUnlessSuspended,
  removeTenant,
  takeDeletion,
} from '../tenants/deletion.ts';
import { findAnyTenant, tenantNotFound } from '../tenants/tenants.ts';
import { maxCounted, type TenantDeletion } from './schemas.ts';
import { publicName, type TenantDataTable, tenantTables } from './tables.ts';

const keptData = [
  {
    Data: 'DeploymentAudit',
    What: "This deletion's entry in the audit trail of the deployment, with these counts.",
    Why: 'It shows who deleted the tenant and when.',
  },
  {
    Data: 'Courses',
    What: 'Courses, releases and their files, except paths that the tenant made. The tenant is removed from the lists of tenants to which they are offered.',
    Why: 'They belong to the deployment.',
  },
  {
    Data: 'SignInGuesses',
    What: 'Wrong passwords from the last 15 minutes, stored under a keyed hash of tenant and LoginID.',
    Why: 'They limit password guessing and are deleted automatically.',
  },
  {
    Data: 'BackupsAndLogs',
    What: 'Existing backups and log files.',
    Why: 'They are outside the service. Delete them according to your own retention rules.',
  },
];

/** Rows per counting statement. With so few rows, the planner prefers an index to a sequential scan. */
const countBatchRows = 100;

/** Hides the tenant immediately; `finishDeletions` deletes its data. A plan only counts the data. */
export async function deleteTenant(
  ctx: Context,
  input: { tenantId: string; plan: boolean },
): Promise<TenantDeletion> {
  const { tenantId, plan } = input;
  const tenant = await findAnyTenant(ctx, tenantId);
  if (!tenant || (plan && tenant.status === 'deleting')) throw tenantNotFound();
  if (tenant.status === 'deleting') return tenant.deletion as TenantDeletion;
  if (!plan) rejectUnlessSuspended(tenant.status);
  const now = ctx.now();
  const receipt: TenantDeletion = {
    ReceiptID: plan ? null : newId(now),
    TenantID: tenantId,
    Plan: plan,
    StartedAt: plan ? null : now.toISOString(),
    Deleted: await countAll(ctx, tenantId),
    Kept: keptData,
  };
  if (plan) return receipt;
  const earlier = await transaction(ctx, async (ctx) => {
    const earlier = await markAsDeleting(ctx, tenantId, receipt);
    if (earlier) return earlier;
    await withdrawOffers(ctx, tenantId);
    const Deleted = receipt.Deleted.map(({ Data, Records }) => ({ Data, Records }));
    const data = { ReceiptID: receipt.ReceiptID ?? '', Deleted };
    await appendAudit(ctx, deployment, { action: 'tenant.deleted', targetId: tenantId, data });
    return null;
  });
  invalidateTenant(ctx, tenantId);
  await eraseResponsesAboutTenant(ctx, tenantId);
  return (earlier as TenantDeletion | null) ?? receipt;
}

type Count = Pick<TenantDeletion['Deleted'][number], 'Records' | 'More'>;

/** Converts a count that stops at one more than the maximum shown. */
const countOf = (records: number): Count => ({
  Records: Math.min(records, maxCounted),
  More: records > maxCounted,
});

async function countAll(ctx: Context, tenantId: string): Promise<TenantDeletion['Deleted']> {
  const max = maxCounted + 1;
  const counted: TenantDeletion['Deleted'] = [];
  for (const { table, key, what } of tenantTables) {
    const records = await countPages(forTenant(ctx, tenantId), { table, key, rows: countBatchRows }, max);
    counted.push({ Data: publicName(table), ...countOf(records), What: what });
  }
  return [
    ...counted,
    {
      Data: 'CourseOffer',
      ...countOf(await countOffers(ctx, tenantId)),
      What: "Courses' lists of tenants that include this tenant",
    },
    {
      Data: 'OperatorResponse',
      ...countOf(await countResponsesAboutTenant(ctx, { tenantId, max })),
      What: "Stored responses to the operator's requests about the tenant",
    },
  ];
}

/**
 * Maximum rows per transaction. While a transaction frees seats, other requests wait for the
 * options. After a crash, at most one transaction is repeated.
 */
const maxRows = 500;

/** For this long, another node may still have the tenant in its cache and write tenant data for the operator. */
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
  const gone = await run<Row>(ctx, text, [tenantId, rows, ...after]);
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
    await deleteOwnCourses(ctx, tenantId);
    await eraseResponsesAboutTenant(ctx, tenantId);
    await removeTenant(ctx, tenantId);
    const entry = { action: 'tenant.deletion_finished', targetId: tenantId, data: {} } as const;
    await appendAudit(ctx, deployment, entry);
  });
}
