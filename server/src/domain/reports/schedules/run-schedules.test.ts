import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { movableClock } from '../../../../test/support/clock.ts';
import { observed, otherNode } from '../../../../test/support/nodes.ts';
import { startService } from '../../../../test/support/service.ts';
import { startMailServer } from '../../../../test/support/smtp.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../../test/support/tenant.ts';
import { mailAttachments, mailChecks } from '../../../app/mail-checks.ts';
import type { Context } from '../../../infra/context/context.ts';
import { appendEvents } from '../../events/append.ts';
import { sendMails } from '../../mail/send.ts';
import { countAccess } from '../count-access.ts';
import { countCompletion } from '../count-completion.ts';
import { dayAfter } from '../periods.ts';
import { runSchedules } from './run-schedules.ts';

const server = await startMailServer();
const clock = movableClock();
const service = await startService({
  now: clock.now,
  env: { SMTP_URL: server.url, MAIL_FROM: 'noreply@lectern.example', MAIL_RATE_LIMIT: '0' },
});
after(async () => {
  await service.close();
  await server.close();
});
const CourseID = await newCourse(service, { Title: 'Fire safety' });

const send = () => sendMails(service.ctx, mailChecks, mailAttachments);
const runAll = (ctx: Context = service.ctx) => runSchedules(ctx);
/** Removes what is left over from earlier tests. */
beforeEach(async () => {
  const text = '/* across tenants: a test removes what earlier tests left */ delete from report_schedule';
  await service.ctx.engine.query({ text, values: [] });
  await send();
  server.mails = [];
});

const daily = { Name: 'Daily', Report: 'completion', Every: 'day', Time: '07:00', TimeZone: 'UTC' };
const yesterday = () => dayAfter(clock.now().toISOString().slice(0, 10), -1);

async function scheduled(tenant: TestTenant, fields: object = {}) {
  const made = await tenant.api('POST', '/report/schedule', { ...daily, Delivery: 'webhook', ...fields });
  expectStatus(made, 201);
  const path = `/report/schedule/${made.body.ScheduleID}`;
  return {
    path,
    ScheduleID: made.body.ScheduleID as string,
    read: async () => (await tenant.api('GET', path)).body,
    runNow: () => tenant.api('POST', `${path}/run`),
  };
}

const admin = (tenant: TestTenant, Email = 'admin@acme.example', fields: object = {}) =>
  tenant.user({ IsAdmin: true, Email, ...fields });
const byMail = (...Recipients: string[]) => ({ Delivery: 'email', Recipients });

const reportsOf = async (tenant: TestTenant) =>
  (await tenant.events()).filter(({ type }) => type === 'report.ready').map(({ data }) => data);

/** Moves the clock past the next daily run. */
async function pass(days = 1): Promise<void> {
  clock.advance({ days });
  await runAll();
}

test('a daily report is announced once a day, with a URL that returns the report as CSV', async () => {
  const tenant = await newTenant(service);
  const { ScheduleID, read } = await scheduled(tenant, { By: 'group' });
  const LoginID = await tenant.user({ GroupName: '=1+1' });
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`), 201);
  await tenant.api('GET', '/report/completion');
  await countCompletion(service.ctx);
  await runAll();
  assert.deepEqual(await reportsOf(tenant), []);
  await pass();
  await runAll();
  const [report, ...more] = await reportsOf(tenant);
  assert.deepEqual(more, []);
  const URL = `${service.baseUrl}/report/completion?By=group&AsOf=${yesterday()}`;
  assert.deepEqual(report, {
    ...{ ScheduleID, Name: 'Daily', Report: 'completion', From: null, To: yesterday(), URL },
  });
  const file = await fetch(URL, { headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/csv' } });
  const [, line] = (await file.text()).split('\r\n');
  assert.equal(line, `,,'=1+1,1,1,0,0,0,0,0,0,0,${yesterday()}`);
  const { LastRunAt, LastProblem, NextRunAt } = await read();
  assert.equal(LastProblem, null);
  assert.ok(LastRunAt <= clock.now().toISOString() && NextRunAt > clock.now().toISOString());
  await pass();
  assert.equal((await reportsOf(tenant)).length, 2);
});

