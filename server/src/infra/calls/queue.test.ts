import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../../db/engine/engine.ts';
import { Problem } from '../../lib/errors.ts';
import { type NodeState, openState } from '../context/context.ts';
import { type Call, openQueue } from './queue.ts';

type Row = { key: string; value: number };
type TestContext = { engine: Pick<Engine, 'kind' | 'isDistributed'>; state: NodeState; tenantId: string };
type TestCall = Call<TestContext, Row>;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A context whose statements take a few event-loop turns and are recorded. */
function open(
  options: {
    most?: number;
    maxBytes?: number;
    kind?: Engine['kind'];
    isShared?: boolean;
    isDistributed?: boolean;
    fails?: (rows: Row[]) => Error | null;
    /** Whether a statement leaves out this row. */
    leaves?: (call: TestCall, statement: number) => boolean;
  } = {},
) {
  const { most: max = 200, maxBytes, kind = 'postgres', isShared, isDistributed = false } = options;
  const { fails = () => null, leaves = () => false } = options;
  const statements: { tenants: string[]; rows: Row[] }[] = [];
  const inFlight: TestCall[][] = [];
  let together = 0;
  const nameOf = ({ ctx, row }: TestCall) => `${ctx.tenantId} ${row.key}`;
  const queue = openQueue<TestContext, Row, string>({
    name: 'test',
    ...(isShared && { isShared }),
    key: (row) => row.key,
    max,
    ...(maxBytes === undefined ? {} : { bytes: { of: (row: Row) => row.value, max: maxBytes } }),
    run: async (calls) => {
      const mine = [...calls];
      assert.equal(new Set(mine.map(nameOf)).size, mine.length, 'equal keys share a statement');
      const others = inFlight.flat().map(nameOf);
      if (!isShared)
        assert.ok(!mine.some((call) => others.includes(nameOf(call))), 'equal keys are in flight');
      const rows = mine.map(({ row }) => row);
      const statement = statements.push({ tenants: mine.map(({ ctx }) => ctx.tenantId), rows }) - 1;
      inFlight.push(mine);
      together = Math.max(together, inFlight.length);
      for (let n = 0; n < 3; n++) await turn();
      inFlight.splice(inFlight.indexOf(mine), 1);
      const error = fails(rows);
      if (error) throw error;
      return mine.map((call) =>
        leaves(call, statement) ? undefined : `${call.ctx.tenantId} ${call.row.key} ${call.row.value}`,
      );
    },
  });
  const engine = { kind, isDistributed: () => isDistributed };
  const state = openState();
  const send = (row: Row, tenantId = 'a') => queue.add({ engine, state, tenantId }, row);
  return {
    send,
    queue,
    ctx: { engine, state, tenantId: 'a' },
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

test('a row that was left out is in the next statement, before later rows with the same key', async () => {
  const { send, statements } = open({
    kind: 'pglite',
    leaves: ({ row: { key } }, statement) => key === 'x' && statement === 0,
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

test('the rows of all tenants share a statement, and those of a tenant that was left out run alone', async () => {
  const { send, statements } = open({
    kind: 'pglite',
    isShared: true,
    leaves: ({ ctx }, statement) => ctx.tenantId === 'b' && statement === 0,
  });
  const first = ['a', 'b', 'c'].map((tenant, value) => send({ key: 'x', value }, tenant));
  await turn();
  const later = ['c', 'b', 'a'].map((tenant, value) => send({ key: 'x', value: 10 + value }, tenant));
  assert.deepEqual(await Promise.all([...first, ...later]), [
    'a x 0',
    'b x 1',
    'c x 2',
    'c x 10',
    'b x 11',
    'a x 12',
  ]);
  assert.deepEqual(statements[0]?.tenants, ['a', 'b', 'c']);
  const others = statements.slice(1).map(({ tenants }) => tenants.join(''));
  assert.deepEqual(others.toSorted(), ['b', 'b', 'ca']);
  // Afterwards, its rows share statements again.
  await Promise.all(['b', 'd'].map((tenant) => send({ key: 'z', value: 1 }, tenant)));
  assert.deepEqual(statements.at(-1)?.tenants, ['b', 'd']);
});

test('a statement with rows of several tenants that fails is repeated for each tenant, then for each row', async () => {
  const { send, statements } = open({
    kind: 'pglite',
    isShared: true,
    fails: (rows) => (rows.some(({ value }) => value === 13) ? new Error('bad') : null),
  });
  const rows = [1, 2, 13, 4, 5, 6].map((value, n) => ({ key: `k${n}`, value }));
  const results = await Promise.allSettled(rows.map((row, n) => send(row, n < 3 ? 'a' : 'b')));
  assert.deepEqual(
    results.map(({ status }) => status === 'fulfilled'),
    [true, true, false, true, true, true],
  );
  assert.deepEqual(
    statements.map(({ rows }) => rows.map(({ value }) => value)),
    [[1, 2, 13, 4, 5, 6], [1, 2, 13], [1], [2], [13], [4, 5, 6]],
  );
});

test('on Citus, a statement has rows of one tenant only', async () => {
  const { send, statements } = open({ isShared: true, isDistributed: true });
  await Promise.all(['a', 'b', 'a'].map((tenant, n) => send({ key: `k${n}`, value: n }, tenant)));
  assert.deepEqual(
    statements.map(({ tenants }) => tenants),
    [['a', 'a'], ['b']],
  );
});

test('rows in a transaction run immediately and share statements, unless their keys are equal', async () => {
  const { queue, ctx, sizes } = open({ isShared: true, leaves: ({ row }, n) => row.value === 3 && n === 0 });
  const rows = ['x', 'y', 'x', 'z'].map((key, value) => ({ key, value }));
  assert.deepEqual(await queue.runInside(ctx, rows), ['a x 0', 'a y 1', 'a x 2', 'a z 3']);
  assert.deepEqual(sizes(), [3, 2]);
});

test('each call gets its own result in any order of arrival, and no row is lost, duplicated or put into the wrong group', async () => {
  const row: fc.Arbitrary<Row & { tenant: string }> = fc.record({
    key: fc.constantFrom('x', 'y', 'z'),
    value: fc.nat(),
    tenant: fc.constantFrom('a', 'b'),
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
        for (const [n, { tenant, ...row }] of rows.entries()) {
          for (let pause = pauses[n] ?? 0; pause > 0; pause--) await turn();
          answering.push(send(row, tenant));
        }
        const responses = await Promise.all(answering);
        assert.deepEqual(
          responses,
          rows.map(({ tenant, key, value }) => `${tenant} ${key} ${value}`),
        );
        const ran = statements.flatMap(({ tenants, rows }) =>
          rows.map((row, at) => ({ tenant: tenants[at], ...row })),
        );
        assert.equal(ran.length, rows.length);
        for (const { rows } of statements) assert.ok(rows.length <= max);
        for (const key of ['x', 'y', 'z'])
          for (const tenant of ['a', 'b']) {
            const values = (list: typeof ran) =>
              list.filter((one) => one.key === key && one.tenant === tenant).map(({ value }) => value);
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
