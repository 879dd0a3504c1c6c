import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { Webhook as Verifier } from 'standardwebhooks';
import { movableClock } from '../../../../test/support/clock.ts';
import { withAttachment } from '../../../../test/support/lrs.ts';
import { type OtherLrs, startOtherLrs } from '../../../../test/support/other-lrs.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from '../../../../test/support/tenant.ts';
import { until } from '../../../../test/support/until.ts';
import { webhookSources } from '../../../app/webhook-sources.ts';
import { startDispatcher } from '../../events/webhooks/dispatcher.ts';
import { encryptSecrets } from '../../events/webhooks/secrets.ts';

const clock = movableClock();
const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' }, now: clock.now });
const dispatchers = [1, 2].map(() => startDispatcher(service.ctx, webhookSources));
after(async () => {
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(1_000)));
  await service.close();
});

const v1 = { 'x-experience-api-version': '1.0.3' };
const v2 = { 'x-experience-api-version': '2.0.0' };
const statement = (number: number) => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:ann@example.com' },
  verb: { id: 'https://example.com/verbs/answered' },
  object: { id: `https://example.com/questions/${number}` },
});
const statements = (count: number) => Array.from({ length: count }, (_, number) => statement(number));
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);

async function store(tenant: TestTenant, list: readonly object[], headers: Record<string, string> = v1) {
  expectStatus(await tenant.api('POST', '/xapi/statements', list, headers), 200);
}

async function forwarded(t: TestContext) {
  const lrs = await startOtherLrs();
  t.after(() => lrs.kill());
  const tenant = await newTenant(service);
  const hook = await forwardTo(tenant, lrs);
  return { lrs, tenant, ...hook };
}

type Delivery = {
  EventID: string;
  Status: string;
  StatementIDs: string[];
  Error: string | null;
  Attempts: number;
};

async function forwardTo(tenant: TestTenant, lrs: Pick<OtherLrs, 'url' | 'username' | 'password'>) {
  const { url: URL, username: Username, password: Password } = lrs;
  const made = await tenant.api('POST', '/webhook', { Kind: 'xapi', URL, Username, Password });
  expectStatus(made, 201);
  const path = `/webhook/${made.body.WebhookID}`;
  const deliveries = async (): Promise<Delivery[]> =>
    (await tenant.api('GET', `${path}/delivery`)).body.Items.toReversed();
  return { path, made: made.body, deliveries };
}

test('deliveries are signed, and credentials are encrypted with the key ring', async (t) => {
  const { lrs, tenant, made } = await forwarded(t);
  let text = '';
  lrs.intercept((response, { statements }) => {
    text = JSON.stringify(statements);
    response.end();
  });
  await store(tenant, statements(1));
  await until('it arrives', () => text !== '');
  const headers = lrs.requests[0]?.headers as Record<string, string>;
  new Verifier(made.Secret).verify(text, headers);
  const { rows } = await sql<{ password: string }>`
    select password from webhook where tenant_id = ${tenant.TenantID}`.execute(service.ctx.db);
  assert.match(rows[0]?.password ?? '', /^enc\./);
  assert.equal(await encryptSecrets(service.ctx), 0);
});

test('statements arrive once and in order, without the properties that the other LRS sets', async (t) => {
  const { lrs, tenant, path, made, deliveries } = await forwarded(t);
  assert.deepEqual([made.Kind, made.Username, made.Types], ['xapi', lrs.username, null]);
  assert.doesNotMatch(JSON.stringify((await tenant.api('GET', path)).body), /p:ä55/);
  const first = statements(120);
  await store(tenant, first);
  const newer = statements(2);
  await store(tenant, newer, v2);
  await until('all arrive', () => lrs.stored.length === 122);
  assert.deepEqual(idsOf(lrs.stored), idsOf([...first, ...newer]));
  const [one] = lrs.stored;
  assert.ok(one);
  const { timestamp, version, ...own } = one;
  assert.deepEqual(own, first[0]);
  assert.deepEqual([typeof timestamp, version], ['string', '1.0.0']);
  const editions = lrs.requests.map(({ headers }) => headers['x-experience-api-version']);
  assert.deepEqual([...new Set(editions)], ['1.0.3', '2.0.0']);
  assert.ok(lrs.requests.every(({ statements }) => statements.length <= 50));
  await until('all are recorded', async () =>
    (await deliveries()).every(({ Status }) => Status === 'delivered'),
  );
  assert.deepEqual(
    (await deliveries()).flatMap(({ StatementIDs }) => StatementIDs),
    idsOf(lrs.stored),
  );
  assert.doesNotMatch(JSON.stringify(await deliveries()), /private words/);
});