test('an access report is sent with its figures at that time, by webhook and by email', async () => {
  const tenant = await newTenant(service);
  const course = await newCourse(service, {}, { week: { Duration: 'P7D' } });
  const LoginID = await tenant.user({ GroupName: 'Sales' });
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${course}`), 201);
  const fields = { Name: 'Ends', Report: 'access', By: 'group' };
  const { ScheduleID, read } = await scheduled(tenant, fields);
  const boss = await admin(tenant, 'boss@acme.example');
  await scheduled(tenant, { ...fields, ...byMail(boss) });
  await pass();
  const To = clock.now().toISOString().slice(0, 10);
  const URL = `${service.baseUrl}/report/access?By=group`;
  assert.deepEqual(await reportsOf(tenant), [
    { ScheduleID, Name: 'Ends', Report: 'access', From: null, To, URL },
  ]);
  const file = await fetch(URL, { headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/csv' } });
  const text = await file.text();
  assert.equal(text.split('\r\n')[1], `,,Sales,1,1,1,0,${To}`);
  await send();
  const [mail] = server.mails;
  assert.ok(mail);
  assert.ok(mail.raw.includes(`access-${To}.csv`), mail.raw);
  assert.equal(mail.csv?.trim(), text.trim());
  assert.equal((await read()).LastProblem, null);
  const wrong = { ...daily, ...fields, Delivery: 'webhook' };
  expectProblem(
    await tenant.api('POST', '/report/schedule', { ...wrong, Days: 7 }),
    422,
    'validation_failed',
    'Days',
  );
});

test('compliance is sent by webhook and by email, as of the end of the previous day where the tenant is', async () => {
  const tenant = await newTenant(service);
  const TimeZone = 'Pacific/Auckland';
  expectStatus(await tenant.api('PUT', '/settings', { TimeZone }), 200);
  await tenant.user({ GroupName: 'Sales' });
  const rule = { Title: 'Fire', CourseIDs: [CourseID], Audience: { Groups: ['Sales'] }, DueAfter: 'P30D' };
  expectStatus(await tenant.api('PUT', '/requirement/fire', rule), 201);
  await pass(2);
  const boss = await admin(tenant, 'boss@acme.example');
  const limited = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'no requirements',
    Scopes: ['users:read', 'users:write', 'users:admin', 'enrolments:read'],
  });
  const clerk = { LoginID: 'clerk', IsAdmin: true, Email: 'clerk@acme.example' };
  expectStatus(await service.api('POST', '/user', clerk, limited.body.Secret), 201);
  const refused = { ...daily, Report: 'compliance', ...byMail('clerk') };
  expectProblem(
    await tenant.api('POST', '/report/schedule', refused),
    422,
    'validation_failed',
    'Recipients',
  );
  expectStatus(await tenant.api('PUT', '/requirement/other', { ...rule, Title: 'Other' }), 201);
  const fields = { Report: 'compliance', RequirementID: 'fire', Time: '12:00', TimeZone: 'UTC' };
  const { ScheduleID, read } = await scheduled(tenant, fields);
  await scheduled(tenant, { ...fields, By: 'total', ...byMail(boss) });
  await pass();
  assert.equal((await read()).LastProblem, null);
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: TimeZone }).format(clock.now());
  const To = dayAfter(today, -1);
  const URL = `${service.baseUrl}/report/compliance?By=requirement&RequirementID=fire&AsOf=${To}`;
  assert.deepEqual(await reportsOf(tenant), [
    { ScheduleID, Name: 'Daily', Report: 'compliance', From: null, To, URL },
  ]);
  const file = await fetch(URL, { headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/csv' } });
  assert.equal((await file.text()).split('\r\n')[1], `fire,Fire,,,,${To},1,1,0,0,0,0,0,0,0`);
  await send();
  const [mail] = server.mails;
  assert.ok(mail);
  assert.ok(mail.raw.includes(`compliance-${To}.csv`), mail.raw);
  assert.equal(mail.csv?.split('\r\n')[1], `,,,,,${To},1,1,0,0,0,0,0,0,0`);
});

test('a delayed email names the day of the figures: an earlier one, but the current one in an access report', async () => {
  const tenant = await newTenant(service, { Language: 'en' });
  const course = await newCourse(service, {}, { week: { Duration: 'P7D' } });
  const LoginID = await tenant.user({ GroupName: 'Sales' });
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${course}`), 201);
  const boss = await admin(tenant, 'boss@acme.example');
  for (const fields of [
    { Name: 'Ends', Report: 'access', By: 'group' },
    { Name: 'Results', By: 'group' },
    { Name: 'Days', Report: 'activity', Days: 2 },
  ])
    await scheduled(tenant, { ...fields, ...byMail(boss) });
  await pass();
  await runAll();
  const queued = yesterday();
  clock.advance({ days: 2 });
  await countCompletion(service.ctx);
  await countAccess(service.ctx);
  await send();
  const now = dayAfter(yesterday(), 1);
  const text = (day: string) =>
    new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const named = (name: string, day: string) => {
    const mail = server.mails.find(({ headers }) => headers.get('subject')?.startsWith(name));
    assert.ok(mail, name);
    assert.ok(mail.raw.includes(`${day}.csv`), mail.raw);
    return mail;
  };
  assert.equal(named('Ends', `access-${now}`).headers.get('subject'), `Ends: ${text(now)}`);
  assert.match(named('Ends', now).csv ?? '', new RegExp(`,${now}\\s*$`));
  assert.equal(named('Results', `completion-${queued}`).headers.get('subject'), `Results: ${text(queued)}`);
  named('Days', `activity-${dayAfter(queued, -1)}-to-${queued}`);
});

