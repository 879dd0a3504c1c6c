import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode } from '../../../test/support/nodes.ts';
import { click, play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';
import { untilMatching } from '../../../test/support/until.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { webhookSources } from '../../app/webhook-sources.ts';
import { openClocks } from '../../infra/context/context.ts';
import { expireEnrolments } from '../enrolments/expire.ts';
import { startDispatcher } from '../events/webhooks/dispatcher.ts';
import { sendReminders } from '../reminders/job.ts';
import { readClocks } from '../tenants/clock.ts';

const day = 86_400_000;
const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);
const CourseID = await newCourse(service, {}, { month: { Duration: 'P30D' } });

const sandboxTenant = () => newTenant(service, { Status: 'test' });

async function enrolled(tenant: TestTenant) {
  const LoginID = await tenant.user();
  const address = `/enrol/${LoginID}/${CourseID}/month`;
  const enrol = async (body: object = {}) => (await tenant.api('POST', address, body)).body;
  const first = await enrol();
  const read = async () => (await tenant.api('GET', `/enrolment/${LoginID}/${first.EnrollID}`)).body;
  const types = async () => (await tenant.events({ EnrollID: first.EnrollID })).map(({ type }) => type);
  return { ...first, LoginID, enrol, read, types };
}

async function advance(tenant: TestTenant, Advance: string, headers = {}): Promise<Date> {
  const moved = await tenant.api('POST', '/test/clock', { Advance }, headers);
  expectStatus(moved, 200);
  return new Date(moved.body.Now);
}

const isAbout = (one: number, other: number) => Math.abs(one - other) < 60_000;

test('when the clock of a test tenant moves, its enrolments expire, with an event, and those of other tenants do not', async () => {
  const [sandbox, other, neighbour] = [
    await sandboxTenant(),
    await newTenant(service),
    await sandboxTenant(),
  ];
  const [own, others] = [await enrolled(sandbox), [await enrolled(other), await enrolled(neighbour)]];
  const now = await advance(sandbox, 'P31D');
  assert.ok(isAbout(now.getTime(), clock.now().getTime() + 31 * day));
  assert.ok(isAbout(Date.parse((await sandbox.api('GET', '/test/clock')).body.Now), now.getTime()));
  assert.equal((await own.read()).Status, 'expired');
  assert.deepEqual(await own.types(), ['enrolment.created', 'enrolment.expired']);
  assert.equal((await click(own.LaunchURL)).status, 403);
  await expireEnrolments(service.ctx);
  await sendReminders(service.ctx);
  for (const one of others) {
    assert.equal((await one.read()).Status, 'enrolled');
    assert.deepEqual(await one.types(), ['enrolment.created']);
    assert.equal((await click(one.LaunchURL)).status, 303);
  }
  const { Items } = (await sandbox.api('GET', '/events')).body;
  const expired = Items.find(({ Type }: { Type: string }) => Type === 'enrolment.expired');
  assert.ok(isAbout(Date.parse(expired.OccurredAt), now.getTime()), expired.OccurredAt);
});

test("renewing an expired enrolment uses the tenant's time", async () => {
  const sandbox = await sandboxTenant();
  const own = await enrolled(sandbox);
  const now = await advance(sandbox, 'P31D');
  const again = await own.enrol();
  assert.notEqual(again.EnrollID, own.EnrollID);
  assert.ok(isAbout(Date.parse(again.EnrolledAt), now.getTime()));
  assert.ok(isAbout(Date.parse(again.ExpiresAt), now.getTime() + 30 * day));
  const page = await play(service, again.LaunchURL);
  expectStatus(await page.commit({ Data: { 'lectern.completion': 'completed' } }), 200);
  await advance(sandbox, 'P31D');
  const extended = await own.enrol({ IfEnrolled: 'extend' });
  assert.ok(isAbout(Date.parse(extended.ExpiresAt), now.getTime() + 61 * day), JSON.stringify(extended));
  assert.equal(extended.Status, 'completed');
});

test('reminders are sent when the clock reaches their day, even if the job has never run for the tenant', async () => {
  const sandbox = await newTenant(service, { Status: 'test', Reminders: { Enabled: true } });
  const own = await enrolled(sandbox);
  const days = async () =>
    (await sandbox.events({ EnrollID: own.EnrollID }))
      .filter(({ type }) => type === 'enrolment.ending')
      .map(({ data }) => data.Days);
  await advance(sandbox, 'P15D');
  assert.deepEqual(await days(), []);
  await advance(sandbox, 'P1D');
  assert.deepEqual(await days(), [14]);
  await advance(sandbox, 'P11D');
  await sendReminders(service.ctx);
  assert.deepEqual(await days(), [14, 3]);
});

