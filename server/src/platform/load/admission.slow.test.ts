import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { readMetrics } from '../../../test/support/metrics.ts';
import { click, play } from '../../../test/support/player.ts';
import { ask, openSocket } from '../../../test/support/raw.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { errorCodes } from '../errors.ts';
import { waitingIn } from './fair-queue.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { TRUST_PROXY: 'true' } });
after(service.close);
const { admission } = service.ctx;
const tenant = await newTenant(service);
// A busy machine can need longer for thousands of bodies, so the limit is raised. One test checks its
// original value.
const bodyMilliseconds = admission.anonymousBodyMilliseconds;
admission.anonymousBodyMilliseconds = 300_000;

/** The header as our proxy sends it. The first entry is the client's own claim. */
const from = (address: string) => ({ 'x-forwarded-for': `203.0.113.9, ${address}` });
const slowForm = (address: string) =>
  `POST /oauth/token HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10000\r\n\r\ngrant`;

test('2,010 slow anonymous bodies do not slow down the API, launch page or player, and their address is limited', async () => {
  const enrolment = await service.enrol(await newCourse(service));
  const sockets = await Promise.all(Array.from({ length: 2_010 }, () => openSocket(service.baseUrl)));
  const heads: number[] = [];
  for (const [at, socket] of sockets.entries()) {
    socket.once('data', (part: Buffer) => heads.push(Number(String(part).split(' ')[1])));
    socket.write(slowForm(`198.18.${at % 250}.1`));
  }
  await until('all are counted', async () => heads.length + admission.pools.anonymous.inUse >= 2_010);
  assert.equal(admission.pools.anonymous.inUse, admission.pools.anonymous.max);
  assert.deepEqual(new Set(heads), new Set([503]));
  const times: number[] = [];
  for (let nth = 0; nth < 20; nth++) {
    const begun = performance.now();
    assert.equal((await tenant.api('GET', '/user')).status, 200);
    times.push(performance.now() - begun);
  }
  const { commit, alive } = await play(service, enrolment.LaunchURL);
  assert.equal((await commit({})).status, 200);
  assert.equal(await alive(), 204);
  assert.ok((times.sort((a, b) => a - b)[10] ?? 0) < 250, `response times in ms: ${times}`);
  clock.advance({ seconds: 6 });
  const ready = await fetch(`${service.baseUrl}/health/ready`);
  assert.deepEqual([ready.status, ready.headers.has('retry-after')], [503, true]);
  for (const socket of sockets) socket.destroy();
  await until('the pool is empty', async () => admission.pools.anonymous.inUse === 0);
  assert.equal((await fetch(`${service.baseUrl}/health/ready`)).status, 200);
});

test('an address may send ten anonymous bodies concurrently, and other addresses are accepted', async () => {
  const sockets = await Promise.all(Array.from({ length: 60 }, () => openSocket(service.baseUrl)));
  const responses: string[] = [];
  for (const socket of sockets) {
    socket.once('data', (part: Buffer) => responses.push(String(part)));
    socket.write(slowForm('2001:db8::1'));
  }
  await until('fifty are rejected', async () => responses.length === 50);
  for (const response of responses) assert.match(response, /^HTTP\/1\.1 429 .*\nretry-after: 1\r/is);
  const refused = await service.api('POST', '/oauth/token', {}, '', from('2001:db8::2'));
  assert.equal(refused.status, 429, 'the same /64');
  assert.equal((await service.api('POST', '/oauth/token', {}, '', from('2001:db8:0:1::1'))).status, 400);
  for (const socket of sockets) socket.destroy();
  await until('all slots are free', async () => admission.pools.anonymous.inUse === 0);
});

