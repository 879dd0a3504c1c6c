import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user, events } = await newTenant(service);
const CourseID = await newCourse(service, {}, { month: { Duration: 'P30D' } });

async function enrolled(course = CourseID) {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${course}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  return {
    LoginID,
    EnrollID,
    LaunchURL,
    put: (body: unknown) => api('PUT', address, body),
    read: async () => (await api('GET', address)).body,
    types: async () => (await events({ EnrollID })).map(({ type }) => type),
  };
}

const inDays = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString();

test('PUT changes the fields sent, keeps the others, and writes one event', async () => {
  const { put, read, EnrollID } = await enrolled();
  const before = await read();
  const changed = await put({ Reference: 'order-9' });
  expectStatus(changed, 200);
  assert.deepEqual(changed.body, { ...before, Reference: 'order-9' });
  assert.deepEqual(await read(), changed.body);
  const reported = (await events({ EnrollID })).at(-1);
  assert.deepEqual(
    [reported?.type, reported?.data],
    [
      'enrolment.updated',
      { Changed: ['Reference'], Status: 'enrolled', Outcome: 'not_started', Success: 'unknown' },
    ],
  );
  assert.equal((await put({ Metadata: { a: '1' } })).body.Reference, 'order-9');
  assert.deepEqual((await put({ Reference: null })).body.Metadata, { a: '1' });
});

test('repeating a PUT changes nothing and writes no event', async () => {
  const { put, types } = await enrolled();
  const body = { Reference: 'r', Metadata: { a: '1', b: '2' }, ExpiresAt: inDays(5) };
  const first = await put(body);
  const reported = (await types()).length;
  assert.deepEqual((await put({ ...body, Metadata: { b: '2', a: '1' } })).body, first.body);
  assert.deepEqual((await put({})).body, first.body);
  assert.equal((await types()).length, reported);
});

test('ExpiresAt can move the end of access earlier or later', async () => {
  const { put, read, types } = await enrolled();
  assert.equal((await put({ ExpiresAt: inDays(-1) })).body.Status, 'expired');
  assert.equal((await put({ ExpiresAt: inDays(1) })).body.Status, 'enrolled');
  clock.advance({ days: 2 });
  assert.equal((await read()).Status, 'expired');
  assert.equal((await put({ ExpiresAt: null })).body.Status, 'enrolled');
  clock.advance({ days: 3650 });
  assert.equal((await read()).Status, 'enrolled');
  assert.deepEqual(await types(), [
    'enrolment.created',
    'enrolment.expired',
    'enrolment.updated',
    'enrolment.updated',
  ]);
});

test('changing an enrolment that has just expired also writes the expiry event', async () => {
  const { put, types } = await enrolled();
  clock.advance({ days: 31 });
  assert.equal((await put({ Reference: 'late' })).body.Status, 'expired');
  const reported = (await types()).slice(1).sort();
  assert.deepEqual(reported, ['enrolment.expired', 'enrolment.updated']);
});

test('reversing a withdrawal restores the previous status', async () => {
  const { put, LaunchURL, types } = await enrolled();
  await play(service, LaunchURL);
  assert.equal((await put({ Withdrawn: true })).body.Status, 'withdrawn');
  assert.equal((await put({ Withdrawn: true })).body.Status, 'withdrawn');
  assert.equal((await put({ ExpiresAt: inDays(-1) })).body.Status, 'withdrawn');
  assert.equal((await put({ Withdrawn: false })).body.Status, 'expired');
  assert.equal((await put({ ExpiresAt: inDays(10), Withdrawn: false })).body.Status, 'in_progress');
  assert.equal((await types()).filter((type) => type === 'enrolment.withdrawn').length, 1);
});

