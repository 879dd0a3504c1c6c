import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { withAttachment } from '../../../test/support/lrs.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);

const v1 = { 'x-experience-api-version': '1.0.3' };
const v2 = { 'x-experience-api-version': '2.0.0' };
const ann = { mbox: 'mailto:ann@example.com' };
const verb = { id: 'https://example.com/verbs/answered' };
const activity = (name: string) => ({ id: `https://example.com/activities/${name}` });
const statement = <M extends object>(more?: M) => ({
  actor: ann,
  verb,
  object: activity('one'),
  ...(more as M),
});
const reference = (id: string) => ({ objectType: 'StatementRef', id });
const voidedVerb = { id: 'http://adlnet.gov/expapi/verbs/voided' };

async function post(
  tenant: TestTenant,
  body: unknown,
  headers: Record<string, string> = v1,
): Promise<string[]> {
  const reply = await tenant.api('POST', '/xapi/statements', body, headers);
  expectStatus(reply, 200);
  return reply.body;
}

async function find(tenant: TestTenant, query: Record<string, string>, headers: Record<string, string> = v1) {
  const reply = await tenant.api('GET', `/xapi/statements?${new URLSearchParams(query)}`, undefined, headers);
  expectStatus(reply, 200);
  return reply.body as { statements: { id: string; stored: string; timestamp: string }[]; more: string };
}

const idsOf = ({ statements }: Awaited<ReturnType<typeof find>>) => statements.map(({ id }) => id);

test('a statement is stored as sent, with the properties that the LRS adds', async () => {
  const tenant = await newTenant(service);
  const sent = statement({ id: randomUUID(), result: { duration: 'PT1M', response: 'b' } });
  expectStatus(await tenant.api('PUT', `/xapi/statements?statementId=${sent.id}`, sent, v1), 204);
  const { body } = await tenant.api('GET', `/xapi/statements?statementId=${sent.id}`, undefined, v1);
  const { stored, timestamp, authority, version, ...own } = body;
  assert.deepEqual(own, sent);
  assert.equal(stored, timestamp);
  assert.equal(version, '1.0.0');
  assert.equal(authority.account.name, tenant.keyId);
  const next = await newTenant(service);
  const elsewhere = await next.api('GET', `/xapi/statements?statementId=${sent.id}`, undefined, v1);
  expectProblem(elsewhere, 404, 'statement_not_found');
});

test('a statement never changes: an identical copy is accepted, and a different one with the same ID is rejected', async () => {
  const tenant = await newTenant(service);
  const id = randomUUID();
  const sent = statement({ id, result: { duration: 'PT1.001S' }, context: { registration: randomUUID() } });
  await post(tenant, sent);
  await post(tenant, { ...sent, id: id.toUpperCase(), result: { duration: 'PT1.009S' } });
  const other = await tenant.api(
    'POST',
    '/xapi/statements',
    [statement(), { ...sent, verb: voidedVerb, object: reference(id) }],
    v1,
  );
  expectProblem(other, 409, 'statement_conflict');
  const twice = await tenant.api('POST', '/xapi/statements', [statement({ id }), statement({ id })], v1);
  expectProblem(twice, 400, 'xapi_invalid');
  assert.deepEqual(idsOf(await find(tenant, {})), [id], 'a rejected batch stores nothing');
});

test('many concurrent requests with the same statements store each once', async () => {
  const tenant = await newTenant(service);
  const ids = Array.from({ length: 10 }, () => randomUUID());
  const requests = Array.from({ length: 30 }, (_, n) =>
    post(tenant, [statement({ id: ids[n % 10] }), statement({ id: ids[(n + 3) % 10] })]),
  );
  await Promise.all(requests);
  assert.deepEqual(idsOf(await find(tenant, {})).sort(), [...ids].sort());
});

test('pages neither repeat nor skip statements while new ones arrive', async () => {
  const tenant = await newTenant(service);
  const [first = ''] = await post(tenant, statement());
  await post(
    tenant,
    Array.from({ length: 6 }, () => statement()),
  );
  const found = await find(tenant, { limit: '3' });
  const seen = idsOf(found);
  for (let { more } = found; more !== ''; ) {
    await post(tenant, statement());
    const { body } = await tenant.api('GET', more, undefined, v1);
    seen.push(...body.statements.map(({ id }: { id: string }) => id));
    more = body.more;
  }
  assert.equal(seen.length, 7);
  assert.equal(new Set(seen).size, 7);
  assert.equal(seen.at(-1), first);
  expectProblem(await tenant.api('GET', '/xapi/statements?cursor=x', undefined, v1), 400, 'xapi_invalid');
});

