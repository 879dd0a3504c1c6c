import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { click, play } from '../../../test/support/player.ts';
import { ask, openSocket } from '../../../test/support/raw.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, newCourse, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';

const service = await startService();
after(service.close);
const open = async () => play(service, (await service.enrol(await newCourse(service))).LaunchURL);

test('a commit may have at most 10,000 elements, with names from the data models', async () => {
  const { commit } = await open();
  const elements = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`cmi.interactions.${at}.id`, 'i']));
  assert.equal((await commit({ Data: elements(10_000) })).status, 200);
  expectProblem(await commit({ Data: elements(10_001) }), 422, 'validation_failed');
});

test('names that are not in the data models are rejected', async () => {
  const { commit } = await open();
  for (const name of [
    '',
    'x',
    'cmi',
    'cmi.',
    'evil.core',
    'cmi.core\n',
    'cmi.Ä',
    `cmi.${'a'.repeat(41)}`,
    'cmi..a',
  ])
    expectProblem(await commit({ Data: { [name]: '1' } }), 422, 'validation_failed');
});

test('JSON is rejected if it is nested more deeply than a commit', async () => {
  const { commit } = await open();
  const deep = { 'cmi.a': { b: { c: 'd' } } } as unknown as Record<string, string>;
  assert.equal((await commit({ Data: deep })).status, 422);
});

test('a unit with 64 kB of suspend data in any script and 250 full interactions is accepted', async () => {
  const { commit, session } = await open();
  const Data: Record<string, string> = {
    'cmi.suspend_data': '漢'.repeat(64_000),
    'cmi.location': 'é'.repeat(1_000),
  };
  for (let at = 0; at < 250; at++) {
    const element = (name: string) => `cmi.interactions.${at}.${name}`;
    Data[element('id')] = `urn:interaction:${at}`;
    Data[element('type')] = 'fill-in';
    Data[element('learner_response')] = 'ü'.repeat(250);
    Data[element('correct_responses.0.pattern')] = 'x'.repeat(250);
    Data[element('description')] = 'y'.repeat(250);
    Data[element('objectives.0.id')] = `urn:objective:${at}`;
    for (const name of ['timestamp', 'weighting', 'result', 'latency'])
      Data[element(name)] = '2026-01-01T00:00:00';
  }
  const reply = await commit({ Data, Tree: JSON.stringify({ Changes: 'z'.repeat(200_000) }) });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(reply.body.Number, session.NextCommit);
});

test('an enrolment that sends more than 120 commits a minute gets 429 with Retry-After; other enrolments are unaffected', async () => {
  const { commit } = await open();
  const other = await open();
  const responses = [];
  for (let sent = 0; sent < 125; sent++) responses.push(await commit({ Number: 1 }));
  const rejected = responses.filter(({ status }) => status === 429);
  assert.deepEqual(new Set(responses.slice(0, 120).map(({ status }) => status)), new Set([200]));
  assert.equal(rejected.length, 5);
  for (const { headers } of rejected) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await other.commit({})).status, 200);
});

const launchUrl = async () => (await service.enrol(await newCourse(service))).LaunchURL;

