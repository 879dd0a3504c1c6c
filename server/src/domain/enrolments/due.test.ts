import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { allPages, expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { addPeriods, dayOf, lastSecond } from '../../lib/days.ts';

const service = await startService();
after(service.close);
const berlin = await newTenant(service, { TimeZone: 'Europe/Berlin' });
const { api, user } = berlin;
const CourseID = await newCourse(service, {}, { month: { DueAfter: 'P1M' }, open: {} });

const enrol = async (body: object, option = 'open') => {
  const LoginID = await user();
  const reply = await api('POST', `/enrol/${LoginID}/${CourseID}/${option}`, body);
  expectStatus(reply, 201);
  return { ...reply.body, address: `/enrolment/${LoginID}/${reply.body.EnrollID}` };
};

test('a day or an instant is stored as the last second of that day in the time zone of the tenant', async () => {
  const sent: [string | null, string | null][] = [
    ['2026-12-31', '2026-12-31T22:59:59.000Z'],
    ['2026-12-31T23:30:00Z', '2027-01-01T22:59:59.000Z'],
    ['2026-07-01T00:00:00+02:00', '2026-07-01T21:59:59.000Z'],
    [null, null],
  ];
  const { address } = await enrol({});
  for (const [DueAt, shown] of sent) {
    assert.equal((await enrol({ DueAt }, 'month')).DueAt, shown);
    assert.equal((await api('PUT', address, { DueAt })).body.DueAt, shown);
  }
  assert.deepEqual((await berlin.events()).at(-1)?.data.Changed, ['DueAt']);
  for (const DueAt of ['2026-02-30', '2026-12-31T25:00:00Z', '31.12.2026', '2026-12-31Tnoon']) {
    expectProblem(await api('PUT', address, { DueAt }), 422, 'validation_failed', 'DueAt');
    const path = `/enrol/${await user()}/${CourseID}/open`;
    expectProblem(await api('POST', path, { DueAt }), 422, 'validation_failed', 'DueAt');
  }
});

test('access ends at an instant, or at the end of a day in the time zone of the tenant', async () => {
  const { address } = await enrol({});
  for (const [ExpiresAt, shown] of [
    ['2090-12-31', '2090-12-31T22:59:59.000Z'],
    ['2090-12-31T12:00:00+02:00', '2090-12-31T10:00:00.000Z'],
  ]) {
    assert.equal((await enrol({ ExpiresAt })).ExpiresAt, shown);
    assert.equal((await api('PUT', address, { ExpiresAt })).body.ExpiresAt, shown);
  }
  for (const ExpiresAt of ['2090-02-30', '2090-12-31T25:00:00Z', '31.12.2090']) {
    expectProblem(await api('PUT', address, { ExpiresAt }), 422, 'validation_failed', 'ExpiresAt');
    const path = `/enrol/${await user()}/${CourseID}/open`;
    expectProblem(await api('POST', path, { ExpiresAt }), 422, 'validation_failed', 'ExpiresAt');
  }
});

test('an option sets the due date of new enrolments, by the day of the tenant on which they begin', async () => {
  const { address, DueAt, EnrolledAt } = await enrol({}, 'month');
  const due = (period: string, from: string) =>
    lastSecond(addPeriods(dayOf(new Date(from), 'Europe/Berlin'), period), 'Europe/Berlin').toISOString();
  assert.equal(DueAt, due('P1M', EnrolledAt));
  assert.equal((await enrol({ DueAt: null }, 'month')).DueAt, null);
  assert.equal((await enrol({}, 'open')).DueAt, null);
  const extended = await api(
    'POST',
    `${address.replace('/enrolment/', '/enrol/').replace(/[^/]*$/, CourseID)}/month`,
    {
      IfEnrolled: 'extend',
    },
  );
  assert.equal(extended.body.DueAt, DueAt);
  const option = `/course/${CourseID}/option/month`;
  expectStatus(await service.api('PUT', option, { DueAfter: 'P2W' }), 200);
  const later = await enrol({}, 'month');
  assert.equal(later.DueAt, due('P2W', later.EnrolledAt));
  for (const DueAfter of ['P1Y6M', 'PT1H', 'P0D', '-P1D'])
    expectProblem(await service.api('PUT', option, { DueAfter }), 422, 'validation_failed', 'DueAfter');
  expectStatus(await service.api('PUT', option, { DueAfter: 'P1M' }), 200);
});

test('lists filter and sort by due date, and leave out what is completed', async () => {
  const tenant = await newTenant(service);
  const made: string[] = [];
  for (const DueAt of ['2026-03-01', '2026-01-01', '2026-02-01', undefined, '2026-01-15']) {
    const LoginID = await tenant.user({ Groups: ['A', made.length % 2 === 0 ? 'Even' : 'Odd'] });
    const reply = await tenant.api('POST', `/enrol/${LoginID}/${CourseID}/open`, DueAt ? { DueAt } : {});
    made.push(reply.body.EnrollID);
    if (made.length === 5)
      await tenant.api('PUT', `/enrolment/${LoginID}/${made[4]}`, {
        Override: { Completion: 'completed', Reason: 'seen' },
      });
  }
  const found = async (query: string) => {
    const { items } = await allPages((path) => tenant.api('GET', path), `/enrolment?${query}`, 2);
    return items.map((item) => made.indexOf((item as { EnrollID: string }).EnrollID));
  };
  assert.deepEqual(await found('Order=due'), [1, 2, 0]);
  assert.deepEqual(await found('DueBefore=2026-02-02'), [1, 2]);
  assert.deepEqual(await found('DueBefore=2026-02-01'), [1]);
  assert.deepEqual(await found('DueBefore=2026-12-31T00:00:00Z&Order=newest'), [0, 2, 1]);
  assert.deepEqual(await found('DueBefore=2026-12-31&GroupName=Even'), [2, 0]);
  const both = '/enrolment?Order=due&ExpiresAfter=2026-01-01T00:00:00Z';
  expectProblem(await tenant.api('GET', both), 422, 'validation_failed', 'Order');
  const byStatus = '/enrolment?DueBefore=2026-01-01&Order=status';
  expectProblem(await tenant.api('GET', byStatus), 422, 'validation_failed', 'Order');
});

test('the time zone is a setting of the tenant', async () => {
  const { api } = await newTenant(service);
  assert.equal((await api('GET', '/settings')).body.TimeZone, 'UTC');
  expectStatus(await api('PUT', '/settings', { TimeZone: 'Pacific/Auckland' }), 200);
  assert.equal((await api('GET', '/settings')).body.TimeZone, 'Pacific/Auckland');
  for (const TimeZone of ['CET', '+02:00', 'Europe/Nowhere', ''])
    expectProblem(await api('PUT', '/settings', { TimeZone }), 422, 'validation_failed', 'TimeZone');
  const bad = { TenantID: 'zoned', TimeZone: 'CET' };
  expectProblem(await service.api('POST', '/tenant', bad), 422, 'validation_failed', 'TimeZone');
});
