import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { expectProblem } from '../../../../test/support/tenant.ts';
import { hasTwoNodes } from '../../../../test/support/two-nodes.ts';
import { until } from '../../../../test/support/until.ts';
import { type Receiver, startReceiver } from '../../../../test/support/webhooks.ts';
import { type Dispatcher, startDispatcher } from './dispatcher.ts';

let service: TestService;
let dispatcher: Dispatcher;
let receiver: Receiver;
let tenants = 0;

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  dispatcher = startDispatcher(service.ctx);
  receiver = await startReceiver();
});
after(async () => {
  await dispatcher.stop(1_000);
  await receiver.kill();
  await service.close();
});

type Call = (method: string, path: string, body?: unknown) => ReturnType<TestService['api']>;

async function ownTenant(): Promise<Call> {
  const tenantId = `hooks-${++tenants}`;
  await service.api('POST', '/tenant', { TenantID: tenantId });
  return (method, path, body) => service.api(method, path, body, undefined, { tenant: tenantId });
}

/** The deliveries of events about this user, so that tests do not see each other's deliveries. */
const sentTo = (login: string) => receiver.received.filter(({ event }) => event.LoginID === login);

const headersOf = ({ headers }: { headers: object }) => headers as Record<string, string>;

test('an endpoint can be created, read, changed and deleted', async () => {
  const call = await ownTenant();
  const made = await call('POST', '/webhook', { URL: receiver.url, Description: 'shop' });
  assert.equal(made.status, 201);
  assert.match(made.body.Secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(made.headers.get('location'), `/webhook/${made.body.WebhookID}`);
  const path = `/webhook/${made.body.WebhookID}`;
  const read = await call('GET', path);
  assert.equal(read.body.Secret, undefined);
  assert.deepEqual(
    [read.body.URL, read.body.Types, read.body.Status, read.body.Description],
    [receiver.url, null, 'enabled', 'shop'],
  );
  const changed = await call('PUT', path, { Types: ['user.created'], Status: 'disabled' });
  assert.deepEqual([changed.body.Status, changed.body.DisabledReason], ['disabled', 'client']);
  assert.deepEqual(changed.body.Types, ['user.created']);
  assert.equal((await call('GET', '/webhook')).body.Items.length, 1);
  assert.equal((await call('DELETE', path)).status, 200);
  assert.equal((await call('GET', path)).body.code, 'webhook_not_found');
  assert.equal((await call('DELETE', path)).status, 404);
});

test('invalid input is rejected with advice', async () => {
  const call = await ownTenant();
  const refused = async (body: object) => (await call('POST', '/webhook', body)).body;
  assert.equal((await refused({})).code, 'validation_failed');
  assert.equal((await refused({ URL: 'ftp://example.com' })).code, 'validation_failed');
  assert.equal((await refused({ URL: receiver.url, Types: ['user.sneezed'] })).param, 'Types');
  assert.equal((await refused({ URL: receiver.url, Typos: [] })).code, 'unknown_field');
});

test('addresses in private networks are rejected', async () => {
  const call = await ownTenant();
  const hosts = [
    'http://127.0.0.2/',
    'https://10.1.2.3/',
    'https://172.31.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0.0.0.0/',
    'https://2130706434/',
    'https://0x7f.2/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[2002:a00:1::]/',
    'https://[2001:4860:1:2:0:5efe:a00:1]/',
    'https://[2001:4860:1:2:200:5efe:10.0.0.1]/',
    'https://[2a00::5efe:7f00:1]/',
    'https://[2001::1]/',
    'https://[2620:4f:8000::1]/',
    'https://[5f00::1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[::10.0.0.1]/',
    'https://[::ffff:0:a00:1]/',
    'https://[100::1]/',
    'https://[3fff::1]/',
    'https://192.0.0.170/',
    'https://192.175.48.1/',
    'https://198.19.0.1/',
    'https://user:password@example.com/',
    'http://93.184.216.34/',
    'https://no-such-host.invalid/',
  ];
  for (const URL of hosts) {
    const { status, body } = await call('POST', '/webhook', { URL });
    assert.deepEqual([URL, status, body.code], [URL, 422, 'webhook_address_refused']);
  }
  const { body } = await call('POST', '/webhook', { URL: receiver.url });
  const moved = await call('PUT', `/webhook/${body.WebhookID}`, { URL: 'https://10.0.0.1/' });
  assert.equal(moved.body.code, 'webhook_address_refused');
});

test('another tenant cannot see an endpoint', async () => {
  const call = await ownTenant();
  const { body } = await call('POST', '/webhook', { URL: receiver.url });
  const other = await ownTenant();
  const path = `/webhook/${body.WebhookID}`;
  const tries: [string, string, unknown?][] = [
    ['GET', path],
    ['PUT', path, {}],
    ['DELETE', path],
    ['POST', `${path}/rotate`, {}],
    ['POST', `${path}/ping`],
    ['GET', `${path}/delivery`],
    ['POST', `${path}/replay`, { From: '2020-01-01T00:00:00Z' }],
  ];
  for (const [method, address, input] of tries)
    assert.equal(
      (await other(method, address, input)).body.code,
      'webhook_not_found',
      `${method} ${address}`,
    );
  assert.deepEqual((await other('GET', '/webhook')).body.Items, []);
});

test('an event is signed and delivered to the endpoint as GET /events shows it', async () => {
  const call = await ownTenant();
  await call('POST', '/user', { LoginID: 'too early' });
  const { body: hook } = await call('POST', '/webhook', { URL: receiver.url, Types: ['user.created'] });
  await call('POST', '/user', { LoginID: 'signed' });
  await call('PUT', '/user/signed', { FirstName: 'Not asked for' });
  await until('the event arrives', () => sentTo('signed').length > 0);
  const [one] = sentTo('signed');
  assert.ok(one);
  const { body: log } = await call('GET', '/events?Types=user.created');
  assert.deepEqual(new Verifier(hook.Secret).verify(one.text, headersOf(one)), log.Items[1]);
  assert.equal(one.headers['webhook-id'], one.event.EventID);
  assert.throws(() => new Verifier(hook.Secret).verify(one.text.replace('signed', 'forged'), headersOf(one)));
  await until('the delivery is recorded', async () => {
    const { body } = await call('GET', `/webhook/${hook.WebhookID}/delivery?Status=delivered`);
    return body.Items.length === 1;
  });
  const { body: deliveries } = await call('GET', `/webhook/${hook.WebhookID}/delivery`);
  const [delivery] = deliveries.Items;
  assert.equal(deliveries.Items.length, 1);
  assert.deepEqual(delivery.Request, { URL: receiver.url, Body: log.Items[1] });
  assert.deepEqual(delivery.Answer, { Status: 200, Body: 'thank you' });
  assert.deepEqual([delivery.Status, delivery.Attempts, delivery.Reason], ['delivered', 1, 'event']);
  assert.equal(sentTo('too early').length, 0);
});

test('after a rotation both secrets verify deliveries, and after the overlap only the new one does', async () => {
  const call = await ownTenant();
  const { body: old } = await call('POST', '/webhook', { URL: receiver.url });
  const path = `/webhook/${old.WebhookID}`;
  const { body: rotated } = await call('POST', `${path}/rotate`, {});
  assert.notEqual(rotated.Secret, old.Secret);
  await call('POST', '/user', { LoginID: 'both' });
  await until('the event arrives', () => sentTo('both').length > 0);
  const [one] = sentTo('both');
  assert.ok(one);
  assert.equal(headersOf(one)['webhook-signature']?.split(' ').length, 2);
  for (const secret of [old.Secret, rotated.Secret]) new Verifier(secret).verify(one.text, headersOf(one));

  const { body: last } = await call('POST', `${path}/rotate`, { OverlapSeconds: 0 });
  const ping = await call('POST', `${path}/ping`);
  const sent = receiver.received.find(({ event }) => event.EventID === ping.body.EventID);
  assert.ok(sent);
  new Verifier(last.Secret).verify(sent.text, headersOf(sent));
  assert.throws(() => new Verifier(rotated.Secret).verify(sent.text, headersOf(sent)));
});

test('a ping returns its result and appears in the delivery log, but not in the event log', async () => {
  const call = await ownTenant();
  const { body: hook } = await call('POST', '/webhook', { URL: receiver.url, Status: 'disabled' });
  const { status, body } = await call('POST', `/webhook/${hook.WebhookID}/ping`);
  assert.equal(status, 200);
  assert.deepEqual([body.Type, body.Status, body.Answer.Status], ['webhook.ping', 'delivered', 200]);
  const { body: listed } = await call('GET', `/webhook/${hook.WebhookID}/delivery`);
  assert.deepEqual(listed.Items, [body]);
  assert.deepEqual((await call('GET', '/events')).body.Items, []);
});

test('a tenant sends at most 60 test events a minute', async (t) => {
  if (hasTwoNodes) return t.skip('each node counts the requests that it receives');
  const call = await ownTenant();
  const { body: hook } = await call('POST', '/webhook', { URL: receiver.url });
  const ping = () => call('POST', `/webhook/${hook.WebhookID}/ping`);
  const statuses: number[] = [];
  while (statuses.length < 60) statuses.push((await ping()).status);
  assert.deepEqual(new Set(statuses), new Set([200]));
  const refused = await ping();
  expectProblem(refused, 429, 'too_many_requests');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
});

test('a ping of an endpoint that is deleted in the meantime gets 404', async () => {
  const call = await ownTenant();
  const slow = await startReceiver();
  const { body: hook } = await call('POST', '/webhook', { URL: slow.url });
  slow.answer((response) => {
    void call('DELETE', `/webhook/${hook.WebhookID}`).then(() => response.end());
  });
  expectProblem(await call('POST', `/webhook/${hook.WebhookID}/ping`), 404, 'webhook_not_found');
  await slow.kill();
});

test('only the beginning of a response is stored, and redirects are not followed', async () => {
  const call = await ownTenant();
  const big = await startReceiver();
  big.answer((response) => response.writeHead(500).end('ä'.repeat(1_000_000)));
  const { body: hook } = await call('POST', '/webhook', { URL: big.url });
  const failed = await call('POST', `/webhook/${hook.WebhookID}/ping`);
  assert.equal(failed.body.Status, 'failed');
  assert.equal(failed.body.Answer.Status, 500);
  assert.equal(failed.body.Answer.Body, 'ä'.repeat(2048));
  big.answer((response) => response.writeHead(302, { location: receiver.url }).end());
  const redirected = await call('POST', `/webhook/${hook.WebhookID}/ping`);
  assert.match(redirected.body.Error, /redirects are not followed/);
  assert.equal(big.received.length, 2);
  await big.kill();
});

test("a receiver's response after the person's erasure is not stored, for either user or enrolment events", async () => {
  const call = await ownTenant();
  const LoginID = 'erika.mustermann@example.org';
  await service.api('PUT', '/course/erased', { Title: 'x', URL: 'https://web.example/' });
  await service.api('PUT', '/course/erased/option/standard', {});
  const { body: hook } = await call('POST', '/webhook', {
    URL: receiver.url,
    Types: ['user.created', 'enrolment.created'],
  });
  const responses: (() => void)[] = [];
  receiver.answer((response, { text }) => {
    responses.push(() => response.writeHead(200).end(`cannot handle: ${text}`));
  });
  assert.equal((await call('POST', '/user', { LoginID })).status, 201);
  assert.equal((await call('POST', `/enrol/${LoginID}/erased`)).status, 201);
  await until('both deliveries are in progress', () => responses.length === 2);
  assert.equal((await call('DELETE', `/user/${LoginID}`)).status, 200);
  for (const answer of responses) answer();
  const deliveries = async () => (await call('GET', `/webhook/${hook.WebhookID}/delivery`)).body.Items;
  await until('both responses are recorded', async () =>
    (await deliveries()).every(({ Status }: { Status: string }) => Status === 'delivered'),
  );
  const items = await deliveries();
  assert.deepEqual(
    items.map(({ Answer }: { Answer: unknown }) => Answer),
    [
      { Status: 200, Body: null },
      { Status: 200, Body: null },
    ],
  );
  assert.doesNotMatch(JSON.stringify(items), /erika/);
  receiver.answer((response) => response.writeHead(200).end('thank you'));
});

test("events are replayed by ID or by time, through the endpoint's filter", async () => {
  const call = await ownTenant();
  // Hashing takes a while, so the event's ID is older than the event itself.
  await call('POST', '/user', { LoginID: 'again', Password: 'hash' });
  await call('PUT', '/user/again', { FirstName: 'Filtered' });
  const { body: log } = await call('GET', '/events');
  const { body: hook } = await call('POST', '/webhook', { URL: receiver.url, Types: ['user.created'] });
  const path = `/webhook/${hook.WebhookID}/replay`;
  const byId = await call('POST', path, { EventIDs: [log.Items[0].EventID] });
  assert.deepEqual(byId.body, { Deliveries: 1 });
  await until('the first replay arrives', () => sentTo('again').length === 1);
  const byTime = await call('POST', path, { From: log.Items[0].OccurredAt });
  assert.deepEqual(byTime.body, { Deliveries: 1 });
  await until('the second replay arrives', () => sentTo('again').length === 2);
  assert.deepEqual(
    new Set(sentTo('again').map((one) => one.headers['webhook-id'])),
    new Set([log.Items[0].EventID]),
  );
  assert.equal((await call('POST', path, {})).body.code, 'validation_failed');
  assert.deepEqual((await call('POST', path, { EventIDs: [hook.WebhookID] })).body, { Deliveries: 0 });
});
