import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../test/support/clock.ts';
import { packSecondRelease } from '../../../test/support/packages.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const [first, second] = [await packCourse('phishing'), await packSecondRelease()];

type Listed = { Status: string; EnrollID: string; ClosedReason: string; MetAt: string; DueAt: string };

test('the law changed: completions of a release are voided, and people who relied on them repeat the course', async () => {
  const tenant = await newTenant(service);
  const { api, user } = tenant;
  const CourseID = unique('course');
  expectStatus(await service.importPackage(CourseID, first), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  const [early, late] = [await user(), await user()];
  const rule = { Title: 'Phishing', CourseIDs: [CourseID], Audience: {}, DueAfter: 'P30D', ValidFor: 'P2Y' };
  expectStatus(await api('PUT', '/requirement/phishing', rule), 201);
  const obligations = async (LoginID: string): Promise<Listed[]> =>
    (await api('GET', `/obligation/${LoginID}`)).body.Items;
  const complete = async (LoginID: string) => {
    const { EnrollID } = (await obligations(LoginID)).at(-1) as Listed;
    const { LaunchURL } = (await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body;
    expectStatus(await (await play(service, LaunchURL)).commit({ Data: scorm12('passed', 90) }), 200);
  };
  await complete(early);
  clock.advance({ days: 10 });
  const Before = clock.now().toISOString();
  clock.advance({ days: 10 });
  await complete(late);
  const statuses = async (LoginID: string) => (await obligations(LoginID)).map(({ Status }) => Status);
  assert.deepEqual([await statuses(early), await statuses(late)], [['met'], ['met']]);

  expectStatus(await service.importPackage(CourseID, second), 200);
  const address = '/requirement/phishing/void';
  const planned = await api('POST', `${address}?Plan=true`, { Release: 1, Before });
  expectStatus(planned, 200);
  const due = new Date(clock.now().getTime() + 30 * 86_400_000).toISOString().slice(0, 10);
  const changes = planned.body.Changes as { LoginID: string; Change: string; DueAt: string }[];
  assert.equal(planned.body.Opens, 1);
  assert.deepEqual(
    changes.map(({ LoginID, Change }) => [LoginID, Change]),
    [
      [early, 'close'],
      [early, 'open'],
    ],
  );
  assert.equal(changes[1]?.DueAt.slice(0, 10), due);
  assert.deepEqual(await statuses(early), ['met']);

  const done = await api('POST', address, { Release: 1, Before });
  expectStatus(done, 200);
  assert.deepEqual(done.body.Voided, [{ CourseID, Release: 1, Before }]);
  const rows = await obligations(early);
  assert.deepEqual(rows.map(({ Status, ClosedReason }) => [Status, ClosedReason]).sort(), [
    ['closed', 'voided'],
    ['not_due', null],
  ]);
  const closed = rows.find(({ Status }) => Status === 'closed');
  assert.ok(closed?.MetAt, 'the closed cycle still shows when it was completed');
  assert.deepEqual(await statuses(late), ['met']);
  const open = rows.find(({ Status }) => Status === 'not_due');
  assert.notEqual(open?.EnrollID, closed?.EnrollID);

  const again = await api('POST', address, { Release: 1, Before });
  assert.deepEqual(again.body.Voided, done.body.Voided);
  assert.equal((await obligations(early)).length, 2);
  await complete(early);
  assert.deepEqual((await statuses(early)).sort(), ['closed', 'met']);
  const { body } = await api('GET', `/obligation/${early}/phishing/explain`);
  assert.match(body.Dates[0].Derivation, /void/);

  expectStatus(await api('POST', address, { Release: 1 }), 200);
  assert.deepEqual((await statuses(late)).sort(), ['closed', 'not_due']);
  assert.deepEqual((await statuses(early)).sort(), ['closed', 'met'], 'the second release still counts');
});

test('an unknown release, course or requirement is rejected, also one of another tenant', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const CourseIDs = [await newCourse(service)];
  const rule = { Title: 'x', CourseIDs, Audience: {}, DueAfter: 'P30D' };
  expectStatus(await tenant.api('PUT', '/requirement/own', rule), 201);
  const send = (body: object, by = tenant) => by.api('POST', '/requirement/own/void', body);
  expectProblem(await send({ Release: 999 }), 404, 'release_not_found', 'Release');
  expectProblem(await send({ Release: 1, CourseID: 'other' }), 422, 'validation_failed', 'CourseID');
  expectProblem(await send({ Release: 1 }, other), 404, 'requirement_not_found');
});
