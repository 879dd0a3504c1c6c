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

const month = { month: { Duration: 'P30D' } };

test('after an enrolment has expired, a new one can be created, and the old one remains readable and unchanged', async () => {
  const CourseID = await newCourse(service, {}, month);
  const LoginID = await user();
  const first = (await api('POST', `/enrol/${LoginID}/${CourseID}`, { Reference: 'one' })).body;
  const { commit } = await play(service, first.LaunchURL);
  await commit({ Data: { 'lectern.completion': 'incomplete', 'lectern.seconds': '90' } });
  clock.advance({ days: 31 });
  const read = async () => (await api('GET', `/enrolment/${LoginID}/${first.EnrollID}`)).body;
  assert.equal((await read()).Status, 'expired');
  const second = await api('POST', `/enrol/${LoginID}/${CourseID}`, { IfEnrolled: 'fail' });
  expectStatus(second, 201);
  assert.notEqual(second.body.EnrollID, first.EnrollID);
  assert.equal(second.body.Status, 'enrolled');
  assert.equal(second.body.TotalSeconds, 0);
  const { Status, TotalSeconds, Reference, Launches } = await read();
  assert.deepEqual([Status, TotalSeconds, Reference, Launches], ['expired', 90, 'one', 1]);
  const types = (await events({ EnrollID: first.EnrollID })).map(({ type }) => type);
  assert.equal(types.at(-1), 'enrolment.expired');
  assert.equal(types.filter((type) => type === 'enrolment.expired').length, 1);
  const listed = (await api('GET', `/enrolment/${LoginID}`)).body.Items;
  assert.deepEqual(
    listed.map((item: { EnrollID: string }) => item.EnrollID),
    [first.EnrollID, second.body.EnrollID],
  );
});

test('a completed enrolment stays completed when the user is enrolled again', async () => {
  const CourseID = await newCourse(service, {}, month);
  const LoginID = await user();
  const first = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const { commit } = await play(service, first.LaunchURL);
  assert.equal((await commit({ Data: { 'lectern.completion': 'completed' } })).body.Status, 'completed');
  clock.advance({ days: 31 });
  expectStatus(await api('POST', `/enrol/${LoginID}/${CourseID}`), 201);
  const kept = (await api('GET', `/enrolment/${LoginID}/${first.EnrollID}`)).body;
  assert.equal(kept.Status, 'completed');
  assert.notEqual(kept.CompletedAt, null);
  const types = (await events({ EnrollID: first.EnrollID })).map(({ type }) => type);
  assert.ok(!types.includes('enrolment.expired'));
});

test('after a withdrawal the user can be enrolled again', async () => {
  const CourseID = await newCourse(service);
  const LoginID = await user();
  const first = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  await api('PUT', `/enrolment/${LoginID}/${first.EnrollID}`, { Withdrawn: true });
  const second = await api('POST', `/enrol/${LoginID}/${CourseID}`);
  expectStatus(second, 201);
  const back = await api('PUT', `/enrolment/${LoginID}/${first.EnrollID}`, { Withdrawn: false });
  expectProblem(back, 409, 'already_enrolled');
  assert.equal((await api('GET', `/enrolment/${LoginID}/${first.EnrollID}`)).body.Status, 'withdrawn');
});

test('an expired enrolment stays unchanged when a new one is rejected', async () => {
  const CourseID = await newCourse(service, {}, month);
  const LoginID = await user();
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  clock.advance({ days: 31 });
  await api('PUT', `/user/${LoginID}`, { Enabled: false });
  expectProblem(await api('POST', `/enrol/${LoginID}/${CourseID}`), 409, 'user_disabled');
  const reply = await api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { ExpiresAt: null });
  assert.equal(reply.body.Status, 'enrolled');
});

test('50 identical concurrent requests create one enrolment and one event', async () => {
  const CourseID = await newCourse(service);
  const LoginID = await user();
  const address = `/enrol/${LoginID}/${CourseID}`;
  const replies = await Promise.all(Array.from({ length: 50 }, () => api('POST', address)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(49).fill(200), 201]);
  assert.equal(new Set(replies.map(({ body }) => body.EnrollID)).size, 1);
  assert.equal((await events({ LoginID })).filter(({ type }) => type === 'enrolment.created').length, 1);
});

test('50 concurrent requests after an expiry create one enrolment and end one', async () => {
  const CourseID = await newCourse(service, {}, month);
  const LoginID = await user();
  await api('POST', `/enrol/${LoginID}/${CourseID}`);
  clock.advance({ days: 31 });
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => api('POST', `/enrol/${LoginID}/${CourseID}`)),
  );
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  assert.equal(replies.filter(({ status }) => status === 200).length, 49);
  const types = (await events({ LoginID })).map(({ type }) => type);
  assert.equal(types.filter((type) => type === 'enrolment.created').length, 2);
  assert.equal(types.filter((type) => type === 'enrolment.expired').length, 1);
});

test('valid and invalid rows that arrive together each get their own result', async () => {
  const [one, two, draft, retired] = await Promise.all([
    newCourse(service),
    newCourse(service, {}, { a: {}, b: { Duration: 'P1D' } }),
    newCourse(service, { Status: 'draft' }),
    newCourse(service, { Status: 'retired' }),
  ]);
  const enrolled = await user();
  const { EnrollID } = (await api('POST', `/enrol/${enrolled}/${one}`)).body;
  const disabled = await user({ Enabled: false });
  const users = await Promise.all(Array.from({ length: 12 }, () => user()));
  const requests = users.flatMap((LoginID, index): [string, number, string][] => [
    [`${LoginID}/${one}`, 201, ''],
    [`${LoginID}/${two}`, 409, 'multiple_enrolment_options'],
    [`${LoginID}/${two}/b`, 201, ''],
    [`${LoginID}/${two}/c`, 404, 'option_not_found'],
    [`${LoginID}/${draft}`, 404, 'course_not_found'],
    [`${LoginID}/${retired}`, 409, 'course_retired'],
    [`nobody-${index}/${one}`, 404, 'user_not_found'],
    [`${disabled}/${one}`, 409, 'user_disabled'],
    [`${enrolled}/${one}`, 200, ''],
  ]);
  const replies = await Promise.all(requests.map(([address]) => api('POST', `/enrol/${address}`)));
  for (const [index, [address, status, code]] of requests.entries()) {
    const reply = replies[index];
    assert.ok(reply);
    if (status >= 400) expectProblem(reply, status, code);
    else {
      expectStatus(reply, status);
      assert.ok(address.startsWith(`${reply.body.LoginID}/${reply.body.CourseID}`));
      if (status === 200) assert.equal(reply.body.EnrollID, EnrollID);
    }
  }
});

test('the access duration can start at the first launch', async () => {
  const CourseID = await newCourse(service, {}, { week: { Duration: 'P7D', StartsOn: 'launch' } });
  const LoginID = await user();
  const made = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  assert.equal(made.ExpiresAt, null);
  clock.advance({ days: 100 });
  await play(service, made.LaunchURL);
  const read = async () => (await api('GET', `/enrolment/${LoginID}/${made.EnrollID}`)).body;
  const started = await read();
  assert.equal(Date.parse(started.ExpiresAt) - Date.parse(started.StartedAt), 7 * 86_400_000);
  assert.equal(started.Status, 'in_progress');
  clock.advance({ days: 2 });
  await play(service, made.LaunchURL);
  const later = await read();
  assert.equal(later.ExpiresAt, started.ExpiresAt);
  assert.equal(later.Launches, 2);
  clock.advance({ days: 6 });
  assert.equal((await read()).Status, 'expired');
});
