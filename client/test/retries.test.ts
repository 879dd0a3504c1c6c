import assert from 'node:assert/strict';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newTenant, type TestTenant, unique } from '../../server/test/support/tenant.ts';
import { createLectern, LecternError } from '../src/index.ts';

/** What happens to the next requests: the request or its response is lost, or a proxy responds. */
type Outcome = 'lost' | 'answer lost' | 'answer cut' | { status: number; headers?: Record<string, string> };

let now = Date.now();
let service: TestService;
let tenant: TestTenant;
let proxy: Server;
let baseUrl: string;
let outcomes: Outcome[] = [];
let keys: (string | undefined)[] = [];

before(async () => {
  service = await startService({ now: () => new Date(now) });
  tenant = await newTenant(service);
  proxy = createServer((request, response) => {
    const fate = outcomes.shift();
    keys.push(request.headers['idempotency-key']?.toString());
    if (fate === 'lost') return void request.socket.destroy();
    if (typeof fate === 'object') return void response.writeHead(fate.status, fate.headers).end();
    const { method, url, headers } = request;
    const onward = forward(service.baseUrl + url, { method, headers }, (answer) => {
      if (fate === 'answer lost') return void answer.resume().on('end', () => request.socket.destroy());
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (fate !== 'answer cut') return void answer.pipe(response);
      answer.once('data', (data: Buffer) =>
        response.write(data.subarray(0, 5), () => request.socket.destroy()),
      );
    });
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
after(async () => {
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  await service.close();
});

function on(way: Outcome[]): void {
  outcomes = way;
  keys = [];
}

test('a POST is retried with the same key and takes effect once', async () => {
  const lectern = createLectern({ baseUrl, key: tenant.key });
  on(['lost', 'answer lost', 'answer cut', { status: 503, headers: { 'Retry-After': '0' } }]);
  const LoginID = unique('repeated');
  const user = await lectern.post('/user', { body: { LoginID } });
  assert.equal(user.LoginID, LoginID);
  assert.equal(keys.length, 5);
  assert.equal(new Set(keys).size, 1);
  assert.match(keys[0] ?? '', /^[\da-f-]{36}$/);
  assert.equal((await tenant.events({ LoginID })).length, 1);
  on([]);
  await lectern.post('/user', { body: { LoginID } });
  const own = { params: { header: { 'Idempotency-Key': 'order 7' } }, body: { LoginID } };
  await lectern.post('/user', own);
  assert.notEqual(keys[0], keys[1]);
  assert.equal(keys[1], 'order 7');
});

test('bulk calls survive a truncated response', async () => {
  const lectern = createLectern({ baseUrl, key: tenant.key });
  on(['answer cut']);
  const rows = [{ LoginID: unique('bulk') }, { LoginID: unique('bulk') }];
  const statuses: number[] = [];
  for await (const { Status } of lectern.bulk('/user/bulk', rows)) statuses.push(Status);
  assert.deepEqual(statuses, [201, 201]);
  assert.equal(keys[0], keys[1]);
});

test('retries stop, and the error says why', async () => {
  const lectern = createLectern({ baseUrl, key: tenant.key, retries: 1 });
  on(['lost', 'lost', 'lost']);
  await assert.rejects(lectern.get('/user'), (error) => {
    assert.ok(error instanceof LecternError && error.cause instanceof Error);
    assert.deepEqual([error.code, error.status], ['connection_failed', 0]);
    return true;
  });
  assert.equal(outcomes.length, 1);
  on([{ status: 502 }, { status: 502 }]);
  await assert.rejects(lectern.get('/user'), { code: 'http_502', status: 502 });
});

test('Retry-After is honoured unless it is too long', async () => {
  const lectern = createLectern({ baseUrl, key: tenant.key, longestPause: 2_000 });
  on([{ status: 429, headers: { 'Retry-After': '1' } }]);
  const began = performance.now();
  await lectern.get('/user');
  assert.ok(performance.now() - began >= 1_000);
  on([{ status: 429, headers: { 'Retry-After': '900' } }]);
  await assert.rejects(lectern.get('/user'), { status: 429, retryAfter: 900 });
});

test('permanent errors are not retried, and a caller can abort a call', async () => {
  const lectern = createLectern({ baseUrl, key: tenant.key });
  on([]);
  const params = { path: { LoginID: 'nobody' } };
  await assert.rejects(lectern.get('/user/{LoginID}', { params }), { code: 'user_not_found' });
  assert.equal(keys.length, 1);
  on(Array<Outcome>(9).fill({ status: 503, headers: { 'Retry-After': '30' } }));
  const signal = AbortSignal.timeout(50);
  await assert.rejects(lectern.get('/user', { signal }), { name: 'TimeoutError' });
});

test('all calls share one access token, which is renewed when it expires', async () => {
  let asked = 0;
  const lectern = createLectern({
    baseUrl,
    clientCredentials: { id: tenant.keyId, secret: tenant.key, scopes: ['users:read'] },
    fetch: (request) => {
      if (request.url.endsWith('/oauth/token')) asked++;
      else assert.match(request.headers.get('authorization') ?? '', /^Bearer [^.]+\.[^.]+\.[^.]+$/);
      return fetch(request);
    },
  });
  on(['lost']);
  await Promise.all([lectern.get('/user'), lectern.get('/user'), lectern.get('/user')]);
  assert.equal(asked, 2);
  await assert.rejects(lectern.post('/user', { body: { LoginID: 'x' } }), { code: 'scope_missing' });
  now += 11 * 60_000;
  await lectern.get('/user');
  assert.equal(asked, 3);
});

test('wrong client credentials cause an error after one attempt', async () => {
  const clientCredentials = { id: tenant.keyId, secret: 'wrong' };
  const lectern = createLectern({ baseUrl, clientCredentials });
  on([]);
  await assert.rejects(lectern.get('/user'), { name: 'LecternError', code: 'invalid_client', status: 401 });
  assert.equal(keys.length, 1);
});

test('a streamed upload is sent once', async () => {
  const lectern = createLectern({ baseUrl, key: tenant.key });
  on(['lost']);
  const headers = { 'Content-Type': 'application/zip' };
  const upload = lectern.api.PUT('/course/{CourseID}/package', {
    params: { path: { CourseID: 'any' } },
    headers,
    body: new Blob(['zip']).stream() as never,
    bodySerializer: (stream: unknown) => stream,
    duplex: 'half',
  });
  await assert.rejects(upload, { code: 'connection_failed' });
  assert.equal(keys.length, 1);
});