test('an endpoint receives only statements stored after its creation, unless earlier ones are replayed', async (t) => {
  const lrs = await startOtherLrs();
  t.after(() => lrs.kill());
  const tenant = await newTenant(service);
  const early = statements(60);
  await store(tenant, early);
  const { path } = await forwardTo(tenant, lrs);
  const [late] = statements(1);
  await store(tenant, [late ?? {}]);
  await until('the late one arrives', () => lrs.stored.length === 1);
  assert.deepEqual(idsOf(lrs.stored), [late?.id]);
  const replay = (body: object) => tenant.api('POST', `${path}/replay`, body);
  assert.deepEqual((await replay({ From: '2020-01-01T00:00:00Z' })).body, { Deliveries: 2 });
  await until('all arrive', () => lrs.stored.length === 61);
  assert.deepEqual(idsOf(lrs.stored), idsOf([...(late ? [late] : []), ...early]));
  const again = await replay({ EventIDs: [early[3]?.id, randomUUID()] });
  assert.deepEqual(again.body, { Deliveries: 1 });
  const future = await replay({ From: '2020-01-01T00:00:00Z', Until: '2020-01-02T00:00:00Z' });
  assert.deepEqual(future.body, { Deliveries: 0 });
  await until('it was sent again', () => lrs.requests.at(-1)?.statements[0]?.id === early[3]?.id);
  assert.equal(lrs.stored.length, 61);
});

test('an LRS that is killed gets everything after its restart, in order', async (t) => {
  const { lrs, tenant, path, deliveries } = await forwarded(t);
  const all = statements(400);
  await store(tenant, all.slice(0, 100));
  await until('some arrive', () => lrs.stored.length > 0);
  await lrs.kill();
  await store(tenant, all.slice(100));
  await until('a delivery failed', async () =>
    (await deliveries()).some(({ Error: error }) => error !== null),
  );
  const failing = await tenant.api('GET', path);
  assert.equal(failing.body.Status, 'enabled');
  assert.notEqual(failing.body.FailingSince, null);
  await lrs.restart();
  clock.advance({ minutes: 5 });
  await until('all arrive', () => lrs.stored.length === 400);
  assert.deepEqual(idsOf(lrs.stored), idsOf(all));
});

test('a lost response neither loses nor repeats anything: 409 means that the LRS already has the statement', async (t) => {
  const { lrs, tenant, deliveries } = await forwarded(t);
  lrs.intercept((response, { statements }) => {
    lrs.stored.push(...statements.slice(0, 3));
    lrs.intercept(null);
    response.destroy();
  });
  const all = statements(5);
  await store(tenant, all);
  await until('the first three are stored', () => lrs.stored.length === 3);
  clock.advance({ minutes: 5 });
  await until('it is delivered', async () =>
    (await deliveries()).every(({ Status }) => Status === 'delivered'),
  );
  assert.deepEqual(idsOf(lrs.stored), idsOf(all));
});

test('a statement that the LRS rejects does not stop the others, and the log contains its ID', async (t) => {
  const { lrs, tenant, path, deliveries } = await forwarded(t);
  const all = statements(50);
  const bad = new Set<string | undefined>([all[7]?.id, all[8]?.id]);
  lrs.reject(({ id }) => (bad.has(id) ? 400 : 0));
  await store(tenant, all);
  const [next] = statements(1);
  await store(tenant, [next ?? {}]);
  await until('the others arrive', () => lrs.stored.length === 49);
  assert.deepEqual(idsOf(lrs.stored), [...idsOf(all).filter((id) => !bad.has(id)), next?.id]);
  await until('both are recorded', async () =>
    (await deliveries()).every(({ Status }) => Status !== 'pending'),
  );
  const [failed, good] = await deliveries();
  assert.deepEqual([failed?.Status, failed?.Attempts, good?.Status], ['failed', 1, 'delivered']);
  assert.equal(
    failed?.Error,
    `The LRS rejected 2 of 50 statements: ${all[7]?.id} (status 400), ${all[8]?.id} (status 400). It has the rest.`,
  );
  assert.equal((await tenant.api('GET', path)).body.FailingSince, null);
  lrs.reject(() => 0);
  expectStatus(await tenant.api('POST', `${path}/replay`, { EventIDs: failed?.StatementIDs }), 200);
  await until('they arrive', () => lrs.stored.length === 51);
});

