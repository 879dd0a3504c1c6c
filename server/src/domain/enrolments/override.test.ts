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
const completed = { Data: { 'lectern.completion': 'completed' } };

async function enrolled() {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  return {
    LaunchURL,
    address,
    put: (body: unknown) => api('PUT', address, body),
    decide: (Override: unknown) => api('PUT', address, { Override }),
    read: async () => (await api('GET', address)).body,
    changes: async () => (await events({ EnrollID })).slice(1),
    types: async () => (await events({ EnrollID })).slice(1).map(({ type }) => type),
  };
}

test('an override takes effect and is shown next to the recorded result', async () => {
  const { decide, read, changes } = await enrolled();
  const changed = await decide({
    Completion: 'completed',
    Success: 'passed',
    Score: 80,
    Reason: 'Paper exam',
  });
  expectStatus(changed, 200);
  const { Status, Completion, Success, Score, Override, Recorded, CompletedAt } = changed.body;
  assert.deepEqual([Status, Completion, Success, Score], ['completed', 'completed', 'passed', 80]);
  const { At, ...decided } = Override;
  assert.deepEqual(decided, { Completion: 'completed', Success: 'passed', Score: 80, Reason: 'Paper exam' });
  assert.equal(CompletedAt, At);
  assert.deepEqual(Recorded, { Completion: 'unknown', Success: 'unknown', Score: null });
  assert.deepEqual(await read(), changed.body);
  const [updated, ...results] = await changes();
  assert.equal(updated?.type, 'enrolment.updated');
  const result = {
    Status: 'completed',
    Outcome: 'passed',
    Completion: 'completed',
    Success: 'passed',
    Score: 80,
    Progress: 0,
    TotalSeconds: 0,
  };
  assert.deepEqual(
    results.map(({ type, data }) => [type, data]),
    [
      ['enrolment.completed', result],
      ['enrolment.passed', result],
    ],
  );
});

test('repeating an override changes nothing and writes no event', async () => {
  const { decide, types } = await enrolled();
  const override = { Success: 'failed', Reason: 'Cheated' };
  const first = await decide(override);
  const changes = await types();
  clock.advance({ minutes: 1 });
  assert.deepEqual((await decide(override)).body, first.body);
  assert.deepEqual(await types(), changes);
  assert.deepEqual(changes, ['enrolment.updated', 'enrolment.failed']);
});

test('later commits are recorded without changing the override', async () => {
  const { decide, read, LaunchURL, types } = await enrolled();
  await decide({ Completion: 'incomplete', Score: 10, Reason: 'Must repeat' });
  const { commit } = await play(service, LaunchURL);
  const reply = await commit(completed);
  expectStatus(reply, 200);
  assert.deepEqual(
    [reply.body.Status, reply.body.Completion, reply.body.Score],
    ['in_progress', 'incomplete', 10],
  );
  const record = await read();
  assert.deepEqual(
    [record.Status, record.Completion, record.CompletedAt],
    ['in_progress', 'incomplete', null],
  );
  assert.equal(record.Recorded.Completion, 'completed');
  assert.ok(!(await types()).includes('enrolment.completed'));
  const freed = await decide(null);
  assert.deepEqual(
    [freed.body.Status, freed.body.Completion, freed.body.Override],
    ['completed', 'completed', null],
  );
  assert.notEqual(freed.body.CompletedAt, null);
  assert.deepEqual((await types()).slice(-2), ['enrolment.updated', 'enrolment.completed']);
});

test('removing an override restores the recorded result', async () => {
  for (const launched of [false, true]) {
    const { decide, LaunchURL } = await enrolled();
    if (launched) await play(service, LaunchURL);
    await decide({ Completion: 'completed', Reason: 'Recognised' });
    const { body } = await decide(null);
    assert.deepEqual([body.Status, body.CompletedAt], [launched ? 'in_progress' : 'enrolled', null]);
  }
});

test('a launch shows the effective result, and fields that are not overridden are still recorded', async () => {
  const { decide, LaunchURL, read } = await enrolled();
  await decide({ Score: 55, Reason: 'Regraded' });
  const { session, commit } = await play(service, LaunchURL);
  assert.equal(session.Receipt.Score, 55);
  await commit(completed);
  const record = await read();
  assert.deepEqual([record.Status, record.Completion, record.Score], ['completed', 'completed', 55]);
});

test('an ended enrolment can be overridden, and does not expire if the override completes it', async () => {
  const { decide, put, read } = await enrolled();
  clock.advance({ days: 31 });
  assert.equal((await put({ Reference: 'noted' })).body.Status, 'expired');
  assert.equal((await decide({ Completion: 'completed', Reason: 'Done on paper' })).body.Status, 'completed');
  assert.equal((await decide(null)).body.Status, 'expired');
  assert.equal((await put({ Withdrawn: true })).body.Status, 'withdrawn');
  await decide({ Completion: 'completed', Reason: 'Done on paper' });
  assert.equal((await read()).Status, 'withdrawn');
  assert.equal((await put({ Withdrawn: false })).body.Status, 'completed');
});

test('an override is rejected if it is invalid or lacks a reason or a result', async () => {
  const { decide, read } = await enrolled();
  const before = await read();
  for (const override of [
    { Score: 50 },
    { Reason: 'nothing decided' },
    { Score: 101, Reason: 'r' },
    { Completion: 'done', Reason: 'r' },
    { Success: null, Reason: 'r' },
    { Score: 1, Reason: '' },
    'completed',
  ])
    expectProblem(await decide(override), 422, 'validation_failed');
  expectProblem(await decide({ Score: 1, Reason: 'r', At: before.EnrolledAt }), 422, 'unknown_field');
  assert.deepEqual(await read(), before);
});

test("another tenant cannot override this tenant's results", async () => {
  const { address, read } = await enrolled();
  const other = await newTenant(service);
  const before = await read();
  expectProblem(
    await other.api('PUT', address, { Override: { Score: 1, Reason: 'r' } }),
    404,
    'enrolment_not_found',
  );
  assert.deepEqual(await read(), before);
});

test('concurrent commits and overrides are never lost', async () => {
  const { LaunchURL, decide, read } = await enrolled();
  const { commit } = await play(service, LaunchURL);
  await Promise.all([
    commit(completed),
    decide({ Completion: 'incomplete', Reason: 'at once' }),
    commit({ Number: 2, ...completed }),
  ]);
  const record = await read();
  assert.deepEqual([record.Status, record.Recorded.Completion], ['in_progress', 'completed']);
});
