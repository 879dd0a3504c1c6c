import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { slackSeconds, until } from '../../../../test/support/until.ts';
import { startReceiver } from '../../../../test/support/webhooks.ts';
import { readConfig } from '../../../infra/context/config.ts';
import { openSender } from './send.ts';

test('a delivery to a name that resolves to a private address is rejected unless the address is allowed', async () => {
  const receiver = await startReceiver();
  const url = receiver.url.replace('127.0.0.1', 'localhost');
  const message = { url, headers: {}, body: '{}' };
  const signal = new AbortController().signal;
  for (const address of [url, receiver.url]) {
    const strict = openSender({ webhookAllow: [] });
    const outcome = await strict.send({ ...message, url: address }, signal);
    assert.deepEqual([outcome.delivered, outcome.status], [false, null]);
    assert.match(outcome.error ?? '', /not a public address/);
    strict.close();
  }
  assert.equal(receiver.received.length, 0);
  for (const entry of ['localhost', '127.0.0.0/8']) {
    const lenient = openSender({ webhookAllow: [entry, '::1'] });
    assert.equal((await lenient.send(message, signal)).delivered, true, entry);
    lenient.close();
  }
  await receiver.kill();
});

test('a refused connection and a shutdown are recorded as failures with a reason', async () => {
  const receiver = await startReceiver();
  receiver.answer(() => {});
  const sender = openSender({ webhookAllow: ['127.0.0.1'] });
  const message = { url: receiver.url, headers: {}, body: '{}' };
  const stop = new AbortController();
  const hanging = sender.send(message, stop.signal);
  stop.abort();
  assert.equal((await hanging).delivered, false);
  await receiver.kill();
  const refused = await sender.send(message, new AbortController().signal);
  assert.match(refused.error ?? '', /ECONNREFUSED/);
  sender.close();
});

test('a receiver that switches protocols or closes the connection counts as failed, and its connection is closed', async () => {
  for (const [answer, reason] of [
    [
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      /another protocol/,
    ],
    ['HTTP/1.1 101 Switching Protocols\r\n\r\n', /\S/],
    ['', /\S/],
  ] as const) {
    let open = 0;
    const server = createServer((socket) => {
      open++;
      socket.on('close', () => open--).on('error', () => {});
      socket.once('data', () => (answer === '' ? socket.end() : socket.write(answer)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const sender = openSender({ webhookAllow: ['127.0.0.1'] });
    const outcome = await sender.send({ url, headers: {}, body: '{}' }, new AbortController().signal);
    assert.equal(outcome.delivered, false);
    assert.match(outcome.error ?? '', reason);
    sender.close();
    await until('the connection is closed', () => open === 0);
    server.close();
  }
});

test('WEBHOOK_ALLOW accepts only hosts, addresses and networks', () => {
  const { webhookAllow } = readConfig({ WEBHOOK_ALLOW: 'Localhost, 10.0.0.0/8,fd00::/8,192.0.2.1' });
  assert.deepEqual(webhookAllow, ['localhost', '10.0.0.0/8', 'fd00::/8', '192.0.2.1']);
  for (const WEBHOOK_ALLOW of ['10.0.0.0/33', 'host/8', 'https://example.com', '*'])
    assert.throws(() => readConfig({ WEBHOOK_ALLOW }), /^ConfigError: WEBHOOK_ALLOW/);
});

test('endless, huge and slow responses use little memory and at most ten seconds', async () => {
  const receiver = await startReceiver();
  const sender = openSender({ webhookAllow: ['127.0.0.1'] });
  const message = { url: receiver.url, headers: {}, body: '{}' };
  const never = new AbortController().signal;
  const block = Buffer.alloc(64 * 1024, 'x');
  receiver.answer((response) => {
    response.writeHead(200);
    const writeOn = () => {
      while (!response.destroyed && response.write(block));
    };
    response.on('drain', writeOn).on('error', () => {});
    writeOn();
  });
  const before = process.memoryUsage().rss;
  let peak = before;
  const rounds = 200;
  for (let nth = 0; nth < rounds; nth += 20) {
    const sent = await Promise.all(Array.from({ length: 20 }, () => sender.send(message, never)));
    for (const { delivered, body } of sent) assert.deepEqual([delivered, body?.length], [true, 4 * 1024]);
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  const megabytes = Math.round((peak - before) / 1024 ** 2);
  assert.ok(megabytes < 150, `${megabytes} MB of memory were used`);

  const dribbles: NodeJS.Timeout[] = [];
  receiver.answer((response) => {
    response.writeHead(200);
    dribbles.push(setInterval(() => response.write('.'), 200));
  });
  const begun = performance.now();
  const slow = await Promise.all(Array.from({ length: 20 }, () => sender.send(message, never)));
  const seconds = (performance.now() - begun) / 1_000;
  for (const timer of dribbles) clearInterval(timer);
  for (const { delivered, error } of slow) {
    assert.equal(delivered, false);
    assert.match(error ?? '', /did not respond within 10 s/);
  }
  assert.ok(seconds < 10 + slackSeconds, `the deliveries took ${seconds} s`);
  receiver.answer((response) => {
    response.socket?.write(`HTTP/1.1 200 OK\r\n${`X-Long: ${'x'.repeat(8_000)}\r\n`.repeat(20)}\r\n`);
  });
  const headers = await sender.send(message, never);
  assert.equal(headers.delivered, false);
  console.log(
    `${rounds} endless answers: ${megabytes} MB more at most; 20 slow ones ended after ${seconds.toFixed(1)} s`,
  );
  sender.close();
  await receiver.kill();
});

test('endless interim responses count as a failure', async () => {
  const receiver = await startReceiver();
  const sender = openSender({ webhookAllow: ['127.0.0.1'] });
  const message = { url: receiver.url, headers: {}, body: '{}' };
  const never = new AbortController().signal;
  receiver.answer((response) => {
    response.socket?.write(
      `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(5)}HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
  });
  assert.equal((await sender.send(message, never)).delivered, true);
  receiver.answer((response) => {
    response.socket?.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000));
  });
  const endless = await sender.send(message, never);
  assert.deepEqual([endless.delivered, endless.error], [false, 'The endpoint sent only interim responses.']);
  sender.close();
  await receiver.kill();
});

test('only the beginning of a response in many packets is read, and its status counts', async () => {
  const receiver = await startReceiver();
  const sender = openSender({ webhookAllow: ['127.0.0.1'] });
  const message = { url: receiver.url, headers: {}, body: '{}' };
  const timers: NodeJS.Timeout[] = [];
  receiver.answer((response) => {
    response.on('error', () => {}).writeHead(200);
    timers.push(setInterval(() => response.write('twenty bytes or more'), 5));
  });
  const { delivered, status, body } = await sender.send(message, new AbortController().signal);
  for (const timer of timers) clearInterval(timer);
  assert.deepEqual([delivered, status], [true, 200]);
  assert.match(body ?? '', /^(twenty bytes or more){20}/);
  sender.close();
  await receiver.kill();
});