test('with revoked credentials nothing is lost: the endpoint waits, is disabled after 72 hours, and continues with new credentials', async (t) => {
  const { lrs, tenant, path, deliveries } = await forwarded(t);
  const revoked = await tenant.api('PUT', path, { Password: 'wrong' });
  expectStatus(revoked, 200);
  assert.equal((await tenant.api('POST', `${path}/ping`)).body.Answer.Status, 401);
  const all = statements(3);
  await store(tenant, all);
  const head = async () => (await deliveries()).find(({ StatementIDs }) => StatementIDs);
  await until('it is tried', async () => (await head())?.Attempts === 1);
  const isDisabled = async () => (await tenant.api('GET', path)).body.Status === 'disabled';
  for (let attempts = 1; !(await isDisabled()); attempts++) {
    assert.ok(attempts < 40);
    clock.advance({ hours: 15 });
    await until(
      'it is tried again',
      async () => ((await head())?.Attempts ?? 0) > attempts || (await isDisabled()),
    );
  }
  const disabled = (await tenant.api('GET', path)).body;
  assert.equal(disabled.DisabledReason, 'failing');
  assert.equal((await head())?.Status, 'pending');
  assert.ok((await tenant.events()).some(({ type }) => type === 'webhook.disabled'));
  expectStatus(await tenant.api('PUT', path, { Password: lrs.password, Status: 'enabled' }), 200);
  await until('all arrive', () => lrs.stored.length === 3);
  assert.deepEqual(idsOf(lrs.stored), idsOf(all));
  const { body: trail } = await tenant.api('GET', '/audit?Action=webhook.changed');
  assert.ok(trail.Items.some(({ Data }: { Data: { Changed: string[] } }) => Data.Changed.length === 2));
  assert.doesNotMatch(JSON.stringify(trail), /wrong|p:ä55/);
});

test('once the password is corrected, waiting statements are sent immediately', async (t) => {
  const { lrs, tenant, path, deliveries } = await forwarded(t);
  expectStatus(await tenant.api('PUT', path, { Password: 'wrong' }), 200);
  await store(tenant, statements(1));
  await until('it is tried', async () => (await deliveries())[0]?.Attempts === 1);
  clock.advance({ minutes: 5 });
  await until('it is tried again', async () => (await deliveries())[0]?.Attempts === 2);
  expectStatus(await tenant.api('PUT', path, { Password: lrs.password }), 200);
  await until('it arrives', () => lrs.stored.length === 1);
});

test('testing an endpoint reads one statement, and the result is in the log', async (t) => {
  const { lrs, tenant, path } = await forwarded(t);
  const { body } = await tenant.api('POST', `${path}/ping`);
  assert.deepEqual(
    [body.Status, body.Answer, body.Type],
    ['delivered', { Status: 200, Body: null }, 'webhook.ping'],
  );
  assert.deepEqual(body.Request, { URL: lrs.url, Body: null });
  assert.deepEqual(
    lrs.requests.map(({ method, url }) => [method, url]),
    [['GET', '/lrs/statements?limit=1']],
  );
});

test('statements are forwarded with their attachments from one Lectern to another', async () => {
  const [from, to] = [await newTenant(service), await newTenant(service)];
  const { deliveries } = await forwardTo(from, {
    url: `${service.baseUrl}/xapi`,
    username: to.keyId,
    password: to.key,
  });
  const sent = statement(1);
  const { body, contentType } = withAttachment(sent, 'Grüße');
  const headers = { ...v1, 'content-type': contentType };
  expectStatus(await from.api('POST', '/xapi/statements', body, headers), 200);
  const more = statements(60);
  await store(from, more, v2);
  await until('all are delivered', async () => {
    const all = await deliveries();
    return all.length > 1 && all.every(({ Status }) => Status === 'delivered');
  });
  const read = await to.api('GET', `/xapi/statements?statementId=${sent.id}&attachments=true`, undefined, v1);
  assert.match(String(read.body), /Grüße/);
  const { body: list } = await to.api('GET', '/xapi/statements?ascending=true', undefined, v1);
  assert.deepEqual(idsOf(list.statements), idsOf([sent, ...more]));
  assert.equal(list.statements[0].authority.account.name, to.keyId);
});