test('since and until are compared with the time of storage, to the microsecond', async () => {
  const tenant = await newTenant(service);
  const [one, two, three] = await post(tenant, [statement(), statement(), statement()]);
  const all = await find(tenant, { ascending: 'true' });
  const [, middle] = all.statements;
  assert.deepEqual(idsOf(all), [one, two, three]);
  assert.deepEqual(idsOf(await find(tenant, { since: middle?.stored ?? '' })), [three]);
  assert.deepEqual(idsOf(await find(tenant, { until: middle?.stored ?? '' })), [two, one]);
});

test('filters find agents and activities, and related ones only on request', async () => {
  const tenant = await newTenant(service);
  const bob = { account: { homePage: 'https://example.com', name: 'bob' } };
  const registration = randomUUID();
  const [id = ''] = await post(tenant, [
    statement({
      context: { instructor: bob, registration, contextActivities: { parent: activity('parent') } },
    }),
    statement({ verb: { id: 'https://example.com/verbs/other' } }),
  ]);
  const agent = JSON.stringify(bob);
  assert.deepEqual(idsOf(await find(tenant, { agent })), []);
  assert.deepEqual(idsOf(await find(tenant, { agent, related_agents: 'true' })), [id]);
  assert.deepEqual(idsOf(await find(tenant, { activity: activity('parent').id })), []);
  const related = { activity: activity('parent').id, related_activities: 'true' };
  assert.deepEqual(idsOf(await find(tenant, related)), [id]);
  assert.deepEqual(idsOf(await find(tenant, { registration: registration.toUpperCase(), verb: verb.id })), [
    id,
  ]);
  assert.deepEqual(idsOf(await find(tenant, { registration: randomUUID() })), []);
});

test('a statement is found through the statement that it refers to, whichever arrives first', async () => {
  const tenant = await newTenant(service);
  const [about, later] = [randomUUID(), randomUUID()];
  const carl = { mbox: 'mailto:carl@example.com' };
  const comment = { actor: carl, verb: { id: 'https://example.com/verbs/commented' } };
  const [early = ''] = await post(tenant, { ...comment, object: reference(later) });
  const [second = ''] = await post(tenant, { ...comment, object: reference(early) });
  await post(tenant, [statement({ id: about }), statement({ id: later })]);
  const [third = ''] = await post(tenant, { ...comment, object: reference(about) });
  const query = { agent: JSON.stringify(ann), verb: verb.id };
  assert.deepEqual(idsOf(await find(tenant, query)), [third, later, about, second, early]);
  const mixed = { agent: JSON.stringify(carl), verb: verb.id };
  assert.deepEqual(idsOf(await find(tenant, mixed)), [], 'all filters match the same statement');
});

test('voided statements are hidden, whichever statement arrives first, and voiding statements cannot be voided', async () => {
  const tenant = await newTenant(service);
  const [before, after] = [randomUUID(), randomUUID()];
  const voiding = (id: string) => ({ actor: ann, verb: voidedVerb, object: reference(id) });
  await post(tenant, statement({ id: before }));
  const ids = await post(tenant, [voiding(before), voiding(after)]);
  await post(tenant, statement({ id: after }));
  const [another = ''] = await post(tenant, voiding(ids[0] ?? ''));
  assert.deepEqual(idsOf(await find(tenant, {})), [another, ids[1], ids[0]]);
  for (const id of [before, after]) {
    const hidden = await tenant.api('GET', `/xapi/statements?statementId=${id}`, undefined, v1);
    expectProblem(hidden, 404, 'statement_not_found');
    expectStatus(await tenant.api('GET', `/xapi/statements?voidedStatementId=${id}`, undefined, v1), 200);
  }
  assert.equal(
    (await find(tenant, { verb: verb.id })).statements.length,
    3,
    'statements that refer to them are found',
  );
});

test('only version 2.0 accepts contextAgents and converts timestamps to UTC', async () => {
  const tenant = await newTenant(service);
  const withAgents = statement({ context: { contextAgents: [{ objectType: 'contextAgent', agent: ann }] } });
  expectProblem(await tenant.api('POST', '/xapi/statements', withAgents, v1), 400, 'xapi_invalid');
  await post(tenant, { ...withAgents, timestamp: '2026-01-31T10:00:00+01:00' }, v2);
  const { statements } = await find(tenant, {}, v2);
  assert.equal(statements[0]?.timestamp, '2026-01-31T09:00:00.000Z');
  const without = await tenant.api('GET', '/xapi/statements');
  expectProblem(without, 400, 'xapi_invalid');
  expectStatus(await tenant.api('GET', '/xapi/about'), 200);
});

test('Consistent-Through is at least the time of the newest statement', async () => {
  const tenant = await newTenant(service);
  const [id = ''] = await post(tenant, statement());
  const reply = await tenant.api('GET', '/xapi/statements', undefined, v1);
  const through = reply.headers.get('x-experience-api-consistent-through') ?? '';
  assert.equal(reply.body.statements[0].id, id);
  assert.ok(through >= reply.body.statements[0].stored.slice(0, 19), through);
  const rejected = await tenant.api('GET', '/xapi/statements?unknown=1', undefined, v1);
  expectStatus(rejected, 400);
  assert.ok(rejected.headers.has('x-experience-api-consistent-through'));
});

