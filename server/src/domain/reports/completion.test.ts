import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import {
  allPages,
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { transaction } from '../../db/transaction.ts';
import { expireEnrolments } from '../enrolments/expire.ts';
import { appendEvents } from '../events/append.ts';
import { countCompletion } from './count-completion.ts';
import type { Completion } from './schemas.ts';

const dayLength = 86_400_000;
const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const options = { standard: {}, week: { Duration: 'P7D' } };
const [first, second] = [await newCourse(service, {}, options), await newCourse(service, {}, options)];

const today = () => clock.now().toISOString().slice(0, 10);

async function report(tenant: TestTenant, query = ''): Promise<Completion[]> {
  await countCompletion(service.ctx);
  return (await allPages((path) => tenant.api('GET', path), `/report/completion?${query}`, 3)).items;
}

async function enrol(tenant: TestTenant, course: string, fields: object = {}, option = 'standard') {
  const LoginID = await tenant.user(fields as Record<string, unknown>);
  const reply = await tenant.api('POST', `/enrol/${LoginID}/${course}/${option}`);
  expectStatus(reply, 201);
  const path = `/enrolment/${LoginID}/${reply.body.EnrollID}`;
  const change = async (body: object) => expectStatus(await tenant.api('PUT', path, body), 200);
  const override = (result: object) => change({ Override: { ...result, Reason: 'seen' } });
  return { LoginID, LaunchURL: reply.body.LaunchURL as string, change, override };
}

const none = {
  Enrolments: 0,
  ...{ NotStarted: 0, InProgress: 0, Completed: 0, Expired: 0, Withdrawn: 0, Passed: 0, Failed: 0 },
  CompletionRate: null,
};
const line = (course: string | null, group: string | null, figures: Partial<Completion>) => ({
  ...{ CourseID: course, CourseTitle: course, GroupName: group },
  ...none,
  ...figures,
  AsOf: today(),
});

/** Some enrolments in each state, in two courses and two groups. */
async function someEnrolments(tenant: TestTenant) {
  const sales = { GroupName: 'Sales' };
  const done = await enrol(tenant, first, sales);
  await done.override({ Completion: 'completed', Success: 'passed' });
  const failed = await enrol(tenant, first, sales);
  await failed.override({ Success: 'failed' });
  await fetch(failed.LaunchURL, { redirect: 'manual' });
  const withdrawn = await enrol(tenant, first, { GroupName: 'Support' });
  await withdrawn.change({ Withdrawn: true });
  await enrol(tenant, second, { GroupName: 'Support' }, 'week');
  await enrol(tenant, second);
  return { done, failed, withdrawn };
}

test('enrolments are counted by course, by group, by course and group, and in total', async () => {
  const tenant = await newTenant(service);
  assert.deepEqual(await report(tenant), []);
  await someEnrolments(tenant);
  const ofSales = { Enrolments: 2, Completed: 1, Passed: 1, Failed: 1, CompletionRate: 50 };
  const ofFirst = { ...ofSales, Enrolments: 3, Withdrawn: 1 };
  const waiting = { Enrolments: 1, NotStarted: 1, CompletionRate: 0 };
  assert.deepEqual(await report(tenant), [
    line(first, null, ofFirst),
    line(second, null, { ...waiting, Enrolments: 2, NotStarted: 2 }),
  ]);
  assert.deepEqual(await report(tenant, 'By=group'), [
    line(null, null, waiting),
    line(null, 'Sales', ofSales),
    line(null, 'Support', { ...waiting, Enrolments: 2, Withdrawn: 1 }),
  ]);
  assert.deepEqual(await report(tenant, 'By=course_and_group'), [
    line(first, 'Sales', ofSales),
    line(first, 'Support', { Enrolments: 1, Withdrawn: 1 }),
    line(second, null, waiting),
    line(second, 'Support', waiting),
  ]);
  assert.deepEqual(await report(tenant, 'By=total'), [
    line(null, null, { ...ofFirst, Enrolments: 5, NotStarted: 2, CompletionRate: 25 }),
  ]);
});

test('filters by course and group can be combined with every kind of line', async () => {
  const tenant = await newTenant(service);
  await someEnrolments(tenant);
  const all = await report(tenant, 'By=course_and_group');
  for (const by of ['course', 'group', 'course_and_group', 'total'])
    assert.deepEqual(
      await report(tenant, `By=${by}&GroupName=Support&CourseID=${second}`),
      all.filter(({ CourseID, GroupName }) => CourseID === second && GroupName === 'Support'),
    );
  const ofSupport = all.filter(({ GroupName }) => GroupName === 'Support');
  assert.deepEqual(await report(tenant, 'GroupName=Support'), ofSupport);
  assert.deepEqual(await report(tenant, 'By=course_and_group&GroupName=Support'), ofSupport);
  assert.deepEqual(
    await report(tenant, `By=group&CourseID=${first}`),
    all.filter(({ CourseID }) => CourseID === first),
  );
  assert.deepEqual(await report(tenant, 'GroupName=Nobody'), []);
});

test('each figure agrees with the list of enrolments', async () => {
  const tenant = await newTenant(service);
  const { done, failed } = await someEnrolments(tenant);
  clock.advance({ days: 8 });
  await expireEnrolments(service.ctx);
  await done.override({ Completion: 'completed', Success: 'unknown' });
  await failed.change({ Override: null });
  const outcomesOf = {
    ...{ NotStarted: 'not_started', InProgress: 'in_progress', Completed: 'passed,completed' },
    ...{ Expired: 'expired', Withdrawn: 'withdrawn', Passed: 'passed', Failed: 'failed' },
  } as const;
  for (const CourseID of [first, second]) {
    const [found] = await report(tenant, `CourseID=${CourseID}`);
    for (const [figure, Outcome] of Object.entries(outcomesOf)) {
      const { body } = await tenant.api('GET', `/enrolment?CourseID=${CourseID}&Outcome=${Outcome}`);
      assert.equal(found?.[figure as 'Passed'], body.Items.length, `${CourseID} ${Outcome}`);
    }
  }
  const [total] = await report(tenant, 'By=total');
  assert.deepEqual([total?.Expired, total?.Passed, total?.Failed], [1, 0, 0]);
});

test('AsOf returns what the report showed at the end of that day', async () => {
  const tenant = await newTenant(service);
  const { done, failed, withdrawn } = await someEnrolments(tenant);
  const queries = ['By=course', 'By=group', 'By=course_and_group', 'By=total', 'GroupName=Sales'];
  const recorded = new Map<string, Completion[]>();
  const changes = [
    () => failed.override({ Completion: 'completed', Success: 'passed' }),
    () => enrol(tenant, second, { GroupName: 'New' }),
    async () => expectStatus(await tenant.api('PUT', `/user/${done.LoginID}`, { GroupName: 'Support' }), 200),
    () => withdrawn.change({ Withdrawn: false }),
    () => expireEnrolments(service.ctx),
    async () => expectStatus(await tenant.api('DELETE', `/user/${failed.LoginID}`), 200),
  ];
  for (const change of [async () => {}, ...changes]) {
    await change();
    for (const query of queries) recorded.set(`${query}&AsOf=${today()}`, await report(tenant, query));
    clock.advance({ days: 2 });
  }
  assert.equal(new Set([...recorded.values()].map((lines) => JSON.stringify(lines))).size > 15, true);
  for (const [query, lines] of recorded) assert.deepEqual(await report(tenant, query), lines, query);
  for (const day of [today(), '2999-12-31'])
    assert.deepEqual(await report(tenant, `By=total&AsOf=${day}`), await report(tenant, 'By=total'), day);
  const [latest] = await report(tenant, 'By=total');
  assert.equal(latest?.AsOf, today());
  assert.deepEqual(await report(tenant, 'AsOf=2001-01-01'), []);
  for (const day of ['2026-02-30', 'x', '2026-01-01T00:00:00Z'])
    expectProblem(
      await tenant.api('GET', `/report/completion?AsOf=${day}`),
      422,
      'validation_failed',
      'AsOf',
    );
});

test('counting the whole log gives the same figures as counting each event as it happens', async () => {
  const [tenant, late] = [await newTenant(service), await newTenant(service)];
  const start = today();
  for (const one of [tenant, late]) await someEnrolments(one);
  await report(tenant);
  clock.advance({ days: 1 });
  for (const one of [tenant, late]) await (await enrol(one, first)).override({ Completion: 'completed' });
  const forget = (table: 'completion_log' | 'counted_enrolment' | 'completion_line' | 'completion_day') =>
    service.ctx.db.deleteFrom(table).where('tenant_id', '=', late.TenantID).execute();
  for (const table of ['completion_log', 'counted_enrolment', 'completion_line', 'completion_day'] as const)
    await forget(table);
  for (const query of ['By=course_and_group', `By=course_and_group&AsOf=${start}`])
    assert.deepEqual(await report(late, query), await report(tenant, query));
});

test('a change of group moves all enrolments of the user', async () => {
  const tenant = await newTenant(service);
  const { LoginID, override } = await enrol(tenant, first, { GroupName: 'Old' });
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${second}/standard`), 201);
  await override({ Completion: 'completed' });
  await report(tenant);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { GroupName: null, FirstName: 'Ada' }), 200);
  await override({ Completion: 'completed', Success: 'passed' });
  assert.deepEqual(await report(tenant, 'By=group'), [
    line(null, null, { Enrolments: 2, NotStarted: 1, Completed: 1, Passed: 1, CompletionRate: 50 }),
  ]);
});

test('moves of many enrolments and of many users are split into batches and complete', async () => {
  const tenant = await newTenant(service);
  const bulk = async (path: string, rows: object[]) => {
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    expectStatus(await tenant.api('POST', path, lines, { 'content-type': 'application/x-ndjson' }), 200);
  };
  const users = Array.from({ length: 25 }, (_, n) => ({ LoginID: `moved-${n}`, GroupName: 'Old' }));
  await bulk('/user/bulk', users);
  const rows = users.map(({ LoginID }) => ({ LoginID, CourseID: first, DurationID: 'standard' }));
  await bulk('/enrol/bulk', rows);
  const renewals = Array.from({ length: 220 }, () => ({ ...rows[3], IfEnrolled: 'renew' }));
  await bulk('/enrol/bulk', renewals);
  assert.deepEqual(
    (await report(tenant, 'By=group')).map(({ GroupName, Enrolments }) => [GroupName, Enrolments]),
    [['Old', 245]],
  );
  await bulk(
    '/user/bulk',
    users.map(({ LoginID }) => ({ LoginID, GroupName: 'New', IfExists: 'update' })),
  );
  await (await enrol(tenant, first, { GroupName: 'New' })).override({ Completion: 'completed' });
  assert.deepEqual(
    (await report(tenant, 'By=group')).map(({ GroupName, Enrolments }) => [GroupName, Enrolments]),
    [['New', 246]],
  );
});

test('an event that is committed late counts on its own day', async () => {
  const tenant = await newTenant(service);
  const ctx = { ...service.ctx, tenantId: tenant.TenantID };
  const { LoginID } = await enrol(tenant, first);
  const { body } = await tenant.api('GET', `/enrolment/${LoginID}`);
  const [{ EnrollID }] = body.Items;
  const yesterday = { ...ctx, now: () => new Date(clock.now().getTime() - dayLength) };
  await report(tenant);
  await transaction(yesterday, (ctx) =>
    appendEvents(ctx, [
      {
        ...{ type: 'enrolment.passed' as const, enrollId: EnrollID, courseId: first },
        data: { Status: 'completed', Outcome: 'passed', Success: 'passed' },
      },
    ]),
  );
  const done = { Completed: 1, Passed: 1 };
  assert.deepEqual(await report(tenant), [
    line(first, null, { ...done, Enrolments: 1, CompletionRate: 100 }),
  ]);
});

test('an erasure removes the enrolments, counted or not, and reports what it removed', async () => {
  const tenant = await newTenant(service);
  const [counted, uncounted] = [await enrol(tenant, first), await enrol(tenant, first)];
  await counted.override({ Completion: 'completed' });
  await report(tenant);
  await uncounted.override({ Completion: 'completed' });
  const exported = (await tenant.api('GET', `/user/${counted.LoginID}/export`)).body;
  assert.deepEqual(
    exported.Reports.map(({ EnrollID: _, ...rest }: { EnrollID: string }) => rest),
    [{ Groups: [], Access: 'ended', Outcome: 'completed' }],
  );
  const erase = async ({ LoginID }: { LoginID: string }) =>
    (await tenant.api('DELETE', `/user/${LoginID}`)).body;
  const { Erased } = await erase(counted);
  assert.equal(Erased.find(({ Data }: { Data: string }) => Data === 'Reports').Records, 1);
  await erase(uncounted);
  assert.deepEqual(await report(tenant), []);
  assert.deepEqual(await report(tenant, 'By=group'), []);
});

test('with concurrent jobs, erasures and changes, each event counts once', async () => {
  const tenant = await newTenant(service);
  const learners = await Promise.all(Array.from({ length: 12 }, () => enrol(tenant, first)));
  await Promise.all([
    ...learners.map(async ({ LoginID, override }, n) =>
      n % 3 === 0 ? tenant.api('DELETE', `/user/${LoginID}`) : override({ Completion: 'completed' }),
    ),
    ...Array.from({ length: 6 }, () => countCompletion(service.ctx)),
  ]);
  const done = { Enrolments: 8, Completed: 8, CompletionRate: 100 };
  assert.deepEqual(await report(tenant), [line(first, null, done)]);
});

test('the report is also available as CSV, and another tenant sees none of its lines', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  await someEnrolments(tenant);
  await countCompletion(service.ctx);
  const reply = await tenant.api('GET', '/report/completion?By=group', undefined, { accept: 'text/csv' });
  assert.equal(
    reply.body,
    [
      'CourseID,CourseTitle,GroupName,Enrolments,NotStarted,InProgress,Completed,Expired,Withdrawn,Passed,Failed,CompletionRate,AsOf',
      `,,,1,1,0,0,0,0,0,0,0,${today()}`,
      `,,Sales,2,0,0,1,0,0,1,1,50,${today()}`,
      `,,Support,2,1,0,0,0,1,0,0,0,${today()}`,
      '',
    ].join('\r\n'),
  );
  assert.deepEqual(await report(other, 'By=group'), []);
});

test('figures that are too far out of date are not shown', async () => {
  const tenant = await newTenant(service);
  await enrol(tenant, first);
  await report(tenant);
  await enrol(tenant, first);
  expectStatus(await tenant.api('GET', '/report/completion'), 200);
  clock.advance({ minutes: 11 });
  expectProblem(await tenant.api('GET', '/report/completion'), 503, 'unavailable');
  assert.equal((await report(tenant)).length, 1);
});

/** Adds enrolments with their events to a tenant, without counting them. */
async function addMany(tenant: TestTenant, count: number): Promise<void> {
  await service.ctx.engine.query({
    text: `/* across tenants: a test fills a table */
      with made as (
        insert into "user" (tenant_id, user_id, login_id, is_admin, register, enabled, password_hash, created_at, updated_at)
        select $1, gen_random_uuid(), 'many-' || n, false, false, true, '', now(), now() from generate_series(1, $3) n
        returning user_id
      )
      insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at, status)
      select $1, gen_random_uuid(), made.user_id, $2, 'standard', now(), now(), now(), 'enrolled' from made`,
    values: [tenant.TenantID, first, count],
  });
  await transaction({ ...service.ctx, tenantId: tenant.TenantID }, async (ctx) => {
    const enrolments = await ctx.db
      .selectFrom('enrolment')
      .select('enroll_id')
      .where('tenant_id', '=', tenant.TenantID)
      .execute();
    await appendEvents(
      ctx,
      enrolments.map(({ enroll_id }) => ({
        ...{ type: 'enrolment.created' as const, enrollId: enroll_id, courseId: first },
        data: { Status: 'enrolled' },
      })),
    );
  });
}

/** How many events of the tenant have been counted; null if none have. */
async function countedOf(tenant: TestTenant): Promise<number | null> {
  const row = await service.ctx.db
    .selectFrom('completion_log')
    .select('position')
    .where('tenant_id', '=', tenant.TenantID)
    .executeTakeFirst();
  return row?.position ?? null;
}

test('the first report of a tenant with many events starts the counting, which the job completes', async () => {
  const tenant = await newTenant(service);
  await addMany(tenant, 1_200);
  await countCompletion(service.ctx);
  assert.equal(await countedOf(tenant), null);
  expectProblem(await tenant.api('GET', '/report/completion'), 503, 'unavailable');
  assert.deepEqual(
    (await report(tenant)).map(({ Enrolments }) => Enrolments),
    [1_200],
  );
});

test('new events are counted while the job counts the many events of another tenant', async () => {
  const [many, few] = [await newTenant(service), await newTenant(service)];
  await enrol(few, first);
  await report(few);
  await addMany(many, 5_000);
  expectProblem(await many.api('GET', '/report/completion'), 503, 'unavailable');
  const before = (await countedOf(few)) ?? 0;
  let isOver = false;
  const counting = countCompletion(service.ctx).finally(() => {
    isOver = true;
  });
  await until('the job has begun', async () => isOver || ((await countedOf(many)) ?? 0) > 1_500);
  await enrol(few, first);
  await until('its event has been counted', async () => isOver || ((await countedOf(few)) ?? 0) > before + 1);
  assert.ok(!isOver, 'the job counted the other tenant first');
  await counting;
});

test('an erasure does not start the counting', async () => {
  const tenant = await newTenant(service);
  const { LoginID } = await enrol(tenant, first);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  assert.equal(await countedOf(tenant), null);
});

test('a date that does not exist is rejected', async () => {
  const { api } = await newTenant(service);
  for (const day of ['0000-01-01', '2026-02-30', 'yesterday'])
    expectProblem(await api('GET', `/report/completion?AsOf=${day}`), 422, 'validation_failed', 'AsOf');
  expectStatus(await api('GET', '/report/completion?AsOf=0001-01-01'), 200);
});

test('a cursor from another list is rejected', async () => {
  const tenant = await newTenant(service);
  for (const key of ['x', '["a"]', '[1,2]', '["a","\\u0000"]']) {
    const Cursor = Buffer.from(JSON.stringify([key])).toString('base64url');
    const reply = await tenant.api('GET', `/report/completion?Cursor=${Cursor}`);
    expectProblem(reply, 422, 'validation_failed', 'Cursor');
  }
});
