import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';

let service: TestService;
before(async () => {
  service = await startService();
  for (const course of ['ladders', 'hygiene'])
    expectStatus(
      await service.api('PUT', `/course/${course}`, { Title: course, URL: 'https://web.example/' }),
      201,
    );
  for (const [course, option, body] of [
    ['ladders', 'month', { Duration: 'P30D' }],
    ['ladders', 'year', { Duration: 'P1Y' }],
    ['hygiene', 'once', { Duration: 'P1Y', StartsOn: 'launch' }],
  ] as const)
    expectStatus(await service.api('PUT', `/course/${course}/option/${option}`, body), 201);
});
after(() => service.close());

type Enrolment = { Status: number; code?: string; EnrollID?: string; Plan?: string; param?: string };
type Line = {
  Row: number;
  Status: number;
  code?: string;
  Plan?: string;
  Enrolment?: Enrolment;
  param?: string;
};

type Options = { query?: string; headers?: Record<string, string> };

async function send(tenant: Pick<TestTenant, 'api'>, rows: object[] | string, options: Options = {}) {
  const isCsv = typeof rows === 'string';
  const body = isCsv ? rows : rows.map((row) => JSON.stringify(row)).join('\n');
  const type = isCsv ? 'text/csv' : 'application/x-ndjson';
  const headers = { 'content-type': type, ...options.headers };
  const reply = await tenant.api('POST', `/user/bulk${options.query ?? ''}`, body, headers);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as string;
}

async function bulk(tenant: Pick<TestTenant, 'api'>, rows: object[] | string, options: Options = {}) {
  const text = await send(tenant, rows, options);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line): Line => JSON.parse(line));
}

const short = ({ Row, Status, code, Enrolment }: Line) => [
  Row,
  Status,
  code,
  Enrolment?.Status,
  Enrolment?.code,
];
const enrolmentsOf = async (tenant: TestTenant, loginId: string) =>
  (await tenant.api('GET', `/enrolment/${loginId}`)).body.Items;

const people = [
  { LoginID: 'ann', FirstName: 'Ann', CourseID: 'ladders', DurationID: 'month' },
  { LoginID: 'ann', FirstName: 'Ann', CourseID: 'hygiene' },
  { LoginID: 'bo', FirstName: 'Bo' },
  { LoginID: 'cy', FirstName: 'Cy', CourseID: 'ladders' },
  { LoginID: 'ann', FirstName: 'Anna', CourseID: 'ladders', DurationID: 'year' },
  { LoginID: 'di', CourseID: 'nowhere' },
  { LoginID: 'ed', Enabled: false, CourseID: 'hygiene' },
  { LoginID: 'flo', DurationID: 'month' },
  { LoginID: 'gus', Email: 'none', CourseID: 'hygiene' },
];

const expected = [
  [1, 201, undefined, 201, undefined],
  [2, 200, undefined, 201, undefined],
  [3, 201, undefined, undefined, undefined],
  [4, 201, undefined, 409, 'multiple_enrolment_options'],
  [5, 409, 'user_exists', undefined, undefined],
  [6, 201, undefined, 404, 'course_not_found'],
  [7, 201, undefined, 409, 'user_disabled'],
  [8, 422, 'validation_failed', undefined, undefined],
  [9, 422, 'validation_failed', undefined, undefined],
];

test('a row creates a user and enrols them; a user in several rows has several enrolments', async () => {
  const tenant = await newTenant(service);
  const planned = await bulk(tenant, people, { query: '?Plan=true' });
  assert.deepEqual(planned.map(short), expected);
  assert.deepEqual(
    planned.slice(0, 5).map(({ Plan, Enrolment }) => [Plan, Enrolment?.Plan]),
    [
      ['created', 'created'],
      ['exists', 'created'],
      ['created', undefined],
      ['created', 'error'],
      ['differs', undefined],
    ],
  );
  assert.equal((await tenant.api('GET', '/user/ann')).status, 404);
  assert.deepEqual((await tenant.api('GET', '/events')).body.Items, []);

  const lines = await bulk(tenant, people);
  assert.deepEqual(lines.map(short), expected);
  assert.equal(lines[7]?.param, 'CourseID');
  assert.equal((await enrolmentsOf(tenant, 'ann')).length, 2);
  // The user is kept if the enrolment is rejected, and nothing is stored if the user is rejected.
  assert.equal((await tenant.api('GET', '/user/cy')).body.FirstName, 'Cy');
  assert.deepEqual(await enrolmentsOf(tenant, 'cy'), []);
  for (const id of ['flo', 'gus']) assert.equal((await tenant.api('GET', `/user/${id}`)).status, 404);

  const again = await bulk(tenant, people.slice(0, 2));
  assert.deepEqual(
    again.map(({ Status, Enrolment }) => [Status, Enrolment?.Status, Enrolment?.EnrollID]),
    lines.slice(0, 2).map(({ Enrolment }) => [200, 200, Enrolment?.EnrollID]),
  );
});

