import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { kyselyForEngine } from '../../platform/db/dialect.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { openEmptyTestDatabase } from '../../platform/db/test-database.ts';
import { locations } from '../../platform/locations.ts';
import { findLegacyPosition } from './log.ts';
import { fromCursor, logStart } from './position.ts';

const engine = await openEmptyTestDatabase();
const folder = await mkdtemp(join(tmpdir(), 'lectern-numbered-'));
after(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});
const query = async (text: string) => (await engine.query<{ value: unknown }>({ text, values: [] })).rows;
const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`;

/** Epoch, transaction and event, in the previous order of the log. */
const before = [
  [1, 20, 3],
  [1, 30, 1],
  [1, 30, 2],
  [7, 10, 5],
  [7, 11, 4],
] as const;

const cursor = (epoch: number, transaction: number, eventId: string) =>
  Buffer.from(`log ${epoch} ${transaction} ${eventId}`).toString('base64url');

test('existing events are numbered in order, and cursors, endpoints and counts continue where they were', async () => {
  await cp(locations.migrations, folder, { recursive: true });
  const files = await readdir(folder);
  for (const name of files)
    if (name >= '0034' || name === 'functions') await rm(join(folder, name), { recursive: true });
  await migrate(engine, folder);
  await query(
    "insert into tenant (tenant_id, name, created_at, updated_at) select t, t, now(), now() from unnest('{a,b}'::text[]) t",
  );
  for (const tenant of ['a', 'b'])
    for (const [epoch, transaction, n] of before)
      await query(`insert into event (tenant_id, event_id, epoch, transaction, type, occurred_at, data)
        values ('${tenant}', '${id(n)}', ${epoch}, '${transaction}', 'user.created', now(), '{}')`);
  await query(
    `insert into webhook (tenant_id, webhook_id, url, secret, epoch, transaction, event_id, created_at, updated_at)
    select 'a', ('00000000-0000-7000-8000-0000000000' || n || '0')::uuid, 'x', 'x', n, '30', '${id(1)}', now(), now() from unnest('{0,1,8}'::int[]) n`.replace(
      "|| n || '0'",
      "|| lpad(n::text, 2, '0')",
    ),
  );
  await query(`insert into counted_log values ('b', 7, '10', '${id(5)}')`);
  const { applied } = await migrate(engine, locations.migrations);
  assert.ok(applied.includes('0035_numbered_events.sql'));

  const positions = await query(
    'select array_agg(position order by epoch, transaction, event_id) as value from event group by tenant_id',
  );
  assert.deepEqual(positions, [{ value: [1, 2, 3, 4, 5] }, { value: [1, 2, 3, 4, 5] }]);
  const places = async (table: string) =>
    (await query(`select position as value from ${table} order by 1`)).map(({ value }) => value);
  assert.deepEqual(await places('webhook'), [0, 2, 5]);
  assert.deepEqual(await places('counted_log'), [0, 4]);
  assert.deepEqual(await places('event_log'), [5, 5]);

  const ctx = { db: kyselyForEngine(engine), tenantId: 'a' } as Parameters<typeof findLegacyPosition>[0];
  const found = (...[epoch, transaction, eventId]: Parameters<typeof cursor>) => {
    const at = fromCursor(cursor(epoch, transaction, eventId));
    assert.ok('epoch' in at);
    return findLegacyPosition(ctx, at);
  };
  const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  assert.deepEqual(await found(1, 30, id(1)), { position: 2, eventId: id(1) });
  assert.deepEqual(await found(1, 25, last), { position: 1, eventId: id(3) });
  assert.deepEqual(await found(7, 900, last), { position: 5, eventId: id(4) });
  assert.deepEqual(await found(0, 0, id(0)), logStart);
});
