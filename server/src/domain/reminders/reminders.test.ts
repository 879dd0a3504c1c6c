import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { startMailServer } from '../../../test/support/smtp.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';
import { mailChecks } from '../../app/mail-checks.ts';
import { sendMails } from '../mail/send.ts';
import { passTime } from '../requirements/follow.ts';
import { remindNow, sendReminders } from './job.ts';

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
beforeEach(async () => {
  await send();
  server.mails = [];
});

const CourseID = await newCourse(service, { Title: 'Fire safety' }, { month: { Duration: 'P60D' } });
const other = await newCourse(service, { Title: 'First aid' }, { month: { Duration: 'P30D' } });

const send = () => sendMails(service.ctx, mailChecks);
const Enabled = { Reminders: { Enabled: true } };

const addresses = new Map<string, string>();
const person = async (tenant: TestTenant, fields: object = {}) => {
  const Email = `${unique('person')}@acme.example`;
  const LoginID = await tenant.user({ Email, ...fields });
  addresses.set(LoginID, Email);
  return LoginID;
};
const sentTo = (LoginID: string) =>
  server.mails.filter(({ to }) => to.includes(addresses.get(LoginID) ?? ''));

const require = async (tenant: TestTenant, fields: object = {}, id = 'fire') => {
  const body = { Title: 'Fire safety', CourseIDs: [CourseID], Audience: {}, DueAfter: 'P20D', ...fields };
  const reply = await tenant.api('PUT', `/requirement/${id}`, body);
  assert.ok([200, 201].includes(reply.status), JSON.stringify(reply.body));
};

async function complete({ api }: TestTenant, LoginID: string) {
  const [{ EnrollID }] = (await api('GET', `/enrolment/${LoginID}`)).body.Items;
  const Override = { Completion: 'completed', Success: 'passed', Reason: 'test' };
  expectStatus(await api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Override }), 200);
}

type Listed = { Kind: string; Status: string; LoginID: string };
const mailsOf = async ({ api }: TestTenant, LoginID?: string): Promise<Listed[]> =>
  (await api('GET', `/mail?Limit=200${LoginID ? `&LoginID=${LoginID}` : ''}`)).body.Items.filter(
    ({ Kind }: Listed) => Kind === 'reminder',
  );

const jobs = async ({ TenantID }: TestTenant) => {
  const ctx = { ...service.ctx, tenantId: TenantID };
  await passTime(ctx);
  await remindNow(ctx);
};

/** Runs the tenant's jobs once a day. */
async function pass(tenant: TestTenant, days: number): Promise<void> {
  for (let n = 0; n < days; n++) {
    clock.advance({ days: 1 });
    await jobs(tenant);
  }
}

test('nobody is reminded until the tenant turns reminders on; then before, on the day, and weekly', async () => {
  const [off, on] = [await newTenant(service), await newTenant(service, Enabled)];
  const [silent, ada] = [await person(off), await person(on)];
  await require(off);
  await require(on);
  await jobs(on);
  await jobs(off);
  const days: number[] = [];
  for (let day = 1; day <= 36; day++) {
    const before = (await mailsOf(on, ada)).length;
    await pass(on, 1);
    if ((await mailsOf(on, ada)).length > before) days.push(day);
  }
  await jobs(off);
  assert.deepEqual(days, [6, 17, 20, 27, 34]);
  assert.deepEqual(await mailsOf(off, silent), []);
});

test('a person gets one email a day, with everything in it', async () => {
  const tenant = await newTenant(service, { ...Enabled, Name: 'Acme' });
  const ada = await person(tenant, { FirstName: 'Ada' });
  await require(tenant);
  expectStatus(await tenant.api('POST', `/enrol/${ada}/${other}`), 201);
  await jobs(tenant);
  await pass(tenant, 6);
  clock.advance({ hours: 23 });
  await send();
  const [mail, ...more] = sentTo(ada);
  assert.deepEqual([more, (await mailsOf(tenant)).length], [[], 1]);
  assert.ok(mail);
  assert.equal(mail.headers.get('subject'), 'Reminder: Fire safety and 1 more');
  assert.match(
    mail.text,
    /^Hello Ada,\n\nThis is waiting for you at Acme:\n\n- Fire safety – due on .*\n- First aid – not completed, and access ends on /,
  );
  assert.match(mail.html, /<li[^>]*>Fire safety – due on /);
});

