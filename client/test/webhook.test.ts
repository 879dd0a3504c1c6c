import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startDispatcher } from '../../server/src/domain/events/webhooks/dispatcher.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newTenant } from '../../server/test/support/tenant.ts';
import { until } from '../../server/test/support/until.ts';
import { startReceiver } from '../../server/test/support/webhooks.ts';
import { createLectern, type LecternEvent, verifyWebhook } from '../src/index.ts';

let service: TestService;

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
});
after(() => service.close());

test("the service's deliveries can be verified, even while a secret is being rotated", async () => {
  const dispatcher = startDispatcher(service.ctx);
  const receiver = await startReceiver();
  try {
    const tenant = await newTenant(service);
    const lectern = createLectern({ baseUrl: service.baseUrl, key: tenant.key });
    const body = { URL: receiver.url };
    const { WebhookID, Secret: first } = await lectern.post('/webhook', { body });
    const params = { path: { WebhookID } };
    const { Secret: second } = await lectern.post('/webhook/{WebhookID}/rotate', { params, body: {} });
    const LoginID = await tenant.user();
    await until('the event arrives', () => receiver.received.length > 0);
    const [delivery] = receiver.received;
    assert.ok(delivery);
    for (const secrets of [first, second, ['whsec_b3RoZXI=', second]]) {
      const event = await verifyWebhook(delivery.text, delivery.headers, secrets);
      assert.deepEqual([event.Type, event.LoginID], ['user.created', LoginID]);
    }
    await assert.rejects(verifyWebhook(`${delivery.text} `, delivery.headers, first), {
      name: 'WebhookError',
    });
    await assert.rejects(verifyWebhook(delivery.text, delivery.headers, 'whsec_b3RoZXI='), /No signature/);
  } finally {
    await dispatcher.stop(1_000);
    await receiver.kill();
  }
});

test('messages signed by the reference package are accepted; old, unsigned and unreadable ones are rejected', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = JSON.stringify({ Type: 'webhook.ping', EventID: 'Ø' });
  const signed = (at: Date) => ({
    'Webhook-Id': 'm1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1a,AAAA v1,%%% ${new Webhook(secret).sign('m1', at, body)}`,
  });
  const fresh = signed(new Date());
  assert.equal((await verifyWebhook(body, fresh, secret)).EventID, 'Ø');
  assert.equal((await verifyWebhook(Buffer.from(body), new Headers(fresh), [secret])).Type, 'webhook.ping');
  const old = signed(new Date(Date.now() - 301_000));
  await assert.rejects(verifyWebhook(body, old, secret), /too far in the past/);
  assert.ok(await verifyWebhook(body, old, secret, { toleranceSeconds: 600 }));
  await assert.rejects(verifyWebhook(body, signed(new Date(Date.now() + 310_000)), secret), /future/);
  await assert.rejects(verifyWebhook(body, { ...fresh, 'webhook-timestamp': 'soon' }, secret), /clock/);
  await assert.rejects(verifyWebhook(body, { ...fresh, 'webhook-signature': '' }, secret), /missing/);
  await assert.rejects(verifyWebhook(body, { ...fresh, 'webhook-signature': 'v1,' }, secret), /No signature/);
  await assert.rejects(verifyWebhook(body, fresh, []), /No signature/);
  await assert.rejects(verifyWebhook(body, fresh, ''), TypeError);
});

test('the type of an event determines its data', () => {
  const read = (event: LecternEvent): unknown => {
    if (event.Type === 'enrolment.passed') return event.Data.Score;
    // @ts-expect-error A launch has no score.
    if (event.Type === 'enrolment.launched') return event.Data.Score;
    // @ts-expect-error There is no such type.
    if (event.Type === 'enrolment.launchd') return null;
    return event.Type === 'mail.bounced' ? event.Data.EmailAddress : null;
  };
  assert.equal(typeof read, 'function');
});