/** The headers of a commit with a declared length whose body never arrives. */
const slowCommit = (session: string, bytes: number) =>
  `POST /play/${session}/commit HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;

test('all launches of an enrolment share the limit of 120 commits a minute', async () => {
  const link = await launchUrl();
  const first = await play(service, link);
  for (let sent = 0; sent < 70; sent++) await first.commit({ Number: 1 });
  const second = await play(service, link);
  const responses = [];
  for (let sent = 0; sent < 55; sent++) responses.push((await second.commit({ Number: 1 })).status);
  assert.deepEqual(responses.slice(0, 50), Array(50).fill(200));
  assert.deepEqual(responses.slice(50), Array(5).fill(429));
});

test('an enrolment has at most six commits in progress across all its launches, and others are unaffected', async () => {
  const link = await launchUrl();
  const { runTime } = service.ctx.admission.pools;
  const sockets = [];
  for (let at = 0; at < 6; at++) {
    const { session } = await play(service, link);
    const socket = await openSocket(service.contentUrl);
    socket.write(slowCommit(session.Session, 1000));
    sockets.push(socket);
  }
  await until('six are in progress', () => runTime.inUse === 6);
  const page = await play(service, link);
  const seventh = await page.commit({});
  expectProblem(seventh, 429, 'too_many_requests');
  assert.match(seventh.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal(await page.alive(), 204);
  assert.equal((await (await open()).commit({})).status, 200);
  for (const socket of sockets) socket.destroy();
  await until('their slots are free', () => runTime.inUse === 0);
  assert.equal((await page.commit({})).status, 200);
});

test('when a tenant exceeds 16 MiB of commits in progress, its large commits get 429; small ones and other tenants are unaffected', async () => {
  const tenant = await newTenant(service);
  const course = await newCourse(service);
  const launchUrl = async ({ api, user }: TestTenant) =>
    (await api('POST', `/enrol/${await user()}/${course}`)).body.LaunchURL;
  const { runTime } = service.ctx.admission.pools;
  const sockets: Awaited<ReturnType<typeof openSocket>>[] = [];
  for (let learner = 0; learner < 4; learner++) {
    const { session } = await play(service, await launchUrl(tenant));
    for (let at = 0; at < 4; at++) {
      const socket = await openSocket(service.contentUrl);
      socket.write(slowCommit(session.Session, 1024 ** 2));
      sockets.push(socket);
    }
  }
  await until('sixteen are in progress', () => runTime.inUse === 16);
  const large = { 'cmi.suspend_data': 'x'.repeat(60_000) };
  const page = await play(service, await launchUrl(tenant));
  const refused = await page.commit({ Data: large });
  expectProblem(refused, 429, 'too_many_requests');
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await page.commit({ Data: { 'cmi.suspend_data': 'x'.repeat(10_000) } })).status, 200);
  const other = await play(service, await launchUrl(await newTenant(service)));
  assert.equal((await other.commit({ Data: large })).status, 200);
  for (const socket of sockets) socket.destroy();
  await until('their slots are free', () => runTime.inUse === 0);
  assert.equal((await page.commit({ Data: large })).status, 200);
});

test('an enrolment may send 30 MiB of commits a minute, counted before they are read', async () => {
  const link = await launchUrl();
  const { session, commit } = await play(service, link);
  for (let sent = 0; sent < 29; sent++) {
    const socket = await openSocket(service.contentUrl);
    const head = slowCommit(session.Session, 1024 ** 2).replace('application/json', 'text/plain');
    assert.equal((await ask(socket, `${head}${'x'.repeat(1024 ** 2)}`)).status, 400);
    socket.destroy();
  }
  assert.equal((await commit({})).status, 200);
  const socket = await openSocket(service.contentUrl);
  const refused = await ask(socket, slowCommit(session.Session, 1024 ** 2));
  assert.equal(refused.status, 429);
  assert.match(refused.head, /\nretry-after: [1-9]\d*(\r|$)/i);
  socket.destroy();
  const unsaid = await openSocket(service.contentUrl);
  const chunked = slowCommit(session.Session, 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  assert.equal(
    (await ask(unsaid, chunked)).status,
    429,
    'a commit without a declared length counts as the largest possible commit',
  );
  unsaid.destroy();
  assert.equal((await commit({})).status, 200, 'a small commit still fits into the budget');
});

test('a page that loads 100 files concurrently gets all of them', async () => {
  const { file } = await open();
  const responses = await Promise.all(Array.from({ length: 100 }, (_, at) => file(`${at}.js`)));
  assert.deepEqual(
    new Set(responses.map(({ status }) => status)),
    new Set([404]),
    'the course has no such files',
  );
});

test('previews of a course share limits, separately for each tenant', async () => {
  const course = await newCourse(service);
  const preview = async () => {
    const { body } = await service.api('POST', `/course/${course}/preview`, {});
    const { location } = await click(body.PreviewURL);
    const response = await fetch(`${location}/session`, { method: 'POST' });
    return (await response.json()).Session as string;
  };
  const { runTime } = service.ctx.admission.pools;
  const sockets = [];
  for (let at = 0; at < 6; at++) {
    const socket = await openSocket(service.contentUrl);
    socket.write(slowCommit(await preview(), 1000));
    sockets.push(socket);
  }
  await until('six are in progress', () => runTime.inUse === 6);
  const seventh = await openSocket(service.contentUrl);
  assert.equal((await ask(seventh, slowCommit(await preview(), 1000))).status, 429);
  for (const socket of [...sockets, seventh]) socket.destroy();
  await until('their slots are free', () => runTime.inUse === 0);
});
