import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import { browser, signInUser } from '../../../test/support/sign-in.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { newKey } from './key-text.ts';
import type { CheckedKey } from './schemas.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service);
const { api, user, events } = tenant;

type Course = CheckedKey['Courses'][number];
type Issued = { Key: string; KeyID: string };

async function newKeyOf(courses: string[], fields: Record<string, unknown> = {}): Promise<Issued> {
  const DurationIDs = courses.map(() => 'standard');
  const reply = await api('POST', '/enrolment/key', { CourseIDs: courses, DurationIDs, ...fields });
  expectStatus(reply, 201);
  return reply.body.Items[0];
}

/** Signs the learner in. All calls are made in the learner's browser, with the session's cookie. */
async function learnerOf(LoginID: string) {
  const page = browser(service, await signInUser(service, tenant, LoginID));
  const post = (path: string, body: object = {}) => page('POST', path, body);
  return {
    check: (key: string, body?: object) =>
      post(`/enrol/key/${LoginID}/${encodeURIComponent(key)}/check`, body),
    redeem: (key: string, body?: object) => post(`/enrol/key/${LoginID}/${encodeURIComponent(key)}`, body),
    courses: async () => (await page('GET', `/enrolment/${LoginID}`)).body.Items,
  };
}

const monthly = (fields: object = {}) =>
  newCourse(service, {}, { standard: { Duration: 'P30D', ...fields } });
const daysLeft = (at: string | null) =>
  at === null ? null : Math.round((Date.parse(at) - clock.now().getTime()) / 86_400_000);
const inDays = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString();

test('a check shows the courses and changes nothing; the learner then redeems the key', async () => {
  const courses = [await monthly(), await monthly({ StartsOn: 'launch' }), await newCourse(service)];
  const { Key, KeyID } = await newKeyOf(courses, { Group: 'Acme' });
  const LoginID = await user();
  const learner = await learnerOf(LoginID);
  const before = await events({ LoginID });
  const checked = await learner.check(Key.toLowerCase().replaceAll('-', ' '));
  expectStatus(checked, 200);
  assert.deepEqual([checked.body.KeyID, checked.body.RedeemedAt], [KeyID, null]);
  const shown = checked.body.Courses.map((one: Course) => [
    one.CourseID,
    one.Duration,
    one.StartsOn,
    one.EnrollID,
    daysLeft(one.ExpiresAt),
  ]);
  assert.deepEqual(shown, [
    [courses[0], 'P30D', 'enrolment', null, 30],
    [courses[1], 'P30D', 'launch', null, null],
    [courses[2], null, 'enrolment', null, null],
  ]);
  assert.deepEqual(await learner.courses(), []);
  assert.deepEqual(await events({ LoginID }), before);
  assert.equal((await api('GET', `/user/${LoginID}`)).body.GroupName, null);
  assert.equal((await api('GET', `/enrolment/key/${KeyID}`)).body.Status, 'available');

  const redeemed = await learner.redeem(Key);
  expectStatus(redeemed, 201);
  assert.match(redeemed.body.Enrolments[0].LaunchURL, /\/launch\?/);
  assert.equal((await learner.courses()).length, 3);
  const again = await learner.check(Key);
  expectStatus(again, 200);
  assert.equal(again.body.RedeemedAt, redeemed.body.RedeemedAt);
  assert.deepEqual(
    again.body.Courses.map(({ EnrollID }: { EnrollID: string }) => EnrollID),
    redeemed.body.Enrolments.map(({ EnrollID }: { EnrollID: string }) => EnrollID),
  );
});

test('a check fails for the same reasons as a redemption', async () => {
  const [owner, other] = [await user({ GroupName: 'Acme' }), await user({ GroupName: 'Other' })];
  const learner = await learnerOf(other);
  const course = await newCourse(service);
  const refused = async ({ Key }: Issued, status: number, code: string) => {
    expectProblem(await learner.check(Key), status, code);
    expectProblem(await learner.redeem(Key), status, code);
  };
  await refused(await newKeyOf([course], { LoginID: owner }), 409, 'key_of_other_user');
  await refused(await newKeyOf([course], { Group: 'Acme' }), 409, 'key_of_other_group');
  await refused(await newKeyOf([course], { ValidFrom: inDays(1) }), 409, 'key_not_yet_valid');
  const used = await newKeyOf([course]);
  expectStatus(await api('POST', `/enrol/key/${owner}/${used.Key}`), 201);
  await refused(used, 409, 'key_redeemed');
  const revoked = await newKeyOf([course]);
  expectStatus(await api('DELETE', `/enrolment/key/${revoked.KeyID}`), 200);
  await refused(revoked, 409, 'key_revoked');
  const expiring = await newKeyOf([course], { ValidUntil: inDays(0.01) });
  const full = await newKeyOf([await newCourse(service, {}, { standard: { Seats: 0 } })]);
  await refused(full, 409, 'no_seats_left');
  clock.advance({ minutes: 15 });
  await refused(expiring, 409, 'key_expired');
  await refused({ Key: used.Key.slice(1), KeyID: '' }, 422, 'key_mistyped');
  assert.deepEqual(await learner.courses(), []);
});

