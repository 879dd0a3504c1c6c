import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { allPages, expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user } = await newTenant(service);

async function enrol(LoginID: string, CourseID: string) {
  const reply = await api('POST', `/enrol/${LoginID}/${CourseID}`);
  expectStatus(reply, 201);
  return reply.body as { EnrollID: string; LaunchURL: string };
}

async function idsOf(query: string): Promise<string[]> {
  const { items } = await allPages((address) => api('GET', address), `/enrolment?${query}`);
  return items.map((item) => item.EnrollID);
}

test('Status filters by the current status, even if that status has not been recorded yet', async () => {
  const CourseID = await newCourse(service, {}, { month: { Duration: 'P30D' } });
  const made = [];
  for (let index = 0; index < 5; index++) made.push({ LoginID: await user(), EnrollID: '', LaunchURL: '' });
  for (const one of made) Object.assign(one, await enrol(one.LoginID, CourseID));
  const [fresh, begun, done, gone, late] = made;
  assert.ok(fresh && begun && done && gone && late);
  await play(service, begun.LaunchURL);
  await (await play(service, done.LaunchURL)).commit({ Data: { 'lectern.completion': 'completed' } });
  await api('PUT', `/enrolment/${gone.LoginID}/${gone.EnrollID}`, { Withdrawn: true });
  const ids = (status: string) => idsOf(`CourseID=${CourseID}&Status=${status}`);
  assert.deepEqual(await ids('enrolled'), [fresh.EnrollID, late.EnrollID]);
  assert.deepEqual(await ids('in_progress'), [begun.EnrollID]);
  assert.deepEqual(await ids('completed'), [done.EnrollID]);
  assert.deepEqual(await ids('withdrawn'), [gone.EnrollID]);
  assert.deepEqual(await ids('expired'), []);
  clock.advance({ days: 31 });
  assert.deepEqual(await ids('expired'), [fresh.EnrollID, begun.EnrollID, late.EnrollID]);
  assert.deepEqual(await ids('completed'), [done.EnrollID]);
  assert.deepEqual(await ids('withdrawn'), [gone.EnrollID]);
  assert.deepEqual(await ids('enrolled'), []);
});

test("a user's enrolments are found by the user's new group", async () => {
  const LoginID = await user({ GroupName: 'Kitchen' });
  const { EnrollID } = await enrol(LoginID, await newCourse(service));
  assert.deepEqual(await idsOf('GroupName=Kitchen'), [EnrollID]);
  expectStatus(await api('PUT', `/user/${LoginID}`, { GroupName: 'Bakery' }), 200);
  assert.deepEqual(await idsOf('GroupName=Kitchen'), []);
  assert.deepEqual(await idsOf('GroupName=Bakery'), [EnrollID]);
});

test('CourseID and GroupName filter separately and together, and each enrolment appears once', async () => {
  const [one, two] = [await newCourse(service), await newCourse(service)];
  const red = [await user({ GroupName: 'Red' }), await user({ GroupName: 'Red' })];
  const blue = [await user({ GroupName: 'Blue' })];
  const made: [string, string, string][] = [];
  for (const LoginID of [...red, ...blue])
    for (const CourseID of [one, two]) {
      clock.advance({ seconds: 1 });
      made.push([LoginID, CourseID, (await enrol(LoginID, CourseID)).EnrollID]);
    }
  const expected = (right: (made: [string, string, string]) => boolean) =>
    made.filter(right).map(([, , id]) => id);
  assert.deepEqual(
    await idsOf('GroupName=Red'),
    expected(([LoginID]) => red.includes(LoginID)),
  );
  assert.deepEqual(
    await idsOf(`CourseID=${two}`),
    expected(([, CourseID]) => CourseID === two),
  );
  assert.deepEqual(
    await idsOf(`CourseID=${two}&GroupName=Blue`),
    expected(([LoginID, CourseID]) => CourseID === two && blue.includes(LoginID)),
  );
  assert.deepEqual(await idsOf('GroupName=red'), []);
  const [first = ''] = red;
  const own = await allPages((address) => api('GET', address), `/enrolment/${first}`, 1);
  assert.deepEqual(
    own.items.map((item) => item.EnrollID),
    expected(([LoginID]) => LoginID === first),
  );
  assert.equal(own.pages, 2);
});

