import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import {
  allPages,
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';
import { expireEnrolments } from '../enrolments/expire.ts';
import { createKey } from '../identity/keys.ts';
import { countAccess } from './count-access.ts';
import { countCompletion } from './count-completion.ts';
import type { Access } from './schemas.ts';

const clock = movableClock();
// Between nine and ten, so that noon is still to come.
clock.advance({ hours: (33 - clock.now().getUTCHours()) % 24 });
const service = await startService({ now: clock.now });
after(service.close);
const options = { open: {}, week: { Duration: 'P7D' }, begun: { Duration: 'P7D', StartsOn: 'launch' } };
const [first, second] = [await newCourse(service, {}, options), await newCourse(service, {}, options)];

const today = () => clock.now().toISOString().slice(0, 10);
/** Noon after this many days. */
const inDays = (days: number) => new Date(Date.parse(today()) + (days + 0.5) * 86_400_000).toISOString();

async function countAll(): Promise<void> {
  await countCompletion(service.ctx);
  await countAccess(service.ctx);
}

async function report(tenant: TestTenant, query = ''): Promise<Access[]> {
  await countAll();
  return (await allPages((path) => tenant.api('GET', path), `/report/access?${query}`, 3)).items;
}

/** Open enrolments, ends within 7 and within 30 days, and overdue enrolments. */
const figuresOf = (line: Access | undefined) =>
  line && [line.Open, line.EndsWithin7Days, line.EndsWithin30Days, line.Overdue];
const total = async (tenant: TestTenant) => figuresOf((await report(tenant, 'By=total'))[0]);

async function enrol(tenant: TestTenant, course: string, fields: object = {}, option = 'open') {
  const LoginID = await tenant.user(fields as Record<string, unknown>);
  const reply = await tenant.api('POST', `/enrol/${LoginID}/${course}/${option}`);
  expectStatus(reply, 201);
  const path = `/enrolment/${LoginID}/${reply.body.EnrollID}`;
  const change = async (body: object) => expectStatus(await tenant.api('PUT', path, body), 200);
  const endIn = (days: number) => change({ ExpiresAt: inDays(days) });
  const override = (result: object) => change({ Override: { ...result, Reason: 'seen' } });
  return { LoginID, LaunchURL: reply.body.LaunchURL as string, change, endIn, override };
}

/** Enrolments of two groups on two courses, which end today and later. One more is completed, one is withdrawn. */
async function someEnrolments(tenant: TestTenant) {
  const [sales, support] = [{ GroupName: 'Sales' }, { GroupName: 'Support' }];
  for (const days of [0, 7, 8, 30]) await (await enrol(tenant, first, sales)).endIn(days);
  for (const days of [3, 31]) await (await enrol(tenant, second, support)).endIn(days);
  await enrol(tenant, second);
  const done = await enrol(tenant, first, support);
  await done.endIn(5);
  await done.override({ Completion: 'completed' });
  const withdrawn = await enrol(tenant, first, support);
  await withdrawn.endIn(5);
  await withdrawn.change({ Withdrawn: true });
  return { done, withdrawn };
}

const line = (course: string | null, group: string | null, figures: readonly number[]) => {
  const [Open, EndsWithin7Days, EndsWithin30Days, Overdue] = figures;
  const place = { CourseID: course, CourseTitle: course, GroupName: group };
  return { ...place, Open, EndsWithin7Days, EndsWithin30Days, Overdue, AsOf: today() };
};

test('uncompleted enrolments are counted by course, by group, by course and group, and in total', async () => {
  const tenant = await newTenant(service);
  assert.deepEqual(await report(tenant), []);
  await someEnrolments(tenant);
  const [ofFirst, ofSupport] = [
    [4, 2, 4, 0],
    [2, 1, 1, 0],
  ];
  assert.deepEqual(await report(tenant), [line(first, null, ofFirst), line(second, null, [3, 1, 1, 0])]);
  assert.deepEqual(await report(tenant, 'By=group'), [
    line(null, null, [1, 0, 0, 0]),
    line(null, 'Sales', ofFirst),
    line(null, 'Support', ofSupport),
  ]);
  assert.deepEqual(await report(tenant, 'By=course_and_group'), [
    line(first, 'Sales', ofFirst),
    line(second, null, [1, 0, 0, 0]),
    line(second, 'Support', ofSupport),
  ]);
  assert.deepEqual(await report(tenant, 'By=total'), [line(null, null, [7, 3, 5, 0])]);
  assert.deepEqual(await report(tenant, `By=group&CourseID=${second}&GroupName=Support`), [
    line(second, 'Support', ofSupport),
  ]);
  assert.deepEqual(await report(tenant, 'GroupName=Nobody'), []);
});

test('as time passes, each figure agrees with the list of enrolments', async () => {
  const tenant = await newTenant(service);
  await someEnrolments(tenant);
  const countOf = async (filter: string) =>
    (await tenant.api('GET', `/enrolment?Limit=200&${filter}`)).body.Items.length;
  const before = (days: number) => `Status=open&ExpiresBefore=${inDays(days).slice(0, 10)}T00:00:00Z`;
  for (let day = 0; day < 34; day += 4) {
    const filters = ['Status=open', before(8), before(31), 'Status=expired'];
    const expected = await Promise.all(filters.map(countOf));
    assert.deepEqual(await total(tenant), expected, `day ${day}`);
    clock.advance({ days: 4 });
    await expireEnrolments(service.ctx);
  }
  assert.deepEqual(await total(tenant), [1, 0, 0, 6]);
});

test('every change of an end or a status is counted', async () => {
  const tenant = await newTenant(service);
  const one = await enrol(tenant, first);
  const steps: [string, () => Promise<unknown>, number[]][] = [
    ['no end', async () => {}, [1, 0, 0, 0]],
    ['an end', () => one.endIn(20), [1, 0, 1, 0]],
    ['an earlier end', () => one.endIn(2), [1, 1, 1, 0]],
    ['withdrawn', () => one.change({ Withdrawn: true }), [0, 0, 0, 0]],
    ['reinstated', () => one.change({ Withdrawn: false }), [1, 1, 1, 0]],
    ['launched', () => play(service, one.LaunchURL), [1, 1, 1, 0]],
    ['completed', () => one.override({ Completion: 'completed' }), [0, 0, 0, 0]],
    ['reopened', () => one.change({ Override: null }), [1, 1, 1, 0]],
    [
      'expired',
      async () => {
        clock.advance({ days: 4 });
        await expireEnrolments(service.ctx);
      },
      [0, 0, 0, 1],
    ],
    ['reactivated', () => one.endIn(9), [1, 0, 1, 0]],
    ['unlimited', () => one.change({ ExpiresAt: null }), [1, 0, 0, 0]],
  ];
  for (const [name, change, expected] of steps) {
    await change();
    if (expected.some((count) => count > 0)) assert.deepEqual(await total(tenant), expected, name);
    else assert.deepEqual(await report(tenant, 'By=total'), [], name);
  }
});

test('enrolments that are extended, renewed, or end some time after the first launch are counted', async () => {
  const tenant = await newTenant(service);
  const again = async (LoginID: string, IfEnrolled: string, status: number) =>
    expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${first}/week`, { IfEnrolled }), status);
  const [extended, renewed] = [
    await enrol(tenant, first, {}, 'week'),
    await enrol(tenant, first, {}, 'week'),
  ];
  assert.deepEqual(await total(tenant), [2, 2, 2, 0]);
  await again(extended.LoginID, 'extend', 200);
  assert.deepEqual(await total(tenant), [2, 1, 2, 0]);
  await again(renewed.LoginID, 'renew', 201);
  assert.deepEqual(await total(tenant), [2, 1, 2, 1]);
  const begun = await enrol(tenant, second, {}, 'begun');
  assert.deepEqual(await total(tenant), [3, 1, 2, 1]);
  await play(service, begun.LaunchURL);
  assert.deepEqual(await total(tenant), [3, 2, 3, 1]);
});

test('a change of group moves the ends of all enrolments of the user', async () => {
  const tenant = await newTenant(service);
  const { LoginID, endIn } = await enrol(tenant, first, { GroupName: 'Old' });
  await endIn(3);
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${second}/week`), 201);
  await report(tenant);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { GroupName: 'New' }), 200);
  assert.deepEqual(await report(tenant, 'By=group'), [line(null, 'New', [2, 2, 2, 0])]);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { GroupName: null }), 200);
  assert.deepEqual(await report(tenant, 'By=course_and_group'), [
    line(first, null, [1, 1, 1, 0]),
    line(second, null, [1, 1, 1, 0]),
  ]);
});

