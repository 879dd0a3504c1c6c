import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { InjectOptions } from 'fastify';
import { au, courseStructure } from '../../standards/cmi5/test-support.ts';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { startDispatcher } from '../src/domain/events/webhooks/dispatcher.ts';
import { openAu } from './support/au.ts';
import { movableClock } from './support/clock.ts';
import { otherNode, serve } from './support/nodes.ts';
import { packFiles } from './support/packages.ts';
import { click, play, post, scorm12 } from './support/player.ts';
import { startService } from './support/service.ts';
import { browser, press, signInUser, tokenOf } from './support/sign-in.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant, unique } from './support/tenant.ts';
import { slackSeconds, until } from './support/until.ts';
import { startReceiver } from './support/webhooks.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.0/8' } });
const node = await serve(otherNode(service.ctx));
after(async () => {
  await node.close();
  await service.close();
});
await service.importPackage('phishing', await packCourse('phishing'));
await service.api('PUT', '/course/phishing/option/unlimited', {});
await service.importPackage(
  'cmi5',
  await packFiles({ 'cmi5.xml': courseStructure(au({})), 'index.html': 'An AU' }),
);
await service.api('PUT', '/course/cmi5/option/unlimited', {});

const put = (tenant: TestTenant, Status: string) =>
  service.api('PUT', `/tenant/${tenant.TenantID}`, { Status });
const suspend = async (tenant: TestTenant) => expectStatus(await put(tenant, 'suspended'), 200);
const resume = async (tenant: TestTenant) => expectStatus(await put(tenant, 'active'), 200);

async function enrolled(tenant: TestTenant) {
  const LoginID = await tenant.user({ IsAdmin: true });
  const { body } = await tenant.api('POST', `/enrol/${LoginID}/phishing`);
  return body as { LoginID: string; EnrollID: string; LaunchURL: string };
}

/** The credentials of an AU that a learner has opened. */
async function auToken(tenant: TestTenant): Promise<string> {
  const enrolment = await tenant.api('POST', `/enrol/${await tenant.user()}/cmi5`);
  const { token } = await openAu(service, enrolment.body.LaunchURL);
  return `Basic ${token}`;
}

const pathOf = (address: string) => address.slice(new URL(address).origin.length);

/**
 * Every kind of access to a tenant, as requests to the other node. The status is 403 (400 for a token
 * request) while the tenant is suspended, and `works` otherwise.
 */
async function accessPaths(tenant: TestTenant) {
  const { LoginID, LaunchURL } = await enrolled(tenant);
  const authorization = `Bearer ${tenant.key}`;
  const form = { grant_type: 'client_credentials', client_id: tenant.keyId, client_secret: tenant.key };
  const token = (await service.api('POST', '/oauth/token', form, '')).body.access_token;
  const cookie = await signInUser(service, tenant, LoginID);
  const link = (await tenant.api('POST', `/user/session/${LoginID}`)).body.SignInURL;
  const { location } = await click(LaunchURL);
  const { session, commit } = await play(service, (await enrolled(tenant)).LaunchURL);
  await commit({ Data: scorm12('incomplete') });
  const [UnitID = ''] = Object.keys(session.Data);
  const preview = (await tenant.api('POST', '/catalogue/course/phishing/preview')).body.PreviewURL;
  const previewed = (await click(preview)).location ?? '';
  const previewing = (await post(`${previewed}/session`)).body.Session;
  const keys = { CourseIDs: ['phishing'], DurationIDs: ['unlimited'], ValidUntil: '2090-01-01T00:00:00Z' };
  const issued = (await tenant.api('POST', '/enrolment/key', keys)).body.Items[0].Key;
  const redeem = `/enrol/key/${await tenant.user()}/${issued}`;
  expectStatus(await tenant.api('POST', redeem), 201);
  const statements = (authorization: string) => ({
    url: '/xapi/statements',
    headers: { authorization, 'x-experience-api-version': '1.0.3' },
  });
  const basic = `Basic ${Buffer.from(`${tenant.keyId}:${tenant.key}`).toString('base64')}`;
  const page = { 'sec-fetch-site': 'same-origin' };
  const own = `/play/${session.Session}`;
  const headers = { authorization };
  const requestsByName: Record<string, [origin: 'api' | 'content', works: number, InjectOptions]> = {
    'an API key': ['api', 200, { url: '/user', headers }],
    'an access token': ['api', 200, { url: '/user', headers: { authorization: `Bearer ${token}` } }],
    'a key for the LRS': ['api', 200, statements(basic)],
    'an AU': ['api', 200, statements(await auToken(tenant))],
    'a token request': ['api', 200, { method: 'POST', url: '/oauth/token', payload: form }],
    'a browser session': ['api', 200, { url: '/session', headers: { cookie, ...page } }],
    'a call with a browser session': ['api', 200, { url: '/user', headers: { cookie, ...page } }],
    'a sign-in link': ['api', 200, { url: pathOf(link) }],
    'a launch link': ['api', 303, { url: pathOf(LaunchURL) }],
    'a click made before the suspension': [
      'content',
      201,
      { method: 'POST', url: `${pathOf(location ?? '')}/session` },
    ],
    'a course file': ['content', 200, { url: `${own}/content/index.html` }],
    'a heartbeat': ['content', 204, { url: `${own}/alive` }],
    'a commit': [
      'content',
      200,
      {
        method: 'POST',
        url: `${own}/commit`,
        payload: { Number: 2, UnitID, Data: scorm12('incomplete', 5) },
      },
    ],
    'a preview link': ['content', 303, { url: pathOf(preview) }],
    'an open preview': ['content', 200, { url: `/play/${previewing}/content/index.html` }],
    'an enrolment key': ['api', 200, { method: 'POST', url: redeem, headers, payload: {} }],
  };
  return requestsByName;
}

