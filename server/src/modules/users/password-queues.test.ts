import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { inTurn } from '../../platform/load/fair-queue.ts';

const service = await startService();
after(service.close);
const { hashes } = service.ctx.admission;

/** Whether one of `calls` is still in progress. */
function inProgress(calls: Promise<unknown>[]): () => boolean {
  let left = calls.length;
  for (const call of calls) void call.finally(() => left--);
  return () => left > 0;
}

test('400 password checks with one key run two at a time and delay neither another tenant nor a learner', async () => {
  const attacker = await newTenant(service);
  const other = await newTenant(service);
  const LoginID = await other.user({ Password: 'right' });
  const LearnerID = await attacker.user();
  const enrolled = await attacker.api('POST', `/enrol/${LearnerID}/${await newCourse(service)}`);
  let peak = 0;
  const calls = Array.from({ length: 400 }, (_, at) =>
    attacker
      .api('POST', `/user/check/${at === 0 ? LearnerID : `none-${at}`}`, { Password: 'guess' })
      .finally(() => {
        peak = Math.max(peak, hashes.inUse);
      }),
  );
  const goesOn = inProgress(calls);
  const [checked] = await Promise.all([
    other.api('POST', `/user/check/${LoginID}`, { Password: 'right' }),
    play(service, enrolled.body.LaunchURL),
  ]);
  assert.equal(checked.body.Result, 1);
  assert.ok(goesOn(), 'no caller waited for the whole queue');
  const responses = await Promise.all(calls);
  assert.ok(peak <= 2, `${peak}`);
  const rejected = responses.filter(({ status }) => status !== 200);
  assert.ok(rejected.length > 0 && rejected.length < 400, `${rejected.length}`);
  for (const response of rejected) {
    expectProblem(response, 429, 'too_many_requests');
    assert.equal(response.headers.get('retry-after'), '1');
  }
  assert.deepEqual([hashes.inUse, hashes.callers.size], [0, 0]);
});

test('a guess rejected because too many are waiting does not count as wrong', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ Password: 'right' });
  const check = () => tenant.api('POST', `/user/check/${LoginID}`, { Password: 'right' });
  const { promise, resolve } = Promise.withResolvers<void>();
  const places = hashes.maxPerCaller + hashes.maxWaiting;
  const others = Array.from({ length: places }, () => inTurn(hashes, tenant.TenantID, () => promise));
  for (let time = 0; time < 12; time++) expectProblem(await check(), 429, 'too_many_requests');
  resolve();
  await Promise.all(others);
  assert.equal((await check()).body.Result, 1);
});

test('passwords from bulk calls and single calls are hashed two at a time, and none is lost', async () => {
  const tenant = await newTenant(service);
  const rows = Array.from({ length: 60 }, (_, at) => `{"LoginID":"bulk-${at}","Password":"p"}`).join('\n');
  let peak = 0;
  const watched = (call: ReturnType<typeof tenant.api>) =>
    call.finally(() => {
      peak = Math.max(peak, hashes.inUse);
    });
  const bulk = watched(tenant.api('POST', '/user/bulk', rows, { 'content-type': 'application/x-ndjson' }));
  const single = Array.from({ length: 30 }, (_, at) =>
    watched(tenant.api('POST', '/user', { LoginID: `single-${at}`, Password: 'p' })),
  );
  for (const made of await Promise.all(single)) expectStatus(made, 201);
  expectStatus(await bulk, 200);
  const { body } = await tenant.api('GET', '/user?Limit=200');
  assert.equal(body.Items.length, 90);
  assert.ok(peak <= 2, `${peak}`);
});