test('what was completed a minute ago is not in the email, and an empty email is not sent', async () => {
  const tenant = await newTenant(service, Enabled);
  const [ada, bob, cy] = [await person(tenant), await person(tenant), await person(tenant)];
  await require(tenant);
  await jobs(tenant);
  await pass(tenant, 6);
  clock.advance({ hours: 23 });
  await complete(tenant, ada);
  expectStatus(await tenant.api('PUT', `/user/${cy}`, { Enabled: false }), 200);
  await send();
  assert.deepEqual(
    [ada, bob, cy].map((one) => sentTo(one).length),
    [0, 1, 0],
  );
  const statuses = await Promise.all(
    [ada, bob, cy].map(async (one) => (await mailsOf(tenant, one))[0]?.Status),
  );
  assert.deepEqual(statuses, ['cancelled', 'sent', 'cancelled']);
});

test('what was completed elsewhere is not reminded of, whether the enrolment was required or has its own due date', async () => {
  const tenant = await newTenant(service, Enabled);
  const [required, enrolled, other] = [await person(tenant), await person(tenant), await person(tenant)];
  await require(tenant, { Audience: { LoginIDs: [required] } });
  const DueAt = new Date(clock.now().getTime() + 20 * 86_400_000).toISOString();
  for (const LoginID of [enrolled, other])
    expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`, { DueAt }), 201);
  const CompletedAt = clock.now().toISOString().slice(0, 10);
  for (const [LoginID, Success] of [
    [required, 'passed'],
    [enrolled, 'unknown'],
    [other, 'failed'],
  ])
    expectStatus(await tenant.api('POST', '/completion', { LoginID, CourseID, CompletedAt, Success }), 201);
  await jobs(tenant);
  await pass(tenant, 62);
  assert.deepEqual(new Set((await mailsOf(tenant)).map(({ LoginID }) => LoginID)), new Set([other]));
  const LoginIDs = [required, enrolled];
  const { body } = await tenant.api('POST', '/remind?Plan=true', { LoginIDs });
  assert.deepEqual(
    body.People.map(({ Reason }: { Reason: string }) => Reason),
    ['nothing_due', 'nothing_due'],
  );
});

test('two nodes remind everybody once', async () => {
  const tenant = await newTenant(service, Enabled);
  const people = await Promise.all(Array.from({ length: 120 }, () => person(tenant)));
  await require(tenant, {}, 'fire?Confirm=120');
  await jobs(tenant);
  clock.advance({ days: 6 });
  const nodes = [service.ctx, otherNode(service.ctx), otherNode(service.ctx)];
  for (let n = 0; n < 3; n++) await Promise.all(nodes.map((ctx) => sendReminders(ctx)));
  const mails = await mailsOf(tenant);
  assert.equal(new Set(mails.map(({ LoginID }) => LoginID)).size, people.length);
  assert.equal(mails.length, people.length);
});

test('a requirement can differ from the tenant', async () => {
  const tenant = await newTenant(service, Enabled);
  const ada = await person(tenant);
  await require(tenant, { Reminders: { DaysBefore: [18], OnTheDay: false, WeeklyWhenOverdue: false } });
  await jobs(tenant);
  await pass(tenant, 30);
  assert.equal((await mailsOf(tenant, ada)).length, 1);
  const silent = await newTenant(service, Enabled);
  const bob = await person(silent);
  await require(silent, { Reminders: { Enabled: false } });
  await pass(silent, 25);
  assert.deepEqual(await mailsOf(silent, bob), []);
  const single = await newTenant(service);
  const cy = await person(single);
  await require(single, { Reminders: { Enabled: true } });
  await pass(single, 25);
  assert.equal((await mailsOf(single, cy)).length, 3);
});

test('managers get what is overdue in their teams, once a week', async () => {
  const tenant = await newTenant(service, { Reminders: { Enabled: true, WeeklyWhenOverdue: false } });
  const boss = await person(tenant, { FirstName: 'Grace' });
  const ada = await person(tenant, { FirstName: 'Ada', LastName: 'King', ManagerLoginID: boss });
  await person(tenant);
  await require(tenant, { Audience: { LoginIDs: [ada] }, DueAfter: 'P1D', Reminders: null });
  for (let day = 0; day < 16; day++) {
    await pass(tenant, 1);
    await send();
  }
  assert.equal((await mailsOf(tenant, boss)).length, 2);
  await send();
  const digest = server.mails.find(({ headers }) =>
    headers.get('subject')?.includes('Overdue in your team (1)'),
  );
  assert.match(digest?.text ?? '', /Overdue in your team:\n- Ada King: Fire safety – overdue since /);
});

test('people are reminded by hand, with a reason for each who is left out', async () => {
  const tenant = await newTenant(service);
  const [ada, bob, cy, dee] = [
    await person(tenant),
    await tenant.user(),
    await person(tenant, { GroupName: 'Cooks' }),
    await person(tenant),
  ];
  await require(tenant);
  await complete(tenant, cy);
  expectStatus(await tenant.api('PUT', `/user/${dee}`, { Enabled: false }), 200);
  const LoginIDs = [ada, bob, cy, dee, 'nobody'];
  const plan = (await tenant.api('POST', '/remind?Plan=true', { LoginIDs })).body;
  const reasons = [
    { LoginID: 'nobody', Reason: 'unknown_user' },
    ...[
      { LoginID: bob, Reason: 'no_email' },
      { LoginID: cy, Reason: 'nothing_due' },
      { LoginID: dee, Reason: 'disabled' },
    ].sort((one, two) => (one.LoginID < two.LoginID ? -1 : 1)),
    { LoginID: ada, Reason: null },
  ];
  assert.deepEqual(plan, { Reminded: 1, LeftOut: 4, People: reasons });
  assert.deepEqual(await mailsOf(tenant), []);
  assert.deepEqual((await tenant.api('POST', '/remind', { LoginIDs })).body, plan);
  await send();
  assert.deepEqual([sentTo(ada).length, (await mailsOf(tenant, ada))[0]?.Status], [1, 'sent']);
  const again = (await tenant.api('POST', '/remind', { RequirementID: 'fire' })).body;
  assert.deepEqual(
    [again.Reminded, again.People.find(({ LoginID }: Listed) => LoginID === ada)?.Reason],
    [0, 'reminded_today'],
  );
  clock.advance({ days: 1 });
  const byFilter = await tenant.api('POST', '/remind', { RequirementID: 'fire', Status: 'not_due,due_soon' });
  assert.equal(byFilter.body.Reminded, 1);
  expectProblem(await tenant.api('POST', '/remind', {}), 422, 'validation_failed');
});

test('people whose completion expires are reminded of its renewal, once it is open', async () => {
  const tenant = await newTenant(service, { Name: 'Acme', Language: 'de' });
  const own = { Attributes: { site: 'Leeds' } };
  const [ada, bob] = [await person(tenant, own), await person(tenant, own)];
  const title = 'Fire safety, every two months';
  await require(tenant, { Title: title, ValidFor: 'P2M', ExpiringDays: 30, Window: 'P10D' });
  await complete(tenant, ada);
  clock.advance({ days: 5 });
  await complete(tenant, bob);
  clock.advance({ days: 47 });
  await jobs(tenant);
  const expiring = { RequirementID: 'fire', Status: 'expiring', Present: true, Attribute: 'site:Leeds' };
  const reply = await tenant.api('POST', '/remind', expiring);
  assert.deepEqual(reply.body.People, [
    { LoginID: bob, Reason: 'nothing_due' },
    { LoginID: ada, Reason: null },
  ]);
  assert.deepEqual(
    (await tenant.api('POST', '/remind', { ...expiring, Attribute: 'site:York' })).body.People,
    [],
  );
  await send();
  const [mail] = sentTo(ada);
  assert.equal(mail?.headers.get('subject'), 'Erinnerung: Fire safety');
  assert.match(mail?.text ?? '', new RegExp(`- Fire safety \\(${title}\\) – `));
  // No user here has a password. The page lets them choose one.
  assert.ok(mail?.text.includes(`\n${service.baseUrl}/console/\n`));
});

test('a team is counted as in reports, with what is most urgent by name', async () => {
  const tenant = await newTenant(service);
  const boss = await person(tenant);
  const ada = await person(tenant, { ManagerLoginID: boss });
  await require(tenant, { Audience: { LoginIDs: [ada] }, ValidFor: 'P2M', ExpiringDays: 30, Window: 'P30D' });
  await complete(tenant, ada);
  clock.advance({ days: 50 });
  await require(tenant, {
    Title: 'Aid',
    CourseIDs: [other],
    Audience: { LoginIDs: [ada] },
    DueAfter: 'P5D',
  }, 'aid');
  clock.advance({ days: 6 });
  await jobs(tenant);
  const [member] = (await tenant.api('GET', `/team/${boss}`)).body.Items;
  const { Items } = (await tenant.api('GET', '/report/compliance?By=manager')).body;
  const figures = (one: Record<string, number>) =>
    ['Overdue', 'Expired', 'DueSoon', 'NotDue', 'Expiring'].map((name) => one[name]);
  assert.deepEqual(figures(member), [1, 0, 0, 0, 1]);
  assert.deepEqual(figures(Items[0]), figures(member));
  assert.deepEqual(
    member.Urgent.map(({ Title, Status }: Record<string, string>) => [Title, Status]),
    [
      ['Aid', 'overdue'],
      ['Fire safety', 'expiring'],
    ],
  );
});

test('more than 100 people need a confirmation', async () => {
  const tenant = await newTenant(service);
  for (let n = 0; n < 101; n++) await person(tenant);
  await require(tenant, {}, 'fire?Confirm=101');
  const reply = await tenant.api('POST', '/remind', { RequirementID: 'fire' });
  expectProblem(reply, 409, 'confirmation_required');
  assert.equal(reply.body.Count, 101);
  expectStatus(await tenant.api('POST', '/remind?Confirm=101', { RequirementID: 'fire' }), 200);
  assert.equal((await mailsOf(tenant)).length, 101);
});

test('a tenant chooses the words; an unknown placeholder is rejected; null restores the standard ones', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const ada = await person(tenant);
  await require(tenant);
  const put = (body: object) => tenant.api('PUT', '/reminder/text/en', body);
  const wrong = await put({ Intro: 'Dear {Nmae}' });
  expectProblem(wrong, 422, 'validation_failed');
  assert.match(wrong.body.detail, /\{Nmae\}.*\{Name\}/);
  const Subject = '{Count} open: {Courses}';
  expectStatus(await put({ Subject }), 200);
  const preview = await tenant.api('POST', '/reminder/text/en/preview', { Intro: 'At <{Organisation}>' });
  assert.equal(preview.body.Subject, '3 open: Fire safety and 2 more');
  assert.ok(preview.body.Text.includes('At <Acme>') && preview.body.HTML.includes('At &lt;Acme&gt;'));
  await tenant.api('POST', '/remind', { LoginIDs: [ada] });
  await send();
  assert.equal(sentTo(ada)[0]?.headers.get('subject'), '1 open: Fire safety');
  const restored = (await put({ Subject: null })).body;
  assert.deepEqual([restored.Subject, restored.IsStandard], ['Reminder: {Courses}', true]);
  assert.equal((await tenant.api('GET', '/reminder/text')).body.Items.length, 3);
});

test('the clock of a test tenant moves reminders', async () => {
  const tenant = await newTenant(service, { Status: 'test', ...Enabled });
  const ada = await person(tenant);
  await require(tenant);
  const advance = (Advance: string) => tenant.api('POST', '/test/clock', { Advance });
  await advance('P5D');
  assert.deepEqual(await mailsOf(tenant, ada), []);
  await advance('P1D');
  await advance('P14D');
  assert.equal((await mailsOf(tenant, ada)).length, 2);
});

test('turning reminders on again does not make up for the time in between', async () => {
  const tenant = await newTenant(service, Enabled);
  const ada = await person(tenant);
  await require(tenant, { DueAfter: 'P5D' });
  await jobs(tenant);
  await tenant.api('PUT', '/settings', { Reminders: { Enabled: false } });
  for (let day = 0; day < 10; day++) {
    clock.advance({ days: 1 });
    await sendReminders(service.ctx);
  }
  await tenant.api('PUT', '/settings', Enabled);
  await pass(tenant, 1);
  assert.deepEqual(await mailsOf(tenant, ada), []);
  await pass(tenant, 1);
  assert.equal((await mailsOf(tenant, ada)).length, 1);
});
