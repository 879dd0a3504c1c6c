import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user, TenantID } = await newTenant(service);
await service.importPackage('phishing', await packCourse('phishing'));
await service.api('PUT', '/course/phishing/option/unlimited', {});

async function enrolled() {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/phishing/unlimited`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  const read = async () => {
    const { Status, Success, Score } = (await api('GET', address)).body;
    return [Status, Success, Score];
  };
  const commits = async () => {
    const { Items } = (await api('GET', `${address}/timeline?Limit=200`)).body;
    return Items.filter((entry: { Kind: string }) => entry.Kind === 'commit').map(
      ({ Launch, Commit }: { Launch: number | null; Commit: number }) => [Launch, Commit],
    );
  };
  /** Sets the state that a restored backup would have with this many launches. */
  const restore = async (launches: number) => {
    const { db } = service.ctx;
    await db
      .deleteFrom('launch')
      .where('tenant_id', '=', TenantID)
      .where('enroll_id', '=', EnrollID)
      .where('number', '>', launches)
      .execute();
    const begun = launches > 0 ? {} : { status: 'enrolled' as const, release_id: null, started_at: null };
    await db
      .updateTable('enrolment')
      .set({ launches, ...begun })
      .where('tenant_id', '=', TenantID)
      .where('enroll_id', '=', EnrollID)
      .execute();
  };
  return { EnrollID: EnrollID as string, LaunchURL: LaunchURL as string, read, commits, restore };
}

const bookmark = (text: string) => ({ 'cmi.suspend_data': text, 'cmi.core.exit': 'suspend' });

test('after a restore, an earlier pass on a device counts even though its launch number was reused', async () => {
  const { LaunchURL, read, commits, restore } = await enrolled();
  const laptop = await play(service, LaunchURL);
  await restore(0);
  const phone = await play(service, LaunchURL);
  assert.deepEqual([laptop.session.Launch, phone.session.Launch], [1, 1]);
  assert.notEqual(laptop.session.Session, phone.session.Session);
  expectStatus(await phone.commit({ Data: { ...scorm12('incomplete'), ...bookmark('phone') } }), 200);

  const passed = { Number: 1, Data: { ...scorm12('passed', 95), ...bookmark('laptop') } };
  const late = await laptop.commit(passed);
  expectStatus(late, 200);
  assert.deepEqual(
    [late.body.Number, late.body.Success, late.body.Score, late.body.Ended],
    [1, 'passed', 95, 'session_superseded'],
  );
  assert.deepEqual((await laptop.commit(passed)).body, late.body, 'a retry gets the same receipt');
  assert.deepEqual(await read(), ['completed', 'passed', 95]);
  assert.deepEqual((await commits()).sort(), [
    [null, 1],
    [1, 1],
  ]);
  assert.equal(await laptop.alive(), 410);
  assert.equal(await phone.alive(), 204);
  const repeated = await phone.commit({
    Number: 1,
    Data: { ...scorm12('incomplete'), ...bookmark('phone') },
  });
  assert.deepEqual([repeated.status, repeated.body.Ended], [200, null]);
  const next = await play(service, LaunchURL);
  assert.equal(Object.values(next.session.Data)[0]?.['cmi.suspend_data'], 'phone');
});

test('a launch missing from a restored backup counts before the course is opened again', async () => {
  const { LaunchURL, read, restore } = await enrolled();
  await play(service, LaunchURL);
  const laptop = await play(service, LaunchURL);
  await restore(1);
  const passed = { Number: 1, Data: { ...scorm12('passed', 95), ...bookmark('laptop') } };
  const late = await laptop.commit(passed);
  expectStatus(late, 200);
  assert.equal(late.body.Success, 'passed');
  assert.deepEqual(await read(), ['completed', 'passed', 95]);
  const phone = await play(service, LaunchURL);
  assert.equal(Object.values(phone.session.Data)[0]?.['cmi.suspend_data'], 'laptop');
  expectStatus(await phone.commit({ Data: { ...scorm12('incomplete'), ...bookmark('phone') } }), 200);
  assert.deepEqual((await laptop.commit(passed)).body.Success, 'passed');
  const next = await play(service, LaunchURL);
  assert.equal(Object.values(next.session.Data)[0]?.['cmi.suspend_data'], 'phone');
});

test('the device keeps results for a restored enrolment until its next launch, because only then is the release known', async () => {
  const { LaunchURL, read, restore } = await enrolled();
  const laptop = await play(service, LaunchURL);
  await restore(0);
  const passed = { Number: 1, Data: scorm12('passed', 95) };
  expectProblem(await laptop.commit(passed), 410, 'session_ended');
  await play(service, LaunchURL);
  expectStatus(await laptop.commit(passed), 200);
  assert.deepEqual(await read(), ['completed', 'passed', 95]);
});

test('results of a launch missing from the database are rejected if they arrive too late', async () => {
  const { LaunchURL, restore } = await enrolled();
  await play(service, LaunchURL);
  const laptop = await play(service, LaunchURL);
  await restore(1);
  clock.advance({ days: 9 });
  expectProblem(await laptop.commit({ Data: scorm12('passed', 95) }), 409, 'results_too_late');
});

test('a used commit number accepts only the same commit, and a different commit is renumbered', async () => {
  const { LaunchURL, read } = await enrolled();
  const { commit } = await play(service, LaunchURL);
  const first = { Number: 1, Data: scorm12('incomplete', 10) };
  const receipt = await commit(first);
  assert.deepEqual((await commit(first)).body, receipt.body);
  const other = { Data: scorm12('passed', 95) };
  const reply = await commit({ ...other, Number: 1 });
  expectProblem(reply, 409, 'commit_number_ahead', 'Number');
  assert.equal(reply.body.Expected, 2);
  expectStatus(await commit({ ...other, Number: reply.body.Expected }), 200);
  assert.deepEqual(await read(), ['completed', 'passed', 95]);
});

test('a commit whose hash was erased is still recognised', async () => {
  const { EnrollID, LaunchURL } = await enrolled();
  const { session, commit } = await play(service, LaunchURL);
  const [UnitID = ''] = Object.keys(session.Data);
  const sent = { Number: 1, UnitID, Data: scorm12('incomplete', 10) };
  const reply = await commit(sent);
  expectStatus(reply, 200);
  await service.ctx.db
    .updateTable('run_time_commit')
    .set({ body_hash: null })
    .where('tenant_id', '=', TenantID)
    .where('enroll_id', '=', EnrollID)
    .execute();
  assert.deepEqual((await commit(sent)).body, reply.body);
});