test('AsOf returns overdue enrolments of a past day, but not when access was going to end', async () => {
  const tenant = await newTenant(service);
  await someEnrolments(tenant);
  await report(tenant);
  const days: string[] = [];
  for (let n = 0; n < 2; n++) {
    clock.advance({ days: 5 });
    await expireEnrolments(service.ctx);
    days.push(today());
  }
  await report(tenant);
  clock.advance({ days: 1 });
  const at = async (day: string) => figuresOf((await report(tenant, `By=total&AsOf=${day}`))[0]);
  assert.deepEqual(await at(days[0] ?? ''), [5, null, null, 2]);
  assert.deepEqual(await at(days[1] ?? ''), [3, null, null, 4]);
  for (const day of [today(), '2999-12-31']) assert.deepEqual(await at(day), await total(tenant), day);
  for (const [asked, AsOf] of [
    [days[0], days[0]],
    ['2999-12-31', today()],
  ])
    assert.equal((await report(tenant, `By=total&AsOf=${asked}`))[0]?.AsOf, AsOf);
  assert.deepEqual(await report(tenant, 'AsOf=2001-01-01'), []);
  for (const day of ['2026-02-30', 'x', '0000-01-01'])
    expectProblem(await tenant.api('GET', `/report/access?AsOf=${day}`), 422, 'validation_failed', 'AsOf');
});

