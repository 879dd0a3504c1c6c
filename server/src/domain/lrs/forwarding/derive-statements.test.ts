import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { au, courseStructure } from '../../../../../standards/cmi5/test-support.ts';
import { startOtherLrs } from '../../../../test/support/other-lrs.ts';
import { packFiles, packUnits } from '../../../../test/support/packages.ts';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../../../test/support/tenant.ts';
import { until } from '../../../../test/support/until.ts';
import { webhookSources } from '../../../app/webhook-sources.ts';
import { startDispatcher } from '../../events/webhooks/dispatcher.ts';

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const dispatchers = [1, 2].map(() => startDispatcher(service.ctx, webhookSources));
after(async () => {
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(1_000)));
  await service.close();
});
expectStatus(await service.importPackage('fire-safety', await packUnits(1)), 201);
const cmi5 = await packFiles({
  'cmi5.xml': courseStructure(au({ id: 'https://example.com/au' })),
  'index.html': '<!doctype html><title>AU</title>',
});
expectStatus(await service.importPackage('cmi5', cmi5), 201);
for (const course of ['fire-safety', 'cmi5'])
  expectStatus(await service.api('PUT', `/course/${course}/option/open`, {}), 201);

type Statement = {
  id: string;
  timestamp: string;
  actor: object;
  verb: { id: string };
  object: { id: string };
  result?: Record<string, unknown>;
  context: { registration: string };
};

async function forwarded(t: TestContext, tenant: TestTenant) {
  const lrs = await startOtherLrs();
  t.after(() => lrs.kill());
  const { url: URL, username: Username, password: Password } = lrs;
  const made = await tenant.api('POST', '/webhook', { Kind: 'xapi', URL, Username, Password });
  expectStatus(made, 201);
  const stored = () => lrs.stored as unknown as Statement[];
  const verbs = () => stored().map(({ verb }) => verb.id.split('/').at(-1));
  return { path: `/webhook/${made.body.WebhookID}`, stored, verbs };
}

