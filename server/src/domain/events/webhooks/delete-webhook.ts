import { deleteOwn, updateOwn } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { audit } from '../../audit/chain.ts';
import { toWebhook, webhookNotFound } from './record.ts';
import type { Webhook } from './schemas.ts';
import { readWebhookRow } from './webhooks.ts';

const batchSize = 500;

const deleteSome = `
delete from webhook_delivery gone where gone.tenant_id = $1 and gone.webhook_id = $2
  and gone.delivery_id = any(array(
    select held.delivery_id from webhook_delivery held
    where held.tenant_id = $1 and held.webhook_id = $2 order by held.status, held.number limit ${batchSize}
  )) returning 1`;

type WebhookHandle = { webhookId: string };

/** Deletes one batch. Returns true if there may be more. */
async function deleteBatch(ctx: TenantContext, { webhookId }: WebhookHandle): Promise<boolean> {
  return (await run(ctx, deleteSome, [ctx.tenantId, webhookId])).length === batchSize;
}

/**
 * Disables the endpoint, so nothing more is sent or created. A repeated call continues where an
 * interrupted one stopped.
 */
async function stop(ctx: TenantContext, { webhookId }: WebhookHandle): Promise<void> {
  await updateOwn(ctx, 'webhook', { webhook_id: webhookId })
    .set({ status: 'disabled', disabled_reason: 'client' })
    .execute();
}

/** Returns false if there are new deliveries because the endpoint was enabled again. */
function remove(ctx: TenantContext, input: WebhookHandle): Promise<boolean> {
  const { webhookId } = input;
  return transaction(ctx, async (ctx) => {
    await stop(ctx, input);
    if (await deleteBatch(ctx, input)) return false;
    const { numDeletedRows } = await deleteOwn(ctx, 'webhook', { webhook_id: webhookId }).executeTakeFirst();
    if (numDeletedRows === 0n) throw webhookNotFound();
    await audit(ctx, 'webhook.deleted', webhookId);
    return true;
  });
}

export async function emptyWebhook(ctx: TenantContext, input: WebhookHandle): Promise<void> {
  await stop(ctx, input);
  while (await deleteBatch(ctx, input));
}

/** Deletes an endpoint. It stops immediately. Its deliveries (up to 30 days old) are deleted first, in batches. */
export async function deleteWebhook(ctx: TenantContext, input: WebhookHandle): Promise<Webhook> {
  const before = await readWebhookRow(ctx, input);
  do await emptyWebhook(ctx, input);
  while (!(await remove(ctx, input)));
  return toWebhook(before);
}
