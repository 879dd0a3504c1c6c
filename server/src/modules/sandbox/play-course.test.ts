import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { au, courseStructure } from '../../../../standards/cmi5/test-support.ts';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { importAicc } from '../../../test/support/aicc.ts';
import { packFiles, packUnits } from '../../../test/support/packages.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const sandbox = await newTenant(service, { Status: 'test' });

async function imported(zip: string): Promise<string> {
  const CourseID = unique('robot');
  expectStatus(await service.importPackage(CourseID, zip), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/standard`, {}), 201);
  return CourseID;
}

async function robotOf(CourseID: string, tenant = sandbox) {
  const LoginID = await tenant.user();
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const types = async () => (await tenant.events({ EnrollID })).map(({ type }) => type);
  const address = `/test/play/${EnrollID}`;
  return {
    LoginID,
    EnrollID,
    types,
    play: (body: object, headers = {}) => tenant.api('POST', address, body, headers),
  };
}

const resultOf = ({ body }: { body: Record<string, unknown> }) => [
  body.Status,
  body.Completion,
  body.Success,
  body.Score,
];

test('the robot completes a web page, which has no score', async () => {
  const { play, types } = await robotOf(await newCourse(service));
  const begun = await play({ Status: 'incomplete' });
  expectStatus(begun, 200);
  assert.deepEqual(resultOf(begun), ['in_progress', 'incomplete', 'unknown', null]);
  assert.deepEqual(resultOf(await play({ Status: 'passed', Score: 85 })), [
    'completed',
    'completed',
    'unknown',
    null,
  ]);
  const all = await types();
  assert.equal(all.filter((type) => type === 'enrolment.launched').length, 2);
  assert.ok(all.includes('enrolment.completed'));
});

test('the robot fails and then passes SCORM 1.2 courses of one and several units', async () => {
  for (const zip of [await packCourse('phishing'), await packUnits(3)]) {
    const { play, types } = await robotOf(await imported(zip));
    const failed = await play({ Status: 'failed', Score: 20 });
    expectStatus(failed, 200);
    assert.deepEqual(resultOf(failed).slice(2), ['failed', 20]);
    assert.deepEqual(resultOf(await play({ Status: 'passed', Score: 85 })), [
      'completed',
      'completed',
      'passed',
      85,
    ]);
    const all = await types();
    assert.ok(all.includes('enrolment.failed') && all.includes('enrolment.passed'), all.join());
  }
});

test('the robot passes a SCORM 2004 course, once per Idempotency-Key', async () => {
  const { play, types } = await robotOf(await imported(await packCourse('fire-safety')));
  const headers = { 'idempotency-key': unique('play') };
  for (const _ of [1, 2]) {
    const passed = await play({ Status: 'passed', Score: 90 }, headers);
    expectStatus(passed, 200);
    assert.deepEqual(resultOf(passed), ['completed', 'completed', 'passed', 90]);
  }
  assert.equal((await types()).filter((type) => type === 'enrolment.launched').length, 1);
});

test('the robot passes an AICC course', async () => {
  const { play } = await robotOf(await importAicc(service));
  const passed = await play({ Status: 'passed', Score: 95 });
  expectStatus(passed, 200);
  assert.deepEqual(resultOf(passed), ['completed', 'completed', 'passed', 95]);
});

test('the robot does not play cmi5 courses', async () => {
  const files = { 'cmi5.xml': courseStructure(au({})), 'index.html': '<!doctype html>' };
  const { play } = await robotOf(await imported(await packFiles(files)));
  expectProblem(await play({ Status: 'passed' }), 409, 'robot_unsupported');
});

test('the robot is refused like a learner, plays only in test tenants, and sees no other tenant', async () => {
  const CourseID = await newCourse(service, {}, { month: { Duration: 'P30D' } });
  const own = await robotOf(CourseID);
  expectStatus(await sandbox.api('POST', '/test/clock', { Advance: 'P31D' }), 200);
  expectProblem(await own.play({ Status: 'passed' }), 403, 'launch_refused');
  const normal = await robotOf(CourseID, await newTenant(service));
  expectProblem(await normal.play({ Status: 'passed' }), 409, 'not_a_test_tenant');
  for (const id of [normal.EnrollID, 'nobody'])
    expectProblem(
      await sandbox.api('POST', `/test/play/${id}`, { Status: 'passed' }),
      404,
      'enrolment_not_found',
    );
  expectProblem(await own.play({ Status: 'won' }), 422, 'validation_failed', 'Status');
  expectProblem(await own.play({ Status: 'passed', Score: 101 }), 422, 'validation_failed', 'Score');
});