test('ten addresses in one network do not block other addresses from /oauth/token and POST /session', async () => {
  const sites = {
    'an IPv6 /48': (at: number) => `2001:db8:7:${at}::1`,
    'an IPv4 /24': (at: number) => `203.0.113.${at}`,
  };
  for (const [site, address] of Object.entries(sites)) {
    const sockets = await Promise.all(Array.from({ length: 110 }, () => openSocket(service.baseUrl)));
    const heads: string[] = [];
    for (const [at, socket] of sockets.entries()) {
      socket.once('data', (part: Buffer) => heads.push(String(part)));
      socket.write(slowForm(address(1 + (at % 11))));
    }
    await until('70 are rejected', async () => heads.length === 70);
    for (const head of heads) assert.match(head, /^HTTP\/1\.1 429 .*\nretry-after: 1\r/is, site);
    assert.equal(admission.pools.anonymous.inUse, 40);
    const there = await service.api('POST', '/oauth/token', {}, '', from(address(40)));
    assert.equal(there.status, 429, site);
    const body = { TenantID: tenant.TenantID, LoginID: 'nobody', Password: 'a'.repeat(64) };
    assert.equal((await service.api('POST', '/oauth/token', {}, '', from('192.0.2.77'))).status, 400);
    assert.equal((await service.api('POST', '/session', body, '', from('192.0.2.77'))).status, 401);
    assert.equal(
      (await service.api('GET', '/session', undefined, '', from(address(1)))).status,
      401,
      'a request without a body needs no slot for bodies',
    );
    for (const socket of sockets) socket.destroy();
    await until('all slots are free', async () => admission.pools.anonymous.inUse === 0);
  }
});

test('an anonymous caller has five seconds to send a body', async () => {
  assert.equal(bodyMilliseconds, 5_000);
  admission.anonymousBodyMilliseconds = 100;
  const socket = await openSocket(service.baseUrl);
  const { status, milliseconds } = await ask(socket, slowForm('192.0.2.78'));
  admission.anonymousBodyMilliseconds = 300_000;
  assert.equal(status, 408);
  assert.ok(milliseconds < 10_000, `closed after ${milliseconds} ms`);
  socket.destroy();
  await until('its slot is free', async () => admission.pools.anonymous.inUse === 0);
});

/** Sends headers without a body on this many connections. */
async function neverEnding(origin: string, count: number, head: string) {
  const heads: string[] = [];
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(origin)));
  for (const socket of sockets) {
    socket.once('data', (part: Buffer) => heads.push(String(part)));
    socket.write(head);
  }
  const leave = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { heads, leave };
}

test('2,050 slow bodies from one key use half of the pool, and all other tenants are served', async () => {
  const other = await newTenant(service);
  const { pools } = admission;
  const head = `POST /user/check/bob HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tenant.key}\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n`;
  const { heads, leave } = await neverEnding(service.baseUrl, 2_050, head);
  await until('all are counted', async () => heads.length + pools.api.inUse >= 2_050);
  assert.equal(pools.api.inUse, pools.api.max / 2);
  for (const response of heads) assert.match(response, /^HTTP\/1\.1 429 .*\nretry-after: 1\r/is);
  expectProblem(await tenant.api('GET', '/user'), 429, 'too_many_requests');
  const second = await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'second' });
  const sameTenant = await service.api('GET', '/user', undefined, second.body.Secret);
  expectProblem(sameTenant, 429, 'too_many_requests');
  for (let nth = 0; nth < 20; nth++) assert.equal((await other.api('GET', '/user')).status, 200);
  assert.equal((await fetch(`${service.baseUrl}/health/ready`)).status, 200);
  leave();
  await until('the pool is empty', async () => pools.api.inUse === 0);
  assert.equal((await tenant.api('GET', '/user')).status, 200);
});

test('300 concurrent calls with one key are all accepted while the pool has room', async () => {
  const responses = await Promise.all(Array.from({ length: 300 }, () => tenant.api('GET', '/user')));
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
});

test('a LaunchURL may occupy 20 slots, however many tickets it has, and other enrolments are unaffected', async () => {
  const course = await newCourse(service);
  const enrolment = await service.enrol(course);
  const { runTime } = admission.pools;
  const leaves: (() => void)[] = [];
  const heads: string[][] = [];
  for (let nth = 0; nth < 2; nth++) {
    const { location } = await click(`${enrolment.LaunchURL}&returnURL=https://x.example/${nth}`);
    const { pathname } = new URL(location ?? '');
    const head = `POST ${pathname}/session HTTP/1.1\r\nHost: a\r\nContent-Length: `;
    const large = await ask(await openSocket(service.contentUrl), `${head}16000\r\n\r\n`);
    assert.equal(large.status, 413, 'opening a session needs no body');
    if (nth === 0) assert.equal(runTime.inUse, 0);
    const slow = await neverEnding(service.contentUrl, nth === 0 ? 19 : 30, `${head}1000\r\n\r\n`);
    heads.push(slow.heads);
    leaves.push(slow.leave);
    const rejected = nth * 29;
    await until('all are counted', async () => slow.heads.length === rejected && runTime.inUse === 19 + nth);
  }
  for (const head of heads.flat()) assert.match(head, /^HTTP\/1\.1 429 .*\nretry-after: 1\r/is);
  assert.equal((await click(enrolment.LaunchURL)).status, 429, 'the link itself');
  const { commit, alive } = await play(service, (await service.enrol(course)).LaunchURL);
  assert.equal((await commit({})).status, 200);
  assert.equal(await alive(), 204);
  for (const leave of leaves) leave();
  await until('all slots are free', async () => runTime.inUse === 0);
});

