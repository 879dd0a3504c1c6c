import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import {
  allPages,
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';
import { countAccess } from './count-access.ts';
import { countCompletion } from './count-completion.ts';

const service = await startService();
after(service.close);

const read = async ({ api }: TestTenant, LoginID: string) => (await api('GET', `/user/${LoginID}`)).body;
const change = ({ api }: TestTenant, LoginID: string, body: object) => api('PUT', `/user/${LoginID}`, body);

async function idsOf({ api }: TestTenant, url: string, name = 'LoginID'): Promise<string[]> {
  const { items } = await allPages((path) => api('GET', path), url, 2);
  return items.map((item) => (item as Record<string, string>)[name] ?? '');
}

test('GroupName is the first of the groups, and what a client without Groups reads and writes', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ GroupName: 'Sales' });
  assert.deepEqual((await read(tenant, LoginID)).Groups, ['Sales']);
  const cases: [object, string | null, string[]][] = [
    [{ Groups: ['Leeds', 'Sales', 'Leeds'] }, 'Leeds', ['Leeds', 'Sales']],
    [{ GroupName: 'York' }, 'York', ['York', 'Sales']],
    [{ GroupName: 'Sales' }, 'Sales', ['Sales']],
    [{ GroupName: 'Bath', Groups: ['Sales', 'Bath'] }, 'Bath', ['Bath', 'Sales']],
    [{ FirstName: 'Ann' }, 'Bath', ['Bath', 'Sales']],
    [{ GroupName: null }, null, []],
    [{ Groups: ['A', 'B'] }, 'A', ['A', 'B']],
    [{ Groups: null }, null, []],
  ];
  for (const [body, GroupName, Groups] of cases) {
    const { status, body: user } = await change(tenant, LoginID, body);
    assert.deepEqual([status, user.GroupName, user.Groups], [200, GroupName, Groups], JSON.stringify(body));
  }
  const again = { LoginID: unique('p'), Groups: ['A', 'B', 'A'], Attributes: { site: 'Leeds', job: '' } };
  expectStatus(await tenant.api('POST', '/user', again), 201);
  expectStatus(await tenant.api('POST', '/user', again), 200);
  expectStatus(await tenant.api('POST', '/user', { LoginID: again.LoginID, GroupName: 'A' }), 200);
  expectProblem(await tenant.api('POST', '/user', { ...again, Groups: ['B', 'A'] }), 409, 'user_exists');
  const tooMany = { Groups: Array.from({ length: 51 }, (_, n) => `g${n}`) };
  expectProblem(await change(tenant, LoginID, tooMany), 422, 'validation_failed', 'Groups');
});

test('attributes that are not sent stay, and a user has at most 30', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ Attributes: { site: 'Leeds', job: 'Welder' } });
  const attributes = async (Attributes: object | null) =>
    (await change(tenant, LoginID, { Attributes })).body.Attributes;
  assert.deepEqual(await attributes({ country: 'UK', job: null }), { site: 'Leeds', country: 'UK' });
  assert.deepEqual(await attributes({ 'Größe 🙂': 'M', site: '' }), { country: 'UK', 'Größe 🙂': 'M' });
  const many = Object.fromEntries(Array.from({ length: 29 }, (_, n) => [`a${n}`, 'x']));
  expectProblem(await change(tenant, LoginID, { Attributes: many }), 422, 'validation_failed', 'Attributes');
  assert.deepEqual(await attributes(null), {});
  for (const Attributes of [{ 'a:b': 'x' }, { a: 1 }, { ['x'.repeat(41)]: 'x' }, { a: 'x'.repeat(256) }])
    expectStatus(await change(tenant, LoginID, { Attributes }), 422);
});

