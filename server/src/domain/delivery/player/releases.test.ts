import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { packSecondRelease } from '../../../../test/support/packages.ts';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectStatus, newTenant, unique } from '../../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);
const first = await packCourse('phishing');
const second = await packSecondRelease();

async function course(): Promise<string> {
  const CourseID = unique('released');
  expectStatus(await service.importPackage(CourseID, first), 201);
  await service.api('PUT', `/course/${CourseID}/option/open`, {});
  return CourseID;
}

const isSecond = async (playing: Awaited<ReturnType<typeof play>>) =>
  (await (await playing.file('index.html')).text()).includes('second release');

test('learners finish the release that they started, and others get the new release', async () => {
  const CourseID = await course();
  const enrol = async () => (await api('POST', `/enrol/${await user()}/${CourseID}`)).body;
  const [begun, waiting] = [await enrol(), await enrol()];
  const before = await play(service, begun.LaunchURL);
  const [unit = ''] = Object.keys(before.session.Data);
  const suspended = { 'cmi.suspend_data': 'page 3', 'cmi.core.exit': 'suspend' };
  await before.commit({ Data: { ...scorm12('incomplete', 30), ...suspended } });
  expectStatus(await service.importPackage(CourseID, second), 200);
  assert.equal(await isSecond(before), false);
  const again = await play(service, begun.LaunchURL);
  assert.equal(await isSecond(again), false);
  assert.equal(again.session.Data[unit]?.['cmi.suspend_data'], 'page 3');
  expectStatus(await again.commit({ Data: scorm12('passed', 90) }), 200);
  assert.equal(await isSecond(await play(service, waiting.LaunchURL)), true);
  assert.equal(await isSecond(await play(service, (await enrol()).LaunchURL)), true);
  assert.equal((await service.api('GET', `/course/${CourseID}`)).body.Release, 2);
});

test('an earlier release that is made current again applies to new learners, and all others keep their release', async () => {
  const CourseID = await course();
  const enrol = async () => (await api('POST', `/enrol/${await user()}/${CourseID}`)).body;
  expectStatus(await service.importPackage(CourseID, second), 200);
  const [begun, waiting] = [await enrol(), await enrol()];
  assert.equal(await isSecond(await play(service, begun.LaunchURL)), true);
  const address = `/course/${CourseID}/release/1`;
  expectStatus(await service.api('PUT', address, { Current: true }), 200);
  assert.equal(await isSecond(await play(service, begun.LaunchURL)), true);
  assert.equal(await isSecond(await play(service, waiting.LaunchURL)), false);
  assert.equal(await isSecond(await play(service, (await enrol()).LaunchURL)), false);
  const third = await service.importPackage(CourseID, second);
  assert.deepEqual([third.body.Release, third.body.Current], [3, true]);
});

test('every unit of a sequenced course is present, and its state is returned', async () => {
  expectStatus(await service.importPackage('fire-safety', await packCourse('fire-safety')), 201);
  await service.api('PUT', '/course/fire-safety/option/open', {});
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/fire-safety`)).body;
  const { session, commit } = await play(service, LaunchURL);
  assert.equal(session.Standard, 'scorm2004-4th');
  const units = Object.keys(session.Data);
  assert.equal(units.length, 4);
  const Data = { 'cmi.completion_status': 'completed', 'cmi.success_status': 'passed' };
  for (const UnitID of units.slice(0, 3)) {
    const reply = await commit({ UnitID, Data, Tree: '{"tree":1}' });
    assert.equal(reply.body.Completion, 'incomplete');
  }
  const last = { ...Data, 'cmi.score.scaled': '0.875' };
  const Root = { Completion: 'completed', Success: 'passed', Score: 87.5, Progress: 100 } as const;
  const reply = await commit({ UnitID: units[3] ?? '', Data: last, Root, Exit: true });
  const { Status, Success, Score } = reply.body;
  assert.deepEqual([Status, Success, Score], ['completed', 'passed', 87.5]);
  const again = await play(service, LaunchURL);
  assert.deepEqual([again.session.TreeState, again.session.LastUnitID], ['{"tree":1}', units[3]]);
  assert.equal(again.session.NextCommit, 5);
  const worse = { Completion: 'incomplete', Success: 'failed', Score: 10, Progress: 20 } as const;
  const later = (await again.commit({ UnitID: units[3] ?? '', Data: {}, Root: worse })).body;
  assert.deepEqual([later.Status, later.Success, later.Score], ['completed', 'passed', 87.5]);
  const { Completion, Progress } = (await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body;
  assert.deepEqual([Completion, Progress], ['completed', 100]);
});
