import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestDatabase } from '../../test/support/test-database.ts';
import { limitConnections } from './connections.ts';
import { type Connection, type Engine, sharedTables } from './engine/engine.ts';
import { guardTenants } from './guard/tenant-guard.ts';
import { forAnyone, forTenant, kyselyForEngine, run, transaction } from './transaction.ts';

let engine: Engine;
/**
 * The callers in the order in which their statements and transactions began. The order in which they end depends on the
 * machine.
 */
let begun: string[] = [];
before(async () => {
  const { engine: opened } = await openTestDatabase();
  const query: Engine['query'] = (statement) => {
    begun.push(`${statement.values[0] ?? statement.text}`);
    return opened.query(statement);
  };
  engine = guardTenants(limitConnections({ ...opened, query }));
  // Opens all connections in advance, so that no statement waits for one to open. On Citus, it also finds the nodes of
  // the tenants.
  const sleep = { text: 'select pg_sleep(0.05)', values: [] };
  const tenants = ['busy', 'other', ...Array(8).keys()];
  await Promise.all(tenants.map((tenant) => engine.query(sleep, `${tenant}`)));
});
after(() => engine.close());

const work = (tenantId: string) => ({
  text: 'select set_config($2, tenant_id, true) from (select $1::text as tenant_id) x where tenant_id = $1',
  values: [tenantId, 'lectern.test'],
});

test('statements wait in the order of their arrival, but a tenant never has all connections', async () => {
  begun = [];
  const busy = Array.from({ length: 50 }, () => engine.query(work('busy')));
  const others = Array.from({ length: 3 }, () => engine.query(work('other')));
  await Promise.all([...busy, ...others]);
  const first = begun.indexOf('other');
  // A PostgreSQL server has ten connections, and the embedded database one.
  if (engine.kind === 'pglite') assert.equal(first, 50);
  else assert.ok(first <= 10, `${first} statements of the other tenant came first`);
  assert.deepEqual([begun.length, engine.load().waiting], [53, 0]);
});

test('failed transactions release their connections', async () => {
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
  assert.deepEqual([begun.length, engine.load().waiting], [61, 0]);
});

test("a context's statements have its owner, or else the tenant that they name, and a tenant's name no other", async () => {
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
  const built = (of: typeof ctx) => of.db.selectNoFrom((of) => of.lit(1).as('one')).execute();
  const own = forTenant(ctx, 'own');
  await run(own, 'select 1');
  await built(own);
  await transaction(own, (inner) => run(inner, 'select 1'));
  await run(forAnyone(own), work('named').text, work('named').values);
  await run(ctx, work('named').text, work('named').values);
  await built(ctx);
  assert.deepEqual(lines, ['own', 'own', 'own', 'named', 'named', sharedTables]);
  await assert.rejects(run(own, work('other').text, work('other').values), /names another/);
  await assert.rejects(
    transaction(own, (inner) => run(inner, work('other').text, work('other').values)),
    /names another/,
  );
});
