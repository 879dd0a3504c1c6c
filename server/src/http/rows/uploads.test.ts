import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { spool } from './spool.ts';
import { requireDiskSpace } from './uploads.ts';

const service = await startService();
after(service.close);
const { load } = service.ctx;
/** The bulk calls in progress for the tenant. */
const callsOf = (tenant: { TenantID: string }) => load.open.get(`bulk_files ${tenant.TenantID}`) ?? 0;

/** A bulk call that has sent only its first row so far. */
function beginBulk(key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const call = request(`${service.baseUrl}/user/bulk`, { method: 'POST', headers });
  call.on('error', () => {});
  call.write('{"LoginID":"row"}\n');
  return call;
}

const oneRow = { 'content-type': 'application/x-ndjson' };

test('a key may have two concurrent bulk calls, and a tenant four', async () => {
  const tenant = await newTenant(service);
  const keys = [tenant.key];
  for (const Name of ['second', 'third'])
    keys.push((await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name })).body.Secret);
  const bulk = (key: string | undefined) =>
    service.api('POST', '/user/bulk', '{"LoginID":"x"}\n', key, oneRow);
  const calls = [keys[0], keys[0]].map((key) => beginBulk(key ?? ''));
  await until('two are in progress', () => callsOf(tenant) === 2);
  const third = await bulk(keys[0]);
  expectProblem(third, 429, 'too_many_requests');
  assert.match(third.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal((await bulk(keys[1])).status, 200, 'another key of the tenant');
  calls.push(...[keys[1], keys[1]].map((key) => beginBulk(key ?? '')));
  await until('four are in progress', () => callsOf(tenant) === 4);
  expectProblem(await bulk(keys[2]), 429, 'too_many_requests');
  const other = await newTenant(service);
  assert.equal((await bulk(other.key)).status, 200, 'another tenant');
  const ending = beginBulk(other.key);
  ending.end();
  const [response] = await once(ending, 'response');
  for await (const _ of response);
  await until('its slot is free', () => callsOf(other) === 0);
  for (const call of calls) call.destroy();
  await until('all slots are free', () => callsOf(tenant) === 0);
});

test('a client that leaves while its first rows are processed leaves no file behind', async () => {
  const tenant = await newTenant(service);
  const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/x-ndjson' };
  const call = request(`${service.baseUrl}/user/bulk`, { method: 'POST', headers });
  call.on('error', () => {});
  const row = (index: number) => `{"LoginID":"leaver-${index}","Password":"a long password ${index}"}\n`;
  call.write(Array.from({ length: 450 }, (_, index) => row(index)).join(''));

  await until('the rows are on disk', () => load.spoolBytes > 20_000);
  call.destroy();
  await until('its slot is free', () => callsOf(tenant) === 0);
  await until('its file is closed', () => load.spoolBytes === 0);
});

test('the file of a bulk call wraps around and never exceeds its maximum size', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-spool-'));
  const path = join(folder, 'rows');
  const capacity = 100_000;
  const sent = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => (at * 7 + (at >> 8)) % 251));
  const chunks = [];
  for (let at = 0; at < sent.length; at += 77_777) chunks.push(sent.subarray(at, at + 77_777));
  chunks.push(sent.subarray(0, 350_000));
  const got: Buffer[] = [];
  let size = 0;
  const resized = (bytes: number) => {
    size += bytes;
    assert.ok(size <= capacity);
  };
  for await (const part of spool({ path, capacity, resized }, Readable.from(chunks))) {
    got.push(part);
    assert.deepEqual(await readdir(folder), [], 'the file has no name, so it disappears with the process');
  }
  assert.equal(size, 0);
  assert.ok(Buffer.concat(got).equals(Buffer.concat([sent, sent.subarray(0, 350_000)])));
  assert.deepEqual(await readdir(folder), []);
  await rm(folder, { recursive: true });
});

test('a buffer file stops growing when the disk is full', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-spool-'));
  let asked = 0;
  const room = async () => {
    if (++asked > 1) throw new Error('no room');
  };
  const input = Readable.from(Array.from({ length: 60 }, () => Buffer.alloc(1024 ** 2)));
  await assert.rejects(async () => {
    for await (const _ of spool({ path: join(folder, 'rows'), capacity: 64 * 1024 ** 2, room }, input));
  }, /no room/);
  assert.deepEqual(await readdir(folder), []);
  await rm(folder, { recursive: true });
});

test('a request whose rows do not fit on the disk keeps its connection', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-spool-'));
  const room = () => Promise.reject(new Error('no room'));
  const failed = Promise.withResolvers<IncomingMessage>();
  const server = createServer(async (incoming) => {
    const rows = spool({ path: join(folder, 'rows'), capacity: 64 * 1024 ** 2, room }, incoming);
    const reading = (async () => {
      for await (const _ of rows);
    })();
    await assert.rejects(reading, /no room/).then(() => failed.resolve(incoming), failed.reject);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const call = request({ host: '127.0.0.1', port, method: 'POST' });
  t.after(async () => {
    call.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  call.on('error', () => {});
  call.write(Buffer.alloc(17 * 1024 ** 2));
  const { socket, destroyed } = await failed.promise;
  assert.ok(socket, 'the request has lost its connection');
  assert.equal(destroyed, false);
});

test('an upload that would leave too little disk space gets 503 before it is read', async () => {
  await requireDiskSpace(service.ctx, 0);
  await assert.rejects(requireDiskSpace(service.ctx, 1e15), { code: 'unavailable' });
  const upload = request(`${service.baseUrl}/course/large/package`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${service.operatorKey}`,
      'content-type': 'application/zip',
      'content-length': '1000000000000000',
    },
  });
  upload.on('error', () => {});
  upload.flushHeaders();
  const [response] = await once(upload, 'response');
  assert.equal(response.statusCode, 503);
  assert.match(response.headers['retry-after'], /^\d+$/);
  upload.destroy();
});
