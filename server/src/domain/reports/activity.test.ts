import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode, serve } from '../../../test/support/nodes.ts';
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
import { appendEvents } from '../events/append.ts';
import { countActivity } from './count-activity.ts';
import type { Activity } from './schemas.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
const node = await serve(otherNode(service.ctx));
after(async () => {
  await node.close();
  await service.close();
});
const options = { standard: {}, week: { Duration: 'P7D' } };
const [first, second] = [await newCourse(service, {}, options), await newCourse(service, {}, options)];

await service.importPackage(first, await packCourse('phishing'));

const today = () => clock.now().toISOString().slice(0, 10);
const contextOf = ({ TenantID }: TestTenant) => ({ ...service.ctx, tenantId: TenantID });

async function report(tenant: TestTenant, query = ''): Promise<Activity[]> {
  return (await allPages((path) => tenant.api('GET', path), `/report/activity?${query}`, 7)).items;
}

const none = {
  ...{ Enrolments: 0, Starts: 0, Launches: 0, Completions: 0 },
  ...{ Passed: 0, Failed: 0, Expired: 0, Withdrawn: 0 },
};

async function sum(tenant: TestTenant, query = ''): Promise<Partial<Activity>> {
  const lines = await report(tenant, query);
  const names = Object.keys(none) as (keyof typeof none)[];
  return Object.fromEntries(
    names
      .map((name) => [name, lines.reduce((total, line) => total + line[name], 0)] as const)
      .filter(([, total]) => total > 0),
  );
}

async function enrol(tenant: TestTenant, course: string, group: string | null, option = 'standard') {
  const LoginID = await tenant.user(group === null ? {} : { GroupName: group });
  const reply = await tenant.api('POST', `/enrol/${LoginID}/${course}/${option}`);
  expectStatus(reply, 201);
  const { EnrollID, LaunchURL } = reply.body;
  return {
    LoginID,
    launch: () => play(service, LaunchURL),
    change: async (body: object) =>
      expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, body), 200),
  };
}

test('without parameters, the last 30 days are listed, oldest first, including days without activity', async () => {
  const tenant = await newTenant(service);
  const lines = await report(tenant);
  assert.equal(lines.length, 30);
  assert.deepEqual(lines.at(-1), { From: today(), To: today(), ...none });
  const days = lines.map(({ From }) => From);
  assert.deepEqual(days, days.toSorted());
});

test('each kind of activity counts for its course and group, and for both', async () => {
  const tenant = await newTenant(service);
  const done = await enrol(tenant, first, 'Sales');
  for (let n = 0; n < 2; n++) await done.launch();
  await done.change({ Override: { Completion: 'completed', Success: 'passed', Reason: 'seen' } });
  const failed = await enrol(tenant, first, 'Support');
  await failed.change({ Override: { Success: 'failed', Reason: 'seen' } });
  const gone = await enrol(tenant, second, null);
  await gone.change({ Withdrawn: true });
  await enrol(tenant, second, 'Sales', 'week');
  clock.advance({ days: 8 });
  await expireEnrolments(service.ctx);
  const own = { Enrolments: 2, Starts: 1, Launches: 2, Completions: 1, Passed: 1, Failed: 1 };
  assert.deepEqual(await sum(tenant), { ...own, Enrolments: 4, Expired: 1, Withdrawn: 1 });
  assert.deepEqual(await sum(tenant, `CourseID=${first}`), own);
  assert.deepEqual(await sum(tenant, 'GroupName=Sales'), {
    ...{ Enrolments: 2, Starts: 1, Launches: 2, Completions: 1, Passed: 1, Expired: 1 },
  });
  assert.deepEqual(await sum(tenant, `CourseID=${second}&GroupName=Sales`), { Enrolments: 1, Expired: 1 });
  assert.deepEqual(await sum(tenant, 'CourseID=unknown'), {});
});

