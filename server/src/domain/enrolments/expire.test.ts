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

test('a tenant with many due enrolments does not hold up those of other tenants', async () => {
  await settle();
  const many = await newTenant(service);
  const LoginID = await many.user();
  expectStatus(await many.api('POST', `/enrol/${LoginID}/${CourseID}/week`), 201);
  await service.ctx.engine.query({
    text: `/* across tenants: a test fills a table */
      with made as (
        insert into "user" (tenant_id, user_id, login_id, is_admin, register, enabled, password_hash, created_at, updated_at)
        select tenant_id, gen_random_uuid(), 'many-' || n, false, false, true, password_hash, created_at, updated_at
        from "user" cross join generate_series(1, 1500) n where tenant_id = $1 returning tenant_id, user_id
      )
      insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at, status, expires_at)
      select first.tenant_id, gen_random_uuid(), made.user_id, first.course_id, first.duration_id, first.starts_on,
        first.enrolled_at, first.changed_at, 'completed', first.expires_at
      from made join enrolment first on first.tenant_id = made.tenant_id`,
    values: [many.TenantID],
  });
  // Completed enrolments end without an event, so the tenant keeps its place in the log table.
  await service.ctx.engine.query({
    text: `update enrolment set status = 'completed' where tenant_id = $1`,
    values: [many.TenantID],
  });
  const others = await Promise.all(Array.from({ length: 8 }, () => newTenant(service)));
  const later = await Promise.all(others.map((tenant) => enrolled(tenant, 'week')));
  clock.advance({ days: 8 });
  let time = clock.now().getTime();
  const now = () => new Date(time++);
  assert.equal(await expireEnrolments({ ...service.ctx, now }), 1_509);
  const ids = (await Promise.all(later.map(({ read }) => read()))).map(({ EnrollID }) => EnrollID);
  const { rows } = await service.ctx.engine.query<{ earlier: number }>({
    text: `/* across tenants: a test compares tenants */
      select count(*)::integer as earlier from enrolment where tenant_id = $1
        and changed_at < (select max(changed_at) from enrolment where enroll_id = any($2::uuid[]))`,
    values: [many.TenantID, ids],
  });
  const earlier = rows[0]?.earlier ?? 0;
  assert.ok(earlier > 0 && earlier <= 400, `${earlier} enrolments came first`);
});