test('another node rejects all requests of a suspended tenant within 5 s, and accepts them again after the tenant is resumed', async () => {
  const tenant = await newTenant(service);
  const requestsByName = await accessPaths(tenant);
  const statuses = async (names = Object.keys(requestsByName)) => {
    const all: Record<string, number> = {};
    for (const [name, [origin, , options]] of Object.entries(requestsByName))
      if (names.includes(name)) all[name] = (await node[origin].inject(options)).statusCode;
    return all;
  };
  const working = Object.fromEntries(
    Object.entries(requestsByName).map(([name, [, works]]) => [name, works]),
  );
  assert.deepEqual(await statuses(), working);
  await suspend(tenant);
  const closed = Object.fromEntries(
    Object.keys(requestsByName).map((name) => [name, name === 'a token request' ? 400 : 403]),
  );
  // The test polls three of these requests, one for each kind of cache. It sends the others only once,
  // because they have rate limits.
  const [key, token, file] = ['an API key', 'an access token', 'a course file'];
  const watchedStatuses = (now: Record<string, number>) => [now[key], now[token], now[file]];
  const isAs = (wanted: Record<string, number>) => async () =>
    isDeepStrictEqual(watchedStatuses(await statuses([key, token, file])), watchedStatuses(wanted));
  await until('access is rejected', isAs(closed), 5 + slackSeconds);
  assert.deepEqual(await statuses(), closed);
  await resume(tenant);
  await until('access is restored', isAs(working), 5 + slackSeconds);
  assert.deepEqual(await statuses(), working);
});

test('a suspension is reported to programs with an error code, and to people on a page with a return link', async () => {
  const tenant = await newTenant(service);
  const { LoginID, LaunchURL } = await enrolled(tenant);
  const cookie = await signInUser(service, tenant, LoginID);
  const link = (await tenant.api('POST', `/user/session/${LoginID}`)).body.SignInURL;
  const { location } = await click(LaunchURL);
  await suspend(tenant);
  const refused = async () => {
    const reply = await tenant.api('GET', '/user');
    return reply.status === 403 ? reply : null;
  };
  await until('the key is rejected', async () => (await refused()) !== null);
  expectProblem((await refused()) ?? (await tenant.api('GET', '/user')), 403, 'tenant_suspended');
  expectProblem(await browser(service, cookie)('GET', '/session'), 403, 'tenant_suspended');
  const page = await click(`${LaunchURL}&returnURL=https://lms.example/back`);
  assert.equal(page.status, 403);
  assert.match(page.text, /Access is currently suspended/);
  assert.match(page.text, /href="https:\/\/lms\.example\/back"/);
  const opened = await post(`${location}/session`);
  assert.deepEqual([opened.status, opened.body.code], [403, 'tenant_suspended']);
  const signIn = await press(service, link);
  assert.equal(signIn.status, 403);
  assert.match(await signIn.text(), /Access is currently suspended/);
  const made = `${new URL(link).pathname}?token=${tokenOf(link).slice(0, -4)}AAAA`;
  assert.equal((await service.api('GET', made, undefined, '')).status, 410);
  await resume(tenant);
  assert.equal((await press(service, link)).status, 303);
});

