import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { receiveFile, requireDiskSpace } from './uploads.ts';

const service = await startService();
after(service.close);
const { load } = service.ctx;
/** The bulk calls in progress for the tenant. */
const callsOf = (tenant: { TenantID: string }) => load.open.get(`bulk_calls ${tenant.TenantID}`) ?? 0;

/** A bulk call that has sent only its first row so far. */
function beginBulk(key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const call = request(`${service.baseUrl}/user/bulk`, { method: 'POST', headers });
  call.on('error', () => {});
  call.write('{"LoginID":"row"}\n');
  return call;
}

const oneRow = { 'content-type': 'application/x-ndjson' };

test('a tenant may have four concurrent bulk calls', async () => {
  const tenant = await newTenant(service);
  const bulk = (key: string) => service.api('POST', '/user/bulk', '{"LoginID":"x"}\n', key, oneRow);
  const calls = [1, 2, 3, 4].map(() => beginBulk(tenant.key));
  await until('four are in progress', () => callsOf(tenant) === 4);
  const fifth = await bulk(tenant.key);
  expectProblem(fifth, 429, 'too_many_requests');
  assert.match(fifth.headers.get('retry-after') ?? '', /^\d+$/);
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

/** The nameless files of uploads that this process has open. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return /upload-\S+ \(deleted\)$/.test(readlinkSync(join('/proc/self/fd', name)));
    } catch {
      return false;
    }
  }).length;

test('a client that leaves while it sends or while its rows are processed leaves no file behind', async () => {
  const tenant = await newTenant(service);
  const row = (index: number) => `{"LoginID":"leaver-${index}","Password":"a long password ${index}"}\n`;
  for (const hasSentAll of [false, true]) {
    const call = beginBulk(tenant.key);
    call.write(Array.from({ length: 450 }, (_, index) => row(index)).join(''));
    if (hasSentAll) call.end();
    await until('the rows are on disk', () => openFiles() === 1);
    call.destroy();
    await until('its slot is free', () => callsOf(tenant) === 0);
    await until('its file is closed', () => openFiles() === 0);
  }
});

test('a file that is too large is refused, and its request keeps its connection', async () => {
  const input = Readable.from([Buffer.alloc(1_000), Buffer.alloc(1_000), Buffer.alloc(1_000)]);
  await assert.rejects(receiveFile(service.ctx, input, 1_500), { code: 'payload_too_large' });
  assert.equal(input.destroyed, false);
  assert.equal(openFiles(), 0);
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
