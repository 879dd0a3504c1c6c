import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../bench/kill/client.ts';
import { bootstrapKey, cleanUp, databaseSettings, startProcess, stopProcess } from './support/process.ts';
import { until } from './support/until.ts';

after(cleanUp);

/** A round takes about as long as the service needs to start. */
const rounds = Number(process.env.KILL_ROUNDS ?? 3);
const people = Number(process.env.KILL_PEOPLE ?? 100);

test('each person is reminded exactly once, even if processes are killed at random points', async () => {
  const client = openClient(4);
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' };
  let service = await startProcess({ ...(await databaseSettings()), ...mail });
  const call = (method: string, path: string, body?: unknown, key = bootstrapKey) =>
    client.call(method, service.baseUrl + path, body, key);
  const Reminders = { Enabled: true, DaysBefore: [], WeeklyWhenOverdue: false, ManagerDigest: false };
  await call('POST', '/tenant', { TenantID: 'kill', Status: 'test', Reminders });
  await call('PUT', '/course/web', { Title: 'Web', URL: 'https://web.example/' });
  await call('PUT', '/course/web/option/open', {});
  const { Secret: key } = (await call('POST', '/tenant/kill/key', { Name: 'kill' })).body;
  const requirement = { Title: 'Web', CourseIDs: ['web'], Audience: {}, DueAfter: 'P1D' };
  assert.equal((await call('PUT', '/requirement/web', requirement, key)).status, 201);
  const now = async () => Date.parse((await call('GET', '/test/clock', undefined, key)).body.Now);
  const advance = (Advance: string) => call('POST', '/test/clock', { Advance }, key);
  for (let round = 0; round < rounds; round++) {
    const names = Array.from({ length: people }, (_, n) => `user-${round}-${n}`);
    await Promise.all(
      names.map((LoginID) => call('POST', '/user', { LoginID, Email: `${LoginID}@kill.example` }, key)),
    );
    await until('the people are required or reminded', async () => {
      const { body } = await call('GET', '/obligation?Count=true&Limit=1', undefined, key);
      return body.Count.Records === (round + 1) * people;
    });
    const before = await now();
    // Each person's training is due on the next day.
    const load = advance('P1D');
    await pause(20 + Math.random() * 400);
    service.child.kill('SIGKILL');
    await Promise.allSettled([load]);
    await service.exited;
    service = await startProcess(service.env);
    if ((await now()) - before < 86_400_000) assert.equal((await advance('P1D')).status, 200);
  }
  assert.equal((await advance('P2D')).status, 200);
  const reminded: string[] = [];
  await until('the people are required or reminded', async () => {
    reminded.length = 0;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await call('GET', `/mail?Limit=200${cursor && `&Cursor=${cursor}`}`, undefined, key);
      reminded.push(...body.Items.map(({ LoginID }: { LoginID: string }) => LoginID));
      cursor = body.NextCursor;
    }
    return new Set(reminded).size === rounds * people;
  });
  assert.equal(reminded.length, rounds * people);
  client.close();
  await stopProcess(service);
});
