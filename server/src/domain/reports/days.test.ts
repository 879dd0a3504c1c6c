import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';
import { transaction } from '../../db/transaction.ts';
import { appendEvents } from '../events/append.ts';
import type { Day } from './schemas.ts';

const dayLength = 86_400_000;
/** The clock is stopped, so that a test can write in the last millisecond of a day. */
let now = Date.now();
const service = await startService({ now: () => new Date(now) });
const node = await serve(otherNode(service.ctx));
after(async () => {
  await node.close();
  await service.close();
});
const CourseID = await newCourse(service);
await service.importPackage('phishing', await packCourse('phishing'));
await service.api('PUT', '/course/phishing/option/standard', {});

const today = () => new Date(now).toISOString().slice(0, 10);
const contextOf = ({ TenantID }: TestTenant) => ({ ...service.ctx, tenantId: TenantID });

/** Moves the clock to this many milliseconds after the start of the next day. */
function toNextDay(milliseconds: number): void {
  now = (Math.floor(now / dayLength) + 1) * dayLength + milliseconds;
}

async function daysOf(tenant: TestTenant, days = 3): Promise<Day[]> {
  const reply = await tenant.api('GET', `/overview?Days=${days}`);
  expectStatus(reply, 200);
  return reply.body.Days;
}

const enrolmentsOf = async (tenant: TestTenant, days?: number) =>
  (await daysOf(tenant, days)).map(({ Enrolments }) => Enrolments);

async function enrol(tenant: TestTenant, course = CourseID) {
  const LoginID = await tenant.user();
  const reply = await tenant.api('POST', `/enrol/${LoginID}/${course}`);
  expectStatus(reply, 201);
  return reply.body as { LoginID: string; LaunchURL: string };
}

test('without Days, thirty days are returned, oldest first, including days without activity', async () => {
  const tenant = await newTenant(service);
  const { Days } = (await tenant.api('GET', '/overview')).body;
  assert.equal(Days.length, 30);
  assert.deepEqual(Days.at(-1), { Day: today(), Enrolments: 0, Starts: 0, Completions: 0 });
  const sorted = Days.map(({ Day }: Day) => Day).toSorted();
  assert.deepEqual(
    Days.map(({ Day }: Day) => Day),
    sorted,
  );
  assert.equal(new Set(sorted).size, 30);
  assert.equal((await daysOf(tenant, 366)).length, 366);
  assert.equal((await daysOf(tenant, 1)).length, 1);
  for (const days of ['0', '367', '1.5', 'x'])
    expectProblem(await tenant.api('GET', `/overview?Days=${days}`), 422, 'validation_failed', 'Days');
});

test('an enrolment, two starts and a completion of one course each count once', async () => {
  const tenant = await newTenant(service);
  const { LoginID, LaunchURL } = await enrol(tenant, 'phishing');
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/phishing`), 200);
  await play(service, LaunchURL);
  const { commit } = await play(service, LaunchURL);
  expectStatus(await commit({ Data: scorm12('completed', 100) }), 200);
  const [last] = (await daysOf(tenant)).slice(-1);
  assert.deepEqual(last, { Day: today(), Enrolments: 1, Starts: 1, Completions: 1 });
});

test('the last millisecond of a day and the first of the next day are counted separately, regardless of when the counting happens', async () => {
  const [watched, late] = [await newTenant(service), await newTenant(service)];
  for (const milliseconds of [-1, 0]) {
    toNextDay(milliseconds);
    for (const tenant of [watched, late]) await enrol(tenant);
    const [, , last] = await enrolmentsOf(watched);
    assert.equal(last, 1);
  }
  assert.deepEqual(await enrolmentsOf(watched), [0, 1, 1]);
  now += dayLength;
  await enrol(late);
  assert.deepEqual(await enrolmentsOf(late), [1, 1, 1], 'when counted for the first time');
  assert.deepEqual(await enrolmentsOf(late), [1, 1, 1], 'when the earlier days have already been counted');
  assert.deepEqual(await enrolmentsOf(watched), [1, 1, 0]);
  now += 3 * dayLength;
  assert.deepEqual(await enrolmentsOf(watched, 6), [1, 1, 0, 0, 0, 0]);
});

test('an event committed after its day was read is still counted on that day', async () => {
  const tenant = await newTenant(service);
  const ctx = contextOf(tenant);
  const write = (context: typeof ctx) =>
    appendEvents(context, [{ type: 'enrolment.created', data: { DurationID: 'x', Reference: null } }]);
  await write(ctx);
  const overtaken = transaction(ctx, async (early) => {
    await write(early);
    // On the embedded database, no reader can run during a transaction.
    toNextDay(1);
    if (ctx.engine.kind === 'pglite') return;
    await write(ctx);
    assert.deepEqual(await enrolmentsOf(tenant), [0, 1, 1]);
    assert.deepEqual(await enrolmentsOf(tenant), [0, 1, 1]);
  });
  await overtaken;
  const last = ctx.engine.kind === 'pglite' ? 0 : 1;
  assert.deepEqual(await enrolmentsOf(tenant), [0, 2, last]);
  for (let n = 0; n < 3; n++) assert.deepEqual(await enrolmentsOf(tenant), [0, 2, last]);
});

test('with concurrent readers and writers, each count was correct at some moment, and nothing is counted twice', async () => {
  const tenant = await newTenant(service);
  const read = async () => {
    const { statusCode, body } = await node.api.inject({
      url: '/overview?Days=1',
      headers: { authorization: `Bearer ${tenant.key}` },
    });
    assert.equal(statusCode, 200, body);
    return JSON.parse(body).Days[0].Enrolments as number;
  };
  const users = 12;
  let enrolled = 0;
  const writers = Array.from({ length: users }, async () => {
    await enrol(tenant);
    enrolled++;
  });
  const readers = Array.from({ length: 12 }, async () => {
    const least = enrolled;
    const found = await read();
    assert.ok(found >= least && found <= users, `counted ${found}, expected at least ${least}`);
  });
  await Promise.all([...writers, ...readers]);
  const counts = await Promise.all(Array.from({ length: 6 }, () => read()));
  assert.deepEqual(new Set(counts), new Set([users]));
  assert.deepEqual(await enrolmentsOf(tenant, 1), [users]);
});

test("an erased user's counts are kept, and another tenant cannot see them", async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const { LoginID, LaunchURL } = await enrol(tenant);
  await play(service, LaunchURL);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  const counts = { Day: today(), Enrolments: 1, Starts: 1, Completions: 0 };
  assert.deepEqual(await daysOf(tenant, 1), [counts]);
  for (let n = 0; n < 2; n++) assert.deepEqual(await daysOf(tenant, 1), [counts]);
  assert.deepEqual(await daysOf(other, 1), [{ ...counts, Enrolments: 0, Starts: 0 }]);
});

test('a counted event is not read again', async () => {
  const tenant = await newTenant(service);
  await enrol(tenant);
  assert.deepEqual(await enrolmentsOf(tenant, 1), [1]);
  const counted = service.ctx.db.updateTable('activity_day').where('tenant_id', '=', tenant.TenantID);
  await counted.set({ enrolments: 41 }).where('kind', '=', 'total').execute();
  await enrol(tenant);
  assert.deepEqual(await enrolmentsOf(tenant, 1), [42]);
});
