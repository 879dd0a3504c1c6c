import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openEmptyTestDatabase } from '../../../test/support/test-database.ts';
import type { Engine } from './engine.ts';

let engine: Engine;
before(async () => {
  engine = await openEmptyTestDatabase();
  await engine.script(
    'create table counter (id int primary key, n int not null); insert into counter values (1, 0)',
  );
});
after(() => engine.close());

const read = async () =>
  (await engine.query<{ n: number }>({ name: 'read', text: 'select n from counter', values: [] })).rows[0]?.n;
const add = { name: 'add', text: 'update counter set n = n + $1', values: [1] };

test('returns the same values on both engines', async () => {
  const { rows } = await engine.query({
    name: 'kinds',
    text: `select 9007199254740991::int8 as int8, 1.50::numeric as numeric, 7::int4 as int4, 0.5::float8 as float8,
      true as bool, timestamptz '2026-03-01 10:00:00.123+02' as at, date '2026-03-01' as day,
      '{"a":[1,null]}'::jsonb as jsonb, array['a','b,"c"',null] as texts, array[1,null]::int8[] as counts,
      '{}'::text[] as none, null::text as nothing, '\\x00ff'::bytea as bytes,
      '01890a5d-ac96-774b-bcce-b302099a8057'::uuid as uuid, interval '30 days'::text as period`,
    values: [],
  });
  assert.deepEqual(rows, [
    {
      int8: 9007199254740991,
      numeric: '1.50',
      int4: 7,
      float8: 0.5,
      bool: true,
      at: new Date('2026-03-01T08:00:00.123Z'),
      day: '2026-03-01',
      jsonb: { a: [1, null] },
      texts: ['a', 'b,"c"', null],
      counts: [1, null],
      none: [],
      nothing: null,
      bytes: Buffer.from([0, 255]),
      uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
      period: '30 days',
    },
  ]);
});

test('accepts the same parameters on both engines', async () => {
  const at = new Date('2026-03-01T08:00:00.123Z');
  const texts = ['é', 'b,"c"\\', '', null];
  const values = [
    JSON.stringify({ ü: "'" }),
    texts,
    at,
    5,
    2 ** 40,
    true,
    null,
    [at],
    [1, 2],
    Buffer.from([1]),
  ];
  const { rows } = await engine.query({
    text: `select $1::jsonb as a, $2::text[] as b, $3::timestamptz as c, $4::int as d, $5::int8 as e, $6::boolean as f,
      $7::text as g, $8::timestamptz[] as h, $9::int8[] as i, $10::bytea as j`,
    values,
  });
  const [a, ...others] = values;
  assert.deepEqual(rows, [
    Object.fromEntries(
      [JSON.parse(String(a)), ...others].map((value, index) => ['abcdefghij'[index], value]),
    ),
  ]);
});

test('returns the number of rows affected by a statement', async () => {
  const { rows, affected } = await engine.query({ text: 'update counter set n = 0', values: [] });
  assert.deepEqual({ rows, affected }, { rows: [], affected: 1 });
});

test('reports SQL errors and keeps working afterwards', async () => {
  const twice = () => engine.query({ name: 'twice', text: 'insert into counter values (1, 1)', values: [] });
  await assert.rejects(twice, { code: '23505', constraint: 'counter_pkey', table: 'counter' });
  await assert.rejects(twice, { code: '23505' });
  await assert.rejects(engine.query({ name: 'wrong', text: 'select nothing from nowhere', values: [] }), {
    code: '42P01',
  });
  assert.equal(await read(), 0);
});

test('commits a transaction that succeeds, and rolls back a transaction that throws', async () => {
  assert.equal(await engine.transaction(async (connection) => (await connection.query(add)).affected), 1);
  assert.equal(await read(), 1);
  const failing = engine.transaction(async (connection) => {
    await connection.query(add);
    throw new Error('rolled back');
  });
  await assert.rejects(failing, /rolled back/);
  assert.equal(await read(), 1);
});

test('does not report success if the caller ignored a failed statement', async () => {
  const swallowing = engine.transaction(async (connection) => {
    await connection.query(add);
    await connection.query({ text: 'select 1 / 0', values: [] }).catch(() => {});
  });
  await assert.rejects(swallowing, /rolled back/);
  assert.equal(await read(), 1);
});

test("does not run another caller's statements inside a transaction", async () => {
  await engine.query({ text: 'create table other_rows (id int)', values: [] });
  const begun = Promise.withResolvers<void>();
  const failing = engine.transaction(async (connection) => {
    await connection.query(add);
    begun.resolve();
    await new Promise((resolve) => setTimeout(resolve, 20));
    throw new Error('undone');
  });
  await begun.promise;
  const others = Array.from({ length: 20 }, (_, id) =>
    engine.query({ text: 'insert into other_rows values ($1)', values: [id] }),
  );
  await assert.rejects(failing, /undone/);
  await Promise.all(others);
  const { rows } = await engine.query({ text: 'select count(*) as kept from other_rows', values: [] });
  assert.deepEqual(rows, [{ kept: 20 }]);
});

test('loses no transactions when many run concurrently', async () => {
  const start = (await read()) ?? 0;
  await Promise.all(
    Array.from({ length: 50 }, () => engine.transaction((connection) => connection.query(add))),
  );
  assert.equal(await read(), start + 50);
});

test('rejects a statement in a transaction that has ended', async () => {
  const escaped = await engine.transaction(async (connection) => connection);
  await assert.rejects(escaped.query(add), /has ended/);
});

test('rolls back an entire script if one of its statements fails', async () => {
  await assert.rejects(engine.script('create table half (id int); select 1 / 0'), { code: '22012' });
  await assert.rejects(engine.query({ text: 'select * from half', values: [] }), { code: '42P01' });
});