test('an address may make 600 anonymous calls a minute, and an address claimed by the client is ignored', async () => {
  const call = (claim: string) =>
    service.api('GET', '/session', undefined, '', { 'x-forwarded-for': `${claim}, 192.0.2.7` });
  const responses = [];
  for (let sent = 0; sent < 601; sent++) responses.push(await call(`203.0.113.${sent % 250}`));
  assert.deepEqual(new Set(responses.slice(0, 600).map(({ status }) => status)), new Set([401]));
  const last = responses.at(-1);
  assert.equal(last?.status, 429);
  assert.match(last?.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await tenant.api('GET', '/user', undefined, from('192.0.2.7'))).status, 200, 'with a key');
  // The test clock never returns the same time twice, so hundreds of calls have moved it ahead of the real time.
  clock.advance({ seconds: 120 });
  assert.equal((await call('x')).status, 401);
});

test('wrong credentials count against their address, and known valid credentials keep working', async () => {
  const address = from('192.0.2.8');
  const wrong = () => service.api('GET', '/user', undefined, 'wrong-but-long-enough', address);
  for (let sent = 0; sent < 300; sent++) assert.equal((await wrong()).status, 401);
  expectProblem(await wrong(), 429, 'too_many_requests');
  assert.equal((await tenant.api('GET', '/user', undefined, address)).status, 200);
  const token = await service.api('POST', '/oauth/token', {}, '', address);
  assert.equal(token.status, 400, 'half of the anonymous budget is left');
});

test('a valid key is remembered once, however the header is written, and for longer than unused keys', async () => {
  const { trusted } = admission;
  const address = from('192.0.2.33');
  const [mine, other] = [await newTenant(service), await newTenant(service)];
  const read = (key: string, cookie: string, scheme = 'Bearer ') =>
    service.api('GET', '/user', undefined, '', { ...address, cookie, authorization: scheme + key });
  trusted.clear();
  for (const scheme of ['Bearer ', 'Bearer  ', 'bearer ', 'Token ', 'TOKEN   '])
    expectStatus(await read(mine.key, `a=${scheme.length}`, scheme), 200);
  assert.equal(trusted.size, 1);
  for (let n = 1; n < 10_000; n++) trusted.add(`unused ${n}`);
  expectStatus(await read(mine.key, 'a=1'), 200);
  expectStatus(await read(other.key, 'a=1'), 200);
  assert.equal(trusted.size, 10_000);
  for (let sent = 0; sent < 300; sent++) await read('wrong-but-long-enough', 'a=1');
  expectProblem(await read('wrong-but-long-enough', 'a=1'), 429, 'too_many_requests');
  expectStatus(await read(mine.key, 'a=1'), 200);
  trusted.clear();
  clock.advance({ seconds: 120 });
});

test('a thousand concurrent wrong keys cause no more look-ups than the limit for wrong credentials', async () => {
  const address = from('192.0.2.31');
  const calls = Array.from({ length: 1_000 }, (_, at) =>
    service.api('GET', '/user', undefined, `wrong-but-long-enough-${at}`, address),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 401).length, 300);
  assert.equal(statuses.filter((status) => status === 429).length, 700);
  clock.advance({ seconds: 120 });
});

test('a client whose first thousand requests are concurrent is not treated as guessing keys', async () => {
  const address = from('192.0.2.32');
  const other = await newTenant(service);
  const calls = Array.from({ length: 1_000 }, () =>
    service.api('GET', '/user', undefined, other.key, address),
  );
  const statuses = new Set((await Promise.all(calls)).map(({ status }) => status));
  assert.ok(!statuses.has(401), 'the key is valid');
  const wrong = await service.api('GET', '/user', undefined, 'wrong-but-long-enough', address);
  assert.equal(wrong.status, 401, 'nothing was counted against its address');
});