async function enrolled(tenant: TestTenant, course = 'fire-safety') {
  const LoginID = await tenant.user();
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/${course}`)).body;
  return { LoginID, EnrollID, launch: () => play(service, LaunchURL) };
}

const verbsIn = async (tenant: TestTenant) => {
  const headers = { 'x-experience-api-version': '1.0.3' };
  const { body } = await tenant.api('GET', '/xapi/statements', undefined, headers);
  return (body.statements as Statement[]).map(({ verb }) => verb.id.split('/').at(-1)).toReversed();
};

test('results of a SCORM course arrive as statements in the order of its events', async (t) => {
  const tenant = await newTenant(service);
  const { stored, verbs } = await forwarded(t, tenant);
  const { LoginID, EnrollID, launch } = await enrolled(tenant);
  const playing = await launch();
  expectStatus(await playing.commit({ Data: scorm12('incomplete', 20) }), 200);
  expectStatus(await playing.commit({ Data: scorm12('passed', 87.5) }), 200);
  await launch();
  const expected = ['initialized', 'progressed', 'completed', 'passed', 'resumed'];
  await until('all arrive', () => verbs().length >= expected.length);
  assert.deepEqual(verbs(), expected);
  const events = (await tenant.api('GET', `/events?EnrollID=${EnrollID}`)).body.Items;
  const passed = stored()[3];
  const event = events.find(({ Type }: { Type: string }) => Type === 'enrolment.passed');
  assert.ok(passed);
  const { baseUrl } = service;
  assert.deepEqual(
    [passed.timestamp, passed.actor, passed.object.id, passed.context.registration],
    [
      event.OccurredAt,
      { objectType: 'Agent', account: { homePage: baseUrl, name: LoginID } },
      `${baseUrl}/course/fire-safety`,
      EnrollID,
    ],
  );
  const { duration, ...result } = passed.result ?? {};
  assert.match(String(duration), /^PT/);
  assert.deepEqual(result, {
    completion: true,
    success: true,
    score: { scaled: 0.875 },
    extensions: { 'https://w3id.org/xapi/cmi5/result/extensions/progress': 100 },
  });
});

test('a statement stored with the ID of an event does not prevent the derived statement', async (t) => {
  const tenant = await newTenant(service);
  // Without an active endpoint, nothing is derived. This gives the test time to store the other
  // statement first.
  const { EnrollID, launch } = await enrolled(tenant);
  const { path, verbs } = await forwarded(t, tenant);
  expectStatus(await tenant.api('PUT', path, { Status: 'disabled' }), 200);
  expectStatus(await (await launch()).commit({ Data: scorm12('failed', 20) }), 200);
  const { Items } = (await tenant.api('GET', `/events?EnrollID=${EnrollID}`)).body;
  const taken = Items.map(({ EventID }: { EventID: string }) => ({
    id: EventID,
    actor: { mbox: 'mailto:a@b.example' },
    verb: { id: 'http://adlnet.gov/expapi/verbs/experienced' },
    object: { id: 'https://e.example/a' },
  }));
  const headers = { 'x-experience-api-version': '1.0.3' };
  expectStatus(await tenant.api('POST', '/xapi/statements', taken, headers), 200);
  expectStatus(await tenant.api('PUT', path, { Status: 'enabled' }), 200);
  await until('the failure arrives', () => verbs().includes('failed'));
});

test('nothing is derived for courses that send statements themselves', async (t) => {
  const tenant = await newTenant(service);
  const { verbs } = await forwarded(t, tenant);
  await (await enrolled(tenant, 'cmi5')).launch();
  await (await enrolled(tenant)).launch();
  await until('one arrives', () => verbs().length > 0);
  assert.deepEqual(verbs(), ['initialized']);
});

test('nothing is derived without an endpoint, and a new endpoint receives only later statements', async (t) => {
  const tenant = await newTenant(service);
  const learner = await enrolled(tenant);
  await learner.launch();
  const first = await forwarded(t, tenant);
  const playing = await learner.launch();
  await until('one arrives', () => first.verbs().length > 0);
  assert.deepEqual(first.verbs(), ['resumed']);
  expectStatus(await tenant.api('DELETE', first.path), 200);
  expectStatus(await playing.commit({ Data: scorm12('incomplete', 20) }), 200);
  const next = await forwarded(t, tenant);
  expectStatus(await playing.commit({ Data: scorm12('failed', 30) }), 200);
  await until('one arrives', () => next.verbs().length > 0);
  assert.deepEqual(next.verbs(), ['failed']);
  assert.deepEqual(await verbsIn(tenant), ['resumed', 'failed']);
});

test('deriving again changes nothing, even if the course was renamed', async (t) => {
  const tenant = await newTenant(service);
  const { verbs } = await forwarded(t, tenant);
  const playing = await (await enrolled(tenant)).launch();
  await until('one arrives', () => verbs().length === 1);
  expectStatus(await service.api('PUT', '/course/fire-safety', { Title: 'Another title' }), 200);
  await sql`update statement_log set event_position = 0 where tenant_id = ${tenant.TenantID}`.execute(
    service.ctx.db,
  );
  expectStatus(await playing.commit({ Data: scorm12('passed') }), 200);
  await until('all arrive', () => verbs().length === 3);
  assert.deepEqual(verbs(), ['initialized', 'completed', 'passed']);
});

test('an erasure removes derived statements, and none are derived later for the erased person', async (t) => {
  const tenant = await newTenant(service);
  const { verbs } = await forwarded(t, tenant);
  const learner = await enrolled(tenant);
  await learner.launch();
  await until('one arrives', () => verbs().length === 1);
  expectStatus(await tenant.api('DELETE', `/user/${learner.LoginID}`), 200);
  await sql`update statement_log set event_position = 0 where tenant_id = ${tenant.TenantID}`.execute(
    service.ctx.db,
  );
  await (await enrolled(tenant)).launch();
  await until('another arrives', () => verbs().length === 2);
  assert.deepEqual(await verbsIn(tenant), ['initialized']);
});
