import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { reserve } from './budgets.ts';
import { type FairQueue, inTurn, operatorQueue } from './fair-queue.ts';

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);
const { lists, unsent, exports } = service.ctx.admission;
const rows = 120;

/** Enrolments with the maximum amount of Metadata: 20 kB each. */
async function withLargeEnrolments(): Promise<TestTenant> {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const Metadata = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`k${at}`, '\u{1F600}'.repeat(250)]),
  );
  const type = { 'content-type': 'application/x-ndjson' };
  const post = async (path: string, fields: object) => {
    const body = Array.from({ length: rows }, (_, at) => JSON.stringify({ LoginID: `u${at}`, ...fields }));
    expectStatus(await tenant.api('POST', path, body.join('\n'), type), 200);
  };
  await post('/user/bulk', {});
  await post('/enrol/bulk', { CourseID, Metadata });
  return tenant;
}

const large = await withLargeEnrolments();

test('a page of large rows ends at about 1 MiB, and cursors return every row exactly once', async () => {
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const { body } = await large.api('GET', `/enrolment?Limit=200${cursor && `&Cursor=${cursor}`}`);
    assert.ok(Buffer.byteLength(JSON.stringify(body)) < 1.3 * 1024 ** 2);
    seen.push(...body.Items.map(({ EnrollID }: { EnrollID: string }) => EnrollID));
    cursor = body.NextCursor;
  }
  assert.ok(pages > 1);
  assert.equal(seen.length, rows);
  assert.equal(new Set(seen).size, rows);
  const { body } = await large.api('GET', '/enrolment', undefined, { accept: 'application/x-ndjson' });
  assert.equal(typeof body === 'string' ? body.trim().split('\n').length : rows, rows);
});

test('the event log can be read to its end, however many events it has', async () => {
  const tenant = await newTenant(service);
  let cursor = '';
  for (let events = 0; events <= 26; events++) {
    const { status, body } = await tenant.api('GET', '/events');
    assert.deepEqual([status, body.Items?.length], [200, events]);
    const next = await tenant.api('GET', `/events?Cursor=${body.NextCursor}`);
    assert.deepEqual([next.status, next.body.Items, next.body.NextCursor], [200, [], body.NextCursor]);
    assert.notEqual(body.NextCursor, cursor);
    cursor = body.NextCursor;
    await tenant.user();
  }
});

test('a page of small rows has as many rows as requested, however many chunks are read', async () => {
  for (const Limit of [1, 49, 50, 51, 100, rows, 200]) {
    const { body } = await large.api('GET', `/user?Limit=${Limit}`);
    assert.equal(body.Items.length, Math.min(Limit, rows));
    assert.equal(body.NextCursor === null, Limit >= rows);
  }
});

test('100 lists of large rows requested with one key do not delay other tenants', async () => {
  const other = await newTenant(service);
  await other.user();
  let left = 100;
  let peak = 0;
  // Connections are accepted one at a time, so on a slow machine the first lists would finish before the others arrive.
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = Array.from({ length: lists.maxPerCaller }, () => inTurn(lists, large.TenantID, () => promise));
  const calls = Array.from({ length: left }, () =>
    large.api('GET', '/enrolment?Limit=200').finally(() => {
      left--;
      peak = Math.max(peak, lists.callers.get(large.TenantID)?.inUse ?? 0);
    }),
  );
  await until('some of them wait', async () => (lists.callers.get(large.TenantID)?.waiting.length ?? 0) > 10);
  expectStatus(await other.api('GET', '/user'), 200);
  assert.equal(left, 100, 'the other tenant did not wait for any of them');
  resolve();
  await Promise.all(held);
  // The overview needs many statements, each of which waits for a statement of the other tenant.
  expectStatus(await other.api('GET', '/overview'), 200);
  for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
  assert.ok(peak <= lists.maxPerCaller);
  await until('all slots are released', async () => lists.callers.size === 0 && unsent.bytes.size === 0);
});

test("lists that do not fit into a tenant's queue get 429 with Retry-After, and other tenants are unaffected", async () => {
  const tenant = await newTenant(service);
  const { promise, resolve } = Promise.withResolvers<void>();
  const places = lists.maxPerCaller + lists.maxWaiting;
  const waiting = Array.from({ length: places }, () => inTurn(lists, tenant.TenantID, () => promise));
  const response = await tenant.api('GET', '/user');
  expectProblem(response, 429, 'too_many_requests');
  assert.equal(response.headers.get('retry-after'), '1');
  expectStatus(await large.api('GET', '/user'), 200);
  resolve();
  await Promise.all(waiting);
  expectStatus(await tenant.api('GET', '/user'), 200);
});

test("a tenant's unread lists are limited, and so are complete lists being sent", async () => {
  const tenant = await newTenant(service);
  unsent.bytes.set(tenant.TenantID, unsent.max);
  expectProblem(await tenant.api('GET', '/user'), 429, 'too_many_requests');
  expectStatus(await large.api('GET', '/user'), 200);
  unsent.bytes.delete(tenant.TenantID);
  const whole = () => tenant.api('GET', '/user', undefined, { accept: 'text/csv' });
  const held = Array.from({ length: exports.concurrent }, () => reserve(exports, tenant.TenantID));
  expectProblem(await whole(), 429, 'too_many_requests');
  for (const release of held) release?.();
  for (let time = 0; time < 2 * exports.concurrent; time++) {
    expectStatus(await whole(), 200);
    await until('its slot is free', async () => exports.used.get(tenant.TenantID)?.inUse === 0);
  }
});

