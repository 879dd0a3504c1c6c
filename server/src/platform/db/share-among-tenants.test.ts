import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { anonymousQueue, credentialsQueue } from '../load/fair-queue.ts';
import { kyselyForEngine } from './dialect.ts';
import type { Connection, Engine } from './engine.ts';
import { guardTenants } from './guard/tenant-guard.ts';
import { limitLockWaits } from './lock-waits.ts';
import { forTenant, inQueue } from './queues.ts';
import { shareAmongTenants } from './share-among-tenants.ts';
import { openEmptyTestDatabase } from './test-database.ts';
import { run, transaction } from './transaction.ts';

let engine: Engine;
/**
 * The callers in the order in which their statements and transactions began. The order in which they end depends on the
 * machine.
 */
let begun: string[] = [];
before(async () => {
  const opened = await openEmptyTestDatabase();
  const query: Engine['query'] = (statement) => {
    begun.push(`${statement.values[0] ?? statement.text}`);
    return opened.query(statement);
  };
  engine = guardTenants(shareAmongTenants({ ...opened, query }));
  // Opens all connections in advance, so that no statement waits for one to open.
  const sleep = { text: 'select pg_sleep(0.05)', values: [] };
  await Promise.all(Array.from({ length: 10 }, (_, tenant) => engine.query(sleep, `${tenant}`)));
});
after(() => engine.close());

const work = (tenantId: string) => ({
  text: 'select set_config($2, tenant_id, true) from (select $1::text as tenant_id) x where tenant_id = $1',
  values: [tenantId, 'lectern.test'],
});

test('a statement waits for only a few statements of a tenant that sends hundreds', async () => {
  begun = [];
  const busy = Array.from({ length: 200 }, () => engine.query(work('busy')));
  const other = engine.query(work('other'));
  await Promise.all([...busy, other]);
  const before = begun.indexOf('other');
  assert.ok(before <= 20, `${before} statements of the other tenant came first`);
  assert.deepEqual([begun.length, engine.load().waiting], [201, 0]);
});

test("the service's own statements go first, and statements on behalf of a tenant wait in that tenant's queue", async () => {
  begun = [];
  const busy = Array.from({ length: 100 }, () => engine.query(work('busy')));
  const nameless = (text: string) => ({ text, values: [] });
  const forTenant = engine.query(nameless('select 1'), 'busy');
  const others = Array.from({ length: 5 }, () => engine.query(work('other')));
  const own = engine.query(nameless('select 2'));
  await Promise.all([...busy, forTenant, ...others, own]);
  const [service, last] = [begun.indexOf('select 2'), begun.indexOf('select 1')];
  assert.ok(service <= 20, `${service} statements came before the service's`);
  assert.ok(last >= begun.length - 10, "it waits in its tenant's queue");
});

test('transactions are queued in the same way, and failed transactions release their slots', async () => {
  begun = [];
  let ended = 0;
  const act = (tenantId: string) => async (connection: Connection) => {
    begun.push(tenantId);
    await connection.query(work(tenantId));
    if (++ended % 3 === 0) throw new Error('rolled back');
  };
  const busy = Array.from({ length: 60 }, () => engine.transaction(act('busy'), 'busy'));
  const other = engine.transaction(act('other'), 'other');
  await Promise.allSettled([...busy, other]);
  const before = begun.indexOf('other');
  assert.ok(before <= 20, `${before} transactions of the other tenant came first`);
  assert.deepEqual([begun.length, engine.load().waiting], [61, 0]);
});