test('counting the whole log gives the same figures as counting each event as it happens', async () => {
  const [tenant, late] = [await newTenant(service), await newTenant(service)];
  await report(tenant);
  for (const one of [tenant, late]) {
    await someEnrolments(one);
    await countAll();
  }
  clock.advance({ days: 4 });
  await expireEnrolments(service.ctx);
  assert.deepEqual(await report(late, 'By=course_and_group'), await report(tenant, 'By=course_and_group'));
});

test('moves of many enrolments and of many users are split into batches and complete', async () => {
  const tenant = await newTenant(service);
  const bulk = async (path: string, rows: object[]) => {
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    expectStatus(await tenant.api('POST', path, lines, { 'content-type': 'application/x-ndjson' }), 200);
  };
  const users = Array.from({ length: 130 }, (_, n) => ({ LoginID: `moved-${n}`, GroupName: 'Old' }));
  await bulk('/user/bulk', users);
  await bulk(
    '/enrol/bulk',
    users.map(({ LoginID }) => ({ LoginID, CourseID: first, DurationID: 'week' })),
  );
  assert.deepEqual(await report(tenant, 'By=group'), [line(null, 'Old', [130, 130, 130, 0])]);
  await bulk(
    '/user/bulk',
    users.map(({ LoginID }) => ({ LoginID, GroupName: 'New', IfExists: 'update' })),
  );
  assert.deepEqual(await report(tenant, 'By=group'), [line(null, 'New', [130, 130, 130, 0])]);
});

