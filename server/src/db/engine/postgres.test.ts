import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { openEmptyTestDatabase } from '../../../test/support/test-database.ts';
import { openPostgres } from './postgres.ts';

const skip = process.env.TEST_DATABASE_URL ? false : 'needs TEST_DATABASE_URL';

test('reports that the database is unavailable if nothing is listening', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(address && typeof address === 'object');
  const engine = await openPostgres({ url: `postgres://nobody@127.0.0.1:${address.port}/none` });
  const unavailable = { code: 'unavailable', extras: { retryAfter: 2 } };
  await assert.rejects(engine.query({ text: 'select 1', values: [] }), unavailable);
  await assert.rejects(
    engine.transaction(async () => {}),
    unavailable,
  );
  await engine.close();
});

test('connections to a PostgreSQL server', { skip }, async (context) => {
  const engine = await openEmptyTestDatabase();
  context.after(() => engine.close());
  await engine.script('create table note (id int primary key)');

  const put = (id: number) => ({ name: 'put', text: 'insert into note values ($1)', values: [id] });
  const ids = async () =>
    (
      await engine.query<{ id: number }>({ name: 'ids', text: 'select id from note order by id', values: [] })
    ).rows.map(({ id }) => id);
  /** Retries as a client would, because each pooled connection can fail once. */
  const idsAtLast = async (attempts = 10): Promise<number[]> =>
    ids().catch((error: { code: string }) => {
      assert.equal(error.code, 'unavailable');
      assert.ok(attempts > 0);
      return idsAtLast(attempts - 1);
    });
  /** Terminates every connection, as a server restart does. */
  const endAll = {
    text: `select count(pg_terminate_backend(pid, 1000)) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    values: [],
  };
  const endOwn = { text: 'select pg_terminate_backend(pg_backend_pid())', values: [] };

  await context.test('replaces lost idle connections', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, id) => engine.query(put(id))));
    await engine.query(endAll);
    assert.equal((await idsAtLast()).length, 8);
    await assert.rejects(engine.query(endOwn), { code: 'unavailable' });
    assert.equal((await idsAtLast()).length, 8);
  });

  await context.test(
    'reports that the database is unavailable if a transaction lost its connection',
    async () => {
      const cut = engine.transaction(async (connection) => {
        await connection.query(put(100));
        await connection.query(endOwn);
      });
      await assert.rejects(cut, { code: 'unavailable' });
      const cutOutside = engine.transaction(async (connection) => {
        await connection.query(put(101));
        await engine.query(endAll);
        await new Promise((resolve) => setTimeout(resolve, 20));
      });
      await assert.rejects(cutOutside, { code: 'unavailable' });
      assert.equal((await ids()).length, 8);
    },
  );

  await context.test('prepares a statement again after its table has changed', async () => {
    const all = { name: 'all', text: 'select * from note where id = $1', values: [1] };
    await Promise.all(Array.from({ length: 8 }, () => engine.query(all)));
    await engine.script('alter table note add column text text');
    for (let round = 0; round < 20; round++) {
      assert.deepEqual((await engine.query(all)).rows, [{ id: 1, text: null }]);
    }
  });
});
