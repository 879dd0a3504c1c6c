import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { planOf } from '../../../test/support/plans.ts';
import { startService } from '../../../test/support/service.ts';
import { newCourse, newTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(() => service.close());
const { engine } = service.ctx;

const [tenants, usersEach, coursesEach] = [10, 10, 10];
const fillUsers = `insert into "user" (tenant_id, user_id, login_id, password_hash, created_at, updated_at)
select $1, gen_random_uuid(), 'learner ' || n, 'random:', now(), now() from generate_series(1, $2::int) n`;
const enrolAll = `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at)
select tenant_id, gen_random_uuid(), user_id, course.id, 'standard', 'enrolment', now(), now()
from "user" cross join unnest($2::text[]) as course (id) where "user".tenant_id = $1 and login_id like 'learner %'`;

// Otherwise, PostgreSQL may choose the index on all enrolments of a user to find the current one on a course.
test('PostgreSQL estimates how many enrolments a user has, even among those of many tenants', async () => {
  const courses: string[] = [];
  for (let n = 0; n < coursesEach; n++) courses.push(await newCourse(service));
  let tenantId = '';
  for (let n = 0; n < tenants; n++) {
    ({ TenantID: tenantId } = await newTenant(service));
    await engine.query({ text: fillUsers, values: [tenantId, usersEach] });
    await engine.query({ text: enrolAll, values: [tenantId, courses] });
  }
  await engine.query({ text: '/* across tenants: statistics */ analyze enrolment', values: [] });
  const text = 'select user_id from enrolment where tenant_id = $1 limit 1';
  const { rows } = await engine.query<{ user_id: string }>({ text, values: [tenantId] });
  const own = 'select enroll_id from enrolment where tenant_id = $1 and user_id = $2';
  const plan = await planOf(engine, { text: own, values: [tenantId, rows[0]?.user_id] });
  assert.equal(plan['Actual Rows'], coursesEach);
  assert.ok(plan['Plan Rows'] >= coursesEach / 2, `expected ${plan['Plan Rows']} rows`);
});
