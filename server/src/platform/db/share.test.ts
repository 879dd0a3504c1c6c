import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Connection, Engine } from './engine.ts';
import { shareAmongTenants } from './share.ts';
import { guardTenants } from './tenant-guard.ts';
import { openEmptyTestDatabase } from './test-database.ts';

let engine: Engine;
before(async () => {
  engine = guardTenants(shareAmongTenants(await openEmptyTestDatabase()));
});
after(() => engine.close());

const work = (tenantId: string) => ({
  text: 'select set_config($2, tenant_id, true) from (select $1::text as tenant_id) x where tenant_id = $1',
  values: [tenantId, 'lectern.test'],
});

test('a statement of another tenant waits for a few of the one that sends hundreds', async () => {
  const order: string[] = [];
  const done = (tenantId: string) => () => order.push(tenantId);
  const busy = Array.from({ length: 200 }, () => engine.query(work('busy')).then(done('busy')));
  const other = engine.query(work('other')).then(done('other'));
  await Promise.all([...busy, other]);
  const before = order.indexOf('other');
  assert.ok(before <= 20, `${before} statements of the other tenant came first`);
  assert.deepEqual([order.length, engine.load().waiting], [201, 0]);
});

test('what the service does for itself goes first, and what it does for a tenant waits with it', async () => {
  const order: string[] = [];
  const done = (whose: string) => () => order.push(whose);
  const busy = Array.from({ length: 100 }, () => engine.query(work('busy')).then(done('busy')));
  const nameless = { text: 'select 1', values: [] };
  const forTenant = engine.query(nameless, 'busy').then(done('for the tenant'));
  const others = Array.from({ length: 5 }, () => engine.query(work('other')).then(done('other')));
  const own = engine.query(nameless).then(done('service'));
  await Promise.all([...busy, forTenant, ...others, own]);
  const [service, last] = [order.indexOf('service'), order.indexOf('for the tenant')];
  assert.ok(service <= 20, `${service} statements came before the service's`);
  assert.ok(last >= order.length - 10, 'it waits in the line of its tenant');
});

test('so do transactions, and all of them give their places back when they fail', async () => {
  const order: string[] = [];
  const act = (tenantId: string) => async (connection: Connection) => {
    await connection.query(work(tenantId));
    order.push(tenantId);
    if (order.length % 3 === 0) throw new Error('rolled back');
  };
  const busy = Array.from({ length: 60 }, () => engine.transaction(act('busy'), 'busy'));
  const other = engine.transaction(act('other'), 'other');
  await Promise.allSettled([...busy, other]);
  const before = order.indexOf('other');
  assert.ok(before <= 20, `${before} transactions of the other tenant came first`);
  assert.deepEqual([order.length, engine.load().waiting], [61, 0]);
});
