import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packTimed } from '../../../../../test/journeys/course-packages.ts';
import { importAicc, openAicc } from '../../../../test/support/aicc.ts';
import { play } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api, user, events } = await newTenant(service);

async function enrolled(CourseID: string, fields: Record<string, unknown> = {}) {
  const LoginID = await user(fields);
  const { EnrollID, LaunchURL, TimeFactor } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  return { LoginID, LaunchURL, TimeFactor, EnrollID, path: `/enrolment/${LoginID}/${EnrollID}` };
}

async function timed(edition: '1.2' | '2004'): Promise<string> {
  const CourseID = unique('timed');
  expectStatus(await service.importPackage(CourseID, await packTimed(edition, 'exit,message')), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  return CourseID;
}

const elements = { '1.2': 'cmi.student_data.max_time_allowed', 2004: 'cmi.max_time_allowed' } as const;

for (const [edition, limits] of [
  ['1.2', ['00:00:03', '0000:00:04.50', '0000:00:06.00']],
  ['2004', ['PT3S', 'PT4.5S', 'PT6S']],
] as const)
  test(`SCORM ${edition}: a learner gets extra time, an enrolment other extra time or no limit`, async () => {
    const { LoginID, LaunchURL, path } = await enrolled(await timed(edition));
    const limit = async () => {
      const { session, commit } = await play(service, LaunchURL);
      const [[UnitID, data] = ['', {}]] = Object.entries(session.Data);
      expectStatus(await commit({ UnitID, Data: data }), 200);
      return data[elements[edition]];
    };
    const [own, longer, double] = limits;
    assert.equal(await limit(), own);
    expectStatus(await api('PUT', `/user/${LoginID}`, { TimeFactor: 1.5 }), 200);
    assert.equal((await api('GET', path)).body.TimeFactor, 1.5);
    assert.equal(await limit(), longer);
    assert.equal((await api('PUT', path, { TimeFactor: 2 })).body.TimeFactor, 2);
    assert.equal(await limit(), double);
    assert.equal((await api('PUT', path, { TimeFactor: null })).body.TimeFactor, null);
    assert.equal(await limit(), undefined);
    assert.equal((await api('PUT', path, { TimeFactor: 'user' })).body.TimeFactor, 1.5);
    assert.equal(await limit(), longer);
  });

test('AICC content gets the extended limit', async () => {
  const CourseID = await importAicc(service);
  const { LoginID, LaunchURL } = await enrolled(CourseID);
  const limit = async () => {
    const { command } = await openAicc(service, LaunchURL);
    return (await command('GetParam')).value('max_time_allowed');
  };
  assert.equal(await limit(), '01:00:00');
  expectStatus(await api('PUT', `/user/${LoginID}`, { TimeFactor: 1.5 }), 200);
  assert.equal(await limit(), '0001:30:00.00');
  expectStatus(await api('PUT', `/user/${LoginID}`, { TimeFactor: null }), 200);
  assert.equal(await limit(), '');
});

test('explain says which factor applies and where it is set', async () => {
  const { path, TimeFactor } = await enrolled(await timed('1.2'), { TimeFactor: null });
  assert.equal(TimeFactor, null);
  const said = async () => {
    const { body } = await api('GET', `${path}/explain`);
    return [body.TimeFactor, body.TimeFactorFrom];
  };
  assert.deepEqual(await said(), [null, 'user']);
  expectStatus(await api('PUT', path, { TimeFactor: 3 }), 200);
  assert.deepEqual(await said(), [3, 'enrolment']);
});

test('a factor is part of lists, events and the personal data, and a retry repeats it', async () => {
  const { LoginID, EnrollID, path } = await enrolled(await timed('1.2'), { TimeFactor: 1.25 });
  expectStatus(await api('POST', '/user', { LoginID, TimeFactor: 1.25 }), 200);
  expectProblem(await api('POST', '/user', { LoginID, TimeFactor: null }), 409, 'user_exists');
  // The user's factor, but as the enrolment's own.
  expectStatus(await api('PUT', path, { TimeFactor: 1.25 }), 200);
  expectStatus(await api('PUT', `/user/${LoginID}`, { TimeFactor: null }), 200);
  const [listed] = (await api('GET', `/enrolment/${LoginID}`)).body.Items;
  assert.equal(listed.TimeFactor, 1.25);
  assert.equal((await api('GET', `/user/${LoginID}`)).body.TimeFactor, null);
  const changes = await events({ EnrollID });
  assert.deepEqual(
    changes.filter(({ type }) => type === 'enrolment.updated').map(({ data }) => data.Changed),
    [['TimeFactor']],
  );
  const [csv] = (await api('GET', '/user', undefined, { accept: 'text/csv' })).body.split('\r\n');
  assert.ok(csv.split(',').includes('TimeFactor'));
});

test('a factor below 1 or above 100 is rejected', async () => {
  const { LoginID, path } = await enrolled(await timed('1.2'));
  for (const TimeFactor of [0, 0.5, 101, 'long']) {
    expectProblem(await api('PUT', `/user/${LoginID}`, { TimeFactor }), 422, 'validation_failed');
    expectProblem(await api('PUT', path, { TimeFactor }), 422, 'validation_failed');
  }
});
