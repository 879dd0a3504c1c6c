import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { startService, type TestService } from '../../../test/support/service.ts';
import { transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { newId } from '../../lib/ids.ts';
import { appendEvents } from './append.ts';
import { readLog } from './log.ts';
import type { Position } from './position.ts';

let service: TestService;
let tenants = 0;

before(async () => {
  service = await startService();
});
after(() => service.close());

async function ownTenant(): Promise<TenantContext> {
  const tenantId = `log-${++tenants}`;
  await service.api('POST', '/tenant', { TenantID: tenantId });
  return { ...service.ctx, tenantId };
}

const write = (ctx: TenantContext, name: string) =>
  appendEvents(ctx, [{ type: 'user.created', data: { LoginID: name } }]);

async function namesAfter(ctx: TenantContext, position?: Position) {
  const read = await readLog(ctx, { limit: 200, ...(position ? { after: position } : {}) });
  return { names: read.events.map(({ event }) => event.Data.LoginID), position: read.position };
}

test('a reader never misses an event that is committed late', async () => {
  const ctx = await ownTenant();
  await write(ctx, 'before');
  let { names, position } = await namesAfter(ctx);
  assert.deepEqual(names, ['before']);

  let overtaking: Promise<void> | undefined;
  const seen: unknown[] = [];
  await transaction(ctx, async (early) => {
    await write(early, 'committed late');
    overtaking = transaction(ctx, (late) => write(late, 'committed early'));
    // The embedded database runs one transaction at a time, so transactions cannot overtake each other, and
    // no reader can run in between.
    if (ctx.engine.kind === 'pglite') return;
    await overtaking;
    ({ names, position } = await namesAfter(ctx, position));
    assert.deepEqual(names, ['committed early'], 'an open transaction does not hide others');
    seen.push(...names);
  });
  await overtaking;

  ({ names } = await namesAfter(ctx, position));
  assert.deepEqual([...seen, ...names].sort(), ['committed early', 'committed late']);
});

test('a reader that follows the cursor gets each event from overlapping transactions exactly once', async () => {
  const ctx = await ownTenant();
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let round = 0; round < 20; round++)
      await transaction(ctx, async (ctx) => {
        await write(ctx, `${writer}/${round} first`);
        await ctx.db.selectFrom('setting').selectAll().execute();
        await write(ctx, `${writer}/${round} second`);
      });
  });
  let writing = true;
  const written = Promise.all(writers).finally(() => {
    writing = false;
  });
  const seen: unknown[] = [];
  let position: Position | undefined;
  for (let last = false; !last; ) {
    last = !writing;
    const read = await namesAfter(ctx, position);
    seen.push(...read.names);
    position = read.position;
    if (read.names.length > 0) last = false;
  }
  await written;
  assert.equal(seen.length, 320);
  assert.equal(new Set(seen).size, 320);
  for (const [index, name] of seen.entries())
    if (String(name).endsWith('second'))
      assert.equal(seen[index - 1], String(name).replace('second', 'first'));
});

test('GET /events supports pages, filters and a cursor that never ends', async () => {
  const own = await ownTenant();
  const { tenantId } = own;
  const call = (path: string, method = 'GET', body?: unknown) =>
    service.api(method, path, body, undefined, { tenant: tenantId });
  for (const LoginID of ['ann', 'bob', 'cy']) await call('/user', 'POST', { LoginID });
  await call('/user/bob', 'PUT', { FirstName: 'Bob' });

  const first = await call('/events?Limit=2');
  assert.equal(first.status, 200);
  assert.deepEqual(
    first.body.Items.map((event: { LoginID: string }) => event.LoginID),
    ['ann', 'bob'],
  );
  assert.deepEqual(Object.keys(first.body.Items[0]), [
    'EventID',
    'OccurredAt',
    'LoginID',
    'EnrollID',
    'CourseID',
    'Type',
    'Data',
  ]);
  const second = await call(`/events?after=${first.body.NextCursor}`);
  assert.deepEqual(
    second.body.Items.map((event: { Type: string }) => event.Type),
    ['user.created', 'user.updated'],
  );
  const third = await call(`/events?Cursor=${second.body.NextCursor}`);
  assert.deepEqual(third.body.Items, []);
  await call('/user', 'POST', { LoginID: 'di' });
  const fourth = await call(`/events?Cursor=${third.body.NextCursor}&Types=user.updated,user.created`);
  assert.deepEqual(
    fourth.body.Items.map((event: { LoginID: string }) => event.LoginID),
    ['di'],
  );
  const none = await call('/events?Types=user.erased');
  assert.deepEqual(none.body.Items, []);
  assert.equal(typeof none.body.NextCursor, 'string');

  assert.equal((await call('/events?Types=user.sneezed')).body.param, 'Types');
  assert.equal((await call('/events?Cursor=bm9uc2Vuc2U')).body.param, 'Cursor');
  assert.equal((await call('/events?EnrollID=nonsense')).status, 422);
});

