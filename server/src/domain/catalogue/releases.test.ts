import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { measureDuring } from '../../../test/support/honest-client.ts';
import { packSecondRelease, packUnits } from '../../../test/support/packages.ts';
import { startService } from '../../../test/support/service.ts';
import {
  allPages,
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  unique,
} from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api } = service;
const packages = [await packCourse('phishing'), await packSecondRelease()];

/** A course with `count` releases, offered to one tenant only. */
async function released(count: number, fields: object = {}) {
  const tenant = await newTenant(service);
  const CourseID = unique('releases');
  const course = { Title: CourseID, Tenants: [tenant.TenantID], ...fields };
  expectStatus(await api('PUT', `/course/${CourseID}`, course), 201);
  for (let made = 0; made < count; made++) await service.importPackage(CourseID, packages[made % 2] ?? '');
  const reported = async () =>
    (await tenant.events()).filter(({ type }) => type === 'course.released').map(({ data }) => data.Release);
  return { tenant, reported, path: `/course/${CourseID}/release`, course: `/course/${CourseID}` };
}

test('releases are listed in pages, newest first, and can be read by number', async () => {
  const { path, course } = await released(5);
  const { items, pages } = await allPages((address) => api('GET', address), path);
  assert.deepEqual(
    items.map(({ Release, Current }) => [Release, Current]),
    [
      [5, true],
      [4, false],
      [3, false],
      [2, false],
      [1, false],
    ],
  );
  assert.equal(pages, 3);
  for (const release of items)
    assert.deepEqual((await api('GET', `${path}/${release.Release}`)).body, release);
  assert.deepEqual((await api('GET', `${course}/package`)).body, items[0]);
  assert.notEqual(items[0].SHA256, items[1].SHA256);
});

test('other clients do not wait while a list describes large releases', async () => {
  const CourseID = await newCourse(service);
  const pack = await packUnits(1_400);
  for (let made = 0; made < 4; made++) await service.importPackage(CourseID, pack);
  const reading = api('GET', `/course/${CourseID}/release`);
  const noticed = await measureDuring(async () => expectStatus(await api('GET', '/course'), 200), reading);
  assert.ok(noticed.longestWork <= 100, JSON.stringify(noticed));
  const { items } = await allPages((address) => api('GET', address), `/course/${CourseID}/release`);
  assert.deepEqual(
    items.map(({ Release }) => Release),
    [4, 3, 2, 1],
  );
});

test('a course without a package has no releases, and an unknown course is not found', async () => {
  const CourseID = await newCourse(service);
  assert.deepEqual((await api('GET', `/course/${CourseID}/release`)).body, { Items: [], NextCursor: null });
  expectProblem(await api('GET', `/course/${CourseID}/release/1`), 404, 'release_not_found', 'Release');
  expectProblem(await api('GET', `/course/${CourseID}/package`), 409, 'course_not_playable');
  for (const address of ['release', 'release/1'])
    expectProblem(await api('GET', `/course/nowhere/${address}`), 404, 'course_not_found', 'CourseID');
  expectProblem(
    await api('PUT', '/course/nowhere/release/1', { Current: true }),
    404,
    'course_not_found',
    'CourseID',
  );
});

test('a cursor from another list is rejected', async () => {
  const { path } = await released(1);
  for (const key of ['x', '', '-1', '1.5', '99999999999'])
    expectProblem(
      await api('GET', `${path}?Cursor=${Buffer.from(JSON.stringify([key])).toString('base64url')}`),
      422,
      'validation_failed',
      'Cursor',
    );
});

test('an earlier release can be made current, and tenants are notified once', async () => {
  const { path, course, reported, tenant } = await released(2);
  assert.deepEqual(await reported(), [1, 2]);
  const before = (await api('GET', course)).body.UpdatedAt;
  for (const _ of ['first', 'again']) {
    const reply = await api('PUT', `${path}/1`, { Current: true });
    expectStatus(reply, 200);
    assert.deepEqual([reply.body.Release, reply.body.Current], [1, true]);
    assert.deepEqual(await reported(), [1, 2, 1]);
  }
  const { Release, UpdatedAt } = (await api('GET', course)).body;
  assert.equal(Release, 1);
  assert.ok(UpdatedAt > before);
  assert.equal((await api('GET', `${path}/2`)).body.Current, false);
  const offered: { CourseID: string; Release: number }[] = (await tenant.api('GET', '/catalogue/course')).body
    .Items;
  assert.equal(offered.find(({ CourseID }) => course.endsWith(CourseID))?.Release, 1);
  expectStatus(await api('PUT', `${path}/2`, { Current: true }), 200);
  assert.deepEqual(await reported(), [1, 2, 1, 2]);
});

test('tenants are not notified of a draft until it is published', async () => {
  const { path, course, reported } = await released(2, { Status: 'draft' });
  expectStatus(await api('PUT', `${path}/1`, { Current: true }), 200);
  assert.deepEqual(await reported(), []);
  expectStatus(await api('PUT', course, { Status: 'published' }), 200);
  assert.deepEqual(await reported(), [1]);
});

test('an unknown release or an invalid change is rejected and changes nothing', async () => {
  const { path, course } = await released(1);
  expectProblem(await api('PUT', `${path}/2`, { Current: true }), 404, 'release_not_found', 'Release');
  for (const number of ['0', '-1', 'x', '1.5', '1e99'])
    expectProblem(await api('PUT', `${path}/${number}`, { Current: true }), 422, 'validation_failed');
  expectProblem(await api('PUT', `${path}/1`, { Current: false }), 422, 'validation_failed', 'Current');
  expectProblem(await api('PUT', `${path}/1`, {}), 422, 'validation_failed', 'Current');
  expectProblem(await api('PUT', `${path}/1`, { Current: true, Title: 'x' }), 422, 'unknown_field', 'Title');
  assert.equal((await api('GET', course)).body.Release, 1);
});

test('only the operator can read and change releases', async () => {
  const { path, tenant } = await released(1);
  for (const [method, address, body] of [
    ['GET', path, undefined],
    ['GET', `${path}/1`, undefined],
    ['PUT', `${path}/1`, { Current: true }],
  ] as const)
    expectProblem(await tenant.api(method, address, body), 403, 'operator_only');
});
