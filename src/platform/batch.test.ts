import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { coalesce } from './batch.ts';
import type { Engine } from './db/engine.ts';
import { Problem } from './errors.ts';

type Row = { key: string; value: number };

/** A context whose statements take a turn of the event loop, and are noted. */
function open(most = 200, fails: (rows: Row[]) => Error | null = () => null) {
  const statements: { group: string; rows: Row[] }[] = [];
  let inFlight = 0;
  const call = coalesce<{ engine: Engine; group: string }, Row, string>({
    group: (ctx) => ctx.group,
    key: (row) => row.key,
    most,
    run: async (ctx, rows) => {
      assert.equal(new Set(rows.map((row) => row.key)).size, rows.length, 'equal keys share a statement');
      statements.push({ group: ctx.group, rows });
      inFlight++;
      await new Promise((resolve) => setImmediate(resolve));
      inFlight--;
      const error = fails(rows);
      if (error) throw error;
      return rows.map((row) => `${ctx.group} ${row.key} ${row.value}`);
    },
  });
  const engine = {} as Engine;
  const send = (row: Row, group = 'a') => call({ engine, group }, row);
  return { send, statements, inFlight: () => inFlight };
}

test('a lone call runs at once, alone', async () => {
  const { send, statements } = open();
  const answer = send({ key: 'k', value: 1 });
  assert.equal(statements.length, 1);
  assert.equal(await answer, 'a k 1');
});

test('what queues while a statement is in flight shares the next one', async () => {
  const { send, statements } = open();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, value) => send({ key: `k${value}`, value })),
  );
  assert.deepEqual(
    statements.map(({ rows }) => rows.length),
    [1, 49],
  );
  assert.deepEqual(
    answers,
    answers.map((_, value) => `a k${value} ${value}`),
  );
});

test('every call gets its own answer, whatever comes when: no row is lost, doubled or in the wrong group', async () => {
  const row: fc.Arbitrary<Row & { group: string }> = fc.record({
    key: fc.constantFrom('x', 'y', 'z'),
    value: fc.nat(),
    group: fc.constantFrom('a', 'b'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), async (rows, most) => {
      const { send, statements } = open(most);
      const answers = await Promise.all(rows.map(({ group, ...row }) => send(row, group)));
      assert.deepEqual(
        answers,
        rows.map(({ group, key, value }) => `${group} ${key} ${value}`),
      );
      const ran = statements.flatMap(({ group, rows }) => rows.map((row) => ({ group, ...row })));
      assert.equal(ran.length, rows.length);
      for (const { rows } of statements) assert.ok(rows.length <= most);
      for (const key of ['x', 'y', 'z'])
        for (const group of ['a', 'b']) {
          const values = (list: typeof rows) =>
            list.filter((one) => one.key === key && one.group === group).map(({ value }) => value);
          assert.deepEqual(values(ran), values(rows), 'equal keys keep their order');
        }
    }),
  );
});

test('a bad row fails alone; its neighbours succeed', async () => {
  const { send } = open(200, (rows) => (rows.some(({ value }) => value === 13) ? new Error('bad') : null));
  const results = await Promise.allSettled(
    Array.from({ length: 30 }, (_, value) => send({ key: `k${value}`, value })),
  );
  assert.deepEqual(
    results.flatMap(({ status }, value) => (status === 'rejected' ? value : [])),
    [13],
  );
});

test('a problem that concerns the whole statement is not tried row by row', async () => {
  const { send, statements } = open(200, () => new Problem('unavailable', 'Try again.'));
  const results = await Promise.allSettled([1, 2, 3].map((value) => send({ key: `k${value}`, value })));
  assert.ok(results.every(({ status }) => status === 'rejected'));
  assert.equal(statements.length, 2);
  await assert.rejects(send({ key: 'later', value: 1 }), Problem);
});
