import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { lockWaits } from '../../../test/support/lock-waits.ts';
import { observed, onEngine, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { newCourse, newTenant, unique } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import type { Context } from '../../infra/context/context.ts';
import { eraseUser } from '../privacy/erase.ts';
import { createUser } from '../users/create-user.ts';
import { enrol } from './enrol.ts';

// Taking a seat locks the option, which all tenants share, until the transaction ends.

const service = await startService();
after(() => service.close());
const { api, events, key, TenantID } = await newTenant(service);
const tenant = { ...service.ctx, tenantId: TenantID };

type Line = { Status: number; Plan?: string; EnrollID?: string; code?: string };
const rowsOf = (logins: string[], CourseID: string, more: object = {}) =>
  logins.map((LoginID) => ({ LoginID, CourseID, ...more }));
const toLines = (body: string): Line[] =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const asRows = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const ndjson = { 'content-type': 'application/x-ndjson' };

async function bulk(rows: object[], query = '', headers: Record<string, string> = {}): Promise<Line[]> {
  return toLines((await api('POST', `/enrol/bulk${query}`, asRows(rows), { ...ndjson, ...headers })).body);
}

/** Sends a bulk enrolment to a new node that uses the database through this context. */
async function bulkOn(ctx: Context, rows: object[], { query = '', headers = {} } = {}) {
  const node = await serve(ctx);
  try {
    const reply = await node.api.inject({
      method: 'POST',
      url: `/enrol/bulk${query}`,
      payload: asRows(rows),
      headers: { authorization: `Bearer ${key}`, ...ndjson, ...headers },
    });
    return { lines: toLines(reply.body), headers: reply.headers };
  } finally {
    await node.close();
  }
}

async function people(count: number): Promise<string[]> {
  const logins = Array.from({ length: count }, () => unique('seated'));
  await Promise.all(logins.map((LoginID) => createUser(tenant, { LoginID })));
  return logins;
}

/** The courses of the enrolments that each transaction created. */
async function coursesByTransaction(courses: string[]): Promise<string[][]> {
  const { rows } = await sql<{ courses: string[] }>`
    select array_agg(enrolment.course_id) as courses from enrolment
    where enrolment.tenant_id = ${TenantID} and enrolment.course_id = any(${courses})
    group by enrolment.xmin::text`.execute(service.ctx.db);
  return rows.map((row) => row.courses);
}

async function mostSeatsTogether(course: string): Promise<number> {
  return Math.max(...(await coursesByTransaction([course])).map(({ length }) => length));
}

const seatsLeft = async (course: string) =>
  (await service.api('GET', `/course/${course}`)).body.EnrolOptions[0].SeatsLeft;

/** A context that reports how many seats are taken at the end of each transaction, even if it is rolled back. */
function countingSeats(course: string, counts: number[]): Context {
  const { engine } = service.ctx;
  return onEngine(service.ctx, {
    ...engine,
    transaction: (work, queue) =>
      engine.transaction(async (connection) => {
        try {
          return await work(connection);
        } finally {
          const text = 'select option.seats_taken from enrol_option option where option.course_id = $1';
          const { rows } = await connection.query<{ seats_taken: number }>({ text, values: [course] });
          counts.push(rows[0]?.seats_taken ?? 0);
        }
      }, queue),
  });
}

const codes = (lines: Line[]) => lines.map(({ Status, Plan, code }) => Plan ?? code ?? Status);
const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);
const sorted = (values: unknown[]) => values.map(String).sort();

test('a plan takes no seats', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 100 } });
  const counts: number[] = [];
  const { lines } = await bulkOn(countingSeats(course, counts), rowsOf(await people(30), course), {
    query: '?Plan=true',
  });
  assert.deepEqual(codes(lines), times(30, 'created'));
  assert.ok(counts.length > 0);
  assert.equal(Math.max(...counts), 0);
});