test("an erased person's statements are no longer sent", async (t) => {
  const { lrs, tenant, path, deliveries } = await forwarded(t);
  await lrs.kill();
  const LoginID = await tenant.user();
  const account = { homePage: service.baseUrl, name: LoginID };
  const [other] = statements(1);
  await store(tenant, [{ ...statement(1), actor: { account } }, other ?? {}]);
  await until('it is tried', async () => ((await deliveries())[0]?.Attempts ?? 0) > 0);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  await lrs.restart();
  clock.advance({ minutes: 5 });
  await until('it is delivered', async () => (await deliveries())[0]?.Status === 'delivered');
  assert.deepEqual(idsOf(lrs.stored), [other?.id]);
  assert.equal((await tenant.api('GET', path)).body.FailingSince, null);
});

test('fields that belong to the other kind of endpoint, missing credentials and missing scopes are rejected', async () => {
  const tenant = await newTenant(service);
  const URL = 'http://127.0.0.1:9/';
  const Kind = 'xapi';
  const credentials = { Username: 'a', Password: 'b' };
  const create = (body: object) => tenant.api('POST', '/webhook', { URL, ...body });
  for (const [body, param] of [
    [{ Kind }, 'Username'],
    [{ Kind, Username: 'a' }, 'Password'],
    [{ Kind, ...credentials, Username: 'a:b' }, 'Username'],
    [{ Kind, ...credentials, Types: ['user.created'] }, 'Types'],
    [credentials, 'Username'],
    [{ Kind: 'caliper' }, 'Kind'],
  ] as const)
    expectProblem(await create(body), 422, 'validation_failed', param);
  const { body: events } = await create({});
  expectProblem(
    await tenant.api('PUT', `/webhook/${events.WebhookID}`, credentials),
    422,
    'validation_failed',
    'Username',
  );
  const { body: hook } = await create({ Kind, ...credentials, Status: 'disabled' });
  const path = `/webhook/${hook.WebhookID}`;
  expectProblem(await tenant.api('PUT', path, { Username: null }), 422, 'validation_failed', 'Username');
  expectProblem(
    await tenant.api('PUT', path, { Types: ['user.created'] }),
    422,
    'validation_failed',
    'Types',
  );
  const { body: key } = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'events only',
    Scopes: ['webhooks:write', 'events:read'],
  });
  const asOther = (method: string, path: string, body: object) => service.api(method, path, body, key.Secret);
  expectProblem(await asOther('POST', '/webhook', { URL, Kind, ...credentials }), 403, 'scope_missing');
  expectProblem(await asOther('PUT', path, { URL }), 403, 'scope_missing');
  const moved = { URL: 'http://127.0.0.1:10/' };
  expectProblem(await tenant.api('PUT', path, moved), 422, 'validation_failed', 'Password');
  expectStatus(await tenant.api('PUT', path, { ...moved, ...credentials }), 200);
  expectStatus(await tenant.api('PUT', path, { URL: 'http://127.0.0.1:10/xapi' }), 200);
  const other = await newTenant(service);
  expectProblem(await other.api('PUT', path, credentials), 404, 'webhook_not_found');
});

test('a node sends two large deliveries at a time, so receivers that stop reading cannot exhaust its memory', async (t) => {
  const tenant = await newTenant(service);
  const open: Socket[] = [];
  const deaf = createServer((socket) => {
    open.push(socket.pause().on('error', () => {}));
  });
  await new Promise<void>((resolve) => void deaf.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    deaf.close();
    // A paused socket does not notice that the other end has closed.
    for (const socket of open) socket.destroy();
  });
  const { port } = deaf.address() as AddressInfo;
  for (let n = 0; n < 24; n++)
    await forwardTo(tenant, {
      url: `http://127.0.0.1:${port}/${n}`,
      username: 'a',
      password: 'b',
    });
  const extensions = { 'https://example.com/text': 'x'.repeat(1_200_000) };
  await store(tenant, [{ ...statement(1), context: { extensions } }]);
  await until('large deliveries have begun', async () => open.length >= 2);
  await delay(1_000);
  assert.equal(open.length, 2);
});