test('requests without credentials, even with cookies, do not block valid credentials from the same address', async () => {
  const address = from('192.0.2.9');
  const image = { ...address, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
  const nothing = (more: object) => service.api('GET', '/user', undefined, '', { ...image, ...more });
  for (let sent = 0; sent < 600; sent++) {
    const { status } = await nothing(sent % 2 === 0 ? {} : { cookie: 'statistics=1' });
    assert.equal(status, 401);
  }
  const beyond = await nothing({});
  expectProblem(beyond, 429, 'too_many_requests');
  assert.match(beyond.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  const other = await newTenant(service);
  const token = await service.api(
    'POST',
    '/oauth/token',
    {
      grant_type: 'client_credentials',
      client_id: other.keyId,
      client_secret: other.key,
    },
    '',
  );
  for (const first of [other.key, token.body.access_token])
    assert.equal((await service.api('GET', '/user', undefined, first, address)).status, 200);
  clock.advance({ seconds: 120 });
});

/** Sends concurrent sign-ins. Returns how many were rejected, in total and by reason. */
async function signInTogether(count: number, address: (at: number) => string) {
  const body = { TenantID: tenant.TenantID, Password: 'a'.repeat(64) };
  const reasons = ['full', 'address_concurrency', 'site_concurrency'];
  const counted = async () => {
    const metrics = await readMetrics(service);
    return reasons.map(
      (reason) => metrics.get(`lectern_rejections_total{pool="passwords",reason="${reason}"}`) ?? 0,
    );
  };
  const before = await counted();
  const responses = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      service.api('POST', '/session', { ...body, LoginID: `nobody ${at}` }, '', from(address(at))),
    ),
  );
  for (const { status } of responses) assert.ok([401, 503].includes(status), `unexpected status ${status}`);
  const rejected = responses.filter(({ status }) => status === 503);
  for (const { headers } of rejected) assert.match(headers.get('retry-after') ?? '', /^[1-3]$/);
  const { passwords } = admission;
  assert.deepEqual([passwords.inUse, waitingIn(passwords)], [0, 0]);
  clock.advance({ seconds: 2 });
  const [full = 0, ofAddress = 0, ofSite = 0] = (await counted()).map((sum, at) => sum - (before[at] ?? 0));
  return { rejected: rejected.length, full, ofAddress, ofSite };
}

test('a whole class behind one address can sign in simultaneously', async () => {
  const { rejected } = await signInTogether(40, () => '198.51.100.7');
  assert.equal(rejected, 0);
});

test("anonymous callers' passwords have a separate queue, and one /24 network may occupy half of it", async () => {
  const ofSite = await signInTogether(160, (at) => `198.51.101.${at % 5}`);
  assert.ok(ofSite.rejected > 0 && ofSite.rejected === ofSite.ofSite, JSON.stringify(ofSite));
  const ofAll = await signInTogether(300, (at) => `192.0.${100 + (at % 15)}.1`);
  assert.ok(ofAll.rejected > 0 && ofAll.rejected === ofAll.full, JSON.stringify(ofAll));
});

test('a client that disconnects while its key is being looked up occupies no slot', async () => {
  const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(service.baseUrl)));
  for (const socket of sockets) {
    socket.write(`GET /user HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`);
    socket.destroy();
  }
  await until('nothing is in use', async () => admission.pools.api.inUse === 0);
});

test('every listed 429 and 503 response has Retry-After', async () => {
  const { fastify } = await import('fastify');
  const { handleProblems } = await import('../http/problems.ts');
  const { Problem } = await import('../errors.ts');
  const app = fastify();
  handleProblems(app, service.ctx.log);
  app.get<{ Params: { code: keyof typeof errorCodes } }>('/:code', async (request) => {
    throw new Problem(request.params.code, 'For a test.');
  });
  for (const [code, [status]] of Object.entries(errorCodes)) {
    const response = await app.inject(`/${code}`);
    assert.equal(response.statusCode, status);
    if (status === 429 || status === 503)
      assert.match(String(response.headers['retry-after']), /^[1-9]\d*$/, code);
  }
});

test('a slow anonymous caller gets its response immediately even if a pool is full', async () => {
  const socket = await openSocket(service.baseUrl);
  const response = await ask(socket, 'POST /session HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\n');
  assert.equal(response.status, 413);
  socket.destroy();
});