test('attachments are sent with their statements and must match them', async () => {
  const tenant = await newTenant(service);
  const { body, contentType } = withAttachment(statement(), 'some text\r\nin two lines');
  const headers = { ...v1, 'content-type': contentType };
  await post(tenant, body, headers);
  const got = await tenant.api('GET', '/xapi/statements?attachments=true', undefined, v1);
  assert.match(got.headers.get('content-type') ?? '', /^multipart\/mixed; boundary=/);
  assert.ok(String(got.body).includes('\r\n\r\nsome text\r\nin two lines\r\n--'));
  for (const wrong of [
    body.replace('some text', 'other text'),
    body.replace(/Hash: ../, 'Hash: 00'),
    body.replace('--part--', '--part\r\nContent-Type: text/plain\r\n\r\nextra\r\n--part--'),
    body.replace('--part--', ''),
    body.replace(/--part\r\nContent-Type: text[\s\S]*--part--/, '--part--'),
  ])
    expectProblem(await tenant.api('POST', '/xapi/statements', wrong, headers), 400, 'xapi_invalid');
  assert.equal((await find(tenant, {})).statements.length, 1);
});

test('the media type of an attachment is one line', async () => {
  const tenant = await newTenant(service);
  const attachment = {
    usageType: 'http://example.com/usage',
    display: { en: 'A text' },
    length: 4,
    sha2: createHash('sha256').update('text').digest('hex'),
    fileUrl: 'https://example.com/text',
  };
  const send = (contentType: string) =>
    tenant.api('POST', '/xapi/statements', statement({ attachments: [{ ...attachment, contentType }] }), v1);
  expectStatus(await send('text/plain; charset="utf-8"'), 200);
  for (const contentType of [
    'text/plain\r\nX: y;',
    'text/plain;a=b\r\nX: y',
    'text/plain;\u0000',
    'text/plain;a=\u2028',
  ])
    expectProblem(await send(contentType), 400, 'xapi_invalid');
});

test("formats: identifiers only, and definitions in the client's language", async () => {
  const tenant = await newTenant(service);
  const object = { ...activity('named'), definition: { name: { en: 'Name', de: 'Titel' } } };
  await post(tenant, statement({ actor: { ...ann, name: 'Ann' }, object }));
  await post(tenant, statement({ object: { ...object, definition: { name: { fr: 'Nom' } } } }));
  const ids = await find(tenant, { format: 'ids', ascending: 'true' });
  const [shown] = ids.statements as unknown as { actor: object; object: object }[];
  assert.deepEqual([shown?.actor, shown?.object], [ann, activity('named')]);
  const inFrench = await find(
    tenant,
    { format: 'canonical' },
    { ...v1, 'accept-language': 'fr-CA, en;q=0.5' },
  );
  for (const { object } of inFrench.statements as unknown as { object: { definition: object } }[])
    assert.deepEqual(object.definition, { name: { fr: 'Nom' } });
  const known = await tenant.api('GET', `/xapi/activities?activityId=${activity('named').id}`, undefined, v1);
  assert.deepEqual(known.body.definition, { name: { en: 'Name', de: 'Titel', fr: 'Nom' } });
  const person = await tenant.api('GET', `/xapi/agents?agent=${JSON.stringify(ann)}`, undefined, v1);
  assert.deepEqual(person.body, { objectType: 'Person', name: ['Ann'], mbox: [ann.mbox] });
});

test('keys are accepted as Basic credentials, with their scopes', async () => {
  const tenant = await newTenant(service);
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'r',
    Scopes: ['xapi:read'],
  });
  const { KeyID, Secret } = made.body;
  const call = (method: string, credentials: string, body?: object) =>
    service.api(method, '/xapi/statements', body, '', {
      ...v1,
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    });
  expectStatus(await call('GET', `${KeyID}:${Secret}`), 200);
  expectProblem(await call('POST', `${KeyID}:${Secret}`, statement()), 403, 'scope_missing');
  expectProblem(await call('GET', `${tenant.keyId}:${Secret}`), 401, 'unauthorized');
  expectProblem(await call('GET', `${KeyID}:wrong-secret`), 401, 'unauthorized');
  expectStatus(await call('POST', `${tenant.keyId}:${tenant.key}`, statement()), 200);
  const elsewhere = await service.api('GET', '/user', undefined, '', {
    authorization: `Basic ${Buffer.from(`${tenant.keyId}:${tenant.key}`).toString('base64')}`,
  });
  expectProblem(elsewhere, 401, 'unauthorized');
});

