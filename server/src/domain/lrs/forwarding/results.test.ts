import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { movableClock } from '../../../../test/support/clock.ts';
import { packUnits } from '../../../../test/support/packages.ts';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newTenant,
  type TestTenant,
  unique,
} from '../../../../test/support/tenant.ts';
import { until } from '../../../../test/support/until.ts';
import { webhookSources } from '../../../app/webhook-sources.ts';
import { startDispatcher } from '../../events/webhooks/dispatcher.ts';

const clock = movableClock();
const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' }, now: clock.now });
const dispatchers = [1, 2].map(() => startDispatcher(service.ctx, webhookSources));
after(async () => {
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(1_000)));
  await service.close();
});
expectStatus(await service.importPackage('lifting', await packUnits(1)), 201);
expectStatus(await service.api('PUT', '/course/lifting/option/open', {}), 201);

type Statement = {
  id: string;
  actor: object;
  verb: { id: string };
  object: { id: string };
  result: { score?: object };
};

const client = { Username: 'lectern', Password: 'client secret' };

/** A learning suite that accepts one statement per request, with an access token or Basic credentials. */
async function startSuite(t: TestContext) {
  const suite = {
    stored: [] as Statement[],
    tokens: [] as URLSearchParams[],
    headers: [] as IncomingHttpHeaders[],
    /** Responses to the next statements, instead of storing them. */
    next: [] as { status: number; headers?: Record<string, string> }[],
    url: '',
  };
  let token = '';
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const json = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    if (request.url === '/token') {
      const form = new URLSearchParams(text);
      suite.tokens.push(form);
      if (form.get('client_secret') !== client.Password) return json(401, { error: 'invalid_client' });
      if (form.get('scope') !== 'xapi:write') return json(400, { error: 'invalid_scope' });
      token = `token-${suite.tokens.length}`;
      return json(200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
    }
    const basic = `Basic ${Buffer.from(`${client.Username}:${client.Password}`).toString('base64')}`;
    if (request.headers.authorization !== basic && request.headers.authorization !== `Bearer ${token}`)
      return json(401, {});
    if (request.method !== 'POST') return json(405, {});
    suite.headers.push(request.headers);
    const answer = suite.next.shift();
    if (answer) return response.writeHead(answer.status, answer.headers).end('{}');
    const statement: Statement = JSON.parse(text);
    if (suite.stored.some(({ id }) => id === statement.id)) return json(409, {});
    suite.stored.push(statement);
    return json(200, { accepted: true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  t.after(() => server.close());
  suite.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    suite,
    forgetToken: () => {
      token = 'another';
    },
  };
}

const withToken = (url: string) => ({ TokenURL: `${url}/token`, Scope: 'xapi:write' });

async function feed(tenant: TestTenant, url: string, fields: object = {}) {
  const made = await tenant.api('POST', '/webhook', {
    Kind: 'results',
    URL: `${url}/xapi`,
    ...client,
    ...fields,
  });
  expectStatus(made, 201);
  const path = `/webhook/${made.body.WebhookID}`;
  const deliveries = async () => (await tenant.api('GET', `${path}/delivery`)).body.Items.toReversed();
  return { made: made.body, path, deliveries };
}

/** A learner who passes the course: two results. */
async function passed(tenant: TestTenant, fields: object = { Email: `${unique('ann')}@example.com` }) {
  const LoginID = await tenant.user(fields as Record<string, unknown>);
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/lifting`)).body;
  const playing = await play(service, LaunchURL);
  expectStatus(await playing.commit({ Data: scorm12('incomplete', 20) }), 200);
  expectStatus(await playing.commit({ Data: scorm12('passed', 87.5) }), 200);
  return { LoginID, EnrollID };
}

const verbsOf = (stored: Statement[]) => stored.map(({ verb }) => verb.id.split('/').at(-1));
const statusesOf = (deliveries: { Status: string }[]) => deliveries.map(({ Status }) => Status);

test('a suite receives one statement per result, by email address, with a cached access token', async (t) => {
  const { suite, forgetToken } = await startSuite(t);
  const tenant = await newTenant(service);
  const { made, path, deliveries } = await feed(tenant, suite.url, withToken(suite.url));
  const { Kind, Actor, TokenURL, Scope, Username, Types } = made;
  assert.deepEqual(
    [Kind, Actor, Scope, Username, Types],
    ['results', 'email', 'xapi:write', 'lectern', null],
  );
  assert.equal(TokenURL, `${suite.url}/token`);
  assert.doesNotMatch(JSON.stringify((await tenant.api('GET', path)).body), /client secret/);
  const Email = `${unique('ann')}@example.com`;
  await passed(tenant, { Email });
  await until('both arrive', () => suite.stored.length === 2);
  assert.deepEqual(verbsOf(suite.stored), ['completed', 'passed']);
  const [, { actor, object, result } = {}] = suite.stored as [Statement, Statement];
  assert.deepEqual(actor, { objectType: 'Agent', mbox: `mailto:${Email}` });
  assert.equal(object?.id, `${service.baseUrl}/console/?course=lifting`);
  assert.deepEqual(result?.score, { scaled: 0.875 });
  assert.equal(suite.tokens.length, 1);
  assert.deepEqual(Object.fromEntries(suite.tokens[0] ?? []), {
    grant_type: 'client_credentials',
    client_id: 'lectern',
    client_secret: 'client secret',
    scope: 'xapi:write',
  });
  assert.equal(suite.headers[0]?.['x-experience-api-version'], '1.0.3');
  // The suite no longer knows the token.
  forgetToken();
  await passed(tenant);
  await until('two more arrive', () => suite.stored.length === 4);
  assert.equal(suite.tokens.length, 2);
  await until('all are recorded', async () =>
    statusesOf(await deliveries()).every((status) => status === 'delivered'),
  );
});

test('after Retry-After and an error of the suite, nothing is lost, and nobody else waits', async (t) => {
  const { suite } = await startSuite(t);
  const tenant = await newTenant(service);
  const { deliveries } = await feed(tenant, suite.url);
  suite.next.push({ status: 429, headers: { 'retry-after': '600' } });
  const first = await passed(tenant);
  const own = async () => (await deliveries()).filter(({ Attempts }: { Attempts: number }) => Attempts > 0);
  await until('it is tried', async () => (await own()).length === 1);
  const [busy] = await own();
  assert.ok(Date.parse(busy.NextAttemptAt) - Date.parse(busy.AttemptedAt) >= 600_000);
  assert.equal(busy.Answer.Status, 429);
  await passed(tenant);
  await until('another learner does not wait', () => suite.stored.length === 2);
  suite.next.push({ status: 500 });
  clock.advance({ minutes: 15 });
  await until('it fails again', async () => (await own())[0]?.Attempts === 2);
  clock.advance({ minutes: 15 });
  await until('all arrive', () => suite.stored.length === 4);
  const registration = (one: Statement & { context?: { registration?: string } }) =>
    one.context?.registration;
  assert.deepEqual(verbsOf(suite.stored.filter((one) => registration(one) === first.EnrollID)), [
    'completed',
    'passed',
  ]);
  await until('all are recorded', async () =>
    statusesOf(await deliveries()).every((status) => status === 'delivered'),
  );
});

test('409 means that the suite has the result, and 422 is shown and not repeated', async (t) => {
  const { suite } = await startSuite(t);
  const tenant = await newTenant(service);
  const { path, deliveries } = await feed(tenant, suite.url, { Actor: 'account' });
  const { LoginID } = await passed(tenant, {});
  await until('both arrive', () => suite.stored.length === 2);
  assert.deepEqual(suite.stored[0]?.actor, {
    objectType: 'Agent',
    account: { homePage: service.baseUrl, name: LoginID },
  });
  expectStatus(await tenant.api('POST', `${path}/replay`, { From: '2020-01-01T00:00:00Z' }), 200);
  await until('it is replayed', async () => (await deliveries()).length === 4);
  await until('it was there', async () =>
    statusesOf(await deliveries()).every((status) => status === 'delivered'),
  );
  assert.equal((await deliveries()).at(-1).Answer.Status, 409);
  assert.equal(suite.stored.length, 2);
  suite.next.push({ status: 422 });
  await passed(tenant);
  await until('the next one arrives', () => suite.stored.length === 3);
  const [rejected] = (await deliveries()).slice(-2);
  assert.deepEqual(
    [rejected.Status, rejected.Attempts, rejected.Error],
    ['failed', 1, 'The suite rejected the result (status 422).'],
  );
});

test('a person without an email address is left out, and the delivery says so', async (t) => {
  const { suite } = await startSuite(t);
  const tenant = await newTenant(service);
  const { path, deliveries } = await feed(tenant, suite.url);
  const { LoginID } = await passed(tenant, {});
  await until('both are recorded', async () => {
    const all = await deliveries();
    return all.length === 2 && statusesOf(all).every((status) => status === 'failed');
  });
  const [first] = await deliveries();
  assert.match(first.Error, /no email address/);
  assert.equal(suite.headers.length, 0);
  assert.equal((await tenant.api('GET', path)).body.FailingSince, null);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { Email: 'late@example.com' }), 200);
  expectStatus(await tenant.api('POST', `${path}/replay`, { EventIDs: [first.EventID] }), 200);
  await until('it arrives', () => suite.stored.length === 1);
});

test('a wrong scope or secret is named, and the result is sent once it is corrected', async (t) => {
  const { suite } = await startSuite(t);
  const tenant = await newTenant(service);
  const { path, deliveries } = await feed(tenant, suite.url, { ...withToken(suite.url), Scope: 'other' });
  const ping = async () => (await tenant.api('POST', `${path}/ping`)).body;
  assert.match((await ping()).Error, /Check Scope/);
  await passed(tenant);
  await until('it is tried', async () =>
    (await deliveries()).some(
      (one: { Reason: string; Attempts: number }) => one.Reason === 'event' && one.Attempts > 0,
    ),
  );
  expectStatus(await tenant.api('PUT', path, { Scope: 'xapi:write', Password: 'wrong' }), 200);
  assert.match((await ping()).Error, /Check Username/);
  expectStatus(await tenant.api('PUT', path, { Password: client.Password }), 200);
  // The suite cannot be read, but accepts the token.
  assert.deepEqual([(await ping()).Status, (await ping()).Answer.Status], ['delivered', 405]);
  await until('both arrive', () => suite.stored.length === 2);
  assert.doesNotMatch(JSON.stringify((await tenant.api('GET', '/audit')).body), /client secret/);
});

test('an erased person is not sent', async (t) => {
  const { suite } = await startSuite(t);
  const tenant = await newTenant(service);
  const { path, deliveries } = await feed(tenant, suite.url, { Status: 'disabled' });
  const { LoginID } = await passed(tenant);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  expectStatus(await tenant.api('PUT', path, { Status: 'enabled' }), 200);
  await until('both are done', async () => {
    const all = await deliveries();
    return all.length === 2 && statusesOf(all).every((status) => status === 'delivered');
  });
  assert.equal(suite.headers.length, 0);
});

test('a token also authorises the forwarding of all statements', async (t) => {
  const { suite } = await startSuite(t);
  const tenant = await newTenant(service);
  const { path } = await feed(tenant, suite.url, { Kind: 'xapi', ...withToken(suite.url) });
  const { body } = await tenant.api('POST', `${path}/ping`);
  assert.deepEqual([body.Answer.Status, suite.tokens.length], [405, 1]);
});

test('fields of other kinds are rejected, and the secret is sent to no other server', async () => {
  const tenant = await newTenant(service);
  const URL = 'http://127.0.0.1:9/';
  const create = (body: object) => tenant.api('POST', '/webhook', { URL, ...body });
  const TokenURL = 'http://127.0.0.1:9/token';
  for (const [body, param] of [
    [{ Kind: 'results' }, 'Username'],
    [{ Kind: 'results', ...client, Types: ['user.created'] }, 'Types'],
    [{ Kind: 'results', ...client, Scope: 'a' }, 'Scope'],
    [{ Kind: 'xapi', ...client, Actor: 'email' }, 'Actor'],
    [{ TokenURL }, 'TokenURL'],
  ] as const)
    expectProblem(await create(body), 422, 'validation_failed', param);
  const inside = { Kind: 'results', ...client, TokenURL: 'https://169.254.169.254/token' };
  expectProblem(await create(inside), 422, 'webhook_address_refused', 'TokenURL');
  const { body } = await create({ Kind: 'results', ...client, Status: 'disabled' });
  const path = `/webhook/${body.WebhookID}`;
  const elsewhere = { TokenURL: 'http://127.0.0.1:10/token' };
  expectProblem(await tenant.api('PUT', path, elsewhere), 422, 'validation_failed', 'Password');
  expectStatus(await tenant.api('PUT', path, { ...elsewhere, ...client, Scope: 'a' }), 200);
  expectProblem(await tenant.api('PUT', path, { TokenURL: null }), 422, 'validation_failed', 'Password');
  const back = await tenant.api('PUT', path, { TokenURL: null, ...client });
  assert.deepEqual([back.body.TokenURL, back.body.Scope], [null, null]);
  const { body: key } = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'no people',
    Scopes: ['webhooks:write', 'events:read', 'enrolments:read'],
  });
  expectProblem(
    await service.api('POST', '/webhook', { URL, Kind: 'results', ...client }, key.Secret),
    403,
    'scope_missing',
  );
});
