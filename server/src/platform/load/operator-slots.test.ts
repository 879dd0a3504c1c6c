import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectStatus } from '../../../test/support/tenant.ts';
import { take } from './budgets.ts';
import { hasRoom } from './reservations.ts';

const service = await startService();
after(service.close);
const { admission } = service.ctx;

test("a tenant named operator does not use the operator's slots", async () => {
  expectStatus(await service.api('POST', '/tenant', { TenantID: 'operator' }), 201);
  const { body: key } = await service.api('POST', '/tenant/operator/key', { Name: 'test' });
  const pool = admission.pools.api;
  const before = pool.inUse;
  pool.inUse = pool.max / 2;
  assert.ok(!hasRoom(pool));
  for (let place = 0; place < admission.tenants.concurrent; place++)
    take(admission.tenants, 'operator', true);
  expectStatus(await service.api('GET', '/user', undefined, key.Secret), 429);
  expectStatus(await service.api('GET', '/tenant'), 200);
  pool.inUse = before;
});