test('weeks and months add up their days within the range', async () => {
  const tenant = await newTenant(service);
  for (let n = 0; n < 3; n++) {
    await enrol(tenant, first, null);
    clock.advance({ days: 20 });
  }
  const range = `From=${new Date(clock.now().getTime() - 70 * 86_400_000).toISOString().slice(0, 10)}`;
  for (const unit of ['day', 'week', 'month']) {
    const lines = await report(tenant, `Unit=${unit}&${range}`);
    assert.equal(
      lines.reduce((total, { Enrolments }) => total + Enrolments, 0),
      3,
      unit,
    );
    for (const [at, { From }] of lines.entries())
      if (at > 0 && unit === 'week') assert.equal(new Date(From).getUTCDay(), 1);
      else if (at > 0 && unit === 'month') assert.ok(From.endsWith('-01'));
  }
  assert.deepEqual(await sum(tenant, 'From=2020-01-01&To=2020-12-31'), {});
});

for (const [query, param] of [
  ['From=2026-02-01&To=2026-01-31', 'From'],
  ['From=2020-01-01&To=2024-12-31', null],
  ['From=2020-01-01&To=2025-01-01', 'From'],
  ['From=0000-01-01', 'From'],
  ['From=2026-02-30', 'From'],
  ['To=9999-12-31', 'To'],
  ['Unit=year', 'Unit'],
  ['Cursor=abc', 'Cursor'],
  [`Cursor=${Buffer.from('["9999-12-31"]').toString('base64url')}`, 'Cursor'],
] as const)
  test(`the range is bounded: ${query}`, async () => {
    const tenant = await newTenant(service);
    const reply = await tenant.api('GET', `/report/activity?${query}&Limit=1`);
    if (param === null) expectStatus(reply, 200);
    else expectProblem(reply, 422, 'validation_failed', param);
  });

test('the file has the same lines as the page', async () => {
  const tenant = await newTenant(service);
  await enrol(tenant, first, null);
  const response = await fetch(`${service.baseUrl}/report/activity?Unit=month`, {
    headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/csv' },
  });
  const lines = await report(tenant, 'Unit=month');
  const rows = (await response.text()).trim().split('\r\n');
  assert.deepEqual(rows, [
    Object.keys(lines[0] ?? {}).join(','),
    ...lines.map((line) => Object.values(line).join(',')),
  ]);
});

test('another tenant sees none of it, and a key needs the scope enrolments:read', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  await enrol(tenant, first, null);
  assert.deepEqual(await sum(other), {});
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'events',
    Scopes: ['events:read', 'users:read'],
  });
  expectStatus(made, 201);
  const reply = await fetch(`${service.baseUrl}/report/activity`, {
    headers: { authorization: `Bearer ${made.body.Secret}` },
  });
  assert.equal(reply.status, 403);
});

test('concurrent readers on two nodes and the job count each event once', async () => {
  const tenant = await newTenant(service);
  const ctx = contextOf(tenant);
  const events = Array.from({ length: 400 }, () => ({
    type: 'enrolment.created' as const,
    courseId: first,
    data: { DurationID: 'x', Reference: null },
  }));
  for (let n = 0; n < 4; n++) await appendEvents(ctx, events);
  const read = async () => {
    const { statusCode } = await node.api.inject({
      url: '/report/activity',
      headers: { authorization: `Bearer ${tenant.key}` },
    });
    assert.equal(statusCode, 200);
  };
  await Promise.all([read(), read(), report(tenant), countActivity(service.ctx), read()]);
  assert.deepEqual(await sum(tenant), { Enrolments: 1_600 });
  await countActivity(service.ctx);
  assert.deepEqual(await sum(tenant, `CourseID=${first}`), { Enrolments: 1_600 });
});

test('with very many uncounted events, the report is unavailable until the job has counted them', async () => {
  const tenant = await newTenant(service);
  const ctx = contextOf(tenant);
  const events = Array.from({ length: 1_100 }, () => ({ type: 'enrolment.created' as const, data: {} }));
  for (let n = 0; n < 5; n++) await appendEvents(ctx, events);
  expectProblem(await tenant.api('GET', '/report/activity'), 503, 'unavailable');
  await countActivity(service.ctx);
  assert.deepEqual(await sum(tenant), { Enrolments: 5_500 });
});
