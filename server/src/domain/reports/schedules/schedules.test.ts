import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from '../../../../test/support/tenant.ts';

const service = await startService({
  env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' },
});
const withoutMail = await startService();
after(async () => {
  await service.close();
  await withoutMail.close();
});

const weekly = {
  ...{ Name: 'Weekly', Report: 'completion', Every: 'week', Weekday: 'monday' },
  ...{ Time: '07:00', TimeZone: 'Europe/Berlin' },
};
const hook = { ...weekly, Delivery: 'webhook' };

const admin = (tenant: TestTenant, fields: object = {}) =>
  tenant.user({ IsAdmin: true, Email: 'admin@acme.example', ...fields });

async function scheduled(tenant: TestTenant, body: object = hook) {
  const made = await tenant.api('POST', '/report/schedule', body);
  expectStatus(made, 201);
  const path = `/report/schedule/${made.body.ScheduleID}`;
  return {
    schedule: made.body,
    path,
    put: (body: object) => tenant.api('PUT', path, body),
    read: async () => (await tenant.api('GET', path)).body,
  };
}

test('a report can be scheduled, read, listed, changed and deleted', async () => {
  const tenant = await newTenant(service);
  const LoginID = await admin(tenant);
  const { schedule, path, put, read } = await scheduled(tenant, {
    ...weekly,
    ...{ Delivery: 'email', Recipients: [LoginID] },
  });
  assert.deepEqual(await read(), schedule);
  const { By, Unit, Days, MonthDay, Recipients, Status, LastRunAt, LastProblem } = schedule;
  assert.deepEqual(
    { By, Unit, Days, MonthDay, Recipients, Status, LastRunAt, LastProblem },
    {
      ...{ By: 'course', Unit: null, Days: null, MonthDay: null, Recipients: [LoginID] },
      ...{ Status: 'active', LastRunAt: null, LastProblem: null },
    },
  );
  const next = new Date(schedule.NextRunAt);
  assert.ok(next > new Date() && next.getTime() - Date.now() <= 7 * 86_400_000 + 3_600_000);
  assert.deepEqual((await tenant.api('GET', '/report/schedule')).body, {
    Items: [schedule],
    NextCursor: null,
  });
  const compliance = await put({ Report: 'compliance', RequirementID: 'fire' });
  const { By: lines, CourseID: none, RequirementID } = compliance.body;
  assert.deepEqual([lines, none, RequirementID], ['requirement', null, 'fire']);
  const changed = await put({ Report: 'activity', Every: 'month', MonthDay: 31, CourseID: 'x' });
  expectStatus(changed, 200);
  assert.deepEqual([changed.body.By, changed.body.Unit, changed.body.Days], [null, 'day', 30]);
  assert.equal(changed.body.RequirementID, null);
  assert.deepEqual([changed.body.Weekday, changed.body.MonthDay], [null, 31]);
  const paused = await put({ Status: 'paused', CourseID: null });
  assert.deepEqual([paused.body.NextRunAt, paused.body.CourseID], [null, null]);
  const resumed = await put({ Status: 'active' });
  assert.ok(new Date(resumed.body.NextRunAt) > new Date());
  const hooked = await put({ Delivery: 'webhook' });
  assert.deepEqual(hooked.body.Recipients, []);
  expectStatus(await tenant.api('DELETE', path), 200);
  expectProblem(await tenant.api('GET', path), 404, 'schedule_not_found');
});