test('an Idempotency-Key covers both steps: a repeated call returns the same rows and extends once', async () => {
  const tenant = await newTenant(service);
  const headers = { 'idempotency-key': 'people' };
  const first = await bulk(tenant, people, { headers });
  assert.deepEqual(first.map(short), expected);
  assert.deepEqual(await bulk(tenant, people, { headers }), first);
  const extend = [{ LoginID: 'ann', CourseID: 'ladders', DurationID: 'month', IfEnrolled: 'extend' }];
  const ends: string[] = [];
  for (const _ of [1, 2]) {
    await bulk(tenant, extend, { headers: { 'idempotency-key': 'extend' } });
    ends.push(
      (await enrolmentsOf(tenant, 'ann')).find(
        (one: Line & { CourseID: string }) => one.CourseID === 'ladders',
      ).ExpiresAt,
    );
  }
  assert.equal(ends[0], ends[1]);
});

test('CSV: the columns of the enrolment are added only if the file names courses', async () => {
  const tenant = await newTenant(service);
  const accept = { accept: 'text/csv' };
  const without = await send(tenant, 'LoginID,FirstName\nann,Ann\n', { headers: accept });
  assert.equal(without, 'Row,Status,LoginID,code,param,detail\r\n1,201,ann,,,\r\n');
  // No course in the first chunk of rows.
  const rows = Array.from({ length: 250 }, (_, at) => `p${at},,\n`).join('');
  const csv = `LoginID,CourseID,Metadata.shift\n${rows}ann,hygiene,night\nbo,nowhere,\n`;
  const planned = (await send(tenant, csv, { headers: accept, query: '?Plan=true' })).split('\r\n');
  assert.equal(
    planned[0],
    'Row,Status,Plan,LoginID,code,param,detail,Enrolment.Status,Enrolment.Plan,Enrolment.CourseID,Enrolment.DurationID,Enrolment.code,Enrolment.param,Enrolment.detail',
  );
  assert.equal(planned[251], '251,200,exists,ann,,,,201,created,hygiene,,,,');
  const made = (await send(tenant, csv, { headers: accept })).split('\r\n');
  assert.match(made[251] ?? '', /^251,200,ann,,,,200|201,hygiene,once,[0-9a-f-]{36},http/);
  assert.match(made[252] ?? '', /^252,201,bo,,,,404,nowhere,,,,course_not_found,CourseID,/);
  const [enrolment] = await enrolmentsOf(tenant, 'ann');
  assert.deepEqual(enrolment.Metadata, { shift: 'night' });
});