test('a learner who is already enrolled can see and confirm the extension', async () => {
  const [known, added] = [await monthly(), await monthly()];
  const LoginID = await user();
  const learner = await learnerOf(LoginID);
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${known}`)).body;
  const { Key } = await newKeyOf([known, added]);
  expectProblem(await learner.check(Key), 409, 'already_enrolled');
  const { body } = await learner.check(Key, { IfEnrolled: 'extend' });
  assert.deepEqual(
    body.Courses.map((one: Course) => [one.EnrollID, daysLeft(one.ExpiresAt)]),
    [
      [EnrollID, 60],
      [null, 30],
    ],
  );
  const redeemed = await learner.redeem(Key, { IfEnrolled: 'extend' });
  expectStatus(redeemed, 201);
  assert.deepEqual(
    redeemed.body.Enrolments.map(({ ExpiresAt }: { ExpiresAt: string }) => daysLeft(ExpiresAt)),
    [60, 30],
  );
});

test('a check takes no seat', async () => {
  const course = await newCourse(service, {}, { standard: { Seats: 1 } });
  const { Key } = await newKeyOf([course]);
  const learner = await learnerOf(await user());
  for (let n = 0; n < 3; n++) expectStatus(await learner.check(Key), 200);
  expectStatus(await api('POST', `/enrol/${await user()}/${course}`), 201);
  expectProblem(await learner.check(Key), 409, 'no_seats_left');
});

test('checks and redemptions share one limit on guesses, for learners and API keys', async () => {
  const LoginID = await user();
  const learner = await learnerOf(LoginID);
  const { Key } = await newKeyOf([await newCourse(service)]);
  const guesses = await Promise.all(
    Array.from({ length: 15 }, (_, n) => {
      if (n % 3 === 0) return learner.check(newKey());
      if (n % 3 === 1) return learner.redeem(newKey());
      return api('POST', `/enrol/key/${LoginID}/${newKey()}`);
    }),
  );
  assert.equal(guesses.filter(({ body }) => body.code === 'key_not_found').length, 10);
  const throttled = await learner.check(Key);
  expectProblem(throttled, 429, 'key_throttled');
  assert.ok(Number(throttled.headers.get('retry-after')) > 800);
  expectProblem(await learner.redeem(Key), 429, 'key_throttled');
  clock.advance({ minutes: 16 });
  expectStatus(await learner.check(Key), 200);
});

test('a learner signed in with an API key that cannot enrol users cannot redeem enrolment keys either', async () => {
  const Scopes = ['users:write', 'users:read', 'enrolments:read'];
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'portal', Scopes });
  expectStatus(made, 201);
  const LoginID = await user();
  const portal = {
    ...tenant,
    api: (method: string, path: string, body?: unknown) => service.api(method, path, body, made.body.Secret),
  };
  const page = browser(service, await signInUser(service, portal, LoginID));
  const { Key } = await newKeyOf([await newCourse(service)]);
  for (const action of ['', '/check'])
    expectProblem(await page('POST', `/enrol/key/${LoginID}/${Key}${action}`, {}), 403, 'scope_missing');
});

test('a page of another site can neither check nor redeem a key', async () => {
  const LoginID = await user();
  const page = browser(service, await signInUser(service, tenant, LoginID));
  const { Key } = await newKeyOf([await newCourse(service)]);
  for (const action of ['', '/check'])
    expectProblem(
      await page('POST', `/enrol/key/${LoginID}/${Key}${action}`, {}, { 'sec-fetch-site': 'cross-site' }),
      403,
      'cross_site',
    );
});
