import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openPglite, type PgliteEngine } from './pglite.ts';

let root: string;
let empty: string;
before(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'lectern-pglite-'));
  empty = path.join(root, 'empty');
  const engine = await openPglite({ folder: empty });
  await engine.script('create table note (id bigint primary key generated always as identity, text text)');
  await engine.close();
});
after(() => rm(root, { recursive: true }));

const noMaintenance = { measureEvery: 1e9, vacuumEvery: 1e9, vacuumLargeEvery: 1e9 };
const folderFor = async (name: string): Promise<string> => {
  const folder = path.join(root, name);
  await cp(empty, folder, { recursive: true });
  return folder;
};
const put = {
  name: 'put',
  text: 'insert into note (text) values ($1) returning id',
  values: ['x'.repeat(1000)],
};
const count = { name: 'count', text: 'select count(*) as n from note', values: [] };
const counted = async (engine: PgliteEngine) => (await engine.query<{ n: number }>(count)).rows[0]?.n;

test('syncs to disk at least once per commit, and never for reads', async () => {
  const engine = await openPglite({ folder: await folderFor('syncs'), maintenance: noMaintenance });
  await engine.query(put);
  for (let round = 0; round < 20; round++) {
    const start = engine.syncs();
    await engine.query(put);
    assert.ok(engine.syncs() > start, 'after a single statement');
    const between = engine.syncs();
    await engine.transaction(async (connection) => {
      await connection.query(put);
      await connection.query(put);
    });
    assert.ok(engine.syncs() > between, 'after a transaction');
  }
  const start = engine.syncs();
  for (let round = 0; round < 20; round++) await engine.query(count);
  assert.equal(engine.syncs(), start);
  await engine.close();
});

