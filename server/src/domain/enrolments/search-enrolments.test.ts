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
} from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);

const people = [
  {
    LoginID: 'A00050',
    FirstName: 'Víctor',
    LastName: 'Müller',
    Email: 'v.muller@acme.example',
    GroupName: 'A',
  },
  { LoginID: 'A00051', FirstName: 'Victoria', LastName: 'Stone', Email: 'vs@beta.example', GroupName: 'A' },
  { LoginID: 'muller', FirstName: 'Anna', LastName: "O'Brien", GroupName: 'B' },
  { LoginID: '--+', FirstName: 'Eve', GroupName: 'B' },
];

async function tenantWithPeople() {
  const tenant = await newTenant(service);
  const courses = [await newCourse(service), await newCourse(service)];
  for (const person of people) {
    expectStatus(await tenant.api('POST', '/user', person), 201);
    for (const course of courses)
      expectStatus(await tenant.api('POST', `/enrol/${encodeURIComponent(person.LoginID)}/${course}`), 201);
  }
  return { ...tenant, courses };
}

type Of = Pick<TestTenant, 'api'>;
const searchOf = (search: string) => `/enrolment?Search=${encodeURIComponent(search)}`;

async function found({ api }: Of, search: string, more = ''): Promise<string[]> {
  const { items } = await allPages((address) => api('GET', address), searchOf(search) + more);
  return items.map(({ LoginID }) => LoginID);
}

const twice = (logins: string[]) => logins.flatMap((login) => [login, login]);

test('enrolments are found by the words of their users, as in the list of users', async () => {
  const tenant = await tenantWithPeople();
  const cases: Record<string, string[]> = {
    'muller vic': ['A00050'],
    'VÍC MÜLL': ['A00050'],
    vic: ['A00050', 'A00051'],
    muller: ['A00050', 'muller'],
    'acme.example': ['A00050'],
    A00051: ['A00051'],
    obrien: [],
    "O'BRIEN": ['muller'],
    'brien anna': ['muller'],
    '--': ['--+'],
    'victor brien': [],
    nobody: [],
  };
  for (const [search, logins] of Object.entries(cases)) {
    assert.deepEqual((await found(tenant, search)).sort(), twice(logins).sort(), search);
    const { items } = await allPages(
      (address) => tenant.api('GET', address),
      `/user?Search=${encodeURIComponent(search)}`,
    );
    assert.deepEqual(items.map(({ LoginID }) => LoginID).sort(), logins, search);
  }
});

test('a search can be combined with the other filters, order, Count and CSV', async () => {
  const {
    courses: [one = ''],
    ...tenant
  } = await tenantWithPeople();
  assert.deepEqual(await found(tenant, 'vic', `&CourseID=${one}`), ['A00050', 'A00051']);
  assert.deepEqual(await found(tenant, 'vic', `&CourseID=${one}&Order=newest`), ['A00051', 'A00050']);
  assert.deepEqual(await found(tenant, 'muller', '&GroupName=B'), ['muller', 'muller']);
  assert.deepEqual(await found(tenant, 'muller', '&LoginID=A00050'), ['A00050', 'A00050']);
  assert.deepEqual(await found(tenant, 'muller', '&LoginID=A00051'), []);
  assert.deepEqual(await found(tenant, 'vic', '&Status=completed'), []);
  assert.equal((await found(tenant, 'vic', '&Status=enrolled')).length, 4);
  assert.equal((await found(tenant, 'vic', '&ChangedAfter=2020-01-01T00:00:00Z')).length, 4);
  for (const order of ['status', 'status_descending'])
    assert.equal((await found(tenant, 'vic', `&Order=${order}`)).length, 4);
  assert.deepEqual(await found(tenant, 'vic', '&ExpiresBefore=2090-01-01T00:00:00Z'), []);
  const { body } = await tenant.api('GET', `${searchOf('vic')}&Limit=1&Count=true`);
  assert.deepEqual(body.Count, { Records: 4, More: false });
  const csv = await tenant.api('GET', searchOf('muller vic'), undefined, { accept: 'text/csv' });
  const [, ...lines] = String(csv.body).trim().split('\r\n');
  assert.equal(lines.length, 2);
  for (const line of lines) assert.match(line, /A00050/);
});

test('EnrollID finds one enrolment, if it belongs to this tenant and matches the other filters', async () => {
  const {
    courses: [one = '', two = ''],
    ...tenant
  } = await tenantWithPeople();
  const other = await tenantWithPeople();
  const { body } = await tenant.api('GET', `/enrolment?LoginID=A00050&CourseID=${one}`);
  const { EnrollID } = body.Items[0];
  const ids = async ({ api }: Of, query: string) => {
    const { items } = await allPages((address) => api('GET', address), `/enrolment?${query}`);
    return items.map((item) => item.EnrollID);
  };
  assert.deepEqual(await ids(tenant, `EnrollID=${EnrollID}`), [EnrollID]);
  for (const more of [
    `CourseID=${one}`,
    'LoginID=A00050',
    'Search=muller',
    'ChangedAfter=2020-01-01T00:00:00Z',
  ])
    assert.deepEqual(await ids(tenant, `EnrollID=${EnrollID}&${more}`), [EnrollID], more);
  for (const more of [
    `CourseID=${two}`,
    'LoginID=A00051',
    'Search=stone',
    'ExpiresAfter=2020-01-01T00:00:00Z',
  ])
    assert.deepEqual(await ids(tenant, `EnrollID=${EnrollID}&${more}`), [], more);
  assert.deepEqual(await ids(other, `EnrollID=${EnrollID}`), []);
  assert.deepEqual(await ids(tenant, 'EnrollID=none'), []);
});

test('a search finds neither erased users nor those of other tenants', async () => {
  const tenant = await tenantWithPeople();
  const other = await tenantWithPeople();
  assert.equal((await found(other, 'stone')).length, 2);
  expectStatus(await tenant.api('DELETE', '/user/A00051'), 200);
  assert.deepEqual(await found(tenant, 'stone'), []);
  assert.deepEqual(await found(tenant, 'A00051'), []);
  assert.equal((await found(other, 'stone')).length, 2);
});

test('a search also requires the right to read users', async () => {
  const tenant = await tenantWithPeople();
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'enrolments only',
    Scopes: ['enrolments:read'],
  });
  expectStatus(made, 201);
  const call = (path: string) => service.api('GET', path, undefined, made.body.Secret);
  expectStatus(await call('/enrolment'), 200);
  expectProblem(await call(searchOf('muller')), 403, 'scope_missing');
});