test('a completed enrolment stays completed, however access ends', async () => {
  const { put, read, LaunchURL } = await enrolled();
  const { commit } = await play(service, LaunchURL);
  await commit({ Data: { 'lectern.completion': 'completed' } });
  const { CompletedAt } = await read();
  assert.equal((await put({ ExpiresAt: inDays(-1) })).body.Status, 'completed');
  assert.equal((await put({ ExpiresAt: inDays(30) })).body.Status, 'completed');
  assert.equal((await put({ Withdrawn: true })).body.Status, 'withdrawn');
  const back = (await put({ Withdrawn: false })).body;
  assert.deepEqual([back.Status, back.CompletedAt], ['completed', CompletedAt]);
});

test('a completion that arrives after access has ended counts, and is visible once access is restored', async () => {
  const { put, read, LaunchURL } = await enrolled();
  const { commit } = await play(service, LaunchURL);
  await put({ ExpiresAt: inDays(-1) });
  expectStatus(await commit({ Data: { 'lectern.completion': 'completed' } }), 200);
  assert.equal((await read()).Completion, 'completed');
  const back = (await put({ ExpiresAt: inDays(30) })).body;
  assert.equal(back.Status, 'completed');
  assert.notEqual(back.CompletedAt, null);
});

test('an enrolment cannot be reopened if the user has a newer current enrolment', async () => {
  const first = await enrolled();
  await first.put({ ExpiresAt: inDays(-1) });
  expectStatus(await api('POST', `/enrol/${first.LoginID}/${CourseID}`), 201);
  expectProblem(await first.put({ ExpiresAt: inDays(5) }), 409, 'already_enrolled');
  assert.equal((await first.read()).Status, 'expired');
  assert.equal((await first.put({ Reference: 'still writable' })).body.Reference, 'still writable');
});

test('an invalid PUT is rejected and changes nothing', async () => {
  const { put, read, LoginID, EnrollID } = await enrolled();
  const before = await read();
  for (const [body, code, param] of [
    [{ Status: 'completed' }, 'unknown_field', 'Status'],
    [{ Withdrawn: 'yes' }, 'validation_failed', 'Withdrawn'],
    [{ Withdrawn: null }, 'validation_failed', 'Withdrawn'],
    [{ ExpiresAt: 'tomorrow' }, 'validation_failed', 'ExpiresAt'],
    [{ ExpiresAt: '2026-02-30T00:00:00Z' }, 'validation_failed', 'ExpiresAt'],
    [{ ExpiresAt: '2016-12-31T23:59:60Z' }, 'validation_failed', 'ExpiresAt'],
    [{ ExpiresAt: '0000-01-01T00:00:00Z' }, 'validation_failed', 'ExpiresAt'],
    [{ ExpiresAt: '2026-02-30' }, 'validation_failed', 'ExpiresAt'],
    [{ Metadata: null }, 'validation_failed', 'Metadata'],
  ] as const)
    expectProblem(await put(body), 422, code, param);
  assert.deepEqual(await read(), before);
  const other = await newTenant(service);
  for (const [call, address] of [
    [other.api, `/enrolment/${LoginID}/${EnrollID}`],
    [api, `/enrolment/${await user()}/${EnrollID}`],
    [api, `/enrolment/${LoginID}/no-such-id`],
    [api, `/enrolment/${LoginID}/00000000-0000-7000-8000-000000000000`],
  ] as const) {
    expectProblem(await call('PUT', address, { Withdrawn: true }), 404, 'enrolment_not_found');
    expectProblem(await call('GET', address), 404, 'enrolment_not_found');
    expectProblem(await call('GET', `${address}/explain`), 404, 'enrolment_not_found');
    expectProblem(await call('GET', `${address}/timeline`), 404, 'enrolment_not_found');
  }
  assert.deepEqual(await read(), before);
});

test('times are accepted with any UTC offset and returned in UTC', async () => {
  const { put } = await enrolled();
  assert.equal(
    (await put({ ExpiresAt: '2099-05-01T02:00:00+02:00' })).body.ExpiresAt,
    '2099-05-01T00:00:00.000Z',
  );
  assert.equal((await put({ ExpiresAt: '0001-01-01T00:00:00Z' })).body.Status, 'expired');
  assert.equal((await put({ ExpiresAt: '9999-12-31T23:59:59.999Z' })).body.Status, 'enrolled');
});
