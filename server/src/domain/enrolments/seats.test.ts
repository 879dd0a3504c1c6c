import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { onEngine, otherNode, serve } from '../../../test/support/nodes.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { createUser } from '../users/create-user.ts';
import { enrol } from './enrol.ts';
import { updateEnrolment } from './update.ts';

const clock = movableClock();
const service: TestService = await startService({ now: clock.now });
const second = otherNode(service.ctx);
const node = await serve(second);
after(async () => {
  await node.close();
  await service.close();
});
const { api, user, events, TenantID } = await newTenant(service);

const optionPath = (course: string, option = 'licence') => `/course/${course}/option/${option}`;
const setSeats = (course: string, Seats: number | null, option?: string) =>
  service.api('PUT', optionPath(course, option), { Seats });

async function seatsOf(course: string) {
  const [option] = (await service.api('GET', `/course/${course}`)).body.EnrolOptions;
  return [option.Seats, option.SeatsLeft];
}

async function enrolled(course: string, body: object = {}) {
  const LoginID = await user();
  const reply = await api('POST', `/enrol/${LoginID}/${course}`, body);
  const address = `/enrolment/${LoginID}/${reply.body.EnrollID}`;
  return { LoginID, reply, put: (change: object) => api('PUT', address, change), address };
}

test('each enrolment takes a seat until the limit is reached', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 2 } });
  assert.deepEqual(await seatsOf(course), [2, 2]);
  const first = await enrolled(course);
  expectStatus(first.reply, 201);
  assert.deepEqual(await seatsOf(course), [2, 1]);
  expectStatus(await api('POST', `/enrol/${first.LoginID}/${course}`), 200);
  assert.deepEqual(await seatsOf(course), [2, 1]);
  expectStatus((await enrolled(course)).reply, 201);
  const refused = await enrolled(course);
  expectProblem(refused.reply, 409, 'no_seats_left', 'DurationID');
  assert.deepEqual(await events({ LoginID: refused.LoginID }).then((all) => all.length), 1);
  const offer = (await api('GET', `/catalogue/course/${course}/${first.LoginID}`)).body;
  assert.equal(offer.AvailableEnrolOptions[0].SeatsLeft, 0);
  expectStatus(await api('POST', `/enrol/${first.LoginID}/${course}`), 200);
});

test('invalid values of Seats are rejected, and an option with 0 seats accepts no enrolment', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 0 } });
  expectProblem((await enrolled(course)).reply, 409, 'no_seats_left');
  for (const Seats of [-1, 1.5, '3', 1_000_000_001])
    expectProblem(await service.api('PUT', optionPath(course), { Seats }), 422, 'validation_failed', 'Seats');
  expectProblem(await service.api('PUT', optionPath(course), { SeatsLeft: 5 }), 422, 'unknown_field');
});

test('a withdrawal within the grace period frees the seat, but a later one does not', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 1 } });
  const early = await enrolled(course);
  clock.advance({ days: 13 });
  expectStatus(await early.put({ Withdrawn: true }), 200);
  assert.deepEqual(await seatsOf(course), [1, 1]);
  expectStatus(await early.put({ Withdrawn: true }), 200);
  assert.deepEqual(await seatsOf(course), [1, 1]);
  const late = await enrolled(course);
  expectStatus(late.reply, 201);
  clock.advance({ days: 15 });
  expectStatus(await late.put({ Withdrawn: true }), 200);
  assert.deepEqual(await seatsOf(course), [1, 0]);
  expectProblem((await enrolled(course)).reply, 409, 'no_seats_left');
  expectStatus(await late.put({ Withdrawn: false }), 200);
  expectProblem(await early.put({ Withdrawn: false }), 409, 'no_seats_left', 'Withdrawn');
  assert.equal((await api('GET', early.address)).body.Status, 'withdrawn');
  expectStatus(await setSeats(course, 2), 200);
  assert.equal((await early.put({ Withdrawn: false })).body.Status, 'enrolled');
  assert.deepEqual(await seatsOf(course), [2, 0]);
});

test('renew takes a new seat, extend takes none, and a rejected renewal ends no enrolment', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 2, Duration: 'P30D' } });
  const { LoginID, reply } = await enrolled(course);
  const again = (IfEnrolled: string) => api('POST', `/enrol/${LoginID}/${course}`, { IfEnrolled });
  expectStatus(await again('extend'), 200);
  assert.deepEqual(await seatsOf(course), [2, 1]);
  const renewed = await again('renew');
  expectStatus(renewed, 201);
  assert.deepEqual(await seatsOf(course), [2, 0]);
  expectProblem(await again('renew'), 409, 'no_seats_left');
  expectStatus(await again('extend'), 200);
  const { Items } = (await api('GET', `/enrolment/${LoginID}`)).body;
  assert.deepEqual(
    Items.map(({ EnrollID, Status }: Record<string, string>) => [EnrollID, Status]),
    [
      [reply.body.EnrollID, 'expired'],
      [renewed.body.EnrollID, 'enrolled'],
    ],
  );
});