test('a plan counts the seats that its own rows would take', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 23 } });
  const [first = '', second = '', third = '', ...others] = await people(33);
  await bulk(rowsOf([first, second, third], course));
  const renewals = times(2, { LoginID: first, CourseID: course, IfEnrolled: 'renew' });
  const renewed = await bulk([...renewals, ...rowsOf([second, second], course)], '?Plan=true');
  assert.deepEqual(codes(renewed), ['created', 'created', 'exists', 'exists']);

  const planned = await bulk([...rowsOf(others, course), ...rowsOf([third], course)], '?Plan=true');
  const full = planned.filter(({ code }) => code === 'no_seats_left');
  assert.deepEqual(
    sorted(codes(planned)),
    sorted([...times(20, 'created'), ...times(10, 'error'), 'exists']),
  );
  assert.equal(full.length, 10);
  assert.equal(await seatsLeft(course), 20);

  const done = await bulk([...rowsOf(others, course), ...rowsOf([third], course)]);
  assert.deepEqual(
    done.map(({ Status }) => Status),
    planned.map(({ Status }) => Status),
  );
});

test('a plan counts the seats of users who appear in it several times', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 3 } });
  const [one = '', two = ''] = await people(2);
  const renew = { CourseID: course, IfEnrolled: 'renew' };
  const rows = [...times(3, { LoginID: one, ...renew }), ...times(3, { LoginID: two, ...renew })];
  const planned = await bulk(rows, '?Plan=true');
  assert.deepEqual(sorted(codes(planned)), sorted([...times(3, 'created'), ...times(3, 'error')]));
  const done = await bulk(rows);
  assert.deepEqual(
    planned.map(({ Status }) => Status),
    done.map(({ Status }) => Status),
  );
});

test('calls with an Idempotency-Key take at most ten seats in a transaction, each exactly once', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 35 } });
  const rows = rowsOf(await people(45), course);
  const before = (await events()).length;
  const first = await bulk(rows, '', { 'idempotency-key': 'seats' });
  assert.deepEqual(sorted(codes(first)), sorted([...times(35, 201), ...times(10, 'no_seats_left')]));
  assert.equal(await mostSeatsTogether(course), 10);
  assert.equal((await events()).length - before, 35);
  assert.deepEqual(await bulk(rows, '', { 'idempotency-key': 'seats' }), first);
  assert.equal(await seatsLeft(course), 0);
});

test('users who appear several times in a call with an Idempotency-Key take at most ten seats in a transaction', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 100 } });
  const [LoginID = '', other = ''] = await people(2);
  const renewals = [LoginID, other].flatMap((LoginID) =>
    times(12, { LoginID, CourseID: course, IfEnrolled: 'renew' }),
  );
  const lines = await bulk(renewals, '', { 'idempotency-key': 'renewals' });
  assert.deepEqual(codes(lines), times(24, 201));
  assert.equal(await seatsLeft(course), 76);
  assert.ok((await coursesByTransaction([course])).length >= 3);
});

test('if one transaction of a call with an Idempotency-Key fails, the rows of the others are not repeated', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 100 } });
  const rows = rowsOf(await people(30), course);
  let stores = 0;
  const failing = observed(service.ctx, ({ text }) => {
    if (text.includes('insert into stored_answer') && ++stores === 2)
      throw new Error('The connection was lost.');
  });
  const { lines, headers } = await bulkOn(failing, rows, { headers: { 'idempotency-key': 'fails' } });
  assert.deepEqual(codes(lines), times(30, 201));
  assert.equal(headers['idempotency-replayed'], undefined);
  assert.equal(await seatsLeft(course), 70);
  assert.ok(stores > 2);
  assert.deepEqual(await bulk(rows, '', { 'idempotency-key': 'fails' }), lines);
});

