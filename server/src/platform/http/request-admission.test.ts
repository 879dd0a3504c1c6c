import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { measureDuring } from '../../../test/support/honest-client.ts';
import { openSocket } from '../../../test/support/raw.ts';
import { startService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';

const service = await startService({ env: { ANONYMOUS_RATE_LIMIT: '0' } });
const limited = await startService({ env: { ANONYMOUS_RATE_LIMIT: '5' } });
after(() => Promise.all([service.close(), limited.close()]));
const { anonymous } = service.ctx.admission.pools;
const tenant = await newTenant(service);
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Returns the maximum number of slots in use while `work` runs. */
async function maxInUse(work: Promise<unknown>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, anonymous.inUse);
  }, 1);
  await work.finally(() => clearInterval(timer));
  return peak;
}

test('pipelined requests are processed one at a time while other connections are served', async () => {
  const socket = await openSocket(service.baseUrl);
  let responses = 0;
  const all = new Promise<void>((resolve) =>
    socket.on('data', (part: Buffer) => {
      responses += String(part).split('HTTP/1.1 200').length - 1;
      if (responses === 100) resolve();
    }),
  );
  socket.write(get('/openapi.json').repeat(100));
  const beside = measureDuring(() => tenant.api('GET', '/user'), all);
  assert.ok((await maxInUse(all)) <= 1);
  assert.ok((await beside).longestWork < 250);
  socket.destroy();
});

test('a connection that pipelines 1,500 requests is closed without affecting others', async () => {
  for (const [origin, path] of [
    [service.baseUrl, '/openapi.json'],
    [service.baseUrl, '/metrics'],
    [service.contentUrl, '/player/assets/scorm2004.js'],
  ] as const) {
    const socket = await openSocket(origin);
    const closed = once(socket, 'close');
    socket.write(get(path).repeat(1_500));
    const { longestWork } = await measureDuring(() => tenant.api('GET', '/user'), closed);
    assert.ok(longestWork < 250, `a turn took ${longestWork} ms during ${path}`);
  }
});

test('pipelined requests from a client that disconnects release their slots', async () => {
  const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(service.baseUrl)));
  for (const socket of sockets) socket.write(get('/openapi.json').repeat(50));
  await until('some requests have a slot', async () => anonymous.inUse > 0);
  for (const socket of sockets) socket.destroy();
  await until('all slots are free', async () => anonymous.inUse === 0);
});

test("every request without credentials except probes counts against its caller's limit", async () => {
  const statusOf = async (url: string) => (await fetch(url, { redirect: 'manual' })).status;
  for (let sent = 0; sent < 5; sent++) assert.notEqual(await statusOf(`${limited.baseUrl}/docs/errors`), 429);
  const { baseUrl, contentUrl } = limited;
  const anonymousPaths = [
    '/openapi.json',
    '/docs',
    '/docs/errors',
    '/docs/guide',
    '/docs/guide/enrol',
    '/console',
    '/console/a',
    '/',
    '/a',
    '/session',
  ];
  for (const url of [
    ...anonymousPaths.map((path) => baseUrl + path),
    `${contentUrl}/preview`,
    `${contentUrl}/a`,
  ])
    assert.equal(await statusOf(url), 429, url);
  for (const path of ['/health/live', '/health/ready', '/metrics'])
    assert.equal(await statusOf(baseUrl + path), 200, path);
  const file = `${contentUrl}/player/assets/player.js`;
  for (let sent = 0; sent < 100; sent++) assert.equal(await statusOf(file), 404);
  assert.equal(await statusOf(file), 429, 'files have a separate, larger budget');
});

test('the OpenAPI document is compressed once, and the response is 304 if it is unchanged', async () => {
  const ask = (headers: Record<string, string>) => fetch(`${service.baseUrl}/openapi.json`, { headers });
  const plain = await ask({ 'accept-encoding': 'identity' });
  const text = await plain.text();
  assert.equal(plain.headers.get('content-encoding'), null);
  for (const encoding of ['br', 'gzip']) {
    const response = await ask({ 'accept-encoding': `${encoding}, x;q=0` });
    assert.equal(response.headers.get('content-encoding'), encoding);
    assert.equal(response.headers.get('vary'), 'Accept-Encoding');
    assert.equal(await response.text(), text);
    const etag = response.headers.get('etag') ?? '';
    assert.equal((await ask({ 'accept-encoding': encoding, 'if-none-match': etag })).status, 304);
  }
  assert.equal((await ask({ 'accept-encoding': 'br;q=0' })).headers.get('content-encoding'), null);
});
