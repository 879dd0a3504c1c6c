import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { movableClock } from '../../../../test/support/clock.ts';
import { play } from '../../../../test/support/player.ts';
import { ask, openSocket } from '../../../../test/support/raw.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, newCourse } from '../../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
// Limits count from one minute to the next, so each test begins with a minute.
beforeEach(() => clock.advance({ seconds: 61 - clock.now().getUTCSeconds() }));
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

test('previews of a course share limits', async () => {
  const course = await newCourse(service);
  const preview = async () =>
    play(service, (await service.api('POST', `/course/${course}/preview`, {})).body.PreviewURL);
  const [first, second] = [await preview(), await preview()];
  for (let sent = 0; sent < 70; sent++) await first.commit({});
  const responses = [];
  for (let sent = 0; sent < 55; sent++) responses.push((await second.commit({})).status);
  assert.equal(responses.filter((status) => status === 429).length, 5);
});
