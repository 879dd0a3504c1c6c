import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Engine } from '../src/db/engine/engine.ts';
import { checkStatements, recordStatements } from './support/recorded-statements.ts';

const nothing: Engine = {
  kind: 'postgres',
  isDistributed: () => false,
  query: async () => ({ rows: [], affected: 0 }),
  transaction: (work) => work(nothing),
  script: async () => {},
  load: () => ({ inUse: 0, waiting: 0, waits: 0 }),
  close: async () => {},
};

test('the check distinguishes statements for one tenant from statements that name two tenants', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-recorded-'));
  const engine = recordStatements(nothing, folder);
  const join2 =
    'select 1 from enrolment e join "user" u on u.tenant_id = $1 and u.user_id = e.user_id where e.tenant_id = $2';
  const rows = 'insert into "event" ("type", "tenant_id") values ($1, $2), ($3, $4)';
  const send = (text: string, values: unknown[]) => engine.query({ text, values });
  await send('select 1 from course', []);
  await send(join2, ['a', 'a']);
  await send(rows, ['x', 'a', 'y', 'a']);
  await send('/* across tenants: the clock */ select 1 from enrolment', []);
  const counts = { 'one tenant': 2, 'no tenant': 1, 'across tenants': 1 };
  assert.deepEqual(checkStatements(folder), { counts, reasons: ['the clock'], wrong: [] });
  await send(join2, ['a', 'b']);
  await engine.transaction(
    async (inner) => void (await inner.query({ text: rows, values: ['x', 'a', 'y', 'b'] })),
  );
  assert.deepEqual(checkStatements(folder).wrong.sort(), [rows, join2].sort());
});
