import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { buildApp } from '../../app.ts';
import { onlyProcess, type Workers } from '../workers/workers.ts';

const service = await startService();
after(() => service.close());

/** Returns the status of a node whose workers give these answers. */
async function ready(answers: ({ fullPool: string | null } | null)[]): Promise<number> {
  const workers = { ...onlyProcess(), count: answers.length, ask: async () => answers } as Workers;
  const app = await buildApp({ ...service.ctx, state: new Map(), workers });
  const { statusCode } = await app.api.inject({ url: '/health/ready' });
  await Promise.all([app.api.close(), app.content.close()]);
  return statusCode;
}

test('a node is ready while one of its workers has capacity, and not ready if all workers that respond are full', async () => {
  const [free, full] = [{ fullPool: null }, { fullPool: 'api' }];
  assert.equal(await ready([free, free]), 200);
  assert.equal(await ready([full, free]), 200);
  assert.equal(await ready([full, full]), 503);
  assert.equal(await ready([full, null]), 503, 'a worker that does not answer counts as full');
});
