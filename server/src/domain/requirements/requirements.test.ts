import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { observed } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';
import { followRequirements } from './follow.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

const follow = () => followRequirements(service.ctx);
const day = (days = 0) => new Date(clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
const lastSecond = (days: number) => `${day(days)}T23:59:59.000Z`;

type Listed = {
  Status: string;
  DueAt: string;
  ValidUntil: string;
  MetAt: string;
  EnrollID: string;
  Cycle: number;
};

const obligationsOf = async ({ api }: TestTenant, LoginID: string): Promise<Listed[]> => {
  const reply = await api('GET', `/obligation/${LoginID}`);
  expectStatus(reply, 200);
  return reply.body.Items;
};

const statuses = async (tenant: TestTenant, LoginID: string) =>
  (await obligationsOf(tenant, LoginID)).map(({ Status }) => Status);

async function complete({ api }: TestTenant, LoginID: string, EnrollID: string) {
  const Override = { Completion: 'completed', Success: 'passed', Reason: 'test' };
  expectStatus(await api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Override }), 200);
}

const Title = 'Fire safety';
const put = (tenant: TestTenant, id: string, body: object, query = '') =>
  tenant.api('PUT', `/requirement/${id}${query}`, body);

test('users who match are included, enrolled, reminded by status, and due again', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const nurse = await tenant.user({ GroupName: 'Nurses' });
  await tenant.user({ GroupName: 'Cooks' });
  const body = {
    Title,
    CourseIDs: [CourseID],
    Audience: { Groups: ['Nurses'] },
    ...{ DueAfter: 'P30D', ValidFor: 'P1Y', Window: 'P60D' },
  };
  const made = await put(tenant, 'fire', body);
  expectStatus(made, 201);
  const [first] = await obligationsOf(tenant, nurse);
  assert.ok(first);
  assert.deepEqual([first.Status, first.DueAt], ['not_due', lastSecond(30)]);
  assert.ok(first.EnrollID);
  clock.advance({ days: 17 });
  assert.deepEqual(await statuses(tenant, nurse), ['due_soon']);
  clock.advance({ days: 14 });
  await follow();
  assert.deepEqual(await statuses(tenant, nurse), ['overdue']);
  await complete(tenant, nurse, first.EnrollID);
  const [met] = await obligationsOf(tenant, nurse);
  assert.equal(met?.Status, 'met');
  const year = new Date(clock.now());
  year.setUTCFullYear(year.getUTCFullYear() + 1);
  assert.equal(met.ValidUntil, `${year.toISOString().slice(0, 10)}T23:59:59.000Z`);
  clock.advance({ days: 310 });
  await follow();
  const [current, next] = await obligationsOf(tenant, nurse);
  assert.deepEqual([current?.Status, next?.Status], ['met', 'not_due']);
  assert.equal(next?.DueAt, current?.ValidUntil);
  assert.notEqual(next?.EnrollID, first.EnrollID);
  clock.advance({ days: 60 });
  await follow();
  assert.deepEqual(await statuses(tenant, nurse), ['expired', 'overdue']);
  await complete(tenant, nurse, next?.EnrollID ?? '');
  assert.deepEqual(await statuses(tenant, nurse), ['closed', 'met']);
  const types = (await tenant.events({ LoginID: nurse })).map(({ type }) => type);
  assert.deepEqual(
    types.filter((type) => type.startsWith('obligation.')),
    [
      ...[
        'obligation.opened',
        'obligation.due_soon',
        'obligation.overdue',
        'obligation.met',
        'obligation.opened',
      ],
      ...['obligation.expired', 'obligation.overdue', 'obligation.closed', 'obligation.met'],
    ],
  );
});