test('a tenant reads only its own log', async () => {
  const ctx = await ownTenant();
  await write(ctx, 'mine');
  assert.deepEqual((await namesAfter(ctx)).names, ['mine']);
  const other = await ownTenant();
  assert.deepEqual((await namesAfter(other)).names, []);
});

test('positions follow the commit order without gaps, even after a rollback', async () => {
  const ctx = await ownTenant();
  await write(ctx, 'first');
  await assert.rejects(
    transaction(ctx, async (ctx) => {
      await write(ctx, 'rolled back');
      throw new Error('no');
    }),
    /no/,
  );
  await transaction(ctx, async (ctx) => {
    await write(ctx, 'second');
    await transaction(ctx, async (ctx) => {
      await write(ctx, 'undone');
      throw new Error('no');
    }).catch(() => {});
    await write(ctx, 'third');
  });
  const { rows } = await sql<{ position: number; name: string }>`
    select position, data ->> 'LoginID' as name from event where tenant_id = ${ctx.tenantId} order by position`.execute(
    ctx.db,
  );
  assert.deepEqual(rows, [
    { position: 1, name: 'first' },
    { position: 2, name: 'second' },
    { position: 3, name: 'third' },
  ]);
});

test('a cursor at the end of an empty log, or behind filtered-out events, continues from there', async () => {
  const ctx = await ownTenant();
  const read = async (query: string) =>
    (await service.api('GET', `/events?${query}`, undefined, undefined, { tenant: ctx.tenantId })).body;
  const empty = await read('');
  assert.deepEqual(empty.Items, []);
  await write(ctx, 'one');
  assert.equal((await read(`Cursor=${empty.NextCursor}`)).Items.length, 1);
  const filtered = await read('Types=user.erased');
  assert.deepEqual(filtered.Items, []);
  assert.deepEqual((await read(`Cursor=${filtered.NextCursor}`)).Items, []);
  await write(ctx, 'two');
  const { Items } = await read(`Cursor=${filtered.NextCursor}`);
  assert.deepEqual(
    Items.map(({ Data }: { Data: { LoginID: string } }) => Data.LoginID),
    ['two'],
  );
});

test('a cursor is rejected if its event is not at its position, for example after a restore', async () => {
  const ctx = await ownTenant();
  await write(ctx, 'one');
  const { position } = await namesAfter(ctx);
  for (const wrong of [
    { ...position, position: 2 },
    { ...position, eventId: newId(ctx.now()) },
  ])
    await assert.rejects(namesAfter(ctx, wrong), { code: 'validation_failed' });
  assert.deepEqual((await namesAfter(ctx, position)).names, []);
});

test('an export of the log ends with the last event', async () => {
  const own = await ownTenant();
  const headers = { tenant: own.tenantId };
  for (const LoginID of ['ann', 'bob', 'cy'])
    await service.api('POST', '/user', { LoginID }, undefined, headers);
  for (const accept of ['text/csv', 'application/x-ndjson']) {
    const more = { ...headers, accept };
    const { body } = await service.api('GET', '/events?Types=user.created', undefined, undefined, more);
    assert.equal(body.trim().split('\n').length, accept === 'text/csv' ? 4 : 3);
  }
});
