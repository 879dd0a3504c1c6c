import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { packSecondRelease } from '../../../test/support/packages.ts';
import { maxVisitedBy } from '../../../test/support/plans.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import { beforeAll, countAffected, countStatement } from './plan-release.ts';

const service = await startService();
after(service.close);
const first = await packCourse('phishing');
const second = await packSecondRelease();

/** A course with an option and one release. */
async function newReleased(): Promise<string> {
  const CourseID = unique('planned');
  expectStatus(await service.importPackage(CourseID, first), 201);
  for (const DurationID of ['open', 'other'])
    expectStatus(await service.api('PUT', `/course/${CourseID}/option/${DurationID}`, {}), 201);
  return CourseID;
}

type Tenant = Awaited<ReturnType<typeof newTenant>>;

async function enrolled({ api, user }: Tenant, CourseID: string, DurationID = 'open') {
  const reply = await api('POST', `/enrol/${await user()}/${CourseID}/${DurationID}`);
  expectStatus(reply, 201);
  return reply.body as { LoginID: string; EnrollID: string; LaunchURL: string };
}

const started = async (enrolment: { LaunchURL: string }) => play(service, enrolment.LaunchURL);

async function completed(enrolment: { LaunchURL: string }) {
  expectStatus(await (await started(enrolment)).commit({ Data: scorm12('passed', 90) }), 200);
}

const address = (CourseID: string, release: number) => `/course/${CourseID}/release/${release}`;

const isSecond = async (playing: Awaited<ReturnType<typeof play>>) =>
  (await (await playing.file('index.html')).text()).includes('second release');

test('a package can be imported without becoming current, previewed, and then set as current', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newReleased();
  const seen = async () =>
    (await tenant.events())
      .filter(({ data }) => 'Release' in data)
      .map(({ type, data }) => [type, data.Release]);
  const before = await seen();
  const imported = await service.importPackage(CourseID, second, '?Current=false');
  expectStatus(imported, 200);
  assert.deepEqual([imported.body.Release, imported.body.Current], [2, false]);
  assert.deepEqual(await seen(), before);
  const { Release } = (await service.api('GET', `/course/${CourseID}`)).body;
  assert.equal(Release, 1);
  const waiting = await enrolled(tenant, CourseID);
  assert.equal(await isSecond(await started(await enrolled(tenant, CourseID))), false);
  expectStatus(await service.api('POST', `/course/${CourseID}/preview`, { Release: 2 }), 201);
  const changed = await service.api('PUT', address(CourseID, 2), { Current: true });
  expectStatus(changed, 200);
  assert.deepEqual([changed.body.Current, changed.body.Affected], [true, null]);
  assert.deepEqual(await seen(), [...before, ['course.released', 2]]);
  assert.equal(await isSecond(await started(waiting)), true);
});

test('a first release that is not made current leaves the course without content', async () => {
  const CourseID = unique('planned');
  const imported = await service.importPackage(CourseID, first, '?Current=false');
  expectStatus(imported, 201);
  assert.equal(imported.body.Current, false);
  const { Release, Standard } = (await service.api('GET', `/course/${CourseID}`)).body;
  assert.deepEqual([Release, Standard], [null, null]);
  expectProblem(await service.api('GET', `/course/${CourseID}/package`), 409, 'course_not_playable');
});

test('a plan counts the learners of all tenants by what happens to them, and changes nothing', async () => {
  const [acme, other] = [await newTenant(service), await newTenant(service)];
  const CourseID = await newReleased();
  for (const tenant of [acme, acme, other]) await enrolled(tenant, CourseID, 'other');
  for (const tenant of [acme, other]) await started(await enrolled(tenant, CourseID));
  await completed(await enrolled(acme, CourseID));
  const withdrawn = await enrolled(acme, CourseID);
  const path = `/enrolment/${withdrawn.LoginID}/${withdrawn.EnrollID}`;
  expectStatus(await acme.api('PUT', path, { Withdrawn: true }), 200);
  await service.importPackage(CourseID, second, '?Current=false');
  const events = (await acme.events()).length;
  const planned = await service.api('PUT', `${address(CourseID, 2)}?Plan=true`, { Current: true });
  expectStatus(planned, 200);
  const Affected = { NotStarted: 3, InProgress: 2, Completed: 1, More: false };
  assert.deepEqual([planned.body.Current, planned.body.Affected], [true, Affected]);
  assert.equal((await service.api('GET', address(CourseID, 2))).body.Current, false);
  assert.equal((await acme.events()).length, events);
  for (const rows of [1, 2, 6, 7])
    assert.deepEqual(await countAffected(service.ctx, CourseID, rows), Affected, `${rows} rows`);
});

test('a learner whose next launch starts another attempt counts as not started', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newReleased();
  const one = await enrolled(tenant, CourseID);
  await completed(one);
  expectStatus(
    await tenant.api('POST', `/enrolment/${one.LoginID}/${one.EnrollID}/reset`, { Reason: 'A test.' }),
    200,
  );
  const planned = await service.api('PUT', `${address(CourseID, 1)}?Plan=true`, { Current: true });
  const { NotStarted, InProgress, Completed } = planned.body.Affected;
  assert.deepEqual([NotStarted, InProgress, Completed], [1, 0, 0]);
});

test('a plan for a course without learners counts none, and an unknown release has no plan', async () => {
  const CourseID = await newReleased();
  const planned = await service.api('PUT', `${address(CourseID, 1)}?Plan=true`, { Current: true });
  assert.deepEqual(planned.body.Affected, { NotStarted: 0, InProgress: 0, Completed: 0, More: false });
  const missing = await service.api('PUT', `${address(CourseID, 9)}?Plan=true`, { Current: true });
  expectProblem(missing, 404, 'release_not_found', 'Release');
  const unknown = await service.api('PUT', `${address('nowhere', 1)}?Plan=true`, { Current: true });
  expectProblem(unknown, 404, 'course_not_found', 'CourseID');
  const invalid = await service.api('PUT', `${address(CourseID, 1)}?Plan=maybe`, { Current: true });
  expectProblem(invalid, 422, 'validation_failed', 'Plan');
});

test('a tenant cannot plan a release', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newReleased();
  const path = `${address(CourseID, 1)}?Plan=true`;
  expectProblem(await tenant.api('PUT', path, { Current: true }), 403, 'operator_only');
});

test('each statement visits only its own rows', async () => {
  const tenant = await newTenant(service);
  const [CourseID, other] = [await newReleased(), await newReleased()];
  for (const id of [CourseID, other]) await enrolled(tenant, id);
  const { engine } = service.ctx;
  // Earlier enrolments, because each user has only one current enrolment for a course.
  const text = `/* across tenants: a test fills a table */
    insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at, ended_at, status)
    select held.tenant_id, gen_random_uuid(), held.user_id, held.course_id, held.duration_id, held.starts_on, now(), now(), now(), 'withdrawn'
    from enrolment held cross join generate_series(1, 3000) where held.course_id in ($1, $2)`;
  await engine.query({ text, values: [CourseID, other] });
  await engine.query({
    text: '/* across tenants: a test gathers statistics */ analyze enrolment',
    values: [],
  });
  const visited = await maxVisitedBy(engine, countStatement(CourseID, beforeAll, 100));
  assert.ok(visited <= 100, `${visited} rows`);
  const Affected = { NotStarted: 1, InProgress: 0, Completed: 0, More: false };
  assert.deepEqual(await countAffected(service.ctx, CourseID), Affected);
});