test('the recipients get an email with the CSV file, in the language of the tenant', async () => {
  const tenant = await newTenant(service, { Name: 'Acme', Language: 'de' });
  const [ada, bob] = [
    await admin(tenant, 'ada@acme.example', { FirstName: 'Ada' }),
    await admin(tenant, 'bob@acme.example'),
  ];
  await scheduled(tenant, {
    ...byMail(ada, bob),
    ...{ Name: 'Überblick', Report: 'activity', Unit: 'week', Days: 14 },
  });
  await pass();
  await send();
  await send();
  assert.deepEqual(server.mails.flatMap(({ to }) => to).toSorted(), ['ada@acme.example', 'bob@acme.example']);
  const mail = server.mails.find(({ to }) => to.includes('ada@acme.example'));
  assert.ok(mail);
  assert.ok(mail.headers.get('subject')?.startsWith('Überblick: '), mail.headers.get('subject'));
  assert.ok(mail.text.includes('Ada') && mail.text.includes('als CSV-Datei'), mail.text);
  const [from, to] = [dayAfter(yesterday(), -13), yesterday()];
  assert.ok(mail.raw.includes(`activity-${from}-to-${to}.csv`), mail.raw);
  const query = `/report/activity?Unit=week&From=${from}&To=${to}`;
  const file = await fetch(service.baseUrl + query, {
    headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/csv' },
  });
  assert.equal(mail.csv?.trim(), (await file.text()).trim());
  const listed = (await tenant.api('GET', '/mail')).body.Items;
  assert.deepEqual(
    listed.map(({ Kind, Status }: { Kind: string; Status: string }) => [Kind, Status]),
    [
      ['report', 'sent'],
      ['report', 'sent'],
    ],
  );
});

test('a report that is too large is not attached', async () => {
  const tenant = await newTenant(service);
  const LoginID = await admin(tenant);
  await tenant.api('GET', '/report/completion');
  const name = `repeat('g', 200) || n`;
  const insert = (table: string, columns: string, values: string) =>
    service.ctx.engine.query({
      text: `/* across tenants: a test fills a table */ insert into ${table} (tenant_id, kind, course_id, group_name${columns})
        select '${tenant.TenantID}', 'group', '', ${name}${values} from generate_series(1, 5000) n`,
      values: [],
    });
  await insert('completion_line', '', '');
  await insert(
    'completion_day',
    ', day, not_started, in_progress, passed, failed, completed, expired, withdrawn, open, overdue',
    `, date '2020-01-01', 1, 0, 0, 0, 0, 0, 0, 1, 0`,
  );
  await scheduled(tenant, { ...byMail(LoginID), By: 'group' });
  await pass();
  await countCompletion(service.ctx);
  await send();
  const [mail] = server.mails;
  assert.equal(mail?.csv, null);
  assert.ok(mail?.text.includes('too large to attach'), mail?.text);
});

test('two nodes run a report once', async () => {
  const tenant = await newTenant(service);
  for (let n = 0; n < 3; n++) await scheduled(tenant);
  const LoginID = await admin(tenant);
  await scheduled(tenant, byMail(LoginID));
  clock.advance({ days: 1 });
  await Promise.all([runAll(), runAll(otherNode(service.ctx)), runAll(otherNode(service.ctx)), runAll()]);
  await runAll();
  assert.equal((await reportsOf(tenant)).length, 3);
  await send();
  assert.equal(server.mails.length, 1);
});