test('a POST can stand in for another method in 1.0.3, with the headers in the form', async () => {
  const tenant = await newTenant(service);
  const authorization = `Basic ${Buffer.from(`${tenant.keyId}:${tenant.key}`).toString('base64')}`;
  const send = (method: string, fields: Record<string, string>) =>
    service.api('POST', `/xapi/statements?method=${method}`, new URLSearchParams(fields).toString(), '', {
      'content-type': 'application/x-www-form-urlencoded',
    });
  const headers = { Authorization: authorization, 'X-Experience-API-Version': '1.0.3' };
  const statementId = randomUUID();
  const content = JSON.stringify(statement());
  expectStatus(await send('PUT', { ...headers, statementId, content }), 204);
  assert.equal((await send('GET', { ...headers, statementId })).body.id, statementId);
  expectProblem(await send('GET', { 'X-Experience-API-Version': '1.0.3' }), 401, 'unauthorized');
  expectProblem(await send('PUT', { ...headers, statementId }), 400, 'xapi_invalid');
  expectProblem(await send('GET', { ...headers, 'X-Experience-API-Version': '2.0.0' }), 400, 'xapi_invalid');
});

test('pages on other origins can call the LRS without cookies', async () => {
  const preflight = await fetch(`${service.baseUrl}/xapi/activities/state`, { method: 'OPTIONS' });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /X-Experience-API-Version/);
  const rejected = await fetch(`${service.baseUrl}/xapi/statements`, { headers: v1 });
  assert.equal(rejected.status, 401);
  assert.equal(rejected.headers.get('access-control-allow-origin'), '*');
  assert.equal(rejected.headers.get('access-control-allow-credentials'), null);
});

test('a retry with the same Idempotency-Key gets the same response', async () => {
  const tenant = await newTenant(service);
  const headers = { ...v1, 'idempotency-key': 'one' };
  const [first, again] = [await post(tenant, statement(), headers), await post(tenant, statement(), headers)];
  assert.deepEqual(again, first);
  assert.equal((await find(tenant, {})).statements.length, 1);
});

test('a number that cannot be represented is rejected, not stored as null', async () => {
  const tenant = await newTenant(service);
  const text = JSON.stringify(statement({ result: { score: { raw: 1 } } })).replace('"raw":1', '"raw":1e999');
  const reply = await tenant.api('POST', '/xapi/statements', text, {
    ...v1,
    'content-type': 'application/json',
  });
  expectProblem(reply, 400, 'xapi_invalid');
  assert.match(reply.body.detail, /raw must be a number of at most/);
});

test('numbers keep the digits that the client sent, in all formats and in merged documents', async () => {
  const tenant = await newTenant(service);
  const headers = { ...v1, 'content-type': 'application/json', authorization: `Bearer ${tenant.key}` };
  const ask = async (method: string, path: string, body?: string) => {
    const reply = await fetch(`${service.baseUrl}/xapi/${path}`, { method, headers, ...(body && { body }) });
    assert.ok(reply.ok, `${method} ${path}: ${reply.status}`);
    return reply.text();
  };
  const id = randomUUID();
  const extension = '{"https://example.com/x":[12345678901234567890,1.0,1e-400,{"n":-0.50}]}';
  const score = '{"scaled":0.50,"raw":5.0,"min":0,"max":1e1}';
  const definition = `{"extensions":${extension}}`;
  const sent = `{"id":"${id}","actor":{"mbox":"mailto:ann@example.com"},"verb":{"id":"${verb.id}"},"object":{"id":"https://example.com/activities/digits","definition":${definition}},"result":{"score":${score},"extensions":${extension}},"context":{"extensions":${extension}}}`;
  await ask('POST', 'statements', `[${sent}]`);
  await ask('POST', 'statements', sent.replace('"raw":5.0', '"raw":5'));
  for (const format of ['exact', 'ids', 'canonical']) {
    const text = await ask('GET', `statements?statementId=${id}&format=${format}`);
    assert.ok(text.includes(`"result":{"score":${score},"extensions":${extension}}`), text);
    assert.ok(text.includes(`"context":{"extensions":${extension}}`), text);
    if (format !== 'ids') assert.ok(text.includes(`"definition":${definition}`), text);
  }
  const state = `activities/state?${new URLSearchParams({ agent: JSON.stringify(ann), activityId: 'https://example.com/activities/digits', stateId: 'x' })}`;
  await ask('PUT', state, '{"a": 1.0, "b": {"n": 2.0}}');
  assert.equal(await ask('GET', state), '{"a": 1.0, "b": {"n": 2.0}}');
  await ask('POST', state, '{"c":1e2,"a":1.50}');
  assert.equal(await ask('GET', state), '{"a":1.50,"b":{"n":2.0},"c":1e2}');
});
