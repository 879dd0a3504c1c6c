import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { openEmptyTestDatabase, openTestDatabase } from '../../test/support/test-database.ts';
import { locations } from '../lib/locations.ts';
import type { Engine } from './engine/engine.ts';
import { migrate, statementsIn } from './migrate.ts';

const isEmbedded = !process.env.TEST_DATABASE_URL;
let engine: Engine;
let folder: string;
before(async () => {
  engine = await openEmptyTestDatabase();
});
after(() => engine.close());
beforeEach(async (context) => {
  await engine.script('drop table if exists migration, first, second');
  folder = await mkdtemp(path.join(tmpdir(), 'lectern-migrate-'));
  if ('after' in context) context.after(() => rm(folder, { recursive: true }));
});

const write = (name: string, sql: string) => writeFile(path.join(folder, name), sql);
const tables = async () =>
  (
    await engine.query<{ name: string }>({
      text: `select tablename as name from pg_tables where schemaname = 'public' and tablename in ('first', 'second') order by 1`,
      values: [],
    })
  ).rows.map(({ name }) => name);

test('applies new migrations once and in order', async () => {
  await write('0001_first.sql', 'create table first (id int); insert into first values (1);');
  assert.deepEqual(await migrate(engine, folder), { applied: ['0001_first.sql'] });
  await write('0002_second.sql', 'create table second as select * from first');
  assert.deepEqual(await migrate(engine, folder), { applied: ['0002_second.sql'] });
  assert.deepEqual(await migrate(engine, folder), { applied: [] });
  assert.deepEqual(await tables(), ['first', 'second']);
});

test('applies a later migration to a database of the baseline with rows', async (context) => {
  const { engine: database } = await openTestDatabase();
  context.after(() => database.close());
  await cp(locations.migrations, folder, { recursive: true });
  const insert = `insert into tenant (tenant_id, name, created_at, updated_at) values ('a', 'A', now(), now())`;
  await database.query({ text: insert, values: [] });
  await write('0002_due.sql', `alter table tenant add column due integer not null default 7`);
  assert.deepEqual(await migrate(database, folder), { applied: ['0002_due.sql'] });
  // A recorded statement must not name the column, because it is planned again without this migration.
  const text = `select tenant_id, to_jsonb(tenant) -> 'due' as due from tenant`;
  const { rows } = await database.query({ text, values: [] });
  assert.deepEqual(rows, [{ tenant_id: 'a', due: 7 }]);
});

test('lets nodes that start together share the work', async () => {
  await write('0001_first.sql', 'create table first (id int); select pg_sleep(0.05)');
  await write('0002_second.sql', 'create table second (id int)');
  const runs = await Promise.all(Array.from({ length: 4 }, () => migrate(engine, folder)));
  assert.deepEqual(runs.flatMap(({ applied }) => applied).sort(), ['0001_first.sql', '0002_second.sql']);
});

test('rolls back a failed migration completely and names it', async () => {
  await write('0001_first.sql', 'create table first (id int)');
  await write('0002_second.sql', 'create table second (id int); select 1 / 0');
  await assert.rejects(migrate(engine, folder), /0002_second\.sql failed .*division by zero/);
  assert.deepEqual(await tables(), ['first']);
});

test('sends the statements of a file one by one, and never splits the body of a function', () => {
  const body = 'create function one() returns integer language plpgsql as $$\nbegin\n  return 1;\nend $$';
  const sql = `-- A table.\ncreate table first (id int);\n\n${body};\n-- The end.\n`;
  assert.deepEqual(
    statementsIn(sql).map((statement) => statement.trim()),
    ['-- A table.\ncreate table first (id int)', body],
  );
});

test('stops if an applied file was changed', async () => {
  await write('0001_first.sql', 'create table first (id int)');
  await migrate(engine, folder);
  await write('0001_first.sql', 'create table first (id bigint)');
  await assert.rejects(migrate(engine, folder), /0001_first\.sql was changed/);
});

test('stops if the database is newer than the service', async () => {
  await write('0001_first.sql', 'create table first (id int)');
  await migrate(engine, folder);
  await rm(path.join(folder, '0001_first.sql'));
  await assert.rejects(migrate(engine, folder), /0001_first\.sql, which this version does not know/);
});

test('stops if a file was inserted before an applied file', async () => {
  await write('0002_second.sql', 'create table second (id int)');
  await migrate(engine, folder);
  await write('0001_first.sql', 'create table first (id int)');
  await assert.rejects(migrate(engine, folder), /Give it a higher number/);
});

test('stops at a file with an invalid name', async () => {
  await write('1.sql', 'select 1');
  await assert.rejects(migrate(engine, folder), /must be named like/);
});

test('builds an index outside a transaction, and rebuilds it after a failure', async () => {
  await write('0001_first.sql', 'create table first (id int); insert into first values (1), (1)');
  const index = (unique: string) => `-- outside a transaction
drop index concurrently if exists first_by_id;
create ${unique} index concurrently first_by_id on first (id);
`;
  await write('0002_index.sql', index('unique'));
  await assert.rejects(migrate(engine, folder), /0002_index\.sql failed: .*first_by_id/);
  await write('0002_index.sql', index(''));
  assert.deepEqual(await migrate(engine, folder), { applied: ['0002_index.sql'] });
  const { rows } = await engine.query<{ valid: boolean }>({
    text: `select indisvalid as valid from pg_index where indexrelid = 'first_by_id'::regclass`,
    values: [],
  });
  assert.deepEqual(rows, [{ valid: true }]);
});

test('backs off if it cannot get a lock, so that no statement queues behind it', {
  skip: isEmbedded && 'the embedded database has only one connection; run with --postgres',
}, async () => {
  await write('0001_first.sql', 'create table first (id int); insert into first values (1)');
  await migrate(engine, folder);
  await write('0002_first.sql', 'alter table first add column text text');
  const read = () => engine.query<object>({ text: 'select * from first', values: [] });
  let longest = 0;
  let reads = 0;
  let migrating = Promise.resolve<unknown>(null);
  await engine.transaction(async (connection) => {
    await connection.query({ text: 'select * from first', values: [] });
    let waiting = true;
    migrating = migrate(engine, folder, { lockMilliseconds: 100, pauseMilliseconds: 100 }).finally(() => {
      waiting = false;
    });
    for (const end = performance.now() + 3_000; performance.now() < end; reads++) {
      const begun = performance.now();
      await read();
      longest = Math.max(longest, performance.now() - begun);
    }
    assert.ok(waiting, 'the migration waits for the long reader');
  });
  assert.deepEqual(await migrating, { applied: ['0002_first.sql'] });
  assert.deepEqual((await read()).rows, [{ id: 1, text: null }]);
  assert.ok(longest < 2_000, `a read took ${Math.round(longest)} ms`);
  console.log(`${reads} reads alongside a waiting migration, the longest ${Math.round(longest)} ms`);
});

test('gives up after several attempts and changes nothing', {
  skip: isEmbedded && 'the embedded database has only one connection; run with --postgres',
}, async () => {
  await write('0001_first.sql', 'create table first (id int)');
  await migrate(engine, folder);
  await write('0002_first.sql', 'create table second (id int); drop table first');
  await engine.transaction(async (connection) => {
    await connection.query({ text: 'select * from first', values: [] });
    const timeouts = { lockMilliseconds: 20, pauseMilliseconds: 20, maxAttempts: 3 };
    await assert.rejects(migrate(engine, folder, timeouts), /0002_first\.sql failed .*lock timeout/);
  });
  assert.deepEqual(await tables(), ['first']);
});
