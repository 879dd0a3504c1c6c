import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';

const service = await startService({ env: { MOST_IN_FLIGHT: '8' } });
after(service.close);

/** A request whose body does not arrive. It ends when it is destroyed. */
function unfinished(key: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': '99',
  };
  const call = request(`${service.baseUrl}/user`, { method: 'POST', headers });
  call.on('error', () => {});
  call.write('{');
  return call;
}

test('a tenant may have a quarter of the slots; others are not affected, and all slots become free again', async () => {
  const [busy, other] = [await newTenant(service), await newTenant(service)];
  const calls = [unfinished(busy.key), unfinished(busy.key)];
  const { open } = service.ctx.load;
  await until('two are in progress', () => open.get(`requests api ${busy.TenantID}`) === 2);
  const rejected = await busy.api('GET', '/user');
  expectProblem(rejected, 429, 'too_many_requests');
  assert.equal(rejected.headers.get('retry-after'), '1');
  assert.equal((await other.api('GET', '/user')).status, 200);
  for (const call of calls) call.destroy();
  await until('the slots are free', () => open.size === 0);
  assert.equal((await busy.api('GET', '/user')).status, 200);
});

test('a server whose slots are all in use responds with 503, except to probes', async () => {
  const tenants = await Promise.all(Array.from({ length: 4 }, () => newTenant(service)));
  const calls = tenants.flatMap(({ key }) => [unfinished(key), unfinished(key)]);
  const { open } = service.ctx.load;
  await until('all slots are in use', () => open.get('requests api') === 8);
  const rejected = await service.api('GET', '/user');
  expectProblem(rejected, 503, 'unavailable');
  assert.match(rejected.headers.get('retry-after') ?? '', /^[1-3]$/);
  assert.equal((await fetch(`${service.baseUrl}/health/ready`)).status, 200);
  assert.equal((await fetch(`${service.contentUrl}/none`)).status, 404, 'learners have slots of their own');
  for (const call of calls) call.destroy();
  await until('the slots are free', () => open.size === 0);
});