test('a node that has read a due report does not run it if another node did so in between', async () => {
  const tenant = await newTenant(service);
  await scheduled(tenant);
  clock.advance({ days: 1 });
  let isFirst = true;
  const slow = observed(service.ctx, async ({ text }) => {
    if (!isFirst || !text.includes('skip locked')) return;
    isFirst = false;
    if (service.ctx.engine.kind === 'postgres') await runAll();
  });
  await runAll(slow);
  assert.equal((await reportsOf(tenant)).length, 1);
});

test('after several missed runs, a report runs once', async () => {
  const tenant = await newTenant(service);
  const { read } = await scheduled(tenant);
  await pass(10);
  for (let n = 0; n < 3; n++) await runAll();
  assert.equal((await reportsOf(tenant)).length, 1);
  const next = Date.parse((await read()).NextRunAt) - clock.now().getTime();
  assert.ok(next > 0 && next <= 86_400_000);
});

test('a paused report runs only on request, and not again within ten minutes', async () => {
  const tenant = await newTenant(service);
  const { path, runNow, read } = await scheduled(tenant);
  expectStatus(await tenant.api('PUT', path, { Status: 'paused' }), 200);
  await pass(2);
  assert.deepEqual(await reportsOf(tenant), []);
  for (let n = 0; n < 2; n++) expectStatus(await runNow(), 200);
  await runAll();
  await runAll();
  assert.equal((await reportsOf(tenant)).length, 1);
  assert.equal((await read()).NextRunAt, null);
  const again = await runNow();
  expectProblem(again, 429, 'too_many_requests');
  clock.advance({ minutes: 11 });
  expectStatus(await runNow(), 200);
});

test('changing the times cannot make a report run more often than every ten minutes', async () => {
  const tenant = await newTenant(service);
  const { path } = await scheduled(tenant);
  await pass();
  for (let n = 0; n < 5; n++) {
    const soon = new Date(clock.now().getTime() + 60_000).toISOString().slice(11, 16);
    expectStatus(await tenant.api('PUT', path, { Time: soon }), 200);
    clock.advance({ minutes: 1, seconds: 1 });
    await runAll();
  }
  assert.equal((await reportsOf(tenant)).length, 1);
});

test('if nobody can get the report, LastProblem says so, and the next report runs as planned', async () => {
  const tenant = await newTenant(service);
  const LoginID = await admin(tenant);
  const { read } = await scheduled(tenant, byMail(LoginID));
  await scheduled(tenant);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { IsAdmin: false }), 200);
  await pass();
  const { LastProblem, NextRunAt } = await read();
  assert.equal(LastProblem, 'no_recipients');
  assert.ok(NextRunAt > clock.now().toISOString());
  assert.equal((await reportsOf(tenant)).length, 1, 'the other report');
  await send();
  assert.deepEqual(server.mails, []);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { IsAdmin: true }), 200);
  await pass();
  assert.equal((await read()).LastProblem, null);
});

for (const [what, change] of [
  ['disabled', (tenant, LoginID) => tenant.api('PUT', `/user/${LoginID}`, { Enabled: false })],
  [
    'no longer an administrator',
    (tenant, LoginID) => tenant.api('PUT', `/user/${LoginID}`, { IsAdmin: false }),
  ],
  ['erased', (tenant, LoginID) => tenant.api('DELETE', `/user/${LoginID}`)],
  ['no longer a recipient', async (tenant, _, path) => tenant.api('PUT', path, byMail(await admin(tenant)))],
] as const satisfies [
  string,
  (tenant: TestTenant, LoginID: string, path: string) => Promise<{ status: number }>,
][])
  test(`an email that is still queued is not sent to a user who is ${what}`, async () => {
    const tenant = await newTenant(service);
    const LoginID = await admin(tenant, 'gone@acme.example');
    const { path } = await scheduled(tenant, byMail(LoginID));
    await pass();
    assert.equal((await change(tenant, LoginID, path)).status, 200);
    await send();
    assert.deepEqual(server.mails, []);
  });

test('the emails of a deleted report are not sent', async () => {
  const tenant = await newTenant(service);
  const { path } = await scheduled(tenant, byMail(await admin(tenant)));
  await pass();
  expectStatus(await tenant.api('DELETE', path), 200);
  await send();
  assert.deepEqual(server.mails, []);
});

