import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../bench/kill/client.ts';
import { bootstrapKey, cleanUp, databaseSettings, startProcess, stopProcess } from './support/process.ts';

after(cleanUp);

/** `KILL_ROUNDS=200 KILL_PEOPLE=10000` takes about 20 minutes on a PostgreSQL server. */
const kills = Number(process.env.KILL_ROUNDS ?? 6);
const people = Number(process.env.KILL_PEOPLE ?? 500);

type Item = { LoginID: string; EnrollID: string; RequirementID: string };

test('assignments end with one obligation, one enrolment and one reminder each, even if processes are killed at random points', async () => {
  const client = openClient(4);
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' };
  let service = await startProcess({ ...(await databaseSettings()), ...mail });
  const call = (method: string, path: string, body?: unknown, key = bootstrapKey) =>
    client.call(method, service.baseUrl + path, body, key);
  const Reminders = { Enabled: true, DaysBefore: [], WeeklyWhenOverdue: false, ManagerDigest: false };
  await call('POST', '/tenant', { TenantID: 'kill', Status: 'test', Reminders });
  const { Secret: key } = (await call('POST', '/tenant/kill/key', { Name: 'kill' })).body;
  const names = Array.from({ length: people }, (_, n) => `user-${n}`);
  const made = await fetch(`${service.baseUrl}/user/bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    body: ['LoginID,Email', ...names.map((name) => `${name},${name}@kill.example`)].join('\n'),
  });
  assert.equal((await made.text()).split('"Status":201').length, people + 1);

  const done = { kills: 0, openings: 0, reminders: 0 };
  /** Jobs of a killed process wait until its claim expires. */
  const resume = async () => {
    const url = service.env.DATABASE_URL;
    if (!url) return;
    const { onDatabase } = await import('../../bench/database.ts');
    await onDatabase(url, (database) => database.query('update scheduled_job set due = now()'));
  };
  const killSoon = async (during: 'openings' | 'reminders') => {
    await pause(Math.random() * 1_500);
    service.child.kill('SIGKILL');
    await service.exited;
    service = await startProcess(service.env);
    await resume();
    done.kills++;
    done[during]++;
  };
  const listed = async (path: string) => {
    const found: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await call('GET', `${path}&Limit=200${cursor && `&Cursor=${cursor}`}`, undefined, key);
      found.push(...body.Items);
      cursor = body.NextCursor;
    }
    return found;
  };
  const now = async () => Date.parse((await call('GET', '/test/clock', undefined, key)).body.Now);
  const advance = (Advance: string) =>
    call('POST', '/test/clock', { Advance }, key).catch(() => ({ status: 0 }));

  async function assign(id: string): Promise<void> {
    await call('PUT', `/course/${id}`, { Title: id, URL: 'https://web.example/' });
    await call('PUT', `/course/${id}/option/open`, {});
    const rule = { Title: id, CourseIDs: [id], Audience: {}, DueAfter: 'P1D' };
    const put = () =>
      call('PUT', `/requirement/${id}?Confirm=${people}`, rule, key).catch(() => ({ status: 0 }));
    const isOpen = async () => {
      const { body, status } = await call('GET', `/requirement/${id}`, undefined, key);
      // A kill may have come before the requirement was stored. The caller repeats the request.
      if (status === 404) void put();
      return status === 200 && body.Pending === false;
    };
    void put();
    while (!(await isOpen()))
      if (done.kills < kills) await killSoon('openings');
      else await pause(500);
    const obligations = await listed(`/obligation?RequirementID=${id}`);
    const enrolments = await listed(`/enrolment?CourseID=${id}`);
    for (const items of [obligations, enrolments]) {
      assert.equal(items.length, people);
      assert.deepEqual(new Set(items.map(({ LoginID }) => LoginID)), new Set(names));
    }
    const ids = (items: Item[]) => new Set(items.map(({ EnrollID }) => EnrollID));
    assert.deepEqual(ids(obligations), ids(enrolments));
  }

  const remindersOf = async () => Map.groupBy(await listed('/mail?'), ({ LoginID }) => LoginID);
  const some = names.filter((_, n) => n % Math.ceil(people / 20) === 0);
  /** A look at a few people is quicker than at all of them. */
  const areReminded = async (times: number) => {
    for (const name of some) {
      const { body } = await call('GET', `/mail?LoginID=${name}&Limit=200`, undefined, key);
      assert.ok(body.Items.length <= times, `${name}: ${body.Items.length} of ${times} reminders`);
      if (body.Items.length < times) return false;
    }
    const all = [...(await remindersOf()).values()];
    assert.ok(all.every(({ length }) => length <= times));
    return all.length === people && all.every(({ length }) => length === times);
  };

  /** All of it is due on the next day of the test clock, on which people are reminded. */
  async function remind(times: number): Promise<void> {
    const before = await now();
    const moves = advance('P1D');
    for (let isMoved = false; ; ) {
      if (done.kills < kills) await killSoon('reminders');
      isMoved ||= (await now()) - before >= 86_400_000;
      const step = advance(isMoved ? 'PT1S' : 'P1D');
      if (done.kills >= kills) assert.equal((await step).status, 200);
      if (isMoved && (await areReminded(times))) break;
    }
    await moves;
  }

  let assignments = 0;
  do {
    await assign(`web-${assignments++}`);
    await remind(assignments);
    console.log(`${assignments} assignments of ${people} people:`, JSON.stringify(done));
  } while (done.kills < kills);
  const reminders = await remindersOf();
  assert.deepEqual(new Set(reminders.keys()), new Set(names));
  client.close();
  await stopProcess(service);
});