test('a bulk call in progress stops once its tenant is suspended', async () => {
  const tenant = await newTenant(service);
  const refused = async () => (await tenant.api('GET', '/user')).status === 403;
  const send = (body: string) =>
    fetch(`${service.baseUrl}/user/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/x-ndjson' },
      body,
    });
  // Each result repeats the long name, so the service waits until the client reads.
  const reply = await send(`{"LoginID":"x","${'y'.repeat(60_000)}":1}\n`.repeat(500));
  await suspend(tenant);
  await until('the key is rejected', refused, 5 + slackSeconds);
  const codes = (await reply.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).code);
  assert.equal(codes.length, 500);
  assert.deepEqual([codes[0], codes.at(-1)], ['unknown_field', 'tenant_suspended']);
  assert.equal((await send('{}')).status, 403);
});

test('the operator can act on a suspended tenant, and its audit trail shows who suspended it', async () => {
  const tenant = await newTenant(service);
  expectStatus(await put(tenant, 'deleting'), 422);
  await suspend(tenant);
  await suspend(tenant);
  const asOperator = (path: string) =>
    service.api('GET', path, undefined, undefined, { tenant: tenant.TenantID });
  expectStatus(await asOperator('/user'), 200);
  assert.equal((await service.api('GET', `/tenant/${tenant.TenantID}`)).body.Status, 'suspended');
  await resume(tenant);
  const { Items } = (await asOperator('/audit')).body;
  const actions = Items.map(({ Action }: { Action: string }) => Action);
  assert.deepEqual(actions.slice(-2), ['tenant.suspended', 'tenant.resumed']);
  assert.equal(actions.filter((action: string) => action === 'tenant.suspended').length, 1);
});

test('a commit during a suspension is rejected with a code that makes the page keep it, and is accepted after the suspension, even weeks later', async () => {
  const tenant = await newTenant(service);
  const { LoginID, EnrollID, LaunchURL } = await enrolled(tenant);
  const { commit } = await play(service, LaunchURL);
  const sent = { Number: 1, Data: scorm12('passed', 90) };
  await suspend(tenant);
  const refused = await commit(sent);
  assert.deepEqual([refused.status, refused.body.code], [403, 'tenant_suspended']);
  clock.advance({ days: 60 });
  await resume(tenant);
  expectStatus(await commit(sent), 200);
  await until('the key works', async () => (await tenant.api('GET', '/user')).status === 200);
  const { body } = await tenant.api('GET', `/enrolment/${LoginID}/${EnrollID}`);
  assert.deepEqual([body.Status, body.Score], ['completed', 90]);
});

test('webhooks of a suspended tenant wait, and continue where they stopped without counting a failure', async (t) => {
  const tenant = await newTenant(service);
  const receiver = await startReceiver();
  const dispatchers = [startDispatcher(otherNode(service.ctx)), startDispatcher(otherNode(service.ctx))];
  t.after(async () => {
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(100)));
    await receiver.kill();
  });
  const made = await tenant.api('POST', '/webhook', { URL: receiver.url });
  expectStatus(made, 201);
  const users = () => receiver.received.filter(({ event }) => event.Type === 'user.created').length;
  await tenant.user();
  await until('the first delivery', () => users() === 1);
  receiver.answer((response) => response.writeHead(500).end());
  await tenant.user();
  await until('a failed attempt', () => users() === 2);
  await suspend(tenant);
  receiver.answer((response) => response.writeHead(200).end());
  const asOperator = { tenant: tenant.TenantID };
  await until(
    'the endpoint is released',
    async () => {
      const row = await service.ctx.db
        .selectFrom('webhook')
        .select('owner')
        .where('tenant_id', '=', tenant.TenantID)
        .executeTakeFirstOrThrow();
      return row.owner === null;
    },
    5 + slackSeconds,
  );
  for (const LoginID of [unique('later'), unique('later')])
    expectStatus(await service.api('POST', '/user', { LoginID }, undefined, asOperator), 201);
  clock.advance({ days: 30 });
  const other = await newTenant(service);
  expectStatus(await other.api('POST', '/webhook', { URL: receiver.url }), 201);
  await other.user();
  await until('a delivery to another tenant', () => users() === 3);
  receiver.answer((response) => response.writeHead(500).end());
  await resume(tenant);
  await until('another failed attempt', () => users() > 3);
  receiver.answer((response) => response.writeHead(200).end());
  await until('the key works', async () => (await tenant.api('GET', '/user')).status === 200);
  const read = async () => (await tenant.api('GET', `/webhook/${made.body.WebhookID}`)).body;
  assert.equal((await read()).Status, 'enabled');
  clock.advance({ hours: 1 });
  await until('all deliveries', async () => {
    const { body } = await tenant.api('GET', `/webhook/${made.body.WebhookID}/delivery?Status=delivered`);
    return body.Items.filter(({ Type }: { Type: string }) => Type === 'user.created').length === 4;
  });
});