test('joining the audience opens an obligation, leaving or disabling closes what is open', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const [one, two] = [await tenant.user(), await tenant.user({ GroupName: 'Nurses' })];
  const body = {
    Title,
    CourseIDs: [CourseID],
    Audience: { Groups: ['Cleaners', 'Nurses'] },
    DueAfter: 'P7D',
  };
  expectStatus(await put(tenant, 'fire', body), 201);
  assert.deepEqual([await statuses(tenant, one), await statuses(tenant, two)], [[], ['due_soon']]);
  clock.advance({ days: 3 });
  await tenant.api('PUT', `/user/${one}`, { GroupName: 'Nurses' });
  await tenant.api('PUT', `/user/${two}`, { Enabled: false });
  await follow();
  const [joined] = await obligationsOf(tenant, one);
  assert.equal(joined?.DueAt, lastSecond(7));
  const { Audience } = (await tenant.api('GET', `/obligation/${one}/fire/explain`)).body;
  const Values = body.Audience.Groups;
  assert.deepEqual(Audience, [{ Part: 'Groups', Values, Matches: true, Matching: ['Nurses'] }]);
  assert.deepEqual(await statuses(tenant, two), ['closed']);
  await complete(tenant, one, joined?.EnrollID ?? '');
  await tenant.api('PUT', `/user/${one}`, { GroupName: 'Cooks' });
  assert.deepEqual(await statuses(tenant, one), ['met']);
});

test('an enrolment that is made by hand while the obligation opens is kept, and the obligation names it', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const body = { Title, CourseIDs: [CourseID], Audience: { Groups: ['Nurses'] }, DueAfter: 'P7D' };
  expectStatus(await put(tenant, 'fire', body), 201);
  const LoginID = await tenant.user({ GroupName: 'Nurses' });
  // The embedded database runs one transaction at a time, so there it can only come before.
  const moment =
    service.ctx.engine.kind === 'postgres' ? 'insert into obligation as held' : 'obligations of all tenants';
  let enrolled: { status: number; body: { EnrollID: string } } | null = null;
  await followRequirements(
    observed(service.ctx, async ({ text }) => {
      if (text.includes(moment)) enrolled ??= await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`);
    }),
  );
  assert.ok(enrolled);
  const { EnrollID } = (enrolled as { body: { EnrollID: string } }).body;
  const { Items } = (await tenant.api('GET', `/enrolment/${LoginID}`)).body;
  assert.deepEqual(
    Items.map((item: { EnrollID: string; Status: string }) => [item.EnrollID, item.Status]),
    [[EnrollID, 'enrolled']],
  );
  assert.deepEqual(
    (await obligationsOf(tenant, LoginID)).map((one) => one.EnrollID),
    [EnrollID],
  );
});

test('an obligation opens without a seat, says why, and is enrolled once there is one', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, {}, { few: { Seats: 1 } });
  const users = [await tenant.user(), await tenant.user()];
  const body = { Title, CourseIDs: [CourseID], Audience: {}, DueAfter: 'P7D' };
  expectStatus(await put(tenant, 'all', body), 201);
  const { Items } = (await tenant.api('GET', '/obligation')).body;
  const without = Items.find(({ EnrollID }: Listed) => EnrollID === null);
  assert.equal(without?.EnrolProblem, 'no_seats_left');
  assert.equal(Items.length, users.length);
  const explained = (await tenant.api('GET', `/obligation/${without.LoginID}/all/explain`)).body;
  assert.equal(explained.EnrolProblem.Code, 'no_seats_left');
  assert.equal(explained.InAudience, true);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/few`, { Seats: 5 }), 200);
  clock.advance({ days: 1 });
  await follow();
  assert.ok((await obligationsOf(tenant, without.LoginID))[0]?.EnrollID);
});

test('explain names the latest failed attempt until the obligation is met', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const LoginID = await tenant.user();
  expectStatus(
    await put(tenant, 'all', { Title, CourseIDs: [CourseID], Audience: {}, DueAfter: 'P7D' }),
    201,
  );
  const failed = async () => (await tenant.api('GET', `/obligation/${LoginID}/all/explain`)).body.Failed;
  assert.equal(await failed(), null);
  const EnrollID = (await obligationsOf(tenant, LoginID))[0]?.EnrollID;
  const Override = { Completion: 'completed', Success: 'failed', Score: 40, Reason: 'test' };
  expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Override }), 200);
  const { At: _, ...first } = await failed();
  assert.deepEqual(first, { EnrollID, CompletionID: null, CourseID, Score: 40 });
  clock.advance({ days: 2 });
  const CompletedAt = clock.now().toISOString();
  const elsewhere = { LoginID, CourseID, CompletedAt, Success: 'failed' };
  const { CompletionID } = (await tenant.api('POST', '/completion', elsewhere)).body;
  assert.equal((await failed()).CompletionID, CompletionID);
  expectStatus(await tenant.api('POST', '/completion', { ...elsewhere, Success: 'passed' }), 201);
  assert.equal(await failed(), null);
});

