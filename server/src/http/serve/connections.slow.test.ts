import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { writeCertificate } from '../../../test/support/certificate.ts';
import { openHttpServer } from './serve.ts';

const files = writeCertificate(await mkdtemp(join(tmpdir(), 'lectern-')));
const respondLater: Parameters<typeof openHttpServer>[1] = (_request, response) => {
  setTimeout(() => response.end('done'), 20);
};
const server = openHttpServer(files, respondLater);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const sessions: ClientHttp2Session[] = [];
after(() => {
  for (const session of sessions) session.destroy();
  server.close();
});

async function openSession(to = server): Promise<ClientHttp2Session> {
  const { port } = to.address() as AddressInfo;
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  sessions.push(session);
  await once(session, 'remoteSettings');
  return session;
}

function request(session: ClientHttp2Session, method = 'GET') {
  const stream = session.request({ ':method': method, ':path': '/' });
  stream.on('error', () => {});
  return stream;
}

test('HTTP/2: all 300 requests from a page get responses, 100 at a time', async () => {
  const session = await openSession();
  assert.equal(session.remoteSettings.maxConcurrentStreams, 100);
  const streams = Array.from({ length: 300 }, () => request(session));
  const heads = await Promise.all(streams.map((stream) => once(stream.resume(), 'response')));
  assert.equal(heads.length, 300);
});

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The pseudo-headers of GET https://a/ in HPACK's static table. */
const headers = Buffer.from([0x82, 0x84, 0x87, 0x41, 0x01, 0x61]);
const cancel = Buffer.from([0, 0, 0, 8]);

/**
 * Opens a client that can cancel requests in the packet that sends them. Node's own client never
 * does this.
 */
async function openRaw(): Promise<TLSSocket> {
  const { port } = server.address() as AddressInfo;
  const socket = connectTls({ port, host: '127.0.0.1', ALPNProtocols: ['h2'], rejectUnauthorized: false });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(
    Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0))]),
  );
  return socket;
}

/** `count` requests, each followed by its cancellation. */
function cancelledRequests(count: number, first: number): Buffer {
  const ids = Array.from({ length: count }, (_, at) => first + 2 * at);
  return Buffer.concat(ids.flatMap((id) => [frame(1, 5, id, headers), frame(3, 0, id, cancel)]));
}

test('HTTP/2: a client that cancels hundreds of requests is disconnected', async () => {
  const socket = await openRaw();
  const closed = once(socket.resume(), 'close');
  for (let sent = 0; sent < 500; sent += 50) socket.write(cancelledRequests(50, 1 + 2 * sent));
  await closed;
});

test('an error at the start of a request ends only its own connection', async () => {
  const errors: unknown[] = [];
  const failing = openHttpServer(
    files,
    ({ url }, response) => {
      if (url === '/') throw new Error('unexpected');
      response.end();
    },
    (error) => void errors.push(error),
  );
  await once(failing.listen(0, '127.0.0.1'), 'listening');
  const session = await openSession(failing);
  request(session);
  await once(session, 'close');
  assert.equal(errors.length, 1);
  const again = await openSession(failing);
  await once(again.request({ ':path': '/health' }).resume(), 'response');
  again.destroy();
  failing.close();
});