test('users and enrolments are found by any of their groups, their manager and their attributes', async () => {
  const tenant = await newTenant(service);
  const course = await newCourse(service);
  const people = [
    await tenant.user({ Groups: ['Sales'] }),
    await tenant.user({ Groups: ['Leeds', 'Sales'], ManagerLoginID: 'boss', Attributes: { job: 'Welder' } }),
    await tenant.user({ Groups: ['Leeds'], ManagerLoginID: 'boss' }),
    await tenant.user({ Groups: ['York', 'Sales', 'Leeds'], Attributes: { job: 'Welder', site: 'York' } }),
  ];
  const enrolled: string[] = [];
  for (const LoginID of people)
    enrolled.push((await tenant.api('POST', `/enrol/${LoginID}/${course}`)).body.EnrollID);
  const found = async (filter: string, expected: number[]) => {
    const enrolments = expected.map((n) => enrolled[n]);
    const users = expected.map((n) => people[n]);
    assert.deepEqual((await idsOf(tenant, `/user?${filter}`)).toSorted(), users.toSorted(), filter);
    assert.deepEqual(await idsOf(tenant, `/user?${filter}&Order=newest`), users.toReversed(), filter);
    assert.deepEqual(
      await idsOf(tenant, `/enrolment?${filter}&Order=oldest`, 'EnrollID'),
      enrolments,
      filter,
    );
    const newest = await idsOf(tenant, `/enrolment?${filter}&Order=newest`, 'EnrollID');
    assert.deepEqual(newest, enrolments.toReversed(), filter);
    const { Total } = (await tenant.api('GET', `/enrolment?${filter}&Count=true`)).body;
    assert.equal(Total?.Records ?? expected.length, expected.length, filter);
  };
  await found('GroupName=Sales', [0, 1, 3]);
  await found('GroupName=Leeds', [1, 2, 3]);
  await found('GroupName=sales', []);
  await found('GroupName=Sales&ManagerLoginID=boss', [1]);
  await found('ManagerLoginID=boss', [1, 2]);
  await found('Attribute=job:Welder', [1, 3]);
  await found('Attribute=job:Welder&GroupName=York', [3]);
  await found('Attribute=job:welder', []);
  expectProblem(await tenant.api('GET', '/user?Attribute=job'), 422, 'validation_failed', 'Attribute');
  const groups = (await tenant.api('GET', '/group')).body.Items.map(
    (one: { GroupName: string }) => one.GroupName,
  );
  assert.deepEqual(groups, ['Leeds', 'Sales', 'York']);

  await change(tenant, people[3] ?? '', { Groups: ['Leeds', 'Bath'] });
  await found('GroupName=Sales', [0, 1]);
  await found('GroupName=Leeds', [1, 2, 3]);
  await found('GroupName=Bath', [3]);
});

test('an option for a group is offered to everybody in it, whatever the order of their groups', async () => {
  const tenant = await newTenant(service);
  const course = await newCourse(service, {}, { sales: { Groups: ['Sales'] } });
  const [inside, outside] = [
    await tenant.user({ Groups: ['Leeds', 'Sales'] }),
    await tenant.user({ Groups: ['Leeds'] }),
  ];
  const offer = (await tenant.api('GET', `/catalogue/course/${course}/${inside}`)).body;
  assert.deepEqual(offer.AvailableEnrolOptions[0]?.Groups, ['Sales']);
  expectStatus(await tenant.api('POST', `/enrol/${inside}/${course}`), 201);
  expectProblem(await tenant.api('POST', `/enrol/${outside}/${course}`), 409, 'no_enrolment_option');
});