test('explain says that the account is disabled, and until when to renew with which enrolment', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Title });
  const Audience = { Groups: ['Drivers', 'Cooks'] };
  const [ada, bob] = [
    await tenant.user({ GroupName: 'Drivers' }),
    await tenant.user({ GroupName: 'Drivers' }),
  ];
  const body = { Title, CourseIDs: [CourseID], Audience, DueAfter: 'P7D', ValidFor: 'P1Y', Window: 'P30D' };
  expectStatus(await put(tenant, 'fire', body), 201);
  const explain = async (LoginID: string) =>
    (await tenant.api('GET', `/obligation/${LoginID}/fire/explain?Cycle=1`)).body;
  await complete(tenant, ada, (await obligationsOf(tenant, ada))[0]?.EnrollID ?? '');
  const before = await explain(ada);
  assert.deepEqual([before.Renewal, before.Next.Because], [null, 'renew']);
  const end = (await obligationsOf(tenant, ada))[0]?.ValidUntil.slice(0, 10);
  clock.advance({ days: 340 });
  await follow();
  const { Renewal, WouldSatisfy } = await explain(ada);
  const [, next] = await obligationsOf(tenant, ada);
  assert.equal(WouldSatisfy, `Renew by ${end}: complete Fire safety.`);
  assert.deepEqual(Renewal, { Cycle: 2, DueAt: `${end}T23:59:59.000Z`, EnrollID: next?.EnrollID });
  clock.advance({ days: 30 });
  assert.equal(
    (await explain(ada)).WouldSatisfy,
    `Complete Fire safety again. The completion counted until ${end}.`,
  );
  expectStatus(await tenant.api('PUT', `/user/${bob}`, { Enabled: false }), 200);
  const { Enabled, InAudience, Next } = await explain(bob);
  assert.deepEqual([Enabled, InAudience, Next.Because], [false, false, 'disabled']);
});

test('a plan changes nothing, and more than 100 obligations need a confirmation', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const rows = Array.from({ length: 101 }, () => ({ LoginID: unique('bulk') }));
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  const people = await tenant.api('POST', '/user/bulk', lines, { 'content-type': 'application/x-ndjson' });
  expectStatus(people, 200);
  const body = { Title, CourseIDs: [CourseID], Audience: {}, DueAfter: 'P7D' };
  const plan = await put(tenant, 'all', body, '?Plan=true');
  expectStatus(plan, 200);
  assert.deepEqual([plan.body.Opens, plan.body.Changes.length, plan.body.More], [101, 101, false]);
  assert.deepEqual(plan.body.Changes[0].Change, 'open');
  expectProblem(await tenant.api('GET', '/requirement/all'), 404, 'requirement_not_found');
  const refused = await put(tenant, 'all', body);
  expectProblem(refused, 409, 'confirmation_required');
  assert.equal(refused.body.Count, 101);
  expectStatus(await put(tenant, 'all', body, '?Confirm=101'), 201);
  const { Count } = (await tenant.api('GET', '/obligation?Count=true')).body;
  assert.equal(Count.Records, 101);
  const moved = await put(tenant, 'all', { DueAfter: 'P8D' }, '?Plan=true');
  assert.deepEqual([moved.body.Opens, moved.body.Changes[0].Change], [0, 'move']);
  const late = await put(tenant, 'all', { DueAfter: null, DueOn: '2020-01-31' }, '?Plan=true');
  const after = [moved, late].map(({ body }) => [body.Changes[0].Change, body.Changes[0].Status]);
  assert.deepEqual(after, [
    ['move', 'due_soon'],
    ['move', 'overdue'],
  ]);
});

