import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, openSocket } from '../../../test/support/raw.ts';
import { startService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { joinTinyChunks } from './tiny-chunks.ts';

// Each chunk of a body costs time, so a limit in bytes is not enough.

const service = await startService();
after(service.close);
const tenant = await newTenant(service);

const chunked = (path: string, type: string, key = tenant.key) =>
  `POST ${path} HTTP/1.1\r\nHost: ${new URL(service.baseUrl).host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

test('a body in thousands of one-byte chunks ends its connection', async () => {
  const socket = await openSocket(service.baseUrl);
  socket.resume().write(chunked('/user', 'application/json') + chunk(' ').repeat(10_000));
  await once(socket, 'close');
  const { values } = await service.ctx.counters.rejected.get();
  assert.equal(values.find(({ labels }) => labels.reason === 'tiny_chunks')?.value, 1);
});

test('a program that sends each row in a separate chunk gets its results', async () => {
  const socket = await openSocket(service.baseUrl);
  const rows = Array.from({ length: 500 }, (_, n) => chunk(`{"LoginID":"r${n}"}\n`)).join('');
  const head = chunked('/user/bulk', 'application/x-ndjson');
  let response = '';
  socket.on('data', (data) => {
    response += data;
  });
  socket.write(`${head}${rows}0\r\n\r\n`);
  await until('all rows are answered', () => response.includes('"Row":500'));
  assert.match(response, /^HTTP\/1\.1 200 /);
  socket.destroy();
});

test('a chunked body is not read further after its request has been rejected', async () => {
  const socket = await openSocket(service.baseUrl);
  const { status } = await ask(
    socket,
    chunked('/user', 'application/json', 'wrong') + chunk('x'.repeat(100)),
  );
  assert.equal(status, 401);
  const block = Buffer.from(chunk('x'.repeat(1_000)).repeat(1_000));
  let isClosed = false;
  let waiting = 0;
  const look = setInterval(() => {
    waiting = socket.writableLength || waiting;
  }, 10);
  socket.resume().once('close', () => {
    isClosed = true;
  });
  socket.write(Buffer.concat(Array.from({ length: 50 }, () => block)));
  await until('the connection is closed', () => isClosed);
  clearInterval(look);
  assert.ok(waiting > 30 * block.length, `only ${waiting} bytes were still unread`);
});

test('a connection remains usable if the rejected body was complete', async () => {
  const rejected = `${chunked('/user', 'application/json', 'wrong')}${chunk('{}')}0\r\n\r\n`;
  const socket = await openSocket(service.baseUrl);
  for (let nth = 0; nth < 20; nth++) {
    const { status, milliseconds } = await ask(socket, rejected);
    assert.equal(status, 401);
    assert.ok(milliseconds < 500, `request ${nth} took ${milliseconds} ms`);
  }
  socket.destroy();
});

test('chunks that arrive together are read as one, in order', async () => {
  const body = new Readable({ read: () => {}, highWaterMark: 1_000 });
  joinTinyChunks(body, () => assert.fail('no flood'));
  const read: string[] = [];
  body.on('data', (data: Buffer) => read.push(data.toString()));
  for (let nth = 0; nth < 50; nth++) assert.equal(body.push(Buffer.from('some text, ')), true);
  await pause(1);
  assert.deepEqual(read, ['some text, '.repeat(50)]);
  assert.equal(
    body.push(Buffer.alloc(1_000)),
    false,
    'the sender has to pause once enough bytes are waiting',
  );
  body.push(null);
  await once(body, 'end');
  assert.equal(read.join('').length, 1_550);
});
