import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openClient } from '../../bench/kill/client.ts';
import { prepareTarget } from '../../bench/kill/rounds.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  injected,
  type Running,
  startProcess,
  stopProcess,
} from './support/process.ts';
import { slackSeconds, until } from './support/until.ts';

after(cleanUp);

let opened = 0;

/** Uses many local addresses, because connections per address are limited (src/platform/load/peers.ts). */
function open(service: Running, text = ''): Socket {
  const localAddress = `127.0.0.${2 + (opened++ % 200)}`;
  const socket = connect({ port: Number(service.env.PORT), host: '127.0.0.1', localAddress });
  socket.on('error', () => {}).on('data', () => {});
  if (text) socket.write(text);
  return socket;
}

const head = (path: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer ${bootstrapKey}\r\n${more}`;

async function megabytes(service: Running): Promise<number> {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]) / 1024 ** 2;
}

test('clients that send headers, bodies or uploads too slowly are disconnected after 30 s, but slow and steady uploads are not', async (context) => {
  const service = await startProcess({ ...(await databaseSettings()), LOG_LEVEL: 'warn' });
  const agent = new Agent();
  const headers = {
    authorization: `Bearer ${bootstrapKey}`,
    'content-type': 'application/x-ndjson',
    tenant: 'slow',
  };
  const post = (path: string, body: unknown) =>
    fetch(service.baseUrl + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  assert.equal((await post('/tenant', { TenantID: 'slow' })).status, 201);

  const slow = {
    silent: open(service),
    headers: open(service, 'GET /tenant HTTP/1.1\r\n'),
    body: open(service, head('/tenant', 'Content-Length: 500000\r\n\r\n')),
    refused: open(service, `POST /tenant HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n`),
    chunked: open(service, head('/tenant', 'Transfer-Encoding: chunked\r\n\r\n')),
    steady: open(service, head('/tenant', 'Content-Length: 500000\r\n\r\n')),
    rows: open(
      service,
      head('/user/bulk', 'Tenant: slow\r\nContent-Length: 500000\r\n\r\n').replace('/json', '/x-ndjson'),
    ),
  };
  const ends = Object.fromEntries(
    Object.entries(slow).map(([name, socket]) => {
      const begun = performance.now();
      // Does not use `once` from node:events, which rejects if the connection is reset. A client that is
      // still writing usually gets a reset.
      const closed = new Promise((resolve) => socket.once('close', resolve));
      return [name, closed.then(() => (performance.now() - begun) / 1_000)];
    }),
  );
  const upload = request(`${service.baseUrl}/user/bulk`, { method: 'POST', agent, headers });
  const answered = once(upload, 'response');
  let rows = 0;
  const dribble = setInterval(() => {
    slow.headers.write('X-A: b\r\n');
    slow.body.write(' ');
    slow.refused.write(' ');
    slow.chunked.write('1\r\n \r\n');
    upload.write(`{"LoginID":"slow ${++rows}","LastName":"${'x'.repeat(250)}"}\n`.padStart(600));
    slow.steady.write(' '.repeat(1_000));
    slow.rows.write('\n');
  }, 1_000);
  context.after(() => {
    clearInterval(dribble);
    upload.destroy();
  });
  const took: Record<string, number> = {};
  for (const [name, end] of Object.entries(ends)) took[name] = Math.round(await end);
  clearInterval(dribble);
  upload.end();
  const [response] = await answered;
  let text = '';
  for await (const part of response) text += part;
  assert.equal(
    text
      .trim()
      .split('\n')
      .filter((line) => line.includes('201')).length,
    rows,
    text,
  );
  for (const [name, seconds] of Object.entries(took))
    assert.ok(seconds <= 30 + slackSeconds, `${name} held for ${seconds} s`);
  assert.doesNotMatch(service.stdout(), /"level":(50|60)/);
  console.log(
    `slow clients disconnected after ${JSON.stringify(took)} s; an upload of ${rows} rows at one a second was accepted`,
  );
  await stopProcess(service);
});

test('the service stays fast and uses little memory with 10,000 idle connections', async () => {
  const limit = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }));
  assert.ok(limit >= 12_000, `ulimit -n is ${limit}; allow 12,000 open files for this test`);
  const service = await startProcess({ ...(await databaseSettings()), LOG_LEVEL: 'warn' });
  const before = await megabytes(service);
  const sockets: Socket[] = [];
  const warm = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
  for (let begun = 0; begun < 10_000; begun += 500) {
    const some = Array.from({ length: 500 }, () => open(service, warm));
    await Promise.all(some.map((socket) => once(socket, 'data')));
    sockets.push(...some);
  }
  const during = await megabytes(service);
  const times: number[] = [];
  for (let nth = 0; nth < 50; nth++) {
    const begun = performance.now();
    assert.equal((await fetch(`${service.baseUrl}/health/ready`)).status, 200);
    times.push(performance.now() - begun);
  }
  const open10k = sockets.filter((socket) => !socket.destroyed).length;
  for (const socket of sockets) socket.destroy();
  const median = times.sort((a, b) => a - b)[25] ?? 0;
  console.log(
    `${open10k} idle connections: ${Math.round(during - before)} MB more, a response in ${median.toFixed(1)} ms`,
  );
  assert.equal(open10k, 10_000);
  assert.ok(during - before < 250, `memory grew by ${Math.round(during - before)} MB`);
  assert.ok(median < 1_000, `the median response took ${median} ms`);
  await stopProcess(service);
});

const operator = { authorization: `Bearer ${bootstrapKey}` };

test('after the event loop was blocked, waiting requests get 503 before memory use grows', async () => {
  const fault = injected('stall', { INJECT_MILLISECONDS: '4000' });
  const service = await startProcess({ ...(await databaseSettings()), ...fault, LOG_LEVEL: 'warn' });
  const before = await megabytes(service);
  const sockets = Array.from({ length: 500 }, () =>
    open(service, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n'),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  service.child.kill('SIGUSR2');
  await delay(500);
  const ask = `GET /tenant HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bootstrapKey}\r\n\r\n`;
  const responses = await Promise.all(
    sockets.map(async (socket) => {
      const came = once(socket, 'data');
      socket.write(ask);
      return String((await came)[0]);
    }),
  );
  const more = Math.round((await megabytes(service)) - before);
  const refused = responses.filter((text) => text.startsWith('HTTP/1.1 503 '));
  assert.ok(refused.length > 250, `${refused.length} requests were rejected`);
  for (const text of refused) assert.match(text, /^retry-after: [1-3]\r$/im);
  for (const text of responses) assert.match(text, /^HTTP\/1\.1 (200|503) /);
  assert.ok(more < 150, `memory grew by ${more} MB`);
  await until(
    'the service responds again',
    async () => (await fetch(`${service.baseUrl}/tenant`, { headers: operator })).status === 200,
  );
  assert.match(service.stdout(), /the event loop was blocked/);
  for (const socket of sockets) socket.destroy();
  console.log(
    `stall of 4 s: ${refused.length} of ${responses.length} waiting requests rejected with Retry-After, ${more} MB more`,
  );
  await stopProcess(service);
});

test("requests beyond a node's concurrency limit are rejected immediately, and learners can still commit", async () => {
  const service = await startProcess({
    ...(await databaseSettings()),
    LOG_LEVEL: 'warn',
    MOST_IN_FLIGHT: '40',
  });
  const client = openClient(1_000);
  const call = async (method: string, path: string, body?: unknown) =>
    client.call(method, service.baseUrl + path, body, target.key);
  const target = await prepareTarget(client, service.baseUrl);
  await call('POST', '/user', { LoginID: 'ann', Password: 'a'.repeat(64) });
  let isOver = false;
  const { body: enrolled } = await call('POST', '/enrol/ann/walk');
  const click = await client.call('GET', enrolled.LaunchURL);
  const { body: session } = await client.call('POST', `${click.location}/session`);
  const commits: number[] = [];
  const committing = (async () => {
    for (let number = 1; !isOver && number <= 100; number++) {
      const Data = { 'lectern.completion': 'incomplete', 'lectern.seconds': String(number) };
      const address = `${service.contentUrl}/play/${session.Session}/commit`;
      commits.push((await client.call('POST', address, { Number: number, UnitID: 'web', Data })).status);
    }
  })();
  const before = await megabytes(service);
  const responses = await Promise.all(
    Array.from({ length: 600 }, (_, number) =>
      call('POST', '/user', { LoginID: `new ${number}`, Password: 'a'.repeat(64) }),
    ),
  );
  const more = Math.round((await megabytes(service)) - before);
  isOver = true;
  await committing;
  const refused = responses.filter(({ status }) => status === 429 || status === 503);
  const taken = responses.filter(({ status }) => status === 201);
  assert.equal(refused.length + taken.length, responses.length);
  assert.ok(
    refused.length > 100 && taken.length >= 20,
    `${refused.length} rejected, ${taken.length} accepted`,
  );
  for (const { retryAfter } of refused) assert.match(retryAfter ?? '', /^[1-3]$/);
  assert.deepEqual(new Set(commits), new Set([200]), 'no commit was rejected');
  assert.ok(more < 200, `memory grew by ${more} MB`);
  client.close();
  console.log(
    `600 concurrent users with a password, 40 in flight: ${taken.length} accepted, ${refused.length} rejected, ${commits.length} commits, none rejected, ${more} MB more`,
  );
  await stopProcess(service);
});
