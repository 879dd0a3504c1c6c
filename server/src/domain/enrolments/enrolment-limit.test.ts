import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(() => service.close());

function bodyOf(reply: Awaited<ReturnType<typeof service.api>>, status: number) {
  expectStatus(reply, status);
  return reply.body;
}

test('a user has at most 2,000 enrolments, because a change of group updates all of them', async () => {
  const { api, TenantID, user } = await newTenant(service);
  const CourseID = await newCourse(service);
  const LoginID = await user({ GroupName: 'Sales' });
  const enrol = (body: object = {}) => api('POST', `/enrol/${LoginID}/${CourseID}`, body);
  expectStatus(await enrol(), 201);
  const ended = async (count: number) =>
    service.ctx.engine.query({
      text: `/* across tenants: a test fills a table */
        insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at,
          status, ended_at)
        select tenant_id, gen_random_uuid(), user_id, course_id, duration_id, starts_on, now(), now(), 'expired', now()
        from enrolment cross join generate_series(1, $2) where tenant_id = $1 and ended_at is null`,
      values: [TenantID, count],
    });
  await ended(1_998);
  const { EnrollID } = bodyOf(await enrol({ IfEnrolled: 'renew' }), 201);
  expectProblem(await enrol({ IfEnrolled: 'renew' }), 409, 'too_many_enrolments');
  expectStatus(await enrol({ IfEnrolled: 'extend' }), 200);
  assert.equal(bodyOf(await enrol(), 200).EnrollID, EnrollID);
  expectStatus(await api('PUT', `/user/${LoginID}`, { GroupName: 'Stock' }), 200);
});
