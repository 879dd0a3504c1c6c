import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { writeCertificate } from '../../../test/support/certificate.ts';
import { openSession, send } from '../../../test/support/http2.ts';
import { openSocket } from '../../../test/support/raw.ts';
import { openHttpServer } from '../http/connections.ts';

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const files = writeCertificate(await mkdtemp(join(tmpdir(), 'lectern-')));
const large = Buffer.alloc(32 * 1024 ** 2);
const rejected: string[] = [];
const limits = {
  peers: null,
  reject: (reason: string) => void rejected.push(reason),
  stalledMilliseconds: 1_200,
};
const answer = (_request: unknown, response: ServerResponse) => void response.end(large);
const plain = openHttpServer(null, answer, limits);
const secure = openHttpServer(files, answer, limits);
for (const server of [plain, secure]) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
after(() => {
  plain.close();
  secure.close();
});
const originOf = (server: Server, scheme: string) =>
  `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;

test('HTTP/1.1: the connection is closed if the client does not read a response', async () => {
  const closed = once(plain, 'connection').then(([accepted]) => once(accepted, 'close'));
  const reader = await openSocket(originOf(plain, 'http'));
  reader.pause();
  reader.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await closed;
  reader.destroy();
});

test('HTTP/2: a response that the client does not read is cancelled, even if the client sends pings', async () => {
  const session = await openSession(originOf(secure, 'https'), { window: 0 });
  const { stream, status } = send(session, { ':path': '/' });
  const pings = setInterval(() => session.ping(() => {}), 20);
  await once(stream, 'close');
  clearInterval(pings);
  assert.equal(status(), 200);
  assert.deepEqual(rejected, ['unread']);
  session.destroy();
});

test('a slow client that keeps reading gets the complete response', async () => {
  const socket = await openSocket(originOf(plain, 'http'));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const pauseAfter = large.length / 6;
  let bytes = 0;
  let sincePause = 0;
  for await (const part of socket as AsyncIterable<Buffer>) {
    bytes += part.length;
    sincePause += part.length;
    if (bytes >= large.length) break;
    if (sincePause < pauseAfter) continue;
    sincePause = 0;
    await delay(500);
  }
  assert.ok(bytes >= large.length, `${bytes} bytes arrived`);
});
