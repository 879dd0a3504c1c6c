import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../db/engine.ts';
import { Problem } from '../errors.ts';
import { type NodeState, openState } from '../node-state.ts';
import { coalesce } from './coalesce.ts';

type Row = { key: string; value: number };

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A context whose statements take a few event-loop turns and are recorded. */
function open(
  options: {
    most?: number;
    maxBytes?: number;
    kind?: Engine['kind'];
    fails?: (rows: Row[]) => Error | null;
    again?: (row: Row, statement: number) => boolean;
  } = {},
) {
  const { most: max = 200, maxBytes, kind = 'postgres', fails = () => null, again = () => false } = options;
  const statements: { group: string; rows: Row[] }[] = [];
  const inFlight: { group: string; rows: Row[] }[] = [];
  let together = 0;
  const call = coalesce<{ engine: Engine; state: NodeState; group: string }, Row, string>({
    name: 'test',
    group: (ctx) => ctx.group,
    key: (row) => row.key,
    max,
    ...(maxBytes === undefined ? {} : { bytes: { of: (row: Row) => row.value, max: maxBytes } }),
    run: async (ctx, rows) => {
      assert.equal(new Set(rows.map((row) => row.key)).size, rows.length, 'equal keys share a statement');
      const mine = { group: ctx.group, rows };
      const others = inFlight.filter(({ group }) => group === ctx.group).flatMap((other) => other.rows);
      assert.ok(
        !rows.some(({ key }) => others.some((other) => other.key === key)),
        'equal keys are in flight',
      );
      statements.push(mine);
      inFlight.push(mine);
      together = Math.max(together, inFlight.filter(({ group }) => group === ctx.group).length);
      for (let n = 0; n < 3; n++) await turn();
      inFlight.splice(inFlight.indexOf(mine), 1);
      const error = fails(rows);
      if (error) throw error;
      const statement = statements.indexOf(mine);
      return rows.map((row) => (again(row, statement) ? 'again' : `${ctx.group} ${row.key} ${row.value}`));
    },
    runsAgain: (_, result) => result === 'again',
  });
  const engine = { kind } as Engine;
  const state = openState();
  const send = (row: Row, group = 'a') => call({ engine, state, group }, row);
  return {
    send,
    statements,
    sizes: () => statements.map(({ rows }) => rows.length),
    together: () => together,
  };
}

/** Calls with different keys, all in one turn of the event loop. */
function sendAll(send: (row: Row) => Promise<string>, from: number, to: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: to - from }, (_, n) => send({ key: `k${from + n}`, value: from + n })),
  );
}

test('a single call waits only until the end of the event-loop turn', async () => {
  const { send, sizes } = open();
  const response = send({ key: 'k', value: 1 });
  await turn();
  assert.deepEqual(sizes(), [1]);
  assert.equal(await response, 'a k 1');
});

test('calls in one turn share a statement, and calls that arrive while it runs share the next one', async () => {
  for (const kind of ['pglite', 'postgres'] as const) {
    const { send, sizes } = open({ kind });
    const first = sendAll(send, 0, 50);
    await turn();
    const responses = [await Promise.all([first, sendAll(send, 50, 90)])].flat(2);
    assert.deepEqual(sizes(), [50, 40], kind);
    assert.deepEqual(
      responses,
      responses.map((_, value) => `a k${value} ${value}`),
    );
  }
});

test('a server runs a second statement if at least as many rows wait as are in progress; the embedded database never does', async () => {
  for (const [kind, max, expected] of [
    ['pglite', 1, [10, 50]],
    ['postgres', 2, [10, 10, 40]],
  ] as const) {
    const { send, sizes, together } = open({ kind });
    const responses = [sendAll(send, 0, 10)];
    await turn();
    responses.push(sendAll(send, 10, 20));
    await turn();
    responses.push(sendAll(send, 20, 60));
    await Promise.all(responses);
    assert.equal(together(), max);
    assert.deepEqual(sizes(), expected);
  }
});

test('a row that has to run again is in the next statement, before later rows with the same key', async () => {
  const { send, statements } = open({
    kind: 'pglite',
    again: ({ key }, statement) => key === 'x' && statement === 0,
  });
  const responses = [
    send({ key: 'x', value: 1 }),
    send({ key: 'y', value: 2 }),
    send({ key: 'x', value: 3 }),
  ];
  assert.deepEqual(await Promise.all(responses), ['a x 1', 'a y 2', 'a x 3']);
  assert.deepEqual(
    statements.map(({ rows }) => rows.map(({ value }) => value)),
    [[1, 2], [1], [3]],
  );
});

test('each call gets its own result in any order of arrival, and no row is lost, duplicated or put into the wrong group', async () => {
  const row: fc.Arbitrary<Row & { group: string }> = fc.record({
    key: fc.constantFrom('x', 'y', 'z'),
    value: fc.nat(),
    group: fc.constantFrom('a', 'b'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 40 }),
      fc.array(fc.nat({ max: 3 }), { minLength: 40, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('pglite' as const, 'postgres' as const),
      async (rows, pauses, max, kind) => {
        const { send, statements } = open({ most: max, kind });
        const answering: Promise<string>[] = [];
        for (const [n, { group, ...row }] of rows.entries()) {
          for (let pause = pauses[n] ?? 0; pause > 0; pause--) await turn();
          answering.push(send(row, group));
        }
        const responses = await Promise.all(answering);
        assert.deepEqual(
          responses,
          rows.map(({ group, key, value }) => `${group} ${key} ${value}`),
        );
        const ran = statements.flatMap(({ group, rows }) => rows.map((row) => ({ group, ...row })));
        assert.equal(ran.length, rows.length);
        for (const { rows } of statements) assert.ok(rows.length <= max);
        for (const key of ['x', 'y', 'z'])
          for (const group of ['a', 'b']) {
            const values = (list: typeof rows) =>
              list.filter((one) => one.key === key && one.group === group).map(({ value }) => value);
            assert.deepEqual(values(ran), values(rows), 'equal keys keep their order');
          }
      },
    ),
  );
});

test('a statement stays within its byte limit unless a single row exceeds it, and no row is starved', async () => {
  const { send, statements } = open({ maxBytes: 100, kind: 'pglite' });
  const values = [40, 50, 90, 10, 300, 1, 1, 99, 60];
  await Promise.all(values.map((value, n) => send({ key: `k${n}`, value })));
  assert.deepEqual(
    statements.map(({ rows }) => rows.map(({ value }) => value)),
    [[40, 50, 10], [90, 1, 1], [300], [99], [60]],
  );
});

test('an invalid row fails alone, and the others succeed', async () => {
  const { send } = open({
    fails: (rows) => (rows.some(({ value }) => value === 13) ? new Error('bad') : null),
  });
  const results = await Promise.allSettled(
    Array.from({ length: 30 }, (_, value) => send({ key: `k${value}`, value })),
  );
  assert.deepEqual(
    results.flatMap(({ status }, value) => (status === 'rejected' ? value : [])),
    [13],
  );
});

test('an error that affects the whole statement is not retried row by row', async () => {
  const { send, statements } = open({ fails: () => new Problem('unavailable', 'Try again.') });
  const results = await Promise.allSettled([1, 2, 3].map((value) => send({ key: `k${value}`, value })));
  assert.ok(results.every(({ status }) => status === 'rejected'));
  assert.equal(statements.length, 1);
  await assert.rejects(send({ key: 'later', value: 1 }), Problem);
});
