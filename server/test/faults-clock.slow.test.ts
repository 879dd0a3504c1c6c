import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { expireEnrolments } from '../src/domain/enrolments/expire.ts';
import { movableClock } from './support/clock.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  injected,
  startProcess,
  stopProcess,
} from './support/process.ts';
import { startService } from './support/service.ts';
import { allPages, expectStatus, newCourse, newTenant } from './support/tenant.ts';
import { until } from './support/until.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
after(cleanUp);

const jumps = [{ seconds: -3 }, { minutes: -5 }, { hours: 1 }, { days: -30 }, { days: 400 }, { days: -371 }];

test('IDs stay unique when the clock jumps, and a reader of the log neither misses nor repeats events', async () => {
  const { api, user } = await newTenant(service);
  const course = await newCourse(service);
  const made: string[] = [];
  const read: string[] = [];
  let cursor = '';
  const follow = async () => {
    for (let more = true; more; ) {
      const reply = await api('GET', `/events?Limit=5${cursor && `&Cursor=${encodeURIComponent(cursor)}`}`);
      expectStatus(reply, 200);
      for (const { EventID } of reply.body.Items) read.push(EventID);
      more = reply.body.Items.length > 0;
      cursor = reply.body.NextCursor ?? cursor;
    }
  };
  for (const jump of [{}, ...jumps]) {
    clock.advance(jump);
    const logins = await Promise.all(Array.from({ length: 10 }, () => user()));
    for (const LoginID of logins) {
      const reply = await api('POST', `/enrol/${LoginID}/${course}`);
      expectStatus(reply, 201);
      made.push(reply.body.EnrollID);
    }
    await follow();
  }
  assert.equal(new Set(made).size, made.length);
  assert.equal(new Set(read).size, read.length, 'no event is repeated');
  assert.equal(read.length, made.length * 2, 'no event is missing: one for each user and enrolment');
  const { items } = await allPages((path) => api('GET', path), '/enrolment', 50);
  assert.equal(items.length, made.length);
  console.log(
    `${jumps.length} clock jumps: ${made.length} IDs, no duplicates; ${read.length} events read, none missed`,
  );
});

test('keys, access tokens and enrolments expire on time when the clock jumps, and an expired enrolment can be reopened', async () => {
  const { api, user, TenantID } = await newTenant(service);
  const day = 86_400_000;
  const ExpiresAt = new Date(clock.now().getTime() + 10 * day).toISOString();
  const made = (await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'ten days', ExpiresAt })).body;
  const granted = await service.api('POST', '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: made.KeyID,
    client_secret: made.Secret,
  });
  const course = await newCourse(service, {}, { month: { Duration: 'P30D' } });
  const LoginID = await user();
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${course}`)).body;
  const status = async (key: string) => (await service.api('GET', '/user', undefined, key)).status;
  const enrolmentStatus = async () => (await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body.Status;

  clock.advance({ hours: -2 });
  assert.equal(await status(made.Secret), 200);
  assert.equal(await enrolmentStatus(), 'enrolled');
  const early = granted.status === 200 ? await status(granted.body.access_token) : 200;
  assert.ok([200, 401].includes(early));
  clock.advance({ days: 40 });
  assert.equal(await status(made.Secret), 401);
  if (granted.status === 200) assert.equal(await status(granted.body.access_token), 401);
  assert.equal(await enrolmentStatus(), 'expired');
  assert.equal(
    (await api('GET', `/enrolment/${LoginID}/${EnrollID}/explain`)).body.CanLaunch ?? false,
    false,
  );
  clock.advance({ days: -40 });
  assert.equal(await status(made.Secret), 200, 'no time read during the jump was stored');
  assert.equal(await enrolmentStatus(), 'enrolled');
  clock.advance({ days: 40 });
  await expireEnrolments(service.ctx);
  clock.advance({ days: -40, hours: 2 });
  assert.equal(
    await enrolmentStatus(),
    'expired',
    'enrolments that expired during the jump stay expired, with an event',
  );
  const back = await api('PUT', `/enrolment/${LoginID}/${EnrollID}`, {
    ExpiresAt: new Date(clock.now().getTime() + 30 * day).toISOString(),
  });
  assert.deepEqual([back.status, back.body.Status], [200, 'enrolled']);
});

test('a running process whose clock is set back by an hour keeps serving, and the log has no gaps', async () => {
  const fault = injected('clock', { INJECT_MILLISECONDS: '-3600000' });
  const running = await startProcess({ ...(await databaseSettings()), ...fault });
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${bootstrapKey}`,
      tenant: 'clock',
      'content-type': 'application/json',
    };
    const response = await fetch(running.baseUrl + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: await response.json() };
  };
  await call('POST', '/tenant', { TenantID: 'clock' });
  const create = async (from: number) => {
    for (let number = from; number < from + 20; number++)
      assert.equal((await call('POST', '/user', { LoginID: `user ${number}` })).status, 201);
  };
  await create(0);
  const first = (await call('GET', '/events?Limit=200')).body;
  running.child.kill('SIGUSR2');
  await until('the clock is reset', async () => {
    const { body } = await call('PUT', '/course/now', { Title: `${Math.random()}` });
    return Date.parse(body.UpdatedAt) < Date.now() - 3_000_000;
  });
  await create(20);
  const rest = (await call('GET', `/events?Limit=200&Cursor=${encodeURIComponent(first.NextCursor)}`)).body;
  const logins = rest.Items.filter((event: { Type: string }) => event.Type === 'user.created').map(
    (event: { LoginID: string }) => event.LoginID,
  );
  assert.deepEqual(
    logins,
    Array.from({ length: 20 }, (_, index) => `user ${index + 20}`),
    'all events exist, in order',
  );
  const times = rest.Items.map((event: { OccurredAt: string }) => new Date(event.OccurredAt).getTime());
  assert.ok(Math.max(...times) < Date.now() - 3_000_000, 'the clock was reset');
  assert.deepEqual(await stopProcess(running), { code: 0, signal: null });
});
