import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { play, scorm12 } from '../../../test/support/player.ts';
import { ask, openSocket } from '../../../test/support/raw.ts';
import { startService } from '../../../test/support/service.ts';
import { newCourse, newTenant } from '../../../test/support/tenant.ts';
import { slackSeconds } from '../../../test/support/until.ts';
import { routes } from '../../app/app.ts';

const service = await startService();
after(service.close);
const tenant = await newTenant(service);

const addresses: { origin: string; method: string; path: string }[] = [
  // The check page takes a file from anyone.
  ...routes
    .filter(({ name }) => name !== 'verifyCertificateFile')
    .map(({ method, path, origin }) => ({
      origin: origin === 'content' ? service.contentUrl : service.baseUrl,
      method,
      path: path.replaceAll(/\{\w+\}/g, 'a'),
    })),
  { origin: service.contentUrl, method: 'POST', path: '/play/a/nothing' },
  { origin: service.baseUrl, method: 'POST', path: '/nothing' },
];

const head = (method: string, path: string, more: string) =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${more}\r\n`;

test('without valid credentials, every route of both origins responds before the body arrives', async () => {
  for (const { origin, method, path } of addresses)
    for (const credentials of ['', 'Authorization: Bearer wrong-but-long-enough\r\n']) {
      const socket = await openSocket(origin);
      const answer = await ask(socket, head(method, path, `${credentials}Content-Length: 500000\r\n`));
      const what = `${method} ${path}: ${answer.head}`;
      // HACP reports errors in the text of a response with the status 200.
      const isRefused = path.endsWith('/hacp') && /^error=3/m.test(answer.body);
      assert.ok(method === 'GET' || isRefused || [401, 404, 410, 413].includes(answer.status), what);
      assert.ok(answer.milliseconds < 1_000 * (2 + slackSeconds), what);
      socket.destroy();
    }
});

test('an unknown Expect header does not change the response', async () => {
  for (const [path, status, code] of [
    ['/user', 401, 'unauthorized'],
    ['/nothing', 404, 'not_found'],
  ] as const) {
    const socket = await openSocket(service.baseUrl);
    const answer = await ask(socket, head('GET', path, 'Expect: the-unexpected\r\n'));
    assert.equal(answer.status, status, answer.head);
    assert.match(answer.head, /^x-request-id: .*^x-content-type-options: nosniff/ims);
    assert.equal(JSON.parse(answer.body).code, code);
    socket.destroy();
  }
});

test('a rejected caller that finishes sending its body keeps its connection', async () => {
  const socket = await openSocket(service.baseUrl);
  for (const _ of [1, 2]) {
    const answer = await ask(socket, `${head('POST', '/user', 'Content-Length: 20\r\n')}${' '.repeat(20)}`);
    assert.equal(answer.status, 401);
  }
  socket.destroy();
});

test('a compressed body gets 415 on every route of both origins, with or without credentials', async () => {
  const bomb = brotliCompressSync('['.repeat(4 * 1024 ** 2));
  const course = await newCourse(service);
  const enrolment = await service.enrol(course);
  const { session } = await play(service, enrolment.LaunchURL);
  const known = [
    ...addresses,
    { origin: service.contentUrl, method: 'POST', path: `/play/${session.Session}/commit` },
  ];
  for (const { origin, method, path } of known)
    for (const encoding of ['br', 'gzip', 'deflate', 'zstd', 'x', 'identity, br']) {
      const socket = await openSocket(origin);
      const more = `Authorization: Bearer ${tenant.key}\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n`;
      const sent = Buffer.concat([Buffer.from(head(method, path, more)), bomb]);
      const used = process.cpuUsage();
      const answer = await ask(socket, sent);
      const { user, system } = process.cpuUsage(used);
      const work = (user + system) / 1_000;
      assert.equal(answer.status, 415, `${method} ${path} ${encoding}: ${answer.head}`);
      assert.ok(work < 500, `${method} ${path} took ${work} ms of processor time`);
      assert.ok(
        answer.milliseconds < 1_000 * (2 + slackSeconds),
        `${method} ${path} took ${answer.milliseconds} ms`,
      );
      socket.destroy();
    }
});

test('Content-Encoding: identity does not count as compressed', async () => {
  const made = await tenant.api('POST', '/user', { LoginID: 'plain' }, { 'content-encoding': 'identity' });
  assert.equal(made.status, 201);
});

test('forms from callers without credentials may be up to 16 KiB in size', async () => {
  for (const path of ['/oauth/token', '/session', '/session/sign-in']) {
    const answer = await service.api('POST', path, { filler: 'x'.repeat(17_000) }, '');
    assert.equal(answer.status, 413, path);
    assert.match(answer.body.detail, /16384 bytes/);
  }
});

test('JSON that is deeply nested or has very many values is rejected before it is parsed', async () => {
  for (const body of ['['.repeat(1_000_000), `{${'"a":"",'.repeat(100_000)}"b":""}`]) {
    const answer = await tenant.api('POST', '/user', body, { 'content-type': 'application/json' });
    assert.equal(answer.status, 422);
  }
  const text = JSON.stringify({ LoginID: 'x', FirstName: '[[[[,,,,\\"[[['.repeat(2_000) });
  const long = await tenant.api('POST', '/user', text, { 'content-type': 'application/json' });
  assert.match(
    long.body.detail,
    /FirstName must have at most/,
    'brackets and commas inside strings do not count',
  );
});

test('a commit of 4 MiB is rejected before it is read, and a commit with 60,000 members before it is parsed', async () => {
  const enrolment = await service.enrol(await newCourse(service));
  const { session, commit } = await play(service, enrolment.LaunchURL);
  const path = `/play/${session.Session}/commit`;
  const socket = await openSocket(service.contentUrl);
  const large = await ask(socket, head('POST', path, `Content-Length: ${4 * 1024 ** 2}\r\n`));
  assert.equal(large.status, 413);
  socket.destroy();
  const names = Array.from({ length: 60_000 }, (_, at) => [`cmi.a${at}`, '']);
  const many = await commit({ Data: Object.fromEntries(names) });
  assert.equal(many.status, 422);
  const unknown = await fetch(`${service.contentUrl}/play/unknown/commit`, {
    method: 'POST',
    body: JSON.stringify({ Number: 1 }),
  });
  assert.equal(unknown.status, 410);
  assert.equal((await commit({ Data: scorm12('completed') })).status, 200);
});
