import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../../test/support/service.ts';

test('each key has its own rate limit, and responses show the remaining calls and the time to retry', async () => {
  let now = new Date('2030-01-01T10:00:10Z');
  const service = await startService({ now: () => now, env: { RATE_LIMIT: '5' } });
  try {
    const key = (await service.api('POST', '/tenant/test/key', { Name: 'limited' })).body;
    const call = () => service.api('GET', '/user', undefined, key.Secret);
    for (const left of [4, 3, 2, 1, 0]) {
      const { status, headers } = await call();
      assert.equal(status, 200);
      assert.equal(headers.get('ratelimit-policy'), '"key";q=5;w=60');
      assert.equal(headers.get('ratelimit'), `"key";r=${left};t=50`);
    }
    const refused = await call();
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, 'too_many_requests');
    assert.equal(refused.headers.get('retry-after'), '50');
    assert.equal(refused.headers.get('ratelimit'), '"key";r=0;t=50');
    assert.equal((await service.api('GET', '/user')).status, 200, 'another key');
    const launch = await fetch(`${service.baseUrl}/launch?enrolment=x&key=y`);
    assert.notEqual(launch.status, 429, 'learners');
    assert.equal(launch.headers.get('ratelimit'), null);
    now = new Date('2030-01-01T10:01:00Z');
    assert.equal((await call()).status, 200);
  } finally {
    await service.close();
  }
});

test('calls that a key is not allowed to make also count', async () => {
  const service = await startService({ env: { RATE_LIMIT: '3' } });
  try {
    const fields = { Name: 'narrow', Scopes: ['events:read'] };
    const key = (await service.api('POST', '/tenant/test/key', fields)).body;
    const call = (path: string) => service.api('GET', path, undefined, key.Secret);
    for (const path of ['/user', '/course', '/user']) assert.equal((await call(path)).status, 403);
    assert.equal((await call('/user')).status, 429);
  } finally {
    await service.close();
  }
});

test('0 means no limit', async () => {
  const service = await startService({ env: { RATE_LIMIT: '0' } });
  try {
    assert.equal((await service.api('GET', '/user')).headers.get('ratelimit'), null);
  } finally {
    await service.close();
  }
});
