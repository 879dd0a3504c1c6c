import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import type { Attention } from './schemas.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);

async function attentionOf(tenant: TestTenant): Promise<Attention> {
  const reply = await tenant.api('GET', '/overview?Days=1');
  expectStatus(reply, 200);
  return reply.body.Attention;
}

async function enrol(tenant: TestTenant, path: string): Promise<string> {
  const LoginID = await tenant.user();
  const reply = await tenant.api('POST', `/enrol/${LoginID}/${path}`);
  expectStatus(reply, 201);
  return `/enrolment/${LoginID}/${reply.body.EnrollID}`;
}

test('nothing is shown if there are no issues', async () => {
  const tenant = await newTenant(service);
  const { Webhooks, Seats, Expiring, FailedDeliveries } = await attentionOf(tenant);
  assert.deepEqual([Webhooks, FailedDeliveries], [[], 0]);
  assert.deepEqual([Expiring.Enrolments, Expiring.More], [0, false]);
  assert.deepEqual(Seats, []);
});

test('uncompleted enrolments that end within a week are counted', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const spans = { week: { Duration: 'P7D' }, longer: { Duration: 'P8D' }, open: {} };
  const CourseID = await newCourse(service, {}, spans);
  for (const option of ['week', 'week', 'week', 'week', 'longer', 'open'])
    await enrol(tenant, `${CourseID}/${option}`);
  const withdrawn = await enrol(tenant, `${CourseID}/week`);
  expectStatus(await tenant.api('PUT', withdrawn, { Withdrawn: true }), 200);
  const completed = await enrol(tenant, `${CourseID}/week`);
  const Override = { Completion: 'completed', Reason: 'seen' };
  expectStatus(await tenant.api('PUT', completed, { Override }), 200);
  assert.equal((await tenant.api('GET', completed)).body.Status, 'completed');

  const { Expiring } = await attentionOf(tenant);
  assert.deepEqual([Expiring.Enrolments, Expiring.More], [4, false]);
  const ahead = (new Date(Expiring.Until).getTime() - clock.now().getTime()) / 86_400_000;
  assert.ok(ahead > 6.99 && ahead <= 7, Expiring.Until);
  assert.equal((await attentionOf(other)).Expiring.Enrolments, 0);
  clock.advance({ days: 7, minutes: 1 });
  assert.equal((await attentionOf(tenant)).Expiring.Enrolments, 1, 'the enrolment with the later end');
});

test('counting stops at 1,000 enrolments', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, {}, { week: { Duration: 'P7D' } });
  const bulk = async (path: string, rows: object[]) => {
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    expectStatus(await tenant.api('POST', path, lines, { 'content-type': 'application/x-ndjson' }), 200);
  };
  const users = Array.from({ length: 1_001 }, (_, n) => ({ LoginID: `many-${n}` }));
  await bulk('/user/bulk', users);
  const rows = users.map((user) => ({ ...user, CourseID }));
  await bulk('/enrol/bulk', rows.slice(0, 1_000));
  let { Expiring } = await attentionOf(tenant);
  assert.deepEqual([Expiring.Enrolments, Expiring.More], [1_000, false]);
  await bulk('/enrol/bulk', rows);
  ({ Expiring } = await attentionOf(tenant));
  assert.deepEqual([Expiring.Enrolments, Expiring.More], [1_000, true]);
});

test('options with at most a tenth of their seats left are shown, fewest seats first', async () => {
  const tenant = await newTenant(service);
  const options = { ten: { Seats: 10, Name: 'Ten' }, none: { Seats: 0 }, many: { Seats: 100 }, open: {} };
  const CourseID = await newCourse(service, { Tenants: [tenant.TenantID], Title: 'Scarce' }, options);
  for (let n = 0; n < 8; n++) await enrol(tenant, `${CourseID}/ten`);
  const attentionShown = async (tenantShown = tenant) =>
    (await attentionOf(tenantShown)).Seats.filter((option) => option.CourseID === CourseID);
  const none = { CourseID, Title: 'Scarce', DurationID: 'none', Name: 'none', Seats: 0, SeatsLeft: 0 };
  assert.deepEqual(await attentionShown(), [none], 'two of ten are left');
  await enrol(tenant, `${CourseID}/ten`);
  assert.deepEqual(await attentionShown(), [
    none,
    { ...none, DurationID: 'ten', Name: 'Ten', Seats: 10, SeatsLeft: 1 },
  ]);
  assert.deepEqual(await attentionShown(await newTenant(service)), [], 'it is not offered to others');
  await service.api('PUT', `/course/${CourseID}`, { Status: 'retired' });
  assert.deepEqual(await attentionShown(), []);
});

test('failing endpoints and abandoned deliveries are shown to callers who may read endpoints', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const receiver = await startReceiver();
  const { WebhookID } = (await tenant.api('POST', '/webhook', { URL: receiver.url })).body;
  await tenant.api('POST', '/webhook', { URL: `${receiver.url}/fine` });
  const off = (await tenant.api('POST', '/webhook', { URL: `${receiver.url}/off`, Status: 'disabled' })).body;
  await receiver.kill();
  assert.equal((await tenant.api('POST', `/webhook/${WebhookID}/ping`)).body.Status, 'failed');
  const change = (fields: object) =>
    service.ctx.db
      .updateTable('webhook')
      .set(fields)
      .where('tenant_id', '=', tenant.TenantID)
      .where('webhook_id', '=', WebhookID)
      .execute();
  const since = new Date(clock.now().getTime() - 60_000);
  await change({ failing_since: since });
  const entry = { WebhookID, URL: receiver.url, Status: 'enabled', FailingSince: since.toISOString() };
  let { Webhooks, FailedDeliveries } = await attentionOf(tenant);
  assert.deepEqual([Webhooks, FailedDeliveries], [[entry], 1]);
  await change({ status: 'disabled', disabled_reason: 'failing' });
  ({ Webhooks } = await attentionOf(tenant));
  assert.deepEqual(Webhooks, [{ ...entry, Status: 'disabled' }]);
  assert.ok(off.WebhookID);

  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'reader',
    Scopes: ['enrolments:read'],
  });
  const { Attention } = (await service.api('GET', '/overview', undefined, made.body.Secret)).body;
  assert.deepEqual([Attention.Webhooks, Attention.FailedDeliveries], [null, null]);
  ({ Webhooks, FailedDeliveries } = await attentionOf(other));
  assert.deepEqual([Webhooks, FailedDeliveries], [[], 0]);
  clock.advance({ days: 1, minutes: 1 });
  ({ FailedDeliveries } = await attentionOf(tenant));
  assert.equal(FailedDeliveries, 0, 'deliveries that failed more than a day ago');
});
