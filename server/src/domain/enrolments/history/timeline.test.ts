import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../../test/support/clock.ts';
import { play } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { browser, signInUser } from '../../../../test/support/sign-in.ts';
import {
  allPages,
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
} from '../../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service);
const { api, user } = tenant;

test('launches, commits and events appear in order, on one page or several', async () => {
  const CourseID = await newCourse(service);
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  clock.advance({ minutes: 1 });
  const first = await play(service, `${LaunchURL}&returnURL=https://shop.example/back?a=1&b=2`);
  clock.advance({ minutes: 1 });
  await first.commit({ Data: { 'lectern.completion': 'incomplete', 'lectern.seconds': '60' } });
  clock.advance({ minutes: 1 });
  const second = await play(service, LaunchURL);
  clock.advance({ minutes: 1 });
  await second.commit({ Data: { 'lectern.completion': 'completed' }, Exit: true });
  clock.advance({ minutes: 1 });
  await api('PUT', address, { Withdrawn: true });

  const whole = await api('GET', `${address}/timeline`);
  expectStatus(whole, 200);
  const entries = whole.body.Items;
  assert.equal(whole.body.NextCursor, null);
  assert.deepEqual(
    entries.map(
      (entry: { Kind: string; Type: string | null; Launch: number | null; Commit: number | null }) =>
        [entry.Kind, entry.Type, entry.Launch, entry.Commit].filter((part) => part !== null).join(' '),
    ),
    [
      'event enrolment.created',
      'event enrolment.launched',
      'launch 1',
      'commit 1 1',
      'event enrolment.progressed',
      'event enrolment.launched',
      'launch 2',
      'commit 2 2',
      'event enrolment.completed',
      'event enrolment.withdrawn',
    ],
  );
  const times = entries.map((entry: { At: string }) => entry.At);
  assert.deepEqual(times, times.toSorted());
  assert.equal(entries[2].Data.ReturnURL, 'https://shop.example/back?a=1&b=2');
  assert.notEqual(entries[6].Data.EndedAt, null);
  assert.equal(entries[3].UnitID, 'web');
  for (const limit of [1, 3, 9]) {
    const { items } = await allPages((page) => api('GET', page), `${address}/timeline`, limit);
    assert.deepEqual(items, entries);
  }
});

test('a cursor from another list is rejected', async () => {
  const CourseID = await newCourse(service);
  const LoginID = await user();
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  for (const key of ['x', 'x|y', '|', '-271821-04-20|event', '2026-01-01T00:00:00.000Z|\0', '2026-01-01|']) {
    const Cursor = Buffer.from(JSON.stringify([key])).toString('base64url');
    const reply = await api('GET', `/enrolment/${LoginID}/${EnrollID}/timeline?Cursor=${Cursor}`);
    if (reply.status !== 200) expectProblem(reply, 422, 'validation_failed', 'Cursor');
  }
});

test('a manual change shows its author, but learners see only the kind of caller', async () => {
  const LoginID = await user();
  const boss = await user({ IsAdmin: true });
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${await newCourse(service)}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  const page = browser(service, await signInUser(service, tenant, boss));
  const override = { Override: { Success: 'passed', Reason: 'seen' }, ExpiresAt: '2050-01-01T00:00:00Z' };
  expectStatus(await page('PUT', address, override), 200);
  clock.advance({ minutes: 1 });
  expectStatus(await api('PUT', address, { Withdrawn: true }), 200);
  clock.advance({ minutes: 1 });
  expectStatus(
    await service.api('PUT', address, { Withdrawn: false }, undefined, { tenant: tenant.TenantID }),
    200,
  );
  type Entry = { Type: string; Actor: string | null; ActorName: string | null };
  const actorsOf = async (call: typeof page) =>
    (await call('GET', `${address}/timeline`)).body.Items.flatMap(({ Type, Actor, ActorName }: Entry) =>
      Actor === null ? [] : [[Type, Actor, ActorName]],
    );
  assert.deepEqual(await actorsOf(page), [
    ['enrolment.updated', 'administrator', boss],
    ['enrolment.withdrawn', 'key', 'test'],
    ['enrolment.updated', 'operator_key', null],
  ]);
  const learner = browser(service, await signInUser(service, tenant, LoginID));
  assert.deepEqual(await actorsOf(learner), [
    ['enrolment.updated', 'administrator', null],
    ['enrolment.withdrawn', 'key', null],
    ['enrolment.updated', 'operator_key', null],
  ]);
});
