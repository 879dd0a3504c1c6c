import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../bench/kill/client.ts';
import { bootstrapKey, cleanUp, databaseSettings, startProcess, stopProcess } from './support/process.ts';

after(cleanUp);

/** A round takes about as long as the service needs to start. */
const rounds = Number(process.env.KILL_ROUNDS ?? 6);
const concurrency = 8;
const day = 86_400_000;

test('extend calls with an Idempotency-Key move the end date exactly once, even if processes are killed at random points', async () => {
  const home = await databaseSettings();
  const client = openClient(concurrency);
  let service = await startProcess(home);
  const call = (method: string, path: string, body?: unknown, key = bootstrapKey, once?: string) =>
    client.call(method, service.baseUrl + path, body, key, once);
  await call('POST', '/tenant', { TenantID: 'kill' });
  await call('PUT', '/course/web', { Title: 'Web', URL: 'https://web.example/' });
  await call('PUT', '/course/web/option/month', { Duration: 'P30D' });
  const { Secret: key } = (await call('POST', '/tenant/kill/key', { Name: 'kill' })).body;
  const first = new Map<string, number>();
  for (let user = 0; user < concurrency; user++) {
    await call('POST', '/user', { LoginID: `user-${user}` }, key);
    const { body } = await call('POST', `/enrol/user-${user}/web`, {}, key);
    first.set(`user-${user}`, Date.parse(body.ExpiresAt));
  }
  let unanswered = 0;
  let sent = 0;
  for (let round = 0; round < rounds; round++) {
    const asked: { LoginID: string; once: string }[] = [];
    let isOver = false;
    const extend = ({ LoginID, once }: (typeof asked)[0]) =>
      call('POST', `/enrol/${LoginID}/web`, { IfEnrolled: 'extend' }, key, once);
    const load = [...first.keys()].map(async (LoginID) => {
      for (let n = 0; !isOver; n++) {
        const request = { LoginID, once: `${round} ${LoginID} ${n}` };
        asked.push(request);
        await extend(request);
      }
    });
    await pause(5 + Math.random() * 120);
    service.child.kill('SIGKILL');
    isOver = true;
    unanswered += (await Promise.allSettled(load)).filter(({ status }) => status === 'rejected').length;
    await service.exited;
    service = await startProcess(service.env);
    for (const request of asked) {
      const response = await extend(request);
      assert.equal(response.status, 200, JSON.stringify(response.body));
    }
    sent += asked.length;
    const counts = Map.groupBy(asked, ({ LoginID }) => LoginID);
    for (const [LoginID, before] of first) {
      const { Items } = (await call('GET', `/enrolment/${LoginID}`, undefined, key)).body;
      const end = Date.parse(Items[0].ExpiresAt);
      assert.equal((end - before) / (30 * day), counts.get(LoginID)?.length ?? 0, `round ${round}`);
      first.set(LoginID, end);
    }
  }
  assert.ok(unanswered > 0, 'some requests were in flight');
  client.close();
  await stopProcess(service);
  console.log(
    `killed ${rounds} times: ${sent} extensions with keys, ${unanswered} without a response, each applied once`,
  );
});
