import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { startService, type TestService } from '../../../test/support/service.ts';

let service: TestService;
before(async () => {
  service = await startService();
  for (const [course, option] of [
    ['one', 'only'],
    ['two', 'short'],
    ['two', 'long'],
  ]) {
    await service.api('PUT', `/course/${course}`, { Title: String(course), URL: 'https://example.com/' });
    await service.api('PUT', `/course/${course}/option/${option}`, { Duration: 'P30D' });
  }
  for (const id of ['a', 'b', 'c', '=cmd'])
    await service.api('POST', '/user', { LoginID: id, GroupName: 'bulk' });
});
after(() => service.close());

type Line = Record<string, unknown>;

async function bulk(rows: Line[], query = '', headers: Record<string, string> = {}): Promise<Line[]> {
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  const reply = await service.api('POST', `/enrol/bulk${query}`, body, undefined, {
    'content-type': 'application/x-ndjson',
    ...headers,
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return (reply.body as string)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const list = async (loginId: string) => (await service.api('GET', `/enrolment/${loginId}`)).body.Items;

test('each row enrols a user, with the same codes as a single call', async () => {
  const lines = await bulk([
    { LoginID: 'a', CourseID: 'one', Reference: 'order 1', Metadata: { colour: 'red' } },
    { LoginID: 'a', CourseID: 'one' },
    { LoginID: 'a', CourseID: 'two' },
    { LoginID: 'a', CourseID: 'two', DurationID: 'long' },
    { LoginID: 'nobody', CourseID: 'one' },
    { LoginID: 'a', CourseID: 'none' },
    { LoginID: 'a', CourseID: 'one', IfEnrolled: 'fail' },
    { LoginID: 'a' },
  ]);
  assert.deepEqual(
    lines.map(({ Row, Status, code }) => [Row, Status, code]),
    [
      [1, 201, undefined],
      [2, 200, undefined],
      [3, 409, 'multiple_enrolment_options'],
      [4, 201, undefined],
      [5, 404, 'user_not_found'],
      [6, 404, 'course_not_found'],
      [7, 409, 'already_enrolled'],
      [8, 422, 'validation_failed'],
    ],
  );
  assert.equal(lines[1]?.EnrollID, lines[0]?.EnrollID);
  assert.match(String(lines[0]?.LaunchURL), /\/launch\?key=/);
  assert.deepEqual(
    (lines[2]?.AvailableEnrolOptions as { DurationID: string }[] | undefined)?.map((o) => o.DurationID),
    ['short', 'long'],
  );
  const enrolment = (await list('a')).find(({ CourseID }: Line) => CourseID === 'one');
  assert.deepEqual([enrolment.Reference, enrolment.Metadata], ['order 1', { colour: 'red' }]);
});

test('the IDs from which spaces were removed are listed, also if the row is rejected', async () => {
  await service.api('POST', '/user', { LoginID: 'spaced' });
  const rows = [
    { LoginID: ' spaced', CourseID: 'one ' },
    { LoginID: 'spaced', CourseID: ' none' },
    { LoginID: 'spaced', CourseID: 'one' },
  ];
  for (const query of ['?Plan=true', ''])
    assert.deepEqual(
      (await bulk(rows, query)).map(({ Status, CourseID, Trimmed }) => [Status, CourseID, Trimmed]),
      [
        [201, 'one', ['LoginID', 'CourseID']],
        [404, 'none', ['CourseID']],
        [200, 'one', undefined],
      ],
    );
});

test('plan=true changes nothing and writes no event', async () => {
  const rows = [
    { LoginID: 'b', CourseID: 'one' },
    { LoginID: 'a', CourseID: 'one' },
    { LoginID: 'b', CourseID: 'two' },
  ];
  const count = sql<{ n: number }>`select count(*)::int as n from event where tenant_id = 'test'`;
  const before = await count.execute(service.ctx.db);
  const lines = await bulk(rows, '?Plan=true');
  assert.deepEqual(
    lines.map(({ Status, Plan, EnrollID }) => [Status, Plan, EnrollID]),
    [
      [201, 'created', undefined],
      [200, 'exists', undefined],
      [409, 'error', undefined],
    ],
  );
  assert.deepEqual(await list('b'), []);
  assert.deepEqual((await count.execute(service.ctx.db)).rows, before.rows);
});

test('a repeated extend call with an Idempotency-Key extends the enrolment once', async () => {
  const rows = [{ LoginID: 'c', CourseID: 'one', IfEnrolled: 'extend' }];
  await bulk(rows);
  await bulk(rows, '', { 'idempotency-key': 'extend' });
  const [once] = await list('c');
  await bulk(rows, '', { 'idempotency-key': 'extend' });
  const [again] = await list('c');
  assert.equal(again.ExpiresAt, once.ExpiresAt);
  await bulk(rows, '', { 'idempotency-key': 'extend 2' });
  const [later] = await list('c');
  assert.ok(later.ExpiresAt > once.ExpiresAt);
});

test('CSV has a column for each member of Metadata', async () => {
  const csv = 'LoginID,CourseID,Metadata.cost centre\nb,one,4711\n';
  const reply = await service.api('POST', '/enrol/bulk', csv, undefined, { 'content-type': 'text/csv' });
  assert.equal(JSON.parse(reply.body).Status, 201);
  const [enrolment] = await list('b');
  assert.deepEqual(enrolment.Metadata, { 'cost centre': '4711' });
});

test('another tenant’s users are not found', async () => {
  await service.api('POST', '/tenant', { TenantID: 'other' });
  const [line] = await bulk([{ LoginID: 'a', CourseID: 'one' }], '', { tenant: 'other' });
  assert.equal(line?.code, 'user_not_found');
});

test('lists are returned as CSV or NDJSON according to Accept, with all pages, the same filters and no formulas', async () => {
  const rows = Array.from({ length: 430 }, (_, n) => ({ LoginID: `x-${String(n).padStart(3, '0')}` }));
  await service.api('POST', '/user/bulk', rows.map((row) => JSON.stringify(row)).join('\n'), undefined, {
    'content-type': 'application/x-ndjson',
  });
  const get = (path: string, accept: string) =>
    service.api('GET', path, undefined, undefined, { accept }) as Promise<{ body: string; status: number }>;
  const lines = (await get('/user?Search=x-', 'application/x-ndjson')).body.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).LoginID),
    rows.map(({ LoginID }) => LoginID),
  );
  const csv = (await get('/user?GroupName=bulk', 'text/csv')).body.split('\r\n');
  assert.match(csv[0] ?? '', /^LoginID,FirstName,LastName,GroupName,/);
  assert.match(csv[1] ?? '', /^'=cmd,,,bulk,,,"\[""bulk""\]",\{\},false,false,true,/);
  assert.equal(csv.length, 6);
  const raw = (await get('/user?GroupName=bulk', 'text/csv; formulas=raw')).body.split('\r\n');
  assert.match(raw[1] ?? '', /^=cmd,/);
  const enrolments = (await get('/enrolment?CourseID=two', 'text/csv')).body.trim().split('\r\n');
  assert.equal(enrolments.length, 2);
  assert.equal((await get('/enrolment?Status=nonsense', 'text/csv')).status, 422);
});
