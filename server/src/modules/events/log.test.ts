import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { TenantContext } from '../../platform/context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { appendEvents } from './append.ts';
import { ensureEpoch } from './epoch.ts';
import { readLog } from './log.ts';
import type { Position } from './position.ts';
import { untilReadable } from './test-support.ts';

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

test('a reader never misses an event that commits late', async () => {
  const ctx = await ownTenant();
  await write(ctx, 'before');
  await untilReadable(ctx);
  let { names, position } = await namesAfter(ctx);
  assert.deepEqual(names, ['before']);

  let overtaking: Promise<void> | undefined;
  await transaction(ctx, async (early) => {
    await write(early, 'early, committed late');
    overtaking = transaction(ctx, (late) => write(late, 'late, committed early'));
    // The embedded database runs one transaction at a time, so none can overtake another, and no reader can run in
    // between.
    if (ctx.engine.kind === 'pglite') return;
    await overtaking;
    ({ names, position } = await namesAfter(ctx, position));
    assert.deepEqual(names, [], 'what overtook an open transaction waits for it');
  });
  await overtaking;
  await untilReadable(ctx);

  ({ names } = await namesAfter(ctx, position));
  assert.deepEqual(names, ['early, committed late', 'late, committed early']);
});

test('a reader that follows the cursor gets each event of overlapping transactions exactly once', async () => {
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
    if (last) await untilReadable(ctx);
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

test('GET /events has pages, filters and a cursor that never ends', async () => {
  const own = await ownTenant();
  const { tenantId } = own;
  const call = (path: string, method = 'GET', body?: unknown) =>
    service.api(method, path, body, undefined, { tenant: tenantId });
  for (const LoginID of ['ann', 'bob', 'cy']) await call('/user', 'POST', { LoginID });
  await call('/user/bob', 'PUT', { FirstName: 'Bob' });
  await untilReadable(own);

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
  await untilReadable(own);
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
  await untilReadable(ctx);
  assert.deepEqual((await namesAfter(ctx)).names, ['mine']);
  const other = await ownTenant();
  assert.deepEqual((await namesAfter(other)).names, []);
});

test('a restored database continues in a new epoch, after the events it already has', async () => {
  const ctx = await ownTenant();
  await ensureEpoch(service.ctx);
  await write(ctx, 'of the old life');
  await untilReadable(ctx);
  const before = await namesAfter(ctx);
  // Imitates a dump restored into a new cluster, where its transaction numbers are in the future.
  await ctx.db
    .updateTable('event')
    .set({ transaction: '900000000000' })
    .where('tenant_id', '=', ctx.tenantId)
    .execute();
  assert.deepEqual((await namesAfter(ctx)).names, [], 'it looks as if it were not committed yet');

  await ensureEpoch(service.ctx);
  await ensureEpoch(service.ctx);
  await write(ctx, 'of the new life');
  await untilReadable(ctx);

  assert.deepEqual((await namesAfter(ctx)).names, ['of the old life', 'of the new life']);
  assert.deepEqual((await namesAfter(ctx, before.position)).names.at(-1), 'of the new life');
});

test('a cursor that is ahead of a restored backup is rejected', async () => {
  const ctx = await ownTenant();
  const { position } = await namesAfter(ctx);
  await assert.rejects(namesAfter(ctx, { ...position, transaction: '900000000000' }), {
    code: 'validation_failed',
  });
  await assert.rejects(namesAfter(ctx, { ...position, epoch: 99_999_999_999 }), {
    code: 'validation_failed',
  });
});

test('an export of the log ends with the last event', async () => {
  const own = await ownTenant();
  const headers = { tenant: own.tenantId };
  for (const LoginID of ['ann', 'bob', 'cy'])
    await service.api('POST', '/user', { LoginID }, undefined, headers);
  await untilReadable(own);
  for (const accept of ['text/csv', 'application/x-ndjson']) {
    const more = { ...headers, accept };
    const { body } = await service.api('GET', '/events?Types=user.created', undefined, undefined, more);
    assert.equal(body.trim().split('\n').length, accept === 'text/csv' ? 4 : 3);
  }
});