test('a report by group counts people in each of their groups, and once in total', async () => {
  const tenant = await newTenant(service);
  const course = await newCourse(service, {}, { week: { Duration: 'P7D' } });
  const both = await tenant.user({ Groups: ['Sales', 'Leeds'] });
  for (const LoginID of [both, await tenant.user({ Groups: ['Leeds'] }), await tenant.user()])
    expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${course}`), 201);
  const figures = async (report: string, name: string, By: string) =>
    (await tenant.api('GET', `/report/${report}?By=${By}`)).body.Items.map(
      (line: Record<string, unknown>) => [line.GroupName, line[name]],
    );
  const activity = async (query: string) => {
    const { Items } = (await tenant.api('GET', `/report/activity?Unit=month&${query}`)).body;
    return Items.reduce((sum: number, { Enrolments }: { Enrolments: number }) => sum + Enrolments, 0);
  };
  const expected = async (groups: [string | null, number][]) => {
    for (const count of [countCompletion, countAccess]) await count(service.ctx);
    for (const [report, name] of [
      ['completion', 'Enrolments'],
      ['access', 'Open'],
    ] as const) {
      assert.deepEqual(await figures(report, name, 'group'), groups);
      assert.deepEqual(await figures(report, name, 'course_and_group'), groups);
      for (const by of ['course', 'total']) assert.deepEqual(await figures(report, name, by), [[null, 3]]);
    }
  };
  await expected([
    [null, 1],
    ['Leeds', 2],
    ['Sales', 1],
  ]);
  assert.deepEqual(
    [await activity(''), await activity('GroupName=Leeds'), await activity('GroupName=Sales')],
    [3, 2, 1],
  );
  expectStatus(await change(tenant, both, { Groups: ['York', 'Leeds'] }), 200);
  await expected([
    [null, 1],
    ['Leeds', 2],
    ['York', 1],
  ]);
});

test('reports count a team, or people with an attribute, like the lists behind their figures', async () => {
  const tenant = await newTenant(service);
  const course = await newCourse(service, {}, { week: { Duration: 'P7D' } });
  const ManagerLoginID = await tenant.user();
  const ann = await tenant.user({ ManagerLoginID, Groups: ['A', 'B'], Attributes: { site: 'Leeds' } });
  const bob = await tenant.user({ ManagerLoginID, Attributes: { site: 'York' } });
  const cid = await tenant.user({ Attributes: { site: 'Leeds' } });
  for (const LoginID of [ann, bob, cid])
    expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${course}`), 201);
  const [{ EnrollID }] = (await tenant.api('GET', `/enrolment/${ann}`)).body.Items;
  const Override = { Completion: 'completed', Success: 'passed', Reason: 'seen' };
  expectStatus(await tenant.api('PUT', `/enrolment/${ann}/${EnrollID}`, { Override }), 200);
  const lines = async (path: string, names: readonly string[]) =>
    (await allPages((path) => tenant.api('GET', path), `/report/${path}`, 1)).items.map((line) =>
      names.map((name) => (line as Record<string, unknown>)[name]),
    );
  const team = `ManagerLoginID=${ManagerLoginID}`;
  const leeds = 'Attribute=site:Leeds';
  const completion = ['CourseID', 'GroupName', 'Enrolments', 'Passed', 'NotStarted', 'CompletionRate'];
  for (const filter of [team, leeds]) {
    assert.deepEqual(await lines(`completion?${filter}`, completion), [[course, null, 2, 1, 1, 50]]);
    assert.deepEqual(await lines(`completion?By=total&${filter}`, completion), [[null, null, 2, 1, 1, 50]]);
    assert.deepEqual(await lines(`completion?By=group&${filter}`, completion), [
      [null, null, 1, 0, 1, 0],
      [null, 'A', 1, 1, 0, 100],
      [null, 'B', 1, 1, 0, 100],
    ]);
    assert.deepEqual(await lines(`completion?GroupName=B&${filter}`, completion), [
      [course, 'B', 1, 1, 0, 100],
    ]);
    assert.deepEqual(
      await lines(`access?By=total&${filter}`, ['Open', 'EndsWithin7Days', 'EndsWithin30Days', 'Overdue']),
      [[1, 1, 1, 0]],
    );
    const periods = await lines(`activity?Unit=month&${filter}`, ['Enrolments', 'Passed', 'Completions']);
    assert.deepEqual(periods.at(-1), [2, 1, 1]);
    const { body } = await tenant.api('GET', `/enrolment?Outcome=passed&${filter}`);
    assert.deepEqual(
      body.Items.map((item: { EnrollID: string }) => item.EnrollID),
      [EnrollID],
    );
  }
  assert.deepEqual(await lines(`completion?By=total&${team}&${leeds}`, completion), [
    [null, null, 1, 1, 0, 100],
  ]);
  const inGroup = await lines(`activity?Unit=month&GroupName=A&CourseID=${course}&${team}`, ['Enrolments']);
  assert.deepEqual(inGroup.at(-1), [1]);
  const none = await lines(`activity?Unit=month&CourseID=other&${team}`, ['Enrolments']);
  assert.deepEqual(none.at(-1), [0]);
  const past = await tenant.api('GET', `/report/access?AsOf=2020-01-01&${leeds}`);
  expectProblem(past, 422, 'validation_failed', 'Attribute');
  const stranger = await newTenant(service);
  assert.deepEqual((await stranger.api('GET', `/report/completion?${leeds}`)).body.Items, []);
});