for (const [body, param] of [
  [{ ...hook, Every: 'week', Weekday: null }, 'Weekday'],
  [{ ...hook, Every: 'month', Weekday: undefined }, 'MonthDay'],
  [{ ...hook, Every: 'month', MonthDay: 32, Weekday: undefined }, 'MonthDay'],
  [{ ...hook, Every: 'day' }, 'Weekday'],
  [{ ...hook, Unit: 'day' }, 'Unit'],
  [{ ...hook, Days: 7 }, 'Days'],
  [{ ...hook, Report: 'activity', By: 'group' }, 'By'],
  [{ ...hook, Report: 'activity', Days: 367 }, 'Days'],
  [{ ...hook, By: 'requirement' }, 'By'],
  [{ ...hook, Report: 'compliance', By: 'course' }, 'By'],
  [{ ...hook, Report: 'compliance', CourseID: 'x' }, 'CourseID'],
  [{ ...hook, RequirementID: 'x' }, 'RequirementID'],
  [{ ...hook, Time: '24:00' }, 'Time'],
  [{ ...hook, Time: '7:00' }, 'Time'],
  [{ ...hook, TimeZone: 'Europe/Nowhere' }, 'TimeZone'],
  [{ ...hook, TimeZone: '+02:00' }, 'TimeZone'],
  [{ ...hook, Name: '' }, 'Name'],
  [{ ...hook, Recipients: ['ada'] }, 'Recipients'],
  [{ ...weekly, Delivery: 'email' }, 'Recipients'],
  [{ ...weekly, Delivery: 'email', Recipients: [] }, 'Recipients'],
  [{ ...weekly, Delivery: 'email', Recipients: Array.from({ length: 11 }, (_, n) => `a${n}`) }, 'Recipients'],
] as const)
  test(`an invalid schedule is rejected: ${param} ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const tenant = await newTenant(service);
    expectProblem(await tenant.api('POST', '/report/schedule', body), 422, 'validation_failed', param);
  });

test('only administrators of the tenant with an email address can be recipients', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const reader = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'admins',
    Scopes: ['users:read', 'users:write', 'users:admin'],
  });
  expectStatus(reader, 201);
  const limited = 'limited-admin';
  const made = await service.api(
    'POST',
    '/user',
    { LoginID: limited, IsAdmin: true, Email: 'limited@acme.example' },
    reader.body.Secret,
  );
  expectStatus(made, 201);
  const refused = {
    learner: await tenant.user({ Email: 'learner@acme.example' }),
    'no address': await admin(tenant, { Email: null }),
    'invalid address': await admin(tenant, { Email: 'a@b@acme.example' }),
    disabled: await admin(tenant, { Enabled: false }),
    'an administrator who may not read enrolments': limited,
    'of another tenant': await admin(other),
    'an address': 'stranger@elsewhere.example',
  };
  const chosen = await admin(tenant);
  for (const [name, LoginID] of Object.entries(refused)) {
    const body = { ...weekly, Delivery: 'email', Recipients: [chosen, LoginID] };
    const reply = await tenant.api('POST', '/report/schedule', body);
    assert.equal(reply.status, 422, name);
    expectProblem(reply, 422, 'validation_failed', 'Recipients');
  }
});

test('without a mail server, reports cannot be sent by email', async () => {
  const tenant = await newTenant(withoutMail);
  const LoginID = await admin(tenant);
  const body = { ...weekly, Delivery: 'email', Recipients: [LoginID] };
  expectProblem(await tenant.api('POST', '/report/schedule', body), 409, 'mail_not_configured');
  expectStatus(await tenant.api('POST', '/report/schedule', hook), 201);
});

test('a tenant has at most 20 scheduled reports', async () => {
  const tenant = await newTenant(service);
  for (let n = 0; n < 20; n++) await scheduled(tenant);
  expectProblem(await tenant.api('POST', '/report/schedule', hook), 409, 'schedule_limit');
  const { Items, NextCursor } = (await tenant.api('GET', '/report/schedule?Limit=15')).body;
  assert.equal(Items.length, 15);
  const rest = (await tenant.api('GET', `/report/schedule?Limit=15&Cursor=${NextCursor}`)).body;
  assert.deepEqual([rest.Items.length, rest.NextCursor], [5, null]);
});

test('another tenant cannot find, change, run or delete a schedule', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const { path, schedule, read } = await scheduled(tenant);
  for (const [method, to, body] of [
    ['GET', path, undefined],
    ['PUT', path, { Name: 'x' }],
    ['POST', `${path}/run`, undefined],
    ['DELETE', path, undefined],
  ] as const)
    expectProblem(await other.api(method, to, body), 404, 'schedule_not_found');
  assert.deepEqual((await other.api('GET', '/report/schedule')).body.Items, []);
  assert.deepEqual(await read(), schedule);
  for (const id of ['x', '%00', '00000000-0000-0000-0000-00000000000g'])
    assert.ok([404, 400, 422].includes((await tenant.api('GET', `/report/schedule/${id}`)).status), id);
});

const allScopes = ['enrolments:read', 'enrolments:write', 'users:read'] as const;

for (const missing of allScopes)
  test(`without the scope ${missing}, schedules cannot be changed`, async () => {
    const tenant = await newTenant(service);
    const { path } = await scheduled(tenant);
    const key = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
      Name: missing,
      Scopes: allScopes.filter((scope) => scope !== missing),
    });
    const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', to: string, body?: object) =>
      service.api(method, to, body, key.body.Secret);
    const writes = [
      await send('POST', '/report/schedule', hook),
      await send('PUT', path, { Name: 'x' }),
      await send('POST', `${path}/run`),
      await send('DELETE', path),
    ];
    for (const reply of writes) expectProblem(reply, 403, 'scope_missing');
    const reads = [await send('GET', '/report/schedule'), await send('GET', path)];
    for (const reply of reads) expectStatus(reply, missing === 'enrolments:write' ? 200 : 403);
  });