test('six busy tenants with slow statements and background work never block key look-ups', async () => {
  let [isOn, done] = [true, 0];
  const slow = async (tenantId: string) => {
    while (isOn) {
      await engine.query({ text: 'select pg_sleep(0.04)', values: [] }, tenantId);
      done++;
    }
  };
  const background = async () => {
    while (isOn) await engine.query({ text: 'select 1', values: [] });
  };
  const busy = [...Array.from({ length: 6 }, (_, n) => slow(`busy-${n}`)), background()];
  const passed: number[] = [];
  for (let lookUp = 0; lookUp < 15; lookUp++) {
    const before = done;
    await engine.query({ text: 'select 1', values: [] }, credentialsQueue);
    passed.push(done - before);
    await engine.query({ text: 'select pg_sleep(0.03)', values: [] }, 'honest');
  }
  isOn = false;
  await Promise.all(busy);
  // A PostgreSQL server runs the statements of all six tenants at the same time.
  const limit = engine.kind === 'pglite' ? 2 : 7;
  assert.ok(Math.max(...passed) <= limit, `statements that came first: ${passed}`);
});

test('continuous background work leaves every second turn to tenants', async () => {
  let [isOn, done] = [true, 0];
  const background = async () => {
    while (isOn) {
      await engine.query({ text: 'select pg_sleep(0.01)', values: [] });
      done++;
    }
  };
  const busy = Array.from({ length: 20 }, () => background());
  const passed: number[] = [];
  for (let read = 0; read < 15; read++) {
    const before = done;
    await engine.query({ text: 'select 1', values: [] }, 'honest');
    passed.push(done - before);
  }
  isOn = false;
  await Promise.all(busy);
  const limit = engine.kind === 'pglite' ? 2 : 20;
  assert.ok(Math.max(...passed) <= limit, `statements that came first: ${passed}`);
});

test("a context's statements wait in its own queue, whatever tenant they name", async () => {
  const lines: (string | undefined)[] = [];
  const noting: Engine = {
    ...engine,
    query: (statement, line) => {
      lines.push(line);
      return engine.query(statement, line);
    },
    transaction: (work, line) => {
      lines.push(line);
      return engine.transaction(work, line);
    },
  };
  const ctx = { db: kyselyForEngine(guardTenants(noting)) };
  const nameless = { text: 'select 1', values: [] };
  const built = (of: typeof ctx) => of.db.selectNoFrom((of) => of.lit(1).as('one')).execute();
  const own = forTenant(ctx, 'own');
  await run(own, nameless);
  await built(own);
  await transaction(own, (inner) => run(inner, nameless));
  await run(inQueue(own, anonymousQueue), work('named'));
  await run(ctx, work('named'));
  await built(ctx);
  assert.deepEqual(lines, ['own', 'own', 'own', anonymousQueue, 'named', undefined]);
  await assert.rejects(run(own, work('other')), /names another/);
  await assert.rejects(
    transaction(own, (inner) => run(inner, work('other'))),
    /names another/,
  );
});

test("in the queue of anonymous callers, no statement may wait for a tenant's row locks", async () => {
  const ctx = inQueue({ db: kyselyForEngine(guardTenants(engine)) }, anonymousQueue);
  const send = (text: string) => run(ctx, { text, values: ['own'] });
  const waiting = [
    'update "user" set enabled = true where tenant_id = $1',
    'delete from user_session where tenant_id = $1',
    'select user_id from "user" where tenant_id = $1 for update',
    'select user_id from "user" where tenant_id = $1 for no key update',
    'with used as (select user_id from "user" where tenant_id = $1 for share) select * from used',
  ];
  for (const text of waiting) {
    await assert.rejects(send(text), /could wait for a tenant's locks/, text);
    await assert.rejects(
      transaction(ctx, (ctx) => run(ctx, { text, values: ['own'] })),
      /could wait for a tenant's locks/,
      text,
    );
  }
  const briefly = transaction(ctx, async (ctx) => {
    await limitLockWaits(ctx);
    await run(ctx, { text: waiting[0] as string, values: ['own'] });
  });
  await assert.rejects(briefly, /does not exist/);
  // The database is empty, so a statement that passes the guard fails because its table does not exist.
  for (const text of ['', ' for update skip locked'])
    await assert.rejects(send(`select user_id from "user" where tenant_id = $1${text}`), /does not exist/);
});