test('ChangedAfter returns later changes page by page, oldest change first', async () => {
  const CourseID = await newCourse(service);
  const made: { LoginID: string; EnrollID: string }[] = [];
  for (let index = 0; index < 4; index++) {
    const LoginID = await user();
    made.push({ LoginID, ...(await enrol(LoginID, CourseID)) });
  }
  clock.advance({ minutes: 1 });
  const since = clock.now().toISOString();
  clock.advance({ minutes: 1 });
  const query = `CourseID=${CourseID}&ChangedAfter=${since}`;
  assert.deepEqual(await idsOf(query), []);
  const order = [2, 0, 3];
  for (const index of order) {
    const { LoginID, EnrollID } = made[index] ?? { LoginID: '', EnrollID: '' };
    await api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Reference: 'changed' });
    clock.advance({ seconds: 1 });
  }
  assert.deepEqual(
    await idsOf(query),
    order.map((index) => made[index]?.EnrollID),
  );
});

test('ChangedAfter neither loses nor repeats anything when many enrolments change at the same time', async () => {
  const CourseID = await newCourse(service);
  const since = new Date(clock.now().getTime() - 1).toISOString();
  const users = await Promise.all(Array.from({ length: 15 }, () => user()));
  const made = await Promise.all(users.map((LoginID) => enrol(LoginID, CourseID)));
  const found = await idsOf(`CourseID=${CourseID}&ChangedAfter=${since}`);
  assert.deepEqual(found.sort(), made.map(({ EnrollID }) => EnrollID).sort());
});

test("a list rejects unknown filters and values, and never contains another tenant's rows", async () => {
  const CourseID = await newCourse(service);
  await enrol(await user(), CourseID);
  for (const [query, param] of [
    ['Status=done', 'Status'],
    ['ChangedAfter=yesterday', 'ChangedAfter'],
    ['ChangedAfter=2016-12-31T23:59:60Z', 'ChangedAfter'],
    ['Cursor=x', 'Cursor'],
    ['ChangedAfter=2026-01-01T00:00:00Z&Cursor=WyJ4Il0', 'Cursor'],
    ['Limit=201', 'Limit'],
    ['CourseID=%00', 'CourseID'],
  ])
    expectProblem(await api('GET', `/enrolment?${query}`), 422, 'validation_failed', param);
  expectProblem(await api('GET', '/enrolment?User=x'), 422, 'unknown_field', 'User');
  expectProblem(await api('GET', '/enrolment/nobody'), 404, 'user_not_found', 'LoginID');
  const other = await newTenant(service);
  assert.deepEqual((await other.api('GET', `/enrolment?CourseID=${CourseID}`)).body.Items, []);
});

test('Count returns the number of enrolments that match the filters', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, {}, { month: { Duration: 'P30D' } });
  const logins = [await tenant.user({ GroupName: 'Count' }), await tenant.user(), await tenant.user()];
  for (const LoginID of logins) expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`), 201);
  const [first] = (await tenant.api('GET', `/enrolment/${logins[0]}`)).body.Items;
  await tenant.api('PUT', `/enrolment/${logins[0]}/${first.EnrollID}`, { Withdrawn: true });
  const countOf = async (query: string) => {
    const reply = await tenant.api('GET', `/enrolment?Limit=1&Count=true&${query}`);
    expectStatus(reply, 200);
    return reply.body.Count;
  };
  const soon = new Date(clock.now().getTime() + 60 * 86_400_000).toISOString();
  const counts: [string, number][] = [
    ['', 3],
    ['Order=newest', 3],
    [`CourseID=${CourseID}`, 3],
    [`CourseID=${CourseID}&Status=enrolled`, 2],
    ['Status=withdrawn', 1],
    ['Status=completed', 0],
    ['GroupName=Count', 1],
    ['GroupName=Count&Status=enrolled', 0],
    [`LoginID=${logins[1]}`, 1],
    [`ExpiresBefore=${soon}`, 2],
    [`ExpiresBefore=${soon}&Order=newest&GroupName=Count`, 0],
    ['ChangedAfter=2020-01-01T00:00:00Z', 3],
  ];
  for (const [query, Records] of counts)
    assert.deepEqual(await countOf(query), { Records, More: false }, query);
  clock.advance({ days: 31 });
  assert.deepEqual(await countOf('Status=expired'), { Records: 2, More: false });
});
