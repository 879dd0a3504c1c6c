import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { newCourse, newTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const tenant = await newTenant(service);
const { api, TenantID } = tenant;
const LoginID = await tenant.user();

test("an export reads an enrolment's rows in pages and contains each row once", async () => {
  const CourseID = await newCourse(service);
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const { db } = service.ctx;
  await sql`insert into attempt_unit (tenant_id, enroll_id, unit_id, commit_number, data, evidence, updated_at)
    select ${TenantID}, ${EnrollID}, 'unit ' || n, n, jsonb_build_object('n', n), '{}', now()
    from generate_series(1, 9) n`.execute(db);
  await sql`insert into launch (tenant_id, enroll_id, number, launch_id, started_at, last_seen_at)
    select ${TenantID}, ${EnrollID}, n, gen_random_uuid(), now(), now() from generate_series(1, 401) n`.execute(
    db,
  );
  await sql`insert into run_time_commit (tenant_id, enroll_id, launch, number, unit_id, evidence, committed_at)
    select ${TenantID}, ${EnrollID}, launch, number, 'unit', '{}', now()
    from generate_series(1, 2) launch, generate_series(1, 150) number`.execute(db);
  const { body } = await api('GET', `/user/${LoginID}/export`);
  const numbers = (rows: { Number: number }[]) => rows.map((row) => row.Number);
  assert.deepEqual(
    new Set(body.RunTimeData.map(({ UnitID }: { UnitID: string }) => UnitID)).size,
    body.RunTimeData.length,
  );
  assert.equal(body.RunTimeData.length, 9);
  assert.deepEqual(
    numbers(body.Launches),
    Array.from({ length: 401 }, (_, at) => at + 1),
  );
  const ofLaunch = Array.from({ length: 150 }, (_, at) => at + 1);
  assert.deepEqual(numbers(body.Commits), [...ofLaunch, ...ofLaunch]);
});
