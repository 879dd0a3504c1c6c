import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { ask, openSocket } from '../../../test/support/raw.ts';
import { startService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { holdConnection } from './peers.ts';

const service = await startService({ env: { ANONYMOUS_RATE_LIMIT: '5' } });
const proxied = await startService({ env: { ANONYMOUS_RATE_LIMIT: '5', TRUST_PROXY: '1' } });
after(() => Promise.all([service.close(), proxied.close()]));
const tenant = await newTenant(service);
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Sends requests on many connections from one address, and counts the responses. */
async function flood(origin: string, from: string, perConnection: number) {
  const sockets = await Promise.all(Array.from({ length: 60 }, () => openSocket(origin, from)));
  let answers = 0;
  for (const socket of sockets) {
    socket.on('data', (part: Buffer) => {
      answers += String(part).split('HTTP/1.1 ').length - 1;
    });
    socket.write(get.repeat(perConnection));
  }
  return { answers: () => answers, close: () => sockets.map((socket) => socket.destroy()) };
}

/**
 * With 3,000 queued requests and 200 rejections a second, more requests would be rejected while a caller that
 * had to queue was waiting.
 */
const assertAhead = (rejections: number) =>
  assert.ok(rejections < 200, `${rejections} requests were rejected meanwhile`);

test('an address without accepted requests gets at most 200 rejections a second, and a known caller never waits', async () => {
  const key = `GET /user HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`;
  const known = await openSocket(service.baseUrl, '127.0.0.31');
  assert.equal((await ask(known, key)).status, 200);
  const begun = performance.now();
  const attack = await flood(service.baseUrl, '127.0.0.31', 50);
  await until('the flood is rejected', async () => attack.answers() >= 200);
  for (let nth = 0; nth < 5; nth++) {
    const before = attack.answers();
    assert.equal((await ask(known, key)).status, 200);
    assertAhead(attack.answers() - before);
  }
  const other = await openSocket(service.baseUrl, '127.0.0.32');
  const before = attack.answers();
  await ask(other, get);
  assertAhead(attack.answers() - before);
  await until('some of the queued requests are rejected', async () => attack.answers() >= 300);
  const seconds = (performance.now() - begun) / 1_000;
  assert.ok(attack.answers() <= 200 * (seconds + 2), `${attack.answers()} responses in ${seconds} s`);
  assert.ok(attack.answers() < 3_000);
  const ahead = await openSocket(service.baseUrl, '127.0.0.31');
  ahead.write(get.repeat(20));
  await once(ahead, 'close');
  attack.close();
  await until('the queues are empty', async () => service.ctx.admission.peers?.queues.size === 0);
  for (const socket of [known, other]) socket.destroy();
});

test('an address may have 4,000 connections, and other addresses can still connect', async () => {
  const { peers } = service.ctx.admission;
  assert.ok(peers);
  const held = Array.from({ length: 4_000 }, () => holdConnection(peers, '127.0.0.33'));
  const one = await openSocket(service.baseUrl, '127.0.0.33');
  await once(one, 'close');
  const other = await openSocket(service.baseUrl, '127.0.0.34');
  assert.equal((await ask(other, get)).status, 302);
  for (const release of held) release?.();
  const again = await openSocket(service.baseUrl, '127.0.0.33');
  assert.equal((await ask(again, get)).status, 302);
  for (const socket of [other, again]) socket.destroy();
});

test('behind a proxy, nothing is counted by address', async () => {
  const attack = await flood(proxied.baseUrl, '127.0.0.35', 50);
  await until('all are answered', async () => attack.answers() === 3_000);
  attack.close();
});
