import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeCertificate } from '../../../test/support/certificate.ts';
import { openSession, send } from '../../../test/support/http2.ts';
import { startService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';

// These tests use their own certificates.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const { certFile, keyFile } = writeCertificate(await mkdtemp(join(tmpdir(), 'lectern-')));
const service = await startService({
  env: { TLS_CERT: certFile, TLS_KEY: keyFile, ANONYMOUS_RATE_LIMIT: '100' },
});
after(service.close);
const { admission } = service.ctx;
const used = (network: string) => admission.unread.used.get(network)?.inUse ?? 0;
const form = {
  ':method': 'POST',
  ':path': '/oauth/token',
  'content-type': 'application/x-www-form-urlencoded',
};

test("unread rejections are limited per address, and exceeding the limit ends the client's sessions", async () => {
  admission.rejectionMilliseconds = 300_000;
  const from = '127.0.0.11';
  const sessions = await Promise.all(
    Array.from({ length: 8 }, () => openSession(service.baseUrl, { from, window: 0 })),
  );
  const ended = sessions.map((session) => once(session, 'close'));
  for (const session of sessions) for (let nth = 0; nth < 100; nth++) send(session, { ':path': '/nothing' });
  await Promise.race(ended);
  await until('the rest is within the budget', async () => used(from) > 0 && used(from) <= 500);
  const other = await openSession(service.baseUrl, { from: '127.0.0.12' });
  const { stream, status } = send(other, { ':path': '/health/live' });
  await once(stream, 'close');
  assert.equal(status(), 200);
  other.destroy();
  for (const session of sessions) session.destroy();
  await until('no slots are in use', async () => used(from) === 0);
});

test('a rejection that is not read in time ends the session, whatever else the client does', async () => {
  admission.rejectionMilliseconds = 200;
  const session = await openSession(service.baseUrl, { from: '127.0.0.13', window: 0 });
  const ended = once(session, 'close');
  send(session, { ':path': '/user' });
  const pings = setInterval(() => session.destroyed || session.ping(() => {}), 20);
  await ended;
  clearInterval(pings);
  admission.rejectionMilliseconds = 300_000;
});

test('a response to an anonymous caller has a deadline and occupies its slot until it is sent', async () => {
  admission.responseMilliseconds = 300;
  const from = '127.0.0.14';
  const session = await openSession(service.baseUrl, { from, window: 0 });
  const streams = Array.from({ length: 60 }, () => send(session, { ':path': '/openapi.json' }));
  await until('all requests have responses', async () => streams.every(({ status }) => status() !== null));
  const statuses = streams.map(({ status }) => status());
  assert.equal(statuses.filter((status) => status === 200).length, 50);
  assert.equal(statuses.filter((status) => status === 429).length, 10);
  await until('all slots are free', async () => admission.pools.anonymous.inUse === 0);
  session.destroy();
});

test('over HTTP/2, all body limits apply, with and without Content-Length', async () => {
  admission.anonymousBodyMilliseconds = 300;
  for (const [at, length] of [{}, { 'content-length': '100' }, { 'content-length': '0' }].entries()) {
    const session = await openSession(service.baseUrl, { from: `127.0.1.${20 + at}` });
    const streams = Array.from({ length: 15 }, () => send(session, { ...form, ...length }, false));
    await until('some are rejected', async () => streams.some(({ status }) => status() !== null));
    const statuses = streams.map(({ status }) => status());
    assert.equal(statuses.filter((status) => status === 429).length, 5);
    await until('all requests have ended', async () => streams.every(({ stream }) => stream.closed));
    await until('all slots are free', async () => admission.pools.anonymous.inUse === 0);
    const unknown = send(session, { ...form, ...length, ':path': '/nothing' }, false);
    await once(unknown.stream, 'close');
    assert.equal(unknown.status(), 404);
    session.destroy();
  }
});
