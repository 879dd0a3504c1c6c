import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../test/support/clock.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const day = (days = 0) => new Date(clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
const zip = await packCourse('phishing');

test('the record of a user has enrolments with their release, and completions from elsewhere with their evidence', async () => {
  const tenant = await newTenant(service);
  const { api, user } = tenant;
  const [LoginID, CourseID] = [await user({ FirstName: 'Ada' }), unique('course')];
  expectStatus(await service.importPackage(CourseID, zip), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  const rule = { Title: 'x', CourseIDs: [CourseID], Audience: {}, DueAfter: 'P7D', ValidFor: 'P1Y' };
  expectStatus(await api('PUT', '/requirement/phishing', rule), 201);
  const evidence = {
    Source: 'Classroom',
    EvidenceText: 'List',
    EvidenceURL: 'https://files.example/list.pdf',
  };
  const elsewhere = { LoginID, Title: 'First aid', CompletedAt: day(-9), ...evidence };
  expectStatus(await api('POST', '/completion', elsewhere), 201);
  const [{ EnrollID }] = (await api('GET', `/obligation/${LoginID}`)).body.Items;
  const { LaunchURL } = (await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body;
  expectStatus(await (await play(service, LaunchURL)).commit({ Data: scorm12('passed', 90) }), 200);
  expectStatus(await api('GET', '/obligation'), 200);

  const { body } = await api('GET', `/report/record/${LoginID}`);
  type Item = {
    Title: string;
    External: boolean;
    Outcome: string;
    Release: number | null;
    ValidUntil: string;
  };
  assert.deepEqual(
    body.Items.map(({ External, Outcome, Release, ValidUntil }: Item) => {
      return [External, Outcome, Release, ValidUntil !== null];
    }),
    [
      [false, 'passed', 1, true],
      [true, 'completed', null, false],
    ],
  );
  assert.deepEqual(body.Items[0].RequirementIDs, ['phishing']);
  for (const [name, value] of Object.entries(evidence)) assert.equal(body.Items[1][name], value);
  const pages = await api('GET', `/report/record/${LoginID}?Limit=1`);
  const second = await api('GET', `/report/record/${LoginID}?Limit=1&Cursor=${pages.body.NextCursor}`);
  assert.deepEqual([...pages.body.Items, ...second.body.Items], body.Items);
  const csv = await api('GET', `/report/record/${LoginID}`, undefined, { accept: 'text/csv' });
  assert.match(String(csv.body), /^LoginID,.*Release.*\r?\n.*Ada/);
  expectProblem(await api('GET', '/report/record/nobody'), 404, 'user_not_found');
});

test('completed in April lists the completions of April only', async () => {
  const tenant = await newTenant(service);
  const { api, user } = tenant;
  const CourseID = await newCourse(service);
  const year = clock.now().getUTCFullYear() + 1;
  const done = async (at: string, fields: Record<string, unknown>) => {
    clock.advance({ seconds: (Date.parse(`${year}-${at}:01Z`) - clock.now().getTime()) / 1000 });
    const LoginID = await user(fields);
    const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
    const Override = { Completion: 'completed', Success: 'passed', Reason: 'test' };
    expectStatus(await api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Override }), 200);
    return LoginID;
  };
  await done('03-31T23:50', {});
  const first = await done('04-01T00:00', { GroupName: 'Nurses' });
  const last = await done('04-30T23:50', { ManagerLoginID: 'grace', Attributes: { site: 'Leeds' } });
  await done('05-01T00:00', {});
  const elsewhere = { LoginID: last, Title: 'First aid', CompletedAt: `${year}-04-15` };
  expectStatus(await api('POST', '/completion', elsewhere), 201);
  const open = await user();
  expectStatus(await api('POST', `/enrol/${open}/${CourseID}`), 201);
  const april = async (query = '') =>
    (await api('GET', `/report/record?From=${year}-04-01&To=${year}-04-30${query}`)).body.Items.map(
      ({ LoginID }: { LoginID: string }) => LoginID,
    );
  assert.deepEqual(await april(), [last, last, first]);
  assert.deepEqual(await april(`&CourseID=${CourseID}`), [last, first]);
  assert.deepEqual(await april('&GroupName=Nurses'), [first]);
  assert.deepEqual(await april('&ManagerLoginID=grace'), [last, last]);
  assert.deepEqual(await april('&Attribute=site:Leeds'), [last, last]);
  expectProblem(
    await api('GET', `/report/record?From=${year}-05-01&To=${year}-04-30`),
    422,
    'validation_failed',
    'To',
  );
  expectProblem(await api('GET', '/report/record?From=2026-02-30'), 422, 'validation_failed', 'From');
});