test('a limit can be added, lowered and removed later, and counts seats already taken', async () => {
  const course = await newCourse(service, {}, { licence: {} });
  assert.deepEqual(await seatsOf(course), [null, null]);
  const early = await enrolled(course);
  await early.put({ Withdrawn: true });
  for (let n = 0; n < 3; n++) expectStatus((await enrolled(course)).reply, 201);
  assert.deepEqual((await setSeats(course, 5)).body.SeatsLeft, 2);
  assert.deepEqual((await setSeats(course, 1)).body.SeatsLeft, 0);
  expectProblem((await enrolled(course)).reply, 409, 'no_seats_left');
  expectStatus(await setSeats(course, null), 200);
  expectStatus((await enrolled(course)).reply, 201);
  assert.deepEqual((await setSeats(course, 5)).body.SeatsLeft, 1);
  expectStatus(await service.api('PUT', optionPath(course), { Name: 'Renamed' }), 200);
  assert.deepEqual(await seatsOf(course), [5, 1]);
});

/** Two nodes on one database, each with its own coalescer. */
function nodes(): TenantContext[] {
  return [service.ctx, second].map((ctx) => ({ ...ctx, tenantId: TenantID }));
}

async function people(count: number): Promise<string[]> {
  const ctx = nodes()[0] as TenantContext;
  const logins = Array.from({ length: count }, () => unique('many'));
  await Promise.all(logins.map((LoginID) => createUser(ctx, { LoginID })));
  return logins;
}

async function sell(
  course: string,
  logins: string[],
  sold = new Map<string, string>(),
): Promise<Map<string, string>> {
  const ctxs = nodes();
  await Promise.all(
    logins.map(async (loginId, n) => {
      try {
        const { enrolment } = await enrol(ctxs[n % 2] as TenantContext, { loginId, courseId: course });
        sold.set(loginId, enrolment.EnrollID);
      } catch (error) {
        assert.ok(error instanceof Problem && error.code === 'no_seats_left', String(error));
      }
    }),
  );
  return sold;
}

test('1,000 concurrent enrolments on two nodes take exactly 100 seats, and freed seats can be taken again', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 100 } });
  const logins = await people(1000);
  const sold = await sell(course, logins);
  assert.equal(sold.size, 100);
  assert.deepEqual(await seatsOf(course), [100, 0]);
  const [first] = nodes();
  const freed = [...sold].slice(0, 30);
  await Promise.all(
    freed.map(([loginId, enrollId]) =>
      updateEnrolment(first as TenantContext, { loginId, enrollId, Withdrawn: true }),
    ),
  );
  assert.deepEqual(await seatsOf(course), [100, 30]);
  const rest = logins.filter((loginId) => !sold.has(loginId));
  assert.equal((await sell(course, rest)).size, 30);
  assert.deepEqual(await seatsOf(course), [100, 0]);
  const { length } = (await events()).filter(
    ({ type, enroll_id }) =>
      type === 'enrolment.created' && enroll_id !== null && [...sold.values()].includes(enroll_id),
  );
  assert.equal(length, 100);
});

test('a limit set during concurrent enrolments is not exceeded', async () => {
  const course = await newCourse(service, {}, { licence: {} });
  const logins = await people(300);
  const sold = new Map<string, string>();
  const selling = Array.from({ length: 10 }, (_, n) => sell(course, logins.slice(n * 30, n * 30 + 30), sold));
  await selling[0];
  const limit = await setSeats(course, 250);
  await Promise.all(selling);
  if (limit.body.SeatsLeft > 0) assert.ok(sold.size <= 250, `${sold.size} of 250 seats were sold`);
  assert.equal((await setSeats(course, 300)).body.SeatsLeft, 300 - sold.size);
});

test('a batch locks a limited option for ten seats at a time', async () => {
  const course = await newCourse(service, {}, { licence: { Seats: 100 } });
  const logins = await people(40);
  let calls = 0;
  const counting = onEngine(service.ctx, {
    ...service.ctx.engine,
    query: (statement, queue) => {
      if (statement.text.includes('from enrol_')) calls++;
      return service.ctx.engine.query(statement, queue);
    },
  });
  const ctx = { ...counting, tenantId: TenantID };
  const made = await Promise.all(logins.map((loginId) => enrol(ctx, { loginId, courseId: course })));
  assert.equal(new Set(made.map(({ enrolment }) => enrolment.EnrollID)).size, 40);
  assert.ok(calls >= 4, `${calls}`);
  assert.deepEqual(await seatsOf(course), [100, 60]);
});