test('an erasure removes the ends, counted or not, and reports what it removed', async () => {
  const tenant = await newTenant(service);
  const [counted, uncounted] = [
    await enrol(tenant, first, { GroupName: 'Sales' }, 'week'),
    await enrol(tenant, first, {}, 'open'),
  ];
  await report(tenant);
  await uncounted.endIn(3);
  const exported = (await tenant.api('GET', `/user/${counted.LoginID}/export`)).body;
  const held = exported.Reports.find((one: object) => 'EndsOn' in one);
  assert.deepEqual([held.Groups, held.EndsOn], [['Sales'], inDays(7).slice(0, 10)]);
  const erase = async ({ LoginID }: { LoginID: string }) =>
    (await tenant.api('DELETE', `/user/${LoginID}`)).body;
  const { Erased } = await erase(counted);
  assert.equal(Erased.find(({ Data }: { Data: string }) => Data === 'Reports').Records, 2);
  await erase(uncounted);
  assert.deepEqual(await report(tenant), []);
  const left = await service.ctx.db
    .selectFrom('counted_end')
    .select('enroll_id')
    .where('tenant_id', '=', tenant.TenantID)
    .execute();
  assert.deepEqual(left, []);
});

test('with concurrent jobs, erasures and changes, each enrolment counts once', async () => {
  const tenant = await newTenant(service);
  await report(tenant);
  const learners = await Promise.all(
    Array.from({ length: 12 }, () => enrol(tenant, first, { GroupName: 'Old' }, 'week')),
  );
  await Promise.all([
    ...learners.map(async ({ LoginID, endIn }, n) => {
      if (n % 3 === 0) return tenant.api('DELETE', `/user/${LoginID}`);
      if (n % 3 === 1) return tenant.api('PUT', `/user/${LoginID}`, { GroupName: 'New' });
      return endIn(20);
    }),
    ...Array.from({ length: 6 }, () => countAccess(service.ctx)),
  ]);
  assert.deepEqual(await report(tenant, 'By=group'), [
    line(null, 'New', [4, 4, 4, 0]),
    line(null, 'Old', [4, 0, 4, 0]),
  ]);
});

test('the report is also available as CSV, needs enrolments:read, and shows no lines of other tenants', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  await someEnrolments(tenant);
  await report(tenant);
  const reply = await tenant.api('GET', '/report/access?By=group', undefined, { accept: 'text/csv' });
  assert.equal(
    reply.body,
    [
      'CourseID,CourseTitle,GroupName,Open,EndsWithin7Days,EndsWithin30Days,Overdue,AsOf',
      `,,,1,0,0,0,${today()}`,
      `,,Sales,4,2,4,0,${today()}`,
      `,,Support,2,1,1,0,${today()}`,
      '',
    ].join('\r\n'),
  );
  assert.deepEqual(await report(other, 'By=group'), []);
  const { TenantID: tenantId } = tenant;
  const key = await createKey(service.ctx, { tenantId, Name: 'few', Scopes: ['users:read'] });
  const refused = await service.api('GET', '/report/access', undefined, key.Secret);
  expectProblem(refused, 403, 'scope_missing');
});

test('figures that are too far out of date are not shown', async () => {
  const tenant = await newTenant(service);
  await enrol(tenant, first, {}, 'week');
  assert.deepEqual(await total(tenant), [1, 1, 1, 0]);
  await enrol(tenant, first, {}, 'week');
  clock.advance({ minutes: 11 });
  await countCompletion(service.ctx);
  expectProblem(await tenant.api('GET', '/report/access'), 503, 'unavailable');
  expectStatus(await tenant.api('GET', `/report/access?AsOf=2025-01-01`), 200);
  assert.deepEqual(await total(tenant), [2, 2, 2, 0]);
});

test('the first report of a tenant with many events starts all of its counters', async () => {
  const tenant = await newTenant(service);
  const bulk = async (path: string, rows: object[]) => {
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    expectStatus(await tenant.api('POST', path, lines, { 'content-type': 'application/x-ndjson' }), 200);
  };
  const users = Array.from({ length: 1_050 }, (_, n) => ({ LoginID: `many-${n}` }));
  await bulk('/user/bulk', users);
  await bulk(
    '/enrol/bulk',
    users.map(({ LoginID }) => ({ LoginID, CourseID: first, DurationID: 'week' })),
  );
  expectProblem(await tenant.api('GET', '/report/access'), 503, 'unavailable');
  await countAll();
  const { body } = await tenant.api('GET', '/report/access?By=total');
  assert.deepEqual(figuresOf(body.Items[0]), [1_050, 1_050, 1_050, 0]);
});