test('people cannot be their own managers, circles are allowed, and a manager who is erased leaves the team', async () => {
  const tenant = await newTenant(service);
  const boss = await tenant.user();
  const member = await tenant.user({ ManagerLoginID: boss, Attributes: { job: 'Welder' } });
  expectProblem(
    await change(tenant, boss, { ManagerLoginID: boss }),
    422,
    'validation_failed',
    'ManagerLoginID',
  );
  const own = { LoginID: 'own', ManagerLoginID: 'own' };
  expectProblem(await tenant.api('POST', '/user', own), 422, 'validation_failed', 'ManagerLoginID');
  expectStatus(await change(tenant, boss, { ManagerLoginID: member }), 200);
  expectStatus(await change(tenant, boss, { Enabled: false }), 200);
  assert.equal((await read(tenant, member)).ManagerLoginID, boss);

  const document = (await tenant.api('GET', `/user/${boss}/export`)).body;
  assert.deepEqual(document.Team, [{ LoginID: member }]);
  expectStatus(await tenant.api('DELETE', `/user/${boss}`), 200);
  assert.equal((await read(tenant, member)).ManagerLoginID, null);
  const last = (await tenant.events({ LoginID: member })).at(-1);
  assert.deepEqual(
    [last?.type, last?.data],
    ['user.updated', { LoginID: member, Changed: ['ManagerLoginID'] }],
  );
});

test('groups, managers and attributes come with bulk calls and imports, and an export can be sent back', async () => {
  const tenant = await newTenant(service);
  const csv = { 'content-type': 'text/csv' };
  const [one, two] = [unique('p'), unique('p')];
  const file = `LoginID,Groups,ManagerLoginID,Attributes.site\n${one},Sales; Leeds,${two},York\n${two},,,\n`;
  expectStatus(await tenant.api('POST', '/user/bulk', file, csv), 200);
  const expected = ['Sales', ['Sales', 'Leeds'], two, { site: 'York' }];
  const shown = async () => {
    const { GroupName, Groups, ManagerLoginID, Attributes } = await read(tenant, one);
    return [GroupName, Groups, ManagerLoginID, Attributes];
  };
  assert.deepEqual(await shown(), expected);
  const exported = await tenant.api('GET', '/user', undefined, { accept: 'text/csv' });
  const plan = await tenant.api('POST', '/user/bulk?Plan=true', exported.body, csv);
  assert.doesNotMatch(String(plan.body), /error|differs/);

  const sheet = `Staff ID,Line manager,Teams,Attributes.job\n${one},boss,Bath; Sales,Fitter\n`;
  const imported = await tenant.api('POST', '/import?IfExists=update', sheet, csv);
  expectStatus(imported, 201);
  for (let status = ''; status !== 'applied'; )
    status = (await tenant.api('GET', `/import/${imported.body.ImportID}`)).body.Status;
  assert.deepEqual(await shown(), ['Bath', ['Bath', 'Sales'], 'boss', { site: 'York', job: 'Fitter' }]);
});
