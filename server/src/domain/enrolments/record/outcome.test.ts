import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../../test/support/clock.ts';
import { play } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import {
  allPages,
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
} from '../../../../test/support/tenant.ts';
import { run } from '../../../db/transaction.ts';
import { expireEnrolments } from '../expire.ts';
import { completions, successes } from './schemas.ts';
import { outcomeOf, outcomeSql, outcomes, statuses, statusesOf } from './states.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

test('the outcome in SQL is the one in the records, for each status, result and override', async () => {
  const overrides = [
    null,
    { Completion: 'completed' },
    { Success: 'failed' },
    { Success: 'unknown' },
  ] as const;
  const rows = statuses.flatMap((status) =>
    completions.flatMap((completion) =>
      successes.flatMap((success) =>
        overrides.map((override) => ({ status, completion, success, override })),
      ),
    ),
  );
  const text = `select ${outcomeSql('held')} as outcome from jsonb_to_recordset($1) as held
    (n integer, status text, completion text, success text, override jsonb) order by held.n`;
  const values = [JSON.stringify(rows.map((row, n) => ({ ...row, n })))];
  const found = await run<{ outcome: string }>(service.ctx, text, values);
  assert.deepEqual(
    found.map(({ outcome }) => outcome),
    rows.map(({ status, completion, success, override }) =>
      outcomeOf(status, { Completion: completion, Success: success, ...override }),
    ),
  );
  assert.deepEqual(new Set(found.map(({ outcome }) => outcome)), new Set(outcomes));
  for (const status of statuses)
    for (const Completion of ['unknown', 'completed'] as const) {
      const isPossible = Completion === 'unknown' || ['completed', 'withdrawn'].includes(status);
      const outcome = outcomeOf(status, { Completion, Success: 'unknown' });
      if (isPossible) assert.ok(statusesOf(outcome).includes(status), `${outcome} ${status}`);
    }
});

/** A learner for each outcome, and some whose result outlives the end of access. */
async function mixed() {
  const tenant = await newTenant(service);
  const course = await newCourse(service, {}, { month: { Duration: 'P30D' } });
  const made: Record<string, { address: string; LaunchURL: string }> = {};
  const names = [
    'new',
    'begun',
    'passed',
    'failed',
    'done',
    'gone',
    'passedAndGone',
    'failedAndOver',
    'decided',
  ];
  for (const name of names) {
    const LoginID = await tenant.user();
    const reply = await tenant.api('POST', `/enrol/${LoginID}/${course}`);
    expectStatus(reply, 201);
    made[name] = { address: `/enrolment/${LoginID}/${reply.body.EnrollID}`, LaunchURL: reply.body.LaunchURL };
  }
  const change = async (name: string, body: object) =>
    expectStatus(await tenant.api('PUT', made[name]?.address ?? '', body), 200);
  const result = (name: string, override: object) =>
    change(name, { Override: { ...override, Reason: 'Exam' } });
  await play(service, made.begun?.LaunchURL ?? '');
  await (await play(service, made.done?.LaunchURL ?? '')).commit({
    Data: { 'lectern.completion': 'completed' },
  });
  await (await play(service, made.decided?.LaunchURL ?? '')).commit({
    Data: { 'lectern.completion': 'completed' },
  });
  await result('passed', { Completion: 'completed', Success: 'passed' });
  await result('failed', { Completion: 'completed', Success: 'failed' });
  await result('passedAndGone', { Completion: 'completed', Success: 'passed' });
  await result('failedAndOver', { Success: 'failed' });
  await result('decided', { Success: 'failed' });
  await change('gone', { Withdrawn: true });
  await change('passedAndGone', { Withdrawn: true });
  const outcome = async (name: string) => (await tenant.api('GET', made[name]?.address ?? '')).body.Outcome;
  const all = async () =>
    Object.fromEntries(await Promise.all(names.map(async (name) => [name, await outcome(name)])));
  return { tenant, course, names, all, change };
}

const expected = {
  ...{ new: 'not_started', begun: 'in_progress', passed: 'passed', failed: 'failed', done: 'completed' },
  ...{ gone: 'withdrawn', passedAndGone: 'passed', failedAndOver: 'failed', decided: 'failed' },
};

test('a result outlives the end of access, and an override counts as the result', async () => {
  const { all, change } = await mixed();
  assert.deepEqual(await all(), expected);
  clock.advance({ days: 31 });
  const over = { ...expected, new: 'expired', begun: 'expired' };
  assert.deepEqual(await all(), over);
  await expireEnrolments(service.ctx);
  assert.deepEqual(await all(), over);
  await change('decided', { Override: null });
  await change('failedAndOver', { Override: null });
  assert.deepEqual(await all(), { ...over, decided: 'completed', failedAndOver: 'expired' });
});

test('Outcome filters by one or several outcomes, in every order, before and after the job has run', async () => {
  const { tenant, course } = await mixed();
  const orders = ['Order=oldest', 'Order=newest', 'Order=status', 'ChangedAfter=2020-01-01T00:00:00Z'];
  const lists = [
    ...outcomes,
    'passed,completed',
    'failed,expired',
    'withdrawn,completed',
    'expired,in_progress',
  ];
  const check = async () => {
    const read = async (query: string) =>
      (await allPages((address) => tenant.api('GET', address), `/enrolment?${query}`)).items;
    const all = await read('');
    for (const wanted of lists)
      for (const order of orders)
        for (const filter of ['', `&CourseID=${course}`]) {
          const found = await read(`Outcome=${wanted}&${order}${filter}`);
          const rows = all.filter(({ Outcome }) => wanted.split(',').includes(Outcome));
          const ids = (items: { EnrollID: string }[]) => items.map(({ EnrollID }) => EnrollID).toSorted();
          assert.deepEqual(ids(found), ids(rows), `${wanted} ${order} ${filter}`);
          const query = `/enrolment?Outcome=${wanted}${filter}&Count=true&Limit=1`;
          assert.equal((await tenant.api('GET', query)).body.Count.Records, rows.length, wanted);
        }
  };
  await check();
  clock.advance({ days: 31 });
  await check();
  await expireEnrolments(service.ctx);
  await check();
  const refused = await tenant.api('GET', '/enrolment?Outcome=passed,lost');
  expectProblem(refused, 422, 'validation_failed', 'Outcome');
  assert.match(refused.body.detail, /"lost" does not exist\. Use one of not_started, in_progress, passed/);
});
