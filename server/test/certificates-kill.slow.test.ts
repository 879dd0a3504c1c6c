import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../bench/kill/client.ts';
import { bootstrapKey, cleanUp, databaseSettings, startProcess, stopProcess } from './support/process.ts';
import { until } from './support/until.ts';

after(cleanUp);

/** A round takes about as long as the service needs to start. */
const rounds = Number(process.env.KILL_ROUNDS ?? 4);
const learners = Number(process.env.KILL_LEARNERS ?? 20);

test('each result earns exactly one certificate, even if processes are killed at random points', async () => {
  const client = openClient(8);
  let service = await startProcess(await databaseSettings());
  const call = (method: string, path: string, body?: unknown, key = bootstrapKey) =>
    client.call(method, service.baseUrl + path, body, key);
  await call('POST', '/tenant', { TenantID: 'kill' });
  const Certificate = { On: 'passed' };
  await call('PUT', '/course/web', { Title: 'Web', URL: 'https://web.example/', Certificate });
  await call('PUT', '/course/web/option/open', {});
  const { Secret: key } = (await call('POST', '/tenant/kill/key', { Name: 'kill' })).body;
  for (let round = 0; round < rounds; round++) {
    const paths: string[] = [];
    for (let n = 0; n < learners; n++) {
      const LoginID = `user-${round}-${n}`;
      await call('POST', '/user', { LoginID }, key);
      const { body } = await call('POST', `/enrol/${LoginID}/web`, {}, key);
      paths.push(`/enrolment/${LoginID}/${body.EnrollID}`);
    }
    const Override = { Success: 'passed', Reason: 'Exam' };
    const load = paths.map(async (path) => {
      await call('PUT', path, { Override }, key);
      await call('GET', `${path}/certificate`, undefined, key);
    });
    await pause(5 + Math.random() * 100);
    service.child.kill('SIGKILL');
    await Promise.allSettled(load);
    await service.exited;
    service = await startProcess(service.env);
    // While the service starts and recovers, it may be unavailable, and clients retry.
    const succeeds = (...request: Parameters<typeof call>) =>
      until(`${request[0]} ${request[1]} succeeds`, async () => {
        const { status } = await call(...request);
        assert.ok(status === 200 || status === 503, String(status));
        return status === 200;
      });
    await Promise.all(
      paths.map(async (path) => {
        await succeeds('PUT', path, { Override }, key);
        await succeeds('GET', `${path}/certificate`, undefined, key);
      }),
    );
    const enrolments: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: string = `/certificate?Limit=200${cursor && `&Cursor=${encodeURIComponent(cursor)}`}`;
      const { Items, NextCursor }: { Items: { EnrollID: string }[]; NextCursor: string | null } = (
        await call('GET', page, undefined, key)
      ).body;
      enrolments.push(...Items.map(({ EnrollID }) => EnrollID));
      cursor = NextCursor;
    }
    assert.equal(enrolments.length, (round + 1) * learners);
    assert.equal(new Set(enrolments).size, enrolments.length);
  }
  client.close();
  await stopProcess(service);
});
