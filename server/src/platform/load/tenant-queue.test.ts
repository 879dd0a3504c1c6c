import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { inTenantQueue } from './tenant-queue.ts';

const service = await startService({ env: { MOST_IN_FLIGHT: '2000' } });
after(service.close);
const { ctx } = service;

test('anonymous callers who wait for one tenant occupy a tenth of the slots', async () => {
  const { max } = ctx.admission.pools.anonymous;
  const released = Promise.withResolvers<void>();
  const wait = () => inTenantQueue(ctx, 'slow', () => released.promise);
  const waiting = Array.from({ length: max / 10 }, wait);
  await assert.rejects(wait(), { code: 'unavailable' });
  assert.equal(await inTenantQueue(ctx, 'other', async ({ tenantId }) => tenantId), 'other');
  released.resolve();
  await Promise.all(waiting);
  await wait();
});
