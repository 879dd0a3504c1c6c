import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestDatabase } from '../../test/support/test-database.ts';
import type { Engine } from './engine/engine.ts';
import { type Database, run, transaction } from './transaction.ts';

let engine: Engine;
let ctx: { db: Database; now: () => Date };
before(async () => {
  const opened = await openTestDatabase();
  engine = opened.engine;
  ctx = { db: opened.db, now: () => new Date('2026-03-01T00:00:00Z') };
});
after(() => engine.close());

// The table also contains the service's own settings.
const own = 'of this test: ';
const put = (db: Database, name: string) =>
  db
    .insertInto('setting')
    .values({ name: own + name, value: 'x' })
    .execute();
const names = async () => {
  const settings = ctx.db.selectFrom('setting').select('name').where('name', 'like', `${own}%`);
  return (await settings.orderBy('name').execute()).map(({ name }) => name.slice(own.length));
};
const count = (ctx: { db: Database }) =>
  run(ctx, 'select count(*) as n from setting where name like $1', [`${own}%`]);

test('provides its own context and commits', async () => {
  await transaction(ctx, async (ctx) => {
    assert.equal(ctx.now().getFullYear(), 2026);
    await put(ctx.db, 'a');
    assert.deepEqual(await count(ctx), [{ n: 1 }]);
  });
  assert.deepEqual(await names(), ['a']);
});

test('joins an outer transaction and is rolled back together with it', async () => {
  const failing = transaction(ctx, async (ctx) => {
    await transaction(ctx, (ctx) => put(ctx.db, 'inner'));
    assert.deepEqual(await count(ctx), [{ n: 2 }]);
    throw new Error('outer');
  });
  await assert.rejects(failing, /outer/);
  assert.deepEqual(await names(), ['a']);
});

test('rolls back if the work throws before the first await', async () => {
  const failing = transaction(ctx, () => {
    throw new Error('thrown synchronously');
  });
  await assert.rejects(failing, /thrown synchronously/);
  assert.deepEqual(await names(), ['a']);
});

test('counts the rows that Kysely changed', async () => {
  const { numUpdatedRows } = await ctx.db
    .updateTable('setting')
    .set({ value: 'y' })
    .where('name', '=', `${own}a`)
    .executeTakeFirstOrThrow();
  assert.equal(numUpdatedRows, 1n);
});

test("rejects Kysely's own transactions, which nested calls would not join", async () => {
  await assert.rejects(
    ctx.db.transaction().execute((trx) => put(trx, 'b')),
    /transaction\(ctx, work\)/,
  );
});

test('applies the tenant guard to hand-written statements and to transactions', async () => {
  const unscoped = 'select * from enrolment';
  await assert.rejects(run(ctx, unscoped), /"enrolment" does not restrict/);
  await assert.rejects(
    transaction(ctx, (ctx) => run(ctx, unscoped)),
    /"enrolment" does not restrict/,
  );
  const statement = 'select count(*) as n from enrolment /* across tenants: a test counts */';
  assert.deepEqual(await run(ctx, statement), [{ n: 0 }]);
});