test('vacuums and truncates its log automatically, so that the folder stays small', async () => {
  const folder = await folderFor('growth');
  const maintenance = { measureEvery: 20, checkpointBytes: 8 * 1024 * 1024, vacuumEvery: 100 };
  const engine = await openPglite({ folder, maintenance });
  await engine.query({
    text: "insert into note (text) select repeat('x', 500) from generate_series(1, 1000)",
    values: [],
  });
  for (let round = 0; round < 150; round++) {
    await engine.query({ name: 'rewrite', text: "update note set text = repeat('y', 500)", values: [] });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { rows } = await engine.query<{ written: number; table: number }>({
    text: `select (pg_current_wal_insert_lsn() - '0/0')::bigint as written, pg_table_size('note') as "table"`,
    values: [],
  });
  const files = path.join(folder, 'database/pg_wal');
  const sizes = await Promise.all(
    (await readdir(files)).map(async (name) => (await stat(path.join(files, name))).size),
  );
  const kept = sizes.reduce((sum, size) => sum + size, 0);
  await engine.close();
  const [sum] = rows;
  assert.ok(sum && sum.written > 100e6, `only ${sum?.written} bytes were written, too few for this test`);
  assert.ok(kept <= 96 * 1024 * 1024, `the log still has ${kept} of ${sum.written} bytes`);
  assert.ok(sum.table < 40e6, `a table with 0.6 MB of rows takes ${sum.table} bytes`);
});

test('large values that were replaced are vacuumed long before the next vacuum of all tables', async () => {
  const maintenance = { vacuumEvery: 1e9, vacuumLargeEvery: 50 };
  const engine = await openPglite({ folder: await folderFor('large'), maintenance });
  await engine.script('create table large (id integer primary key, content bytea)');
  const write = `insert into large select 1, decode(string_agg(md5(random()::text), ''), 'hex') from generate_series(1, 65536)
    on conflict (id) do update set content = excluded.content`;
  for (let round = 0; round < 100; round++) {
    await engine.query({ name: 'replace', text: write, values: [] });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { rows } = await engine.query<{ bytes: number }>({
    text: "select pg_table_size('large') as bytes",
    values: [],
  });
  await engine.close();
  assert.ok(rows[0] && rows[0].bytes < 40e6, `a table with 1 MiB of content takes ${rows[0]?.bytes} bytes`);
});

test('only one process at a time can open the database, however the previous process ended', async () => {
  const folder = await folderFor('lock');
  const holder = spawn(process.execPath, ['--input-type=module'], { stdio: ['pipe', 'pipe', 'inherit'] });
  holder.stdin.end(`
    import { openPglite } from ${JSON.stringify(new URL('./pglite.ts', import.meta.url).href)};
    await openPglite({ folder: ${JSON.stringify(folder)} });
    console.log('open');
    setInterval(() => {}, 1000);`);
  await once(holder.stdout, 'data');
  await assert.rejects(
    openPglite({ folder }),
    new RegExp(
      `data folder ${folder} is in use by process ${holder.pid}\\. Stop it, or set DATA_DIR to another folder`,
    ),
  );
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const engine = await openPglite({ folder });
  assert.equal(await counted(engine), 0);
  await assert.rejects(openPglite({ folder }), /in use by process/, 'the same process');
  await engine.close();
  await (await openPglite({ folder })).close();
});

test('reopens automatically after a disk error, with all acknowledged rows', async () => {
  const folder = await folderFor('panic');
  const messages: string[] = [];
  const log = { info() {}, warn() {}, error: (_: object, message: string) => messages.push(message) };
  const engine = await openPglite({ folder, log, maintenance: noMaintenance });
  await engine.query(put);
  const files = path.join(folder, 'database/pg_wal');
  await rename(files, `${files}.away`);
  await engine.query({ text: 'select pg_switch_wal()', values: [] });
  await assert.rejects(engine.query(put), { code: 'unavailable' });
  await rm(files, { recursive: true, force: true });
  await rename(`${files}.away`, files);
  assert.equal(await counted(engine), 1);
  await engine.query(put);
  assert.equal(await counted(engine), 2);
  assert.match(messages.join(), /the database crashed/);
  await engine.close();
});

test('a statement that takes too long ends, also in a transaction, and the next one finds every committed row', async () => {
  const messages: string[] = [];
  const log = { info() {}, warn() {}, error: (details: object) => messages.push(JSON.stringify(details)) };
  const folder = await folderFor('endless');
  const engine = await openPglite({ folder, log, maintenance: noMaintenance, timeout: 1_000 });
  await engine.query(put);
  const endless = { text: 'select count(*) from generate_series(1, 1e15::bigint)', values: [] };
  await assert.rejects(engine.query(endless), { code: 'unavailable' });
  assert.equal(await counted(engine), 1);
  const inTransaction = engine.transaction(async (connection) => {
    await connection.query(put);
    await connection.query(endless);
  });
  await assert.rejects(inTransaction, { code: 'unavailable' });
  assert.equal(await counted(engine), 1);
  assert.match(messages.join(), /generate_series.* took longer than 1 s.*A statement in a transaction/s);
  await engine.close();
});

test('starts successfully after the creation of the database was interrupted', async () => {
  const folder = path.join(root, 'interrupted');
  await cp(path.join(empty, 'database'), path.join(folder, 'database.new'), { recursive: true });
  await rm(path.join(folder, 'database.new/global'), { recursive: true });
  const engine = await openPglite({ folder });
  await engine.query({ text: 'select 1', values: [] });
  await engine.close();
  assert.deepEqual((await readdir(folder)).sort(), ['database', 'lock', 'lock.process']);
});

test('explains why a folder cannot be opened', async () => {
  const folder = await folderFor('old');
  await writeFile(path.join(folder, 'database/PG_VERSION'), '17\n');
  await assert.rejects(
    openPglite({ folder }),
    /database in .*old.* is in the format of PostgreSQL 17, but .* contains PostgreSQL 18\. Start the version of Lectern that wrote it/,
  );
  const broken = await folderFor('broken');
  await rm(path.join(broken, 'database/global/pg_control'));
  await assert.rejects(openPglite({ folder: broken }), /cannot be opened/);
});

test('rejects work after it has been closed', async () => {
  const engine = await openPglite({ folder: await folderFor('closed') });
  await engine.close();
  await engine.close();
  await assert.rejects(engine.query({ text: 'select 1', values: [] }), { code: 'unavailable' });
});

test('transactions and their results do not stay in memory', async () => {
  const engine = await openPglite({ folder: null });
  const rounds = 1_000;
  const megabytes = () => process.memoryUsage().heapUsed / 1024 ** 2;
  const before = megabytes();
  for (let round = 0; round < rounds; round++) {
    const rows = await engine.transaction(async (connection) => {
      await connection.query({ text: 'select 1', values: [] });
      return new Array<number>(20_000).fill(0.5);
    });
    assert.equal(rows.length, 20_000);
  }
  const grown = megabytes() - before;
  assert.ok(grown < 80, `${Math.round(grown)} MB more after ${rounds} transactions of 0.2 MB`);
  await engine.close();
});
