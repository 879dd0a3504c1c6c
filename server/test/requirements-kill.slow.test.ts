import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../bench/kill/client.ts';
import { bootstrapKey, cleanUp, databaseSettings, startProcess, stopProcess } from './support/process.ts';

after(cleanUp);

/** `KILL_ROUNDS=20 KILL_PEOPLE=10000` takes some minutes. */
const kills = Number(process.env.KILL_ROUNDS ?? 4);
const people = Number(process.env.KILL_PEOPLE ?? 1_000);

test('an assignment ends with one obligation and one enrolment each, even if processes are killed at random points', async () => {
  const client = openClient(4);
  let service = await startProcess(await databaseSettings());
  const call = (method: string, path: string, body?: unknown, key = bootstrapKey) =>
    client.call(method, service.baseUrl + path, body, key);
  await call('POST', '/tenant', { TenantID: 'kill' });
  await call('PUT', '/course/web', { Title: 'Web', URL: 'https://web.example/' });
  await call('PUT', '/course/web/option/open', {});
  const { Secret: key } = (await call('POST', '/tenant/kill/key', { Name: 'kill' })).body;
  const rows = Array.from({ length: people }, (_, n) => `user-${n}`);
  const made = await fetch(`${service.baseUrl}/user/bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    body: ['LoginID', ...rows].join('\n'),
  });
  assert.equal(made.status, 200);
  assert.equal((await made.text()).split('"Status":201').length, people + 1);

  const rule = { Title: 'Web', CourseIDs: ['web'], Audience: {}, DueAfter: 'P30D' };
  const path = '/requirement/web';
  const assignment = call('PUT', `${path}?Confirm=${people}`, rule, key).catch(() => null);
  let interrupted = 0;
  const restart = async () => {
    service.child.kill('SIGKILL');
    await service.exited;
    service = await startProcess(service.env);
  };
  for (let kill = 0; kill < kills; kill++) {
    await pause(Math.random() * 2_000);
    await restart();
    const { body, status } = await call('GET', path, undefined, key);
    // The first kill may have come before the requirement was stored. The caller repeats the request.
    if (status === 404) await call('PUT', `${path}?Confirm=${people}`, rule, key).catch(() => null);
    else if (body.Pending) interrupted++;
  }
  await assignment;
  for (let pending = true; pending; await pause(500))
    pending = (await call('GET', path, undefined, key)).body.Pending !== false;

  const listed = async (list: string) => {
    const found: { LoginID: string; EnrollID: string }[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&Cursor=${cursor}`;
      const { body } = await call('GET', `/${list}?Limit=200${query}`, undefined, key);
      found.push(...body.Items);
      cursor = body.NextCursor;
    }
    return found;
  };
  const [obligations, enrolments] = [await listed('obligation'), await listed('enrolment')];
  assert.deepEqual(new Set(obligations.map(({ LoginID }) => LoginID)), new Set(rows));
  assert.deepEqual(new Set(enrolments.map(({ LoginID }) => LoginID)), new Set(rows));
  assert.deepEqual([obligations.length, enrolments.length], [people, people]);
  assert.deepEqual(
    new Set(obligations.map(({ EnrollID }) => EnrollID)),
    new Set(enrolments.map(({ EnrollID }) => EnrollID)),
  );
  console.log(`${kills} kills, ${interrupted} of them during the assignment`);
  client.close();
  await stopProcess(service);
});
