import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);

const v1 = { 'x-experience-api-version': '1.0.3' };
const v2 = { 'x-experience-api-version': '2.0.0' };
const agent = JSON.stringify({ mbox: 'mailto:ann@example.com' });
const activityId = 'https://example.com/activity';

const caller =
  (tenant: TestTenant, path: string, context: Record<string, string>) =>
  (method: string, query: Record<string, string>, body?: unknown, headers: Record<string, string> = v1) =>
    tenant.api(method, `/xapi/${path}?${new URLSearchParams({ ...context, ...query })}`, body, headers);

const resources = [
  ['activities/state', { agent, activityId }, 'stateId'],
  ['activities/profile', { activityId }, 'profileId'],
  ['agents/profile', { agent }, 'profileId'],
] as const;

for (const [path, context, id] of resources)
  test(`${path}: documents are stored, merged, listed and deleted`, async () => {
    const tenant = await newTenant(service);
    const call = caller(tenant, path, context);
    const one = { [id]: 'one' };
    const fresh = { ...v1, 'if-none-match': '*' };
    expectStatus(await call('PUT', one, { a: 1, b: 1 }, fresh), 204);
    expectProblem(await call('PUT', one, {}, fresh), 412, 'precondition_failed');
    expectStatus(await call('POST', one, { b: 2 }), 204);
    const read = await call('GET', one);
    assert.deepEqual(read.body, { a: 1, b: 2 });
    assert.match(read.headers.get('etag') ?? '', /^"[0-9a-f]{40}"$/);
    expectStatus(
      await call('PUT', { [id]: 'text' }, 'words', { ...fresh, 'content-type': 'text/plain' }),
      204,
    );
    expectProblem(await call('POST', { [id]: 'text' }, {}), 400, 'xapi_invalid');
    assert.deepEqual((await call('GET', {})).body, ['one', 'text']);
    assert.deepEqual((await call('GET', { since: '2100-01-01T00:00:00Z' })).body, []);
    const wrong = { ...v1, 'if-match': '"other"' };
    expectProblem(await call('DELETE', one, undefined, wrong), 412, 'precondition_failed');
    expectStatus(await call('DELETE', one), 204);
    expectProblem(await call('GET', one), 404, 'document_not_found');
  });

for (const [path, context, id] of resources)
  test(`${path}: a write without a precondition replaces nothing in 2.0`, async () => {
    const tenant = await newTenant(service);
    const call = caller(tenant, path, context);
    const one = { [id]: 'one' };
    expectStatus(await call('PUT', one, { a: 1 }, v2), 204);
    expectProblem(await call('PUT', one, { a: 2 }, v2), 409, 'document_conflict');
    const { headers, body } = await call('GET', one, undefined, v2);
    assert.deepEqual(body, { a: 1 });
    const etag = headers.get('etag') ?? '';
    expectStatus(await call('PUT', one, { a: 2 }, { ...v2, 'if-match': etag.replaceAll('"', '') }), 204);
    expectProblem(await call('PUT', one, { a: 3 }, { ...v2, 'if-match': etag }), 412, 'precondition_failed');
    const without = await call('PUT', one, { a: 3 }, v1);
    if (id === 'stateId') expectStatus(without, 204);
    else expectProblem(without, 409, 'document_conflict');
  });

test('in 1.0.3, a profile is not created without a precondition', async () => {
  const tenant = await newTenant(service);
  const call = caller(tenant, 'agents/profile', { agent });
  expectProblem(await call('PUT', { profileId: 'one' }, {}), 400, 'xapi_invalid');
});

test('states of different registrations are separate, but are deleted together', async () => {
  const tenant = await newTenant(service);
  const call = caller(tenant, 'activities/state', { agent, activityId });
  const registration = randomUUID();
  expectStatus(await call('PUT', { stateId: 'a' }, { at: 1 }), 204);
  expectStatus(await call('PUT', { stateId: 'a', registration }, { at: 2 }), 204);
  expectStatus(await call('PUT', { stateId: 'b', registration }, { at: 3 }), 204);
  assert.deepEqual((await call('GET', { stateId: 'a', registration })).body, { at: 2 });
  assert.deepEqual((await call('GET', { registration })).body, ['a', 'b']);
  expectStatus(await call('DELETE', { registration }), 204);
  assert.deepEqual((await call('GET', {})).body, ['a']);
  expectStatus(await call('DELETE', {}), 204);
  assert.deepEqual((await call('GET', {})).body, []);
});

test('concurrent merges lose nothing', async () => {
  const tenant = await newTenant(service);
  const call = caller(tenant, 'activities/state', { agent, activityId });
  const numbers = Array.from({ length: 8 }, (_, n) => n);
  const replies = await Promise.all(numbers.map((n) => call('POST', { stateId: 'all' }, { [`n${n}`]: n })));
  for (const reply of replies) expectStatus(reply, 204);
  assert.equal(Object.keys((await call('GET', { stateId: 'all' })).body).length, 8);
});

test('invalid requests are rejected with a 400', async () => {
  const tenant = await newTenant(service);
  const call = caller(tenant, 'activities/state', {});
  for (const query of [
    {},
    { agent },
    { agent: '{', activityId },
    { agent: '{}', activityId },
    { agent, activityId: 'x' },
    { agent, activityId, registration: 'x' },
    { agent, activityId, since: 'yesterday' },
    { agent, activityId, StateId: 'x' },
  ])
    expectProblem(await call('GET', query as Record<string, string>), 400, 'xapi_invalid');
});

for (const [path, context, id] of resources)
  test(`${path}: a PUT keeps a body that is not JSON, and a POST rejects it`, async () => {
    const tenant = await newTenant(service);
    const call = caller(tenant, path, context);
    const asJson = { ...v1, 'content-type': 'application/json', 'if-none-match': '*' };
    const bookmark = 'page=3;visited=1,2';
    expectStatus(await call('PUT', { [id]: 'bookmark' }, bookmark, asJson), 204);
    const url = `${service.baseUrl}/xapi/${path}?${new URLSearchParams({ ...context, [id]: 'bookmark' })}`;
    const read = await fetch(url, { headers: { ...v1, authorization: `Bearer ${tenant.key}` } });
    assert.equal(await read.text(), bookmark);
    assert.equal(read.headers.get('content-type'), 'application/json');
    const stored = await call('POST', { [id]: 'bookmark' }, { a: 1 });
    expectProblem(stored, 400, 'xapi_invalid');
    assert.match(stored.body.detail, /stored document/);
    expectProblem(await call('POST', { [id]: 'other' }, '{"a":', { ...asJson }), 400, 'xapi_invalid');
  });

test('another tenant has its own documents', async () => {
  const [one, other] = [await newTenant(service), await newTenant(service)];
  const query = { stateId: 'a' };
  expectStatus(await caller(one, 'activities/state', { agent, activityId })('PUT', query, { at: 1 }), 204);
  const elsewhere = caller(other, 'activities/state', { agent, activityId });
  expectProblem(await elsewhere('GET', query), 404, 'document_not_found');
  assert.deepEqual((await elsewhere('GET', {})).body, []);
});