test('an exemption has a reason, and ends', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const LoginID = await tenant.user();
  expectStatus(
    await put(tenant, 'all', { Title, CourseIDs: [CourseID], Audience: {}, DueAfter: 'P7D' }),
    201,
  );
  const address = `/obligation/${LoginID}/all`;
  expectProblem(await tenant.api('PUT', address, { Exempt: true }), 422, 'validation_failed', 'Reason');
  const done = await tenant.api('PUT', address, { Exempt: true, Reason: 'Parental leave' });
  assert.deepEqual([done.body.Status, done.body.ExemptReason], ['exempt', 'Parental leave']);
  assert.deepEqual(await statuses(tenant, LoginID), ['exempt']);
  expectStatus(await tenant.api('PUT', address, { Exempt: false }), 200);
  assert.deepEqual(await statuses(tenant, LoginID), ['due_soon']);
});

test('an exemption until a day is explained, and ends with its last second', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const LoginID = await tenant.user();
  const body = { Title, CourseIDs: [CourseID], Audience: {}, DueAfter: 'P7D' };
  expectStatus(await put(tenant, 'all', body), 201);
  const address = `/obligation/${LoginID}/all`;
  const exempt = (fields: object) => tenant.api('PUT', address, { Exempt: true, ...fields });
  expectProblem(await exempt({ Reason: 'On leave', Until: day(-1) }), 422, 'validation_failed', 'Until');
  const refused = await tenant.api('PUT', address, { Exempt: false, Until: day(3) });
  expectProblem(refused, 422, 'validation_failed', 'Until');
  const last = lastSecond(10);
  assert.equal((await exempt({ Reason: 'On leave', Until: day(10) })).body.ExemptUntil, last);
  const moved = await exempt({ Until: day(20) });
  assert.deepEqual([moved.body.ExemptReason, moved.body.ExemptUntil.slice(0, 10)], ['On leave', day(20)]);
  assert.equal((await exempt({ Until: null })).body.ExemptUntil, null);
  expectStatus(await exempt({ Until: day(10) }), 200);
  const { body: why } = await tenant.api('GET', `${address}/explain`);
  assert.deepEqual([why.Next.Because, why.Next.Values.day], ['exempt_until', day(10)]);
  const end = why.Dates.find(({ Name }: { Name: string }) => Name === 'ExemptUntil');
  assert.deepEqual([end.At, end.Because], [last, 'exemption_ends']);
  clock.advance({ seconds: (Date.parse(last) - clock.now().getTime()) / 1000 - 30 });
  assert.deepEqual(await statuses(tenant, LoginID), ['exempt']);
  clock.advance({ seconds: 60 });
  assert.deepEqual(await statuses(tenant, LoginID), ['overdue']);
  const types = (await tenant.events({ LoginID }))
    .map(({ type }) => type)
    .filter((type) => type.startsWith('obligation.'));
  assert.deepEqual(types, [
    ...['obligation.opened', 'obligation.due_soon'],
    ...['obligation.opened', 'obligation.overdue'],
  ]);
});

for (const [name, change, param] of [
  ['both due dates', { DueOn: '2030-01-01' }, 'DueOn'],
  ['both terms', { ValidFor: 'P1Y', Cycle: { On: '12-31' } }, 'Cycle'],
  ['a window as long as its term', { ValidFor: 'P1M', Window: 'P4W' }, 'Window'],
  ['a window without a term', { Window: 'P4W' }, 'Window'],
  ['an unknown course', { CourseIDs: ['nowhere'] }, 'CourseIDs'],
  ['an unknown person', { Audience: { LoginIDs: ['nobody'] } }, 'Audience'],
  ['no day', { DueAfter: null, DueOn: '2030-02-30' }, 'DueOn'],
  ['no day of a year', { Cycle: { On: '02-30' } }, 'Cycle'],
] as const)
  test(`a contradiction is rejected: ${name}`, async () => {
    const tenant = await newTenant(service);
    const CourseID = await newCourse(service);
    const body = { Title, CourseIDs: [CourseID], Audience: {}, DueAfter: 'P7D', ...change };
    expectProblem(await put(tenant, 'all', body), 422, 'validation_failed', param);
    expectProblem(await tenant.api('GET', '/requirement/all'), 404, 'requirement_not_found');
  });

