import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service);
const { api, user, events } = tenant;
const CourseID = await newCourse(
  service,
  {},
  {
    month: { Duration: 'P30D' },
    week: { Duration: 'P7D' },
    always: {},
    click: { Duration: 'P10D', StartsOn: 'launch' },
  },
);

const day = 86_400_000;
const days = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / day);

async function enrolled(durationId = 'month') {
  const LoginID = await user();
  const enrol = (IfEnrolled?: string, option = durationId, more: object = {}) =>
    api('POST', `/enrol/${LoginID}/${CourseID}/${option}`, { ...(IfEnrolled && { IfEnrolled }), ...more });
  const first = await enrol();
  expectStatus(first, 201);
  const put = (EnrollID: string, body: unknown) => api('PUT', `/enrolment/${LoginID}/${EnrollID}`, body);
  const reported = async () =>
    (await events({ LoginID })).slice(1).map(({ type, enroll_id }) => [type, enroll_id]);
  const read = async (EnrollID: string) => (await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body;
  return { LoginID, enrol, first: first.body, put, reported, read };
}

test("extend adds the option's duration to the end date and writes one event", async () => {
  const { enrol, first, reported, LoginID } = await enrolled();
  const more = await enrol('extend', 'week', { Reference: 'order-2' });
  expectStatus(more, 200);
  assert.equal(more.body.EnrollID, first.EnrollID);
  assert.equal(days(first.ExpiresAt, more.body.ExpiresAt), 7);
  assert.deepEqual([more.body.DurationID, more.body.Reference, more.body.Metadata], ['month', 'order-2', {}]);
  assert.deepEqual(await reported(), [
    ['enrolment.created', first.EnrollID],
    ['enrolment.extended', first.EnrollID],
  ]);
  assert.deepEqual((await events({ LoginID })).at(-1)?.data, {
    DurationID: 'week',
    ExpiresAt: more.body.ExpiresAt,
    Status: 'enrolled',
    Outcome: 'not_started',
    Reference: 'order-2',
  });
  const again = await enrol('extend');
  assert.equal(days(first.ExpiresAt, again.body.ExpiresAt), 37);
  assert.equal(again.body.Reference, 'order-2');
});

test('extend reopens an expired enrolment from the current time, even if its expiry has been recorded', async () => {
  for (const note of [true, false]) {
    const { enrol, first, put, read } = await enrolled();
    await play(service, first.LaunchURL);
    clock.advance({ days: 100 });
    if (note) assert.equal((await put(first.EnrollID, { Reference: 'noted' })).body.Status, 'expired');
    const back = await enrol('extend');
    expectStatus(back, 200);
    assert.equal(back.body.EnrollID, first.EnrollID);
    assert.equal(back.body.Status, 'in_progress');
    assert.equal(days(clock.now().toISOString(), back.body.ExpiresAt), 30);
    assert.deepEqual(await read(first.EnrollID), back.body);
    expectStatus(await enrol('return'), 200);
  }
});

test('extend keeps an unlimited enrolment unlimited, and an unlimited option removes the end date', async () => {
  const unlimited = await enrolled('always');
  assert.equal((await unlimited.enrol('extend', 'month')).body.ExpiresAt, null);
  const limited = await enrolled();
  assert.equal((await limited.enrol('extend', 'always')).body.ExpiresAt, null);
});

test('extend before the first launch adds to the duration that starts at that launch', async () => {
  const { enrol, first, read } = await enrolled('click');
  const more = await enrol('extend', 'week');
  assert.equal(more.body.ExpiresAt, null);
  await play(service, first.LaunchURL);
  assert.equal(days(clock.now().toISOString(), (await read(first.EnrollID)).ExpiresAt), 17);
});

test('an end date removed before the first launch stays removed', async () => {
  const { first, put, read } = await enrolled('click');
  expectStatus(await put(first.EnrollID, { ExpiresAt: null }), 200);
  await play(service, first.LaunchURL);
  assert.equal((await read(first.EnrollID)).ExpiresAt, null);
});

test('extend creates a new enrolment if there is none or the last one was withdrawn', async () => {
  const LoginID = await user();
  const made = await api('POST', `/enrol/${LoginID}/${CourseID}/month`, { IfEnrolled: 'extend' });
  expectStatus(made, 201);
  await api('PUT', `/enrolment/${LoginID}/${made.body.EnrollID}`, { Withdrawn: true });
  const next = await api('POST', `/enrol/${LoginID}/${CourseID}/month`, { IfEnrolled: 'extend' });
  expectStatus(next, 201);
  assert.notEqual(next.body.EnrollID, made.body.EnrollID);
});

test('extend uses the latest of several ended enrolments', async () => {
  const { enrol, first } = await enrolled();
  clock.advance({ days: 31 });
  const second = await enrol('return');
  expectStatus(second, 201);
  clock.advance({ days: 31 });
  const back = await enrol('extend');
  assert.equal(back.body.EnrollID, second.body.EnrollID);
  assert.notEqual(back.body.EnrollID, first.EnrollID);
});

test('renew ends the current enrolment, keeps its result, and creates a new enrolment', async () => {
  const { enrol, first, reported, read, LoginID } = await enrolled();
  const { commit } = await play(service, first.LaunchURL);
  await commit({ Data: { 'lectern.completion': 'completed' } });
  const next = await enrol('renew', 'week', { Reference: 'year 2' });
  expectStatus(next, 201);
  assert.notEqual(next.body.EnrollID, first.EnrollID);
  assert.deepEqual(
    [next.body.Status, next.body.Completion, next.body.DurationID, next.body.Reference],
    ['enrolled', 'unknown', 'week', 'year 2'],
  );
  const ended = await read(first.EnrollID);
  assert.equal(ended.Status, 'completed');
  assert.ok(Date.parse(ended.ExpiresAt) <= clock.now().getTime());
  assert.deepEqual((await reported()).slice(-2), [
    ['enrolment.renewed', first.EnrollID],
    ['enrolment.created', next.body.EnrollID],
  ]);
  assert.deepEqual((await events({ LoginID })).find(({ type }) => type === 'enrolment.renewed')?.data, {
    NewEnrollID: next.body.EnrollID,
    Status: 'completed',
    Outcome: 'completed',
  });
  assert.equal((await enrol('return')).body.EnrollID, next.body.EnrollID);
});

test('renew expires an active enrolment, or reports the expiry if it had already expired', async () => {
  const running = await enrolled('always');
  expectStatus(await running.enrol('renew'), 201);
  assert.equal((await running.read(running.first.EnrollID)).Status, 'expired');
  const lapsed = await enrolled();
  clock.advance({ days: 31 });
  expectStatus(await lapsed.enrol('renew'), 201);
  assert.deepEqual(
    (await lapsed.reported()).map(([type]) => type),
    ['enrolment.created', 'enrolment.expired', 'enrolment.created'],
  );
});

test('fail returns an error only if there is a current enrolment', async () => {
  const { enrol, first } = await enrolled();
  const refused = await enrol('fail');
  expectProblem(refused, 409, 'already_enrolled');
  assert.equal(refused.body.EnrollID, first.EnrollID);
  clock.advance({ days: 31 });
  expectStatus(await enrol('fail'), 201);
});

test('rows that arrive together each get their own result', async () => {
  const rows = await Promise.all(
    ['return', 'extend', 'renew', 'fail', 'nonsense', 'extend', 'renew', 'return'].map(
      async (IfEnrolled) => ({
        IfEnrolled,
        ...(await enrolled()),
      }),
    ),
  );
  const replies = await Promise.all(rows.map(({ enrol, IfEnrolled }) => enrol(IfEnrolled)));
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 201, 409, 422, 200, 201, 200],
  );
});

test('concurrent extensions and renewals each happen once and leave one current enrolment', async () => {
  const { LoginID, enrol, first } = await enrolled();
  const replies = await Promise.all(Array.from({ length: 20 }, () => enrol('extend', 'week')));
  assert.ok(replies.every(({ status }) => status === 200));
  const longest = replies
    .map(({ body }) => body.ExpiresAt)
    .sort()
    .at(-1);
  assert.equal(days(first.ExpiresAt, longest), 140);
  await Promise.all(Array.from({ length: 10 }, () => enrol('renew')));
  const { Items } = (await api('GET', `/enrolment/${LoginID}`)).body;
  assert.equal(Items.length, 11);
  assert.equal(Items.filter(({ Status }: { Status: string }) => Status === 'enrolled').length, 1);
});

test("another tenant cannot extend or renew this tenant's enrolments", async () => {
  const { LoginID } = await enrolled();
  const other = await newTenant(service);
  for (const IfEnrolled of ['extend', 'renew'])
    expectProblem(
      await other.api('POST', `/enrol/${LoginID}/${CourseID}/month`, { IfEnrolled }),
      404,
      'user_not_found',
    );
});