test('ExpiresAt replaces the duration, extends access but never shortens it, and must be in the future', async () => {
  const tenant = await newTenant(service);
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const [soon, later, past] = [day(10), day(400), day(-1)];
  const end = async (course: string) =>
    (await enrolmentsOf(tenant, 'ann')).find((one: { CourseID: string }) => one.CourseID === course)
      .ExpiresAt;
  const month = { LoginID: 'ann', CourseID: 'ladders', DurationID: 'month' };
  const once = { LoginID: 'ann', CourseID: 'hygiene' };
  assert.deepEqual((await bulk(tenant, [{ ...month, ExpiresAt: past }])).map(short), [
    [1, 201, undefined, 422, 'validation_failed'],
  ]);
  await bulk(tenant, [
    { ...month, ExpiresAt: soon },
    { ...once, ExpiresAt: soon },
  ]);
  assert.deepEqual([await end('ladders'), await end('hygiene')], [soon, soon]);
  // A current enrolment that is returned keeps its end.
  await bulk(tenant, [{ ...month, ExpiresAt: later }]);
  assert.equal(await end('ladders'), soon);
  for (const ExpiresAt of [later, soon])
    await bulk(tenant, [
      { ...month, ExpiresAt, IfEnrolled: 'extend' },
      { ...once, ExpiresAt, IfEnrolled: 'extend' },
    ]);
  assert.deepEqual([await end('ladders'), await end('hygiene')], [later, later]);
  expectStatus(
    await tenant.api('PUT', `/enrolment/ann/${(await enrolmentsOf(tenant, 'ann'))[0].EnrollID}`, {
      ExpiresAt: null,
    }),
    200,
  );
  const single = await tenant.api('POST', '/enrol/ann/ladders/month', {
    ExpiresAt: soon,
    IfEnrolled: 'extend',
  });
  const other = await tenant.api('POST', '/enrol/ann/hygiene', { ExpiresAt: soon, IfEnrolled: 'extend' });
  assert.deepEqual(new Set([single.body.ExpiresAt, other.body.ExpiresAt]), new Set([null, later]));
  const renewed = await tenant.api('POST', '/enrol/ann/ladders/month', {
    ExpiresAt: soon,
    IfEnrolled: 'renew',
  });
  assert.deepEqual([renewed.status, renewed.body.ExpiresAt], [201, soon]);
  assert.equal((await tenant.api('POST', '/enrol/ann/hygiene', { ExpiresAt: past })).body.param, 'ExpiresAt');
});

test('enrolling needs its own scope, and other tenants’ users are not touched', async () => {
  const tenant = await newTenant(service);
  const created = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'HR',
    Scopes: ['users:write'],
  });
  const row = { LoginID: 'ann', CourseID: 'hygiene' };
  for (const query of ['?Plan=true', '']) {
    const reply = await service.api('POST', `/user/bulk${query}`, JSON.stringify(row), created.body.Secret, {
      'content-type': 'application/x-ndjson',
    });
    assert.deepEqual(short(JSON.parse(reply.body as string)), [1, 201, undefined, 403, 'scope_missing']);
  }
  assert.deepEqual(await enrolmentsOf(tenant, 'ann'), []);
  const other = await newTenant(service);
  const missing = [{ ...row, IfMissing: 'fail' }];
  assert.deepEqual((await bulk(other, missing)).map(short), [
    [1, 404, 'user_not_found', undefined, undefined],
  ]);
});

test('seats are counted over the rows of a plan and of a call', async () => {
  expectStatus(await service.api('PUT', '/course/few', { Title: 'few', URL: 'https://web.example/' }), 201);
  expectStatus(await service.api('PUT', '/course/few/option/one', { Seats: 30 }), 201);
  const tenant = await newTenant(service);
  const rows = Array.from({ length: 50 }, (_, at) => ({ LoginID: `s${at}`, CourseID: 'few' }));
  for (const options of [{ query: '?Plan=true' }, { headers: { 'idempotency-key': 'seats' } }, {}]) {
    const lines = await bulk(tenant, rows, options);
    const full = lines.filter(({ Enrolment }) => Enrolment?.code === 'no_seats_left');
    assert.equal(full.length, 20, JSON.stringify(options));
    assert.ok(lines.every(({ Status }) => Status < 300));
  }
});

test('a plan warns of each row of a user whose LoginID differs only in case from an existing one', async () => {
  const tenant = await newTenant(service);
  expectStatus(await tenant.api('POST', '/user', { LoginID: 'bob' }), 201);
  const rows = [
    { LoginID: 'Bob', CourseID: 'ladders', DurationID: 'year' },
    { LoginID: 'Bob', CourseID: 'hygiene', DurationID: 'once' },
    { LoginID: 'bob', CourseID: 'hygiene', DurationID: 'once' },
  ];
  const planned = (await bulk(tenant, rows, { query: '?Plan=true' })) as (Line & {
    SimilarLoginID?: string;
  })[];
  assert.deepEqual(
    planned.map(({ SimilarLoginID, Enrolment }) => [SimilarLoginID, Enrolment?.Plan]),
    [
      ['bob', 'created'],
      ['bob', 'created'],
      [undefined, 'created'],
    ],
  );
});
