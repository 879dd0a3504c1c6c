import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { startService, type TestService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../../test/support/tenant.ts';

let service: TestService;
let tenant: TestTenant;
let courses: string[];
const people = Array.from({ length: 12 }, (_, n) => `p${n}`);
const statuses = ['completed', 'enrolled', 'expired', 'in_progress', 'withdrawn'];

type Row = { EnrollID: string; Status: string; CourseID: string; LoginID: string };

before(async () => {
  service = await startService();
  tenant = await newTenant(service);
  courses = [await newCourse(service), await newCourse(service)];
  const other = await newTenant(service);
  for (const one of [tenant, other]) {
    const rows = people.flatMap((LoginID, n) =>
      courses.map((CourseID) => ({ LoginID, GroupName: n % 2 ? 'odd' : 'even', CourseID })),
    );
    const body = rows.map((row) => JSON.stringify(row)).join('\n');
    const type = { 'content-type': 'application/x-ndjson' };
    expectStatus(await one.api('POST', '/user/bulk', body, type), 200);
  }
  for (const [n, LoginID] of people.entries())
    await sql`update enrolment set status = ${statuses[n % 5]}, ended_at = ${n % 5 === 2 || n % 5 === 4 ? new Date() : null}
      from "user" owner where owner.tenant_id = ${tenant.TenantID} and owner.user_id = enrolment.user_id
        and enrolment.tenant_id = ${tenant.TenantID} and owner.login_id = ${LoginID}`.execute(service.ctx.db);
});
after(() => service.close());

async function listed(query: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = ''; ; ) {
    const { body, status } = await tenant.api('GET', `/enrolment?Limit=5${query}${cursor}`);
    assert.equal(status, 200, JSON.stringify(body));
    rows.push(...body.Items);
    if (body.NextCursor === null) return rows;
    cursor = `&Cursor=${body.NextCursor}`;
  }
}

const sorted = (rows: readonly Row[]) =>
  rows.toSorted((one, other) => {
    const [a, b] = [one, other].map(({ Status, EnrollID }) => `${Status} ${EnrollID}`);
    return String(a) < String(b) ? -1 : 1;
  });

test('enrolments are sorted by status and creation, over all pages and with each filter', async () => {
  const all = await listed('');
  assert.equal(all.length, 24);
  const filters = {
    '': () => true,
    '&CourseID={course}': ({ CourseID }: Row) => CourseID === courses[0],
    '&CourseID={course}&DurationID=standard': ({ CourseID }: Row) => CourseID === courses[0],
    '&CourseID={course}&Status=enrolled': ({ CourseID, Status }: Row) =>
      CourseID === courses[0] && Status === 'enrolled',
    '&GroupName=odd': ({ LoginID }: Row) => Number(LoginID.slice(1)) % 2 === 1,
    '&Status=expired': ({ Status }: Row) => Status === 'expired',
    '&LoginID=p3': ({ LoginID }: Row) => LoginID === 'p3',
  };
  for (const [filter, matches] of Object.entries(filters)) {
    const query = filter.replace('{course}', String(courses[0]));
    const expected = sorted(all.filter(matches));
    assert.ok(expected.length > 0, filter);
    assert.deepEqual(await listed(`&Order=status${query}`), expected, filter);
    assert.deepEqual(await listed(`&Order=status_descending${query}`), expected.toReversed(), filter);
  }
  const { body } = await tenant.api('GET', '/enrolment?Order=status&Count=true&Limit=1&GroupName=odd');
  assert.deepEqual(body.Count, { Records: 12, More: false });
});

test('an order by status cannot be combined with a filter that has its own order, or with the cursor of another order', async () => {
  for (const filter of ['ChangedAfter', 'ExpiresAfter', 'ExpiresBefore']) {
    const { status, body } = await tenant.api(
      'GET',
      `/enrolment?Order=status&${filter}=2020-01-01T00:00:00Z`,
    );
    assert.deepEqual([status, body.param], [422, 'Order'], filter);
  }
  const cursorOf = async (query: string) =>
    (await tenant.api('GET', `/enrolment?Limit=1${query}`)).body.NextCursor;
  const forged = Buffer.from(JSON.stringify(["x' 0197a1b2-0000-7000-8000-000000000000"])).toString(
    'base64url',
  );
  const tried = [
    ['&Order=status', await cursorOf('')],
    ['&Order=newest', await cursorOf('&Order=status')],
    ['&Order=status', forged],
  ];
  for (const [query, cursor] of tried) {
    const { status, body } = await tenant.api('GET', `/enrolment?Limit=1${query}&Cursor=${cursor}`);
    assert.deepEqual([status, body.param], [422, 'Cursor']);
  }
  assert.equal((await tenant.api('GET', '/enrolment/p1?Order=status')).status, 422);
});