/** Occupies all slots of a queue until it is called. */
function occupy(queue: FairQueue): () => Promise<unknown> {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const works = Array.from({ length: queue.max }, (_, n) => inTurn(queue, `tenant ${n}`, () => finished));
  return () => {
    finish();
    return Promise.all(works);
  };
}

test('lists do not wait for replays and erasures', async () => {
  const tenant = await newTenant(service);
  const { erasures, replays } = service.ctx.admission;
  const release = [occupy(erasures), occupy(replays)];
  const LoginID = await tenant.user();
  const erased = tenant.api('DELETE', `/user/${LoginID}`);
  expectStatus(await tenant.api('GET', '/user'), 200);
  expectStatus(await tenant.api('GET', '/overview'), 200);
  await Promise.all(release.map((end) => end()));
  expectStatus(await erased, 200);
});

test('erasures do not wait for replays, nor replays for plays of the robot', async () => {
  const tenant = await newTenant(service);
  const release = occupy(service.ctx.admission.replays);
  expectStatus(await tenant.api('DELETE', `/user/${await tenant.user()}`), 200);
  await release();
  const end = occupy(service.ctx.admission.plays);
  const { WebhookID } = (await tenant.api('POST', '/webhook', { URL: 'http://127.0.0.1:9/' })).body;
  const From = new Date().toISOString();
  expectStatus(await tenant.api('POST', `/webhook/${WebhookID}/replay`, { From }), 200);
  await end();
});

test('at most 20 replays and 20 plays of a tenant wait', async () => {
  const tenant = await newTenant(service);
  const { WebhookID } = (await tenant.api('POST', '/webhook', { URL: 'http://127.0.0.1:9/' })).body;
  const From = new Date().toISOString();
  const calls = {
    replays: () => tenant.api('POST', `/webhook/${WebhookID}/replay`, { From }),
    plays: () => tenant.api('POST', '/test/play/unknown', { Status: 'completed' }),
  };
  for (const [name, call] of Object.entries(calls)) {
    const queue = service.ctx.admission[name as keyof typeof calls];
    const { promise, resolve } = Promise.withResolvers<void>();
    const places = Array.from({ length: queue.maxPerCaller + 20 }, () =>
      inTurn(queue, tenant.TenantID, () => promise),
    );
    assert.ok(places.every((place) => place !== null));
    expectProblem(await call(), 429, 'too_many_requests');
    resolve();
    await Promise.all(places);
    assert.notEqual((await call()).status, 429);
  }
});

test('a request whose client leaves while it waits does nothing and is not logged', async (t) => {
  const tenant = await newTenant(service);
  const warn = t.mock.method(service.ctx.log, 'warn');
  const { promise, resolve } = Promise.withResolvers<void>();
  const queue = service.ctx.admission.erasures;
  const LoginID = await tenant.user();
  const held = Array.from({ length: queue.maxPerCaller }, () =>
    inTurn(queue, tenant.TenantID, () => promise),
  );
  const client = new AbortController();
  const reply = fetch(`${service.baseUrl}/user/${LoginID}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${tenant.key}` },
    signal: client.signal,
  });
  await until('it waits', () => queue.callers.get(tenant.TenantID)?.waiting.length === 1);
  client.abort();
  await assert.rejects(reply, { name: 'AbortError' });
  await until('its slot is released', () => service.ctx.admission.pools.api.inUse === 0);
  resolve();
  await Promise.all(held);
  await until('its turn is over', () => !queue.callers.has(tenant.TenantID));
  expectStatus(await tenant.api('GET', `/user/${LoginID}`), 200);
  assert.deepEqual(
    warn.mock.calls
      .map(({ arguments: [, message] }) => message)
      .filter((message) => message === 'service unavailable'),
    [],
  );
});

test('reads that take as long as a list wait in the same queue', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  await service.importPackage(CourseID, await packCourse('phishing'));
  const LoginID = await tenant.user();
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const version = { 'x-experience-api-version': '1.0.3' };
  const agent = encodeURIComponent('{"mbox":"mailto:a@b.example"}');
  const operator = (path: string) => service.api('GET', path);
  const reading: [queue: string, read: () => ReturnType<typeof operator>][] = [
    [tenant.TenantID, () => tenant.api('GET', `/enrolment/${LoginID}/${EnrollID}/explain`)],
    [tenant.TenantID, () => tenant.api('GET', `/enrolment/course/${CourseID}/question`)],
    [tenant.TenantID, () => tenant.api('GET', '/xapi/activities?activityId=a:b', undefined, version)],
    [tenant.TenantID, () => tenant.api('GET', `/xapi/agents?agent=${agent}`, undefined, version)],
    [operatorQueue, () => operator(`/course/${CourseID}/package`)],
    [operatorQueue, () => operator(`/course/${CourseID}/release/1`)],
  ];
  for (const [queue, read] of reading) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = Array.from({ length: lists.maxPerCaller }, () => inTurn(lists, queue, () => promise));
    const reply = read();
    await until('it waits', () => lists.callers.get(queue)?.waiting.length === 1);
    resolve();
    await Promise.all(held);
    expectStatus(await reply, 200);
  }
});