test('obligations are found by their filters, and by nobody else', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const CourseID = await newCourse(service);
  const LoginID = await tenant.user({ GroupName: 'Nurses' });
  await tenant.user();
  expectStatus(
    await put(tenant, 'all', { Title, CourseIDs: [CourseID], Audience: {}, DueAfter: 'P7D' }),
    201,
  );
  const found = async (query: string) => (await tenant.api('GET', `/obligation?${query}`)).body.Items.length;
  assert.equal(await found('GroupName=Nurses'), 1);
  assert.equal(await found('Status=overdue,due_soon'), 2);
  assert.equal(await found('Status=met'), 0);
  assert.equal(await found(`DueBefore=${day(6)}`), 0);
  assert.equal(await found(`DueBefore=${day(7)}`), 0);
  assert.equal(await found(`DueBefore=${day(8)}`), 2);
  assert.equal(await found(`LoginID=${LoginID}&RequirementID=all`), 1);
  await put(tenant, 'short', {
    Title,
    CourseIDs: [CourseID],
    Audience: {},
    DueAfter: 'P9D',
    ValidFor: 'P6M',
  });
  await put(tenant, 'long', { Title, CourseIDs: [CourseID], Audience: {}, DueAfter: 'P9D', ValidFor: 'P1Y' });
  const [{ EnrollID = '' } = {}] = await obligationsOf(tenant, LoginID);
  await complete(tenant, LoginID, EnrollID);
  const until = async (query: string) =>
    (await tenant.api('GET', `/obligation?${query}`)).body.Items.map(
      ({ RequirementID }: { RequirementID: string }) => RequirementID,
    );
  assert.deepEqual(await until('Order=valid_until'), ['short', 'long']);
  assert.deepEqual(await until('Order=valid_until_descending'), ['long', 'short']);
  assert.deepEqual(await until(`ValidBefore=${day(300)}`), ['short']);
  expectProblem(await tenant.api('GET', '/obligation?Status=late'), 422, 'validation_failed', 'Status');
  assert.deepEqual((await other.api('GET', '/obligation')).body.Items, []);
});

test('a completion counts until its certificate ends, if the requirement has no term', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Certificate: { On: 'completed', ValidFor: 'P3M' } });
  const LoginID = await tenant.user();
  const body = { Title, CourseIDs: [CourseID], Audience: {}, DueAfter: 'P30D', Window: 'P20D' };
  expectStatus(await put(tenant, 'own', body), 201);
  const [open] = await obligationsOf(tenant, LoginID);
  await complete(tenant, LoginID, open?.EnrollID ?? '');
  const [met] = await obligationsOf(tenant, LoginID);
  const path = `/enrolment/${LoginID}/${open?.EnrollID}/certificate`;
  const { Number: number, ValidUntil } = (await tenant.api('GET', path)).body;
  assert.deepEqual([met?.Status, met?.ValidUntil], ['met', ValidUntil]);
  const explain = async () => (await tenant.api('GET', `/obligation/${LoginID}/own/explain`)).body.Dates;
  const dates: { Name: string; At: string; Derivation: string }[] = await explain();
  assert.deepEqual(
    dates.find(({ Name }) => Name === 'ValidUntil'),
    {
      ...{ Name: 'ValidUntil', At: ValidUntil },
      Derivation: `The end of the certificate ${number}, because the requirement has neither ValidFor nor Cycle.`,
      ...{ Because: 'certificate', Values: { number } },
    },
  );
  clock.advance({ seconds: (Date.parse(ValidUntil) - clock.now().getTime()) / 1000 - 19 * 86_400 });
  assert.deepEqual((await statuses(tenant, LoginID)).sort(), ['expiring', 'not_due']);
  expectStatus(await put(tenant, 'own', { ValidFor: 'P1Y' }), 200);
  assert.deepEqual((await statuses(tenant, LoginID)).sort(), ['closed', 'met']);
});