for (const [name, headers] of [
  ['without a key', {}],
  ['with an Idempotency-Key', { 'idempotency-key': 'mixed' }],
] as const)
  test(`in a call ${name}, a transaction that takes a seat creates at most ten enrolments, whatever the options`, async () => {
    const limited = { licence: { Seats: 100 } };
    const first = await newCourse(service, {}, limited);
    const open = await newCourse(service);
    const last = await newCourse(service, {}, limited);
    const logins = await people(15);
    const rows = [first, open, last].flatMap((course) => rowsOf(logins, course));
    assert.deepEqual(codes(await bulk(rows, '', headers)), times(45, 201));
    const transactions = await coursesByTransaction([first, open, last]);
    const taking = transactions.filter((courses) => courses.some((course) => course !== open));
    assert.ok(Math.max(...taking.map(({ length }) => length)) <= 10, JSON.stringify(taking));
  });

test('enrolments with unlimited options are not split into several transactions', async () => {
  const course = await newCourse(service);
  const logins = await people(40);
  await Promise.all(logins.map((loginId) => enrol(tenant, { loginId, courseId: course })));
  assert.equal((await coursesByTransaction([course])).length, 1);
  const keyed = await newCourse(service);
  await bulk(rowsOf(logins, keyed), '', { 'idempotency-key': 'open' });
  assert.equal((await coursesByTransaction([keyed])).length, 1);
});

test('an erasure ends its transaction once it has withdrawn ten enrolments', async () => {
  const [LoginID = ''] = await people(1);
  const courses = await Promise.all(
    times(25, { licence: { Seats: 1 } }).map((options) => newCourse(service, {}, options)),
  );
  await Promise.all(courses.map((courseId) => enrol(tenant, { loginId: LoginID, courseId })));
  const freed: number[] = [];
  const counting = onEngine(service.ctx, {
    ...service.ctx.engine,
    transaction: (work, queue) =>
      service.ctx.engine.transaction((connection) => {
        const at = freed.push(0) - 1;
        return work({
          query: (statement) => {
            if (statement.text.includes('set seats_taken = greatest(')) freed[at] = (freed[at] ?? 0) + 1;
            return connection.query(statement);
          },
        });
      }, queue),
  });
  while (
    !(await eraseUser(
      { ...counting, tenantId: TenantID },
      {
        loginId: LoginID,
        plan: false,
        isContinued: false,
      },
    ))
  );
  assert.deepEqual(freed.slice(0, 3), [10, 10, 5]);
  assert.ok(freed.length > 3);
});

const onServerOnly = service.ctx.engine.kind === 'pglite' ? 'needs two connections' : false;

test('a limit that is set while a user is enrolled applies to that enrolment', {
  skip: onServerOnly,
}, async () => {
  const course = await newCourse(service, {}, { open: {} });
  const [login = ''] = await people(1);
  const limit = `update enrol_option set seats = 1, seats_taken = 1, limits_set = limits_set + 1 where course_id = $1`;
  const reply = await service.ctx.engine.transaction(async (connection) => {
    await connection.query({ text: limit, values: [course] });
    const enrolling = api('POST', `/enrol/${login}/${course}`);
    await until('the enrolment waits', async () => (await lockWaits(service.ctx.engine, 'enrol_')) > 0);
    return { enrolling };
  });
  const { status, body } = await reply.enrolling;
  assert.deepEqual([status, body.code], [409, 'no_seats_left']);
  assert.deepEqual((await api('GET', `/enrolment/${login}`)).body.Items, []);
});

test('if one of several transactions of a call without a key fails, the rows of the others keep their results', {
  skip: onServerOnly,
}, async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 100 } });
  const logins = (await people(25)).sort();
  const last = logins.at(-1);
  const { engine } = service.ctx;
  const lock = `select from "user" where tenant_id = $1 and login_id = $2 for update`;
  const lines = await engine.transaction(async (connection) => {
    await connection.query({ text: lock, values: [TenantID, last] });
    return bulk(rowsOf(logins, course));
  });
  assert.deepEqual(codes(lines), [...times(24, 201), 'unavailable']);
  assert.equal(await seatsLeft(course), 76);
});