test('an erased user is no longer a recipient, and the export of a user lists their reports', async () => {
  const tenant = await newTenant(service);
  const [gone, kept] = [await admin(tenant), await admin(tenant)];
  const { read, ScheduleID } = await scheduled(tenant, byMail(gone, kept));
  const exported = (await tenant.api('GET', `/user/${gone}/export`)).body;
  assert.deepEqual(exported.ReportRecipients, [{ ScheduleID, Name: 'Daily' }]);
  const receipt = (await tenant.api('DELETE', `/user/${gone}`)).body;
  const erased = receipt.Erased.find(({ Data }: { Data: string }) => Data === 'ReportRecipients');
  assert.equal(erased?.Records, 1);
  assert.deepEqual((await read()).Recipients, [kept]);
});

test('a suspended tenant gets no reports, and gets one after it has been resumed', async () => {
  const tenant = await newTenant(service);
  await scheduled(tenant);
  const status = async (Status: string) =>
    expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, { Status }), 200);
  await status('suspended');
  await pass(3);
  await status('active');
  assert.deepEqual(await reportsOf(tenant), []);
  await runAll();
  assert.equal((await reportsOf(tenant)).length, 1);
});

test('a report whose figures are not complete is tried again a minute later', async () => {
  const tenant = await newTenant(service);
  const { read } = await scheduled(tenant);
  await tenant.user();
  await tenant.api('GET', '/report/completion');
  const events = Array.from({ length: 1_100 }, () => ({ type: 'enrolment.created' as const, data: {} }));
  await appendEvents({ ...service.ctx, tenantId: tenant.TenantID }, events);
  clock.advance({ days: 1 });
  await runAll();
  const failed = await read();
  assert.equal(failed.LastProblem, 'unavailable');
  const pause = Date.parse(failed.NextRunAt) - Date.parse(failed.LastRunAt);
  assert.equal(pause, 60_000);
  await countCompletion(service.ctx);
  clock.advance({ minutes: 2 });
  await runAll();
  assert.equal((await read()).LastProblem, null);
  assert.equal((await reportsOf(tenant)).length, 1);
});

test('after an error, a report is tried again four times, and reports of other tenants run meanwhile', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const broken = await scheduled(tenant);
  await scheduled(other);
  const failing = observed(service.ctx, async ({ text, values }) => {
    if (text.includes('insert into event') && values.includes(tenant.TenantID)) throw new Error('disk full');
  });
  clock.advance({ days: 1 });
  await runAll(failing);
  assert.equal((await reportsOf(other)).length, 1);
  assert.equal((await broken.read()).LastProblem, 'failed');
  for (const minutes of [2, 6, 16, 61]) {
    assert.ok(Date.parse((await broken.read()).NextRunAt) - clock.now().getTime() < minutes * 60_000);
    clock.advance({ minutes });
    await runAll(failing);
  }
  const { LastProblem, NextRunAt } = await broken.read();
  assert.equal(LastProblem, 'failed');
  assert.ok(NextRunAt.endsWith('T07:00:00.000Z'), NextRunAt);
  assert.deepEqual(await reportsOf(tenant), []);
});

test('tenants take turns: a tenant with 20 reports does not delay another one', async () => {
  const [large, small] = [await newTenant(service), await newTenant(service)];
  for (let n = 0; n < 20; n++) await scheduled(large);
  await scheduled(small);
  clock.advance({ days: 1 });
  const order: string[] = [];
  const node = observed(service.ctx, ({ text, values }) => {
    if (text.includes('insert into event') && text.includes('jsonb_to_recordset'))
      order.push(String(values[0]));
  });
  await runAll(node);
  assert.equal(order.length, 21);
  assert.ok(order.indexOf(small.TenantID) <= 1, order.join());
});

test('a test tenant runs its reports when its clock is moved', async () => {
  const tenant = await newTenant(service, { Status: 'test' });
  const { read } = await scheduled(tenant, { Every: 'month', MonthDay: 1 });
  for (const count of [1, 2]) {
    const moved = await tenant.api('POST', '/test/clock', { Advance: 'P32D' });
    expectStatus(moved, 200);
    const reports = await reportsOf(tenant);
    assert.equal(reports.length, count);
    assert.equal(reports.at(-1)?.To, dayAfter(moved.body.Now.slice(0, 10), -1));
    assert.ok((await read()).NextRunAt > moved.body.Now);
  }
});
