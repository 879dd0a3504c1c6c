import type { Context } from '../../platform/context.ts';
import { forTenant } from '../../platform/db/lines.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { countPages } from '../../platform/keyset.ts';
import { countAnswersAboutTenant, eraseAnswersAboutTenant } from '../../platform/retries/stored-answers.ts';
import { appendAudit, deployment } from '../audit/append.ts';
import { countOffers, withdrawOffers } from '../catalogue/offers-of-tenant.ts';
import { forgetTenant, hideTenant, refuseUnlessSuspended } from '../tenants/deletion.ts';
import { findAnyTenant, tenantNotFound } from '../tenants/tenants.ts';
import type { TenantDeletion } from './schemas.ts';
import { ownTables, publicName } from './tables.ts';

const kept = [
  {
    Data: 'DeploymentAudit',
    What: "This deletion's entry in the audit trail of the deployment, with these counts.",
    Why: 'It shows who deleted the tenant and when.',
  },
  {
    Data: 'Courses',
    What: 'Courses, releases and their files. The tenant is removed from the lists of tenants they are offered to.',
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

/** Rows of a statement that counts: for so few, an index is cheaper than the whole of a table. */
const countedAtOnce = 100;
/** Of the operator's requests of a day. */
const mostAnswers = 1_000;

/** Hides the tenant immediately; `finishDeletions` deletes its data. A plan only counts. */
export async function deleteTenant(
  ctx: Context,
  input: { tenantId: string; plan: boolean },
): Promise<TenantDeletion> {
  const { tenantId, plan } = input;
  const tenant = await findAnyTenant(ctx, tenantId);
  if (!tenant || (plan && tenant.status === 'deleting')) throw tenantNotFound();
  if (tenant.status === 'deleting') return tenant.deletion as TenantDeletion;
  if (!plan) refuseUnlessSuspended(tenant.status);
  const now = ctx.now();
  const receipt: TenantDeletion = {
    ReceiptID: plan ? null : newId(now),
    TenantID: tenantId,
    Plan: plan,
    StartedAt: plan ? null : now.toISOString(),
    Deleted: await countAll(ctx, tenantId),
    Kept: kept,
  };
  if (plan) return receipt;
  const earlier = await transaction(ctx, async (ctx) => {
    const earlier = await hideTenant(ctx, tenantId, receipt);
    if (earlier) return earlier;
    await withdrawOffers(ctx, tenantId);
    const Deleted = receipt.Deleted.map(({ Data, Records }) => ({ Data, Records }));
    const data = { ReceiptID: receipt.ReceiptID ?? '', Deleted };
    await appendAudit(ctx, deployment, { action: 'tenant.deleted', targetId: tenantId, data });
    return null;
  });
  forgetTenant(ctx, tenantId);
  await eraseAnswersAboutTenant(ctx, tenantId);
  return (earlier as TenantDeletion | null) ?? receipt;
}

async function countAll(ctx: Context, tenantId: string): Promise<TenantDeletion['Deleted']> {
  const counted: TenantDeletion['Deleted'] = [];
  for (const { table, key, what } of ownTables) {
    const Records = await countPages(forTenant(ctx, tenantId), { table, key, rows: countedAtOnce });
    counted.push({ Data: publicName(table), Records, What: what });
  }
  const Records = await countOffers(ctx, tenantId);
  return [
    ...counted,
    { Data: 'CourseOffer', Records, What: "Courses' lists of tenants that name this tenant" },
    {
      Data: 'OperatorAnswer',
      Records: await countAnswersAboutTenant(ctx, { tenantId, most: mostAnswers }),
      What: "Stored responses to the operator's requests that named the tenant",
    },
  ];
}
