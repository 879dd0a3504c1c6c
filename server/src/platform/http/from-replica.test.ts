import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';
import { routes } from '../../app.ts';
import type { Engine } from '../db/engine.ts';
import type { Replica } from '../db/replica/replica.ts';
import { openState } from '../node-state.ts';
import { listOf } from '../rows/export.ts';

const service = await startService();
after(() => service.close());

/** Makes the next requests read from this engine as if it were an up-to-date replica. */
function replaceReplica(engine: Partial<Engine>) {
  const asked: number[] = [];
  const failures: unknown[] = [];
  const replica: Replica = {
    engine: { ...service.ctx.engine, ...engine },
    state: openState(),
    isWithin: async (seconds) => {
      asked.push(seconds);
      return 'used';
    },
    failed: (error) => failures.push(error),
    follow: () => () => {},
  };
  Object.assign(service.ctx, { replica });
  return { asked, failures };
}

const prefer = { prefer: 'stale=5' };

test('only lists that write nothing may return stale data', () => {
  for (const route of routes.filter(({ mayBeStale }) => mayBeStale)) {
    assert.ok(listOf(route), `${route.name} is not a list`);
    assert.deepEqual(
      [route.events, route.audits, route.turns],
      [undefined, undefined, undefined],
      route.name,
    );
  }
});

test("statements on the replica wait in their tenant's queue", async () => {
  const { engine } = service.ctx;
  const queues: (string | undefined)[] = [];
  const { asked } = replaceReplica({
    query: (statement, queue) => {
      queues.push(queue);
      return engine.query(statement, queue);
    },
  });
  const tenant = await newTenant(service);
  const answer = await service.api('GET', '/user', undefined, tenant.key, prefer);
  assert.deepEqual([answer.status, answer.headers.get('preference-applied')], [200, 'stale=5']);
  assert.deepEqual([...new Set(queues)], [tenant.TenantID]);
  assert.deepEqual(asked, [0], 'this key can write, so it needs the state as of its request');
});

test('only a key that cannot write gets stale data, and none older than its request allows', async () => {
  const { asked } = replaceReplica({});
  const tenant = await newTenant(service);
  const path = `/tenant/${tenant.TenantID}/key`;
  const secretOf = async (Scopes: string[]) =>
    (await service.api('POST', path, { Name: 'a key', Scopes })).body.Secret as string;
  for (const scopes of [['users:read'], ['users:read', 'users:admin'], ['users:read', 'webhooks:write']])
    await service.api('GET', '/user', undefined, await secretOf(scopes), prefer);
  assert.deepEqual(asked, [5, 0, 0]);
  const { KeyID, Secret } = (await service.api('POST', path, { Name: 'a key' })).body;
  const grant = {
    grant_type: 'client_credentials',
    client_id: KeyID,
    client_secret: Secret,
    scope: 'users:read',
  };
  const token = await fetch(`${service.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(grant),
  });
  const { access_token } = (await token.json()) as { access_token: string };
  await service.api('GET', '/user', undefined, access_token, prefer);
  assert.deepEqual(asked.slice(3), [0], 'the key of this token can write');
});

test('the primary responds if the replica fails during a request', async () => {
  const broken = async () => {
    throw Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' });
  };
  const { failures } = replaceReplica({ query: broken, transaction: broken });
  const tenant = await newTenant(service);
  await service.api('POST', '/user', { LoginID: 'ann' }, tenant.key);
  const answer = await service.api('GET', '/user', undefined, tenant.key, prefer);
  assert.deepEqual([answer.status, answer.headers.get('preference-applied')], [200, null]);
  assert.equal(answer.body.Items.length, 1);
  assert.equal(failures.length, 1);
});
