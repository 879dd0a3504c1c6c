import { after, test } from 'node:test';
import { sql } from 'kysely';
import { movableClock } from '../../../test/support/clock.ts';
import { readMetrics } from '../../../test/support/metrics.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { untilMatching } from '../../../test/support/until.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { startDispatcher } from '../events/webhooks/dispatcher.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.0/8' } });
after(service.close);

/** Waits for the expected value, because metrics are cached for a while. */
function figure(name: string, isRight: (value: number) => boolean): Promise<number> {
  return untilMatching(async () => {
    clock.advance({ seconds: 16 });
    return (await readMetrics(service)).get(name) ?? Number.NaN;
  }, isRight);
}

const isZero = (value: number) => value === 0;
const endpoints = (state: string) => `lectern_webhook_endpoints{state="${state}"}`;

test('metrics show events waiting for endpoints, the number and age of pending deliveries, and endpoints by state', async () => {
  const tenant = await newTenant(service);
  const receiver = await startReceiver();
  receiver.answer((response) => void response.writeHead(500).end());
  const made = await tenant.api('POST', '/webhook', { URL: receiver.url, Types: ['user.created'] });
  expectStatus(made, 201);
  const { WebhookID } = made.body;
  await figure(endpoints('enabled'), (value) => value === 1);
  await figure('lectern_events_undelivered_seconds', isZero);
  const LoginID = await tenant.user();
  await figure('lectern_events_undelivered_seconds', (value) => value >= 16);
  await figure('lectern_webhook_deliveries_pending', isZero);

  const node = startDispatcher(service.ctx);
  try {
    await figure('lectern_webhook_deliveries_pending', (value) => value === 1);
    await figure('lectern_webhook_oldest_pending_seconds', (value) => value >= 16);
    await figure('lectern_events_undelivered_seconds', isZero);
    await figure(endpoints('failing'), (value) => value === 1);
    await tenant.api('PUT', `/user/${LoginID}`, { FirstName: 'Not wanted' });
    await figure('lectern_events_undelivered_seconds', isZero);
    const suspend = (Status: string) => service.api('PUT', `/tenant/${tenant.TenantID}`, { Status });
    expectStatus(await suspend('suspended'), 200);
    await figure('lectern_webhook_deliveries_pending', isZero);
    expectStatus(await suspend('active'), 200);
    await figure('lectern_webhook_deliveries_pending', (value) => value === 1);
  } finally {
    await node.stop(100);
    await receiver.kill();
  }
  expectStatus(await tenant.api('PUT', `/webhook/${WebhookID}`, { Status: 'disabled' }), 200);
  await figure(endpoints('disabled_by_client'), (value) => value === 1);
  await figure(endpoints('enabled'), isZero);
  await figure('lectern_webhook_deliveries_pending', isZero);
  await sql`update webhook set disabled_reason = 'failing' where tenant_id = ${tenant.TenantID}`.execute(
    service.ctx.db,
  );
  await figure(endpoints('disabled_failing'), (value) => value === 1);
});

test('metrics count audit chains whose last entry fails verification', async () => {
  const name = 'lectern_audit_chains_unverified';
  await figure(name, isZero);
  const { TenantID } = await newTenant(service);
  await sql`update audit_chain set hash = 'forged' where tenant_id = ${TenantID}`.execute(service.ctx.db);
  await figure(name, (value) => value === 1);
});
