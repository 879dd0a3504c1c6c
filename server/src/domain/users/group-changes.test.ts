import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';

// A change of a user's group changes all their enrolments, so bulk calls change few groups per transaction.

const service = await startService();
after(service.close);

type Line = { Row: number; Status: number; Plan?: string; Changed?: string[]; code?: string };

/** A tenant with ten users in a group, each with 1,000 enrolments. */
async function withManyEnrolments() {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const users: string[] = [];
  for (let n = 0; n < 10; n++) {
    const LoginID = await tenant.user({ GroupName: 'Sales' });
    expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`, {}), 201);
    users.push(LoginID);
  }
  await service.ctx.engine.query({
    text: `/* across tenants: a test fills a table */
      insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at,
        status, ended_at, group_name)
      select tenant_id, gen_random_uuid(), user_id, course_id, duration_id, starts_on, now(), now(), 'expired', now(), group_name
      from enrolment cross join generate_series(1, 999) where tenant_id = $1 and ended_at is null`,
    values: [tenant.TenantID],
  });
  async function bulk(rows: object[], { query = '', headers = {} } = {}): Promise<Line[]> {
    const body = rows.map((row) => JSON.stringify(row)).join('\n');
    const type = { 'content-type': 'application/x-ndjson', ...headers };
    const reply = await tenant.api('POST', `/user/bulk${query}`, body, type);
    expectStatus(reply, 200);
    const lines: string[] = reply.body.split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line));
  }
  /** How many enrolments are in a group, and how many of them the largest transaction wrote. */
  async function changed(group: string): Promise<{ total: number; together: number }> {
    const { rows } = await service.ctx.engine.query<{ total: number; together: number }>({
      text: `/* across tenants: a test counts what was written */
        select sum(written)::integer as total, max(written)::integer as together from (
          select count(*) as written from enrolment where tenant_id = $1 and group_name = $2 group by xmin::text
        ) transaction`,
      values: [tenant.TenantID, group],
    });
    return rows[0] as { total: number; together: number };
  }
  return { ...tenant, users, bulk, changed };
}

for (const headers of [{}, { 'idempotency-key': 'moved' }]) {
  const kind = Object.keys(headers).length === 0 ? 'a bulk call' : 'a bulk call with an Idempotency-Key';
  test(`${kind} changes at most 5,000 enrolments per transaction`, async () => {
    const { users, bulk, changed, events } = await withManyEnrolments();
    const rows = users.map((LoginID) => ({ LoginID, IfExists: 'update', GroupName: 'Stock' }));
    const planned = await bulk(rows, { query: '?Plan=true' });
    assert.ok(planned.every(({ Plan }) => Plan === 'updated'));
    assert.equal((await changed('Sales')).total, 10_000);
    const lines = await bulk(rows, { headers });
    assert.deepEqual(
      lines.map(({ Row, Status, Changed }) => ({ Row, Status, Changed })),
      rows.map((_, n) => ({ Row: n + 1, Status: 200, Changed: ['GroupName'] })),
    );
    assert.deepEqual(await changed('Stock'), { total: 10_000, together: 5_000 });
    for (const LoginID of users)
      assert.deepEqual((await events({ LoginID })).filter(({ type }) => type === 'user.updated').length, 1);
  });

  test(`in ${kind}, rows for a user whose change has to wait stay in order`, async () => {
    const { users, bulk, changed, api } = await withManyEnrolments();
    const row = (LoginID: string | undefined, GroupName: string) => ({
      LoginID,
      IfExists: 'update',
      GroupName,
    });
    const [first, second] = users;
    const rows = ['A', 'B', 'C', 'D'].flatMap((group) => users.map((LoginID) => row(LoginID, group)));
    rows.push(row(first, 'E'), row(second, 'E'), row(first, 'F'));
    const lines = await bulk([...rows, { LoginID: first, GroupName: 'F' }], { headers });
    assert.deepEqual(
      lines.map(({ Status }) => Status),
      Array(44).fill(200),
    );
    const { total, together } = await changed('D');
    assert.equal(total, 8_000);
    assert.ok(together <= 5_000, `${together} enrolments in one transaction`);
    assert.equal((await api('GET', `/user/${first}`)).body.GroupName, 'F');
    assert.equal((await api('GET', `/user/${second}`)).body.GroupName, 'E');
  });
}