test("the jobs of each node use the tenant's time as soon as the node has read it", async () => {
  const sandbox = await sandboxTenant();
  await advance(sandbox, 'P1D');
  const own = await enrolled(sandbox);
  const node = { ...otherNode(service.ctx), clocks: openClocks() };
  clock.advance({ days: 29, hours: 23 });
  await expireEnrolments(node);
  clock.advance({ hours: 2 });
  await expireEnrolments(node);
  assert.deepEqual(await own.types(), ['enrolment.created']);
  await readClocks(node);
  await expireEnrolments(node);
  assert.deepEqual(await own.types(), ['enrolment.created', 'enrolment.expired']);
});

test('the expiry is delivered as a signed webhook, with the real time in its header', async () => {
  const receiver = await startReceiver();
  const dispatcher = startDispatcher(service.ctx, webhookSources);
  after(async () => {
    await dispatcher.stop(1_000);
    await receiver.kill();
  });
  const sandbox = await sandboxTenant();
  expectStatus(
    await sandbox.api('POST', '/webhook', { URL: receiver.url, Types: ['enrolment.expired'] }),
    201,
  );
  const own = await enrolled(sandbox);
  await advance(sandbox, 'P31D');
  const [received] = await untilMatching(
    () => receiver.received,
    (all) => all.length > 0,
  );
  assert.equal(received?.event.EnrollID, own.EnrollID);
  const signedAt = Number(received?.headers['webhook-timestamp']) * 1_000;
  assert.ok(isAbout(signedAt, clock.now().getTime()));
});

test('keys, idempotency and the audit trail keep the real time', async () => {
  const sandbox = await sandboxTenant();
  const headers = { 'idempotency-key': 'move once' };
  const first = await advance(sandbox, 'P365D', headers);
  assert.equal((await advance(sandbox, 'P365D', headers)).getTime(), first.getTime());
  expectStatus(await sandbox.api('GET', '/user'), 200);
  const { Items } = (await sandbox.api('GET', '/audit')).body;
  const moves = Items.filter(({ Action }: { Action: string }) => Action === 'tenant.clock_moved');
  assert.equal(moves.length, 1);
  assert.equal(moves[0].Data.To, first.toISOString());
  assert.ok(isAbout(Date.parse(moves[0].At), clock.now().getTime()));
});

for (const [Advance, param] of [
  ['-P1D', 'Advance'],
  ['P1', 'Advance'],
  ['P21Y', 'Advance'],
  ['P999Y9999M', 'Advance'],
  [30, 'Advance'],
] as const)
  test(`an invalid move is rejected: ${Advance}`, async () => {
    const sandbox = await sandboxTenant();
    expectProblem(await sandbox.api('POST', '/test/clock', { Advance }), 422, 'validation_failed', param);
    assert.ok(isAbout(Date.parse((await sandbox.api('GET', '/test/clock')).body.Now), clock.now().getTime()));
  });

test('a normal tenant has no clock of its own and cannot become a test tenant', async () => {
  const tenant = await newTenant(service);
  expectProblem(await tenant.api('GET', '/test/clock'), 409, 'not_a_test_tenant');
  expectProblem(await tenant.api('POST', '/test/clock', { Advance: 'P1D' }), 409, 'not_a_test_tenant');
  const address = `/tenant/${tenant.TenantID}`;
  expectProblem(await service.api('PUT', address, { Status: 'test' }), 409, 'not_a_test_tenant');
});

test('a test tenant remains one after a suspension', async () => {
  const sandbox = await sandboxTenant();
  await advance(sandbox, 'P10D');
  const address = `/tenant/${sandbox.TenantID}`;
  const statuses = [];
  for (const Status of ['suspended', 'active', 'suspended', 'test', 'active'])
    statuses.push((await service.api('PUT', address, { Status })).body.Status);
  assert.deepEqual(statuses, ['suspended', 'test', 'suspended', 'test', 'test']);
  const body = { TenantID: sandbox.TenantID, Status: 'test' };
  expectStatus(await service.api('POST', '/tenant', body), 200);
  expectProblem(await service.api('POST', '/tenant', { ...body, Status: 'active' }), 409, 'tenant_exists');
  await advance(sandbox, 'P1D');
  assert.equal(service.ctx.clocks.ahead.get(sandbox.TenantID), 11 * day);
  const actions = (await sandbox.api('GET', '/audit')).body.Items.map(
    ({ Action }: { Action: string }) => Action,
  );
  assert.equal(actions.filter((action: string) => action === 'tenant.resumed').length, 2);
});
