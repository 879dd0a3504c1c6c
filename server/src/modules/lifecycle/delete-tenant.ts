import type { Context } from '../../platform/context.ts';
import { forTenant } from '../../platform/db/owners.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { countPages } from '../../platform/keyset.ts';
import {
  countResponsesAboutTenant,
  eraseResponsesAboutTenant,
} from '../../platform/retries/stored-responses.ts';
import { appendAudit, deployment } from '../audit/append.ts';
import { countOffers, withdrawOffers } from '../catalogue/offers-of-tenant.ts';
import { invalidateTenant, markAsDeleting, rejectUnlessSuspended } from '../tenants/deletion.ts';
import { findAnyTenant, tenantNotFound } from '../tenants/tenants.ts';
import { maxCounted, type TenantDeletion } from './schemas.ts';
import { publicName, tenantTables } from './tables.ts';

const keptData = [
  {
    Data: 'DeploymentAudit',
    What: "This deletion's entry in the audit trail of the deployment, with these counts.",
    Why: 'It shows who deleted the tenant and when.',
  },
  {
    Data: 'Courses',
    What: 'Courses, releases and their files. The tenant is removed from the lists of tenants to which they are offered.',
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
