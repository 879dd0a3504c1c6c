import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode } from '../../../test/support/nodes.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant, unique } from '../../../test/support/tenant.ts';
import { createUser } from '../users/create-user.ts';
import { enrol } from './enrol.ts';
import { expireEnrolments } from './expire.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const CourseID = await newCourse(service, {}, { month: { Duration: 'P30D' }, week: { Duration: 'P7D' } });

/** Expires enrolments left over from earlier tests. */
async function settle() {
  clock.advance({ days: 365 });
  await expireEnrolments(service.ctx);
}

async function enrolled(tenant: TestTenant, option = 'month') {
  const LoginID = await tenant.user();
  const again = (IfEnrolled?: string) =>
    tenant.api('POST', `/enrol/${LoginID}/${CourseID}/${option}`, { ...(IfEnrolled && { IfEnrolled }) });
  const { EnrollID, LaunchURL } = (await again()).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  return {
    EnrollID,
    LaunchURL,
    again,
    put: (body: unknown) => tenant.api('PUT', address, body),
    read: async () => (await tenant.api('GET', address)).body,
    types: async () => (await tenant.events({ EnrollID })).slice(1).map(({ type }) => type),
  };
}

test('due enrolments of all tenants expire with one event each, however late the job runs', async () => {
  await settle();
  const tenants = [await newTenant(service), await newTenant(service)];
  const due = await Promise.all(tenants.map((tenant) => enrolled(tenant, 'week')));
  const running = await Promise.all(tenants.map((tenant) => enrolled(tenant)));
  assert.equal(await expireEnrolments(service.ctx), 0);
  clock.advance({ days: 20 });
  assert.equal(await expireEnrolments(service.ctx), 2);
  assert.equal(await expireEnrolments(service.ctx), 0);
  for (const { read, types } of due) {
    assert.equal((await read()).Status, 'expired');
    assert.deepEqual(await types(), ['enrolment.expired']);
  }
  for (const { read, types } of running) {
    assert.equal((await read()).Status, 'enrolled');
    assert.deepEqual(await types(), []);
  }
});

test('an expiry that has already been recorded is not reported again', async () => {
  await settle();
  const tenant = await newTenant(service);
  const [byPut, byEnrol, withdrawn] = await Promise.all([
    enrolled(tenant),
    enrolled(tenant),
    enrolled(tenant),
  ]);
  clock.advance({ days: 31 });
  await byPut.put({ Reference: 'noted' });
  expectStatus(await byEnrol.again(), 201);
  await withdrawn.put({ Withdrawn: true });
  assert.equal(await expireEnrolments(service.ctx), 0);
  for (const { types } of [byPut, byEnrol])
    assert.equal((await types()).filter((type) => type === 'enrolment.expired').length, 1);
});

test('an expiry recorded by the job is not reported again by a PUT or an enrolment, both of which still work', async () => {
  await settle();
  const tenant = await newTenant(service);
  const [byPut, byEnrol, extended] = await Promise.all([
    enrolled(tenant),
    enrolled(tenant),
    enrolled(tenant),
  ]);
  clock.advance({ days: 31 });
  assert.equal(await expireEnrolments(service.ctx), 3);
  await byPut.put({ Reference: 'later' });
  expectStatus(await byEnrol.again(), 201);
  expectStatus(await extended.again('extend'), 200);
  assert.equal((await extended.read()).Status, 'enrolled');
  for (const { types } of [byPut, byEnrol, extended])
    assert.equal((await types()).filter((type) => type === 'enrolment.expired').length, 1);
  await settle();
  assert.deepEqual(await extended.types(), ['enrolment.expired', 'enrolment.extended', 'enrolment.expired']);
});

test('a completed enrolment stays completed without an event, and a later commit still counts', async () => {
  await settle();
  const tenant = await newTenant(service);
  const [done, late] = await Promise.all([enrolled(tenant), enrolled(tenant)]);
  const completed = { Data: { 'lectern.completion': 'completed' } };
  await (await play(service, done.LaunchURL)).commit(completed);
  clock.advance({ days: 29 });
  const page = await play(service, late.LaunchURL);
  clock.advance({ days: 2 });
  assert.equal(await expireEnrolments(service.ctx), 2);
  assert.equal((await done.read()).Status, 'completed');
  assert.ok(!(await done.types()).includes('enrolment.expired'));
  assert.equal((await late.read()).Status, 'expired');
  assert.equal((await page.commit(completed)).body.Status, 'completed');
});

test('two nodes together expire 1,000 enrolments, writing one event for each', async () => {
  await settle();
  const tenant = await newTenant(service);
  const ctx = { ...service.ctx, tenantId: tenant.TenantID };
  const logins = Array.from({ length: 1000 }, () => unique('due'));
  await Promise.all(logins.map((LoginID) => createUser(ctx, { LoginID })));
  await Promise.all(logins.map((loginId) => enrol(ctx, { loginId, courseId: CourseID, durationId: 'week' })));
  clock.advance({ days: 8 });
  const other = otherNode(service.ctx);
  const ended = await Promise.all([service.ctx, other, service.ctx].map((node) => expireEnrolments(node)));
  const left = await expireEnrolments(service.ctx);
  assert.equal(
    ended.reduce((sum, count) => sum + count, left),
    1000,
  );
  const seenEvents = (await tenant.events()).filter(({ type }) => type === 'enrolment.expired');
  assert.equal(seenEvents.length, 1000);
  assert.equal(new Set(seenEvents.map(({ enroll_id }) => enroll_id)).size, 1000);
});
