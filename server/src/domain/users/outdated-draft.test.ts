import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { onEngine, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import type { Connection, Engine } from '../../db/engine/engine.ts';

const service = await startService();
const tenant = await newTenant(service);
const { engine } = service.ctx;
let before: () => Promise<unknown> = async () => {};
const inside: string[] = [];
const noting: Engine = {
  ...engine,
  transaction: async (work, line) => {
    const first = before;
    before = async () => {};
    await first();
    const watch = (connection: Connection): Connection => ({
      query: (statement) => {
        inside.push(statement.text);
        return connection.query(statement);
      },
    });
    return engine.transaction((connection) => work(watch(connection)), line);
  },
};
const node = await serve(onEngine(service.ctx, noting));
after(async () => {
  await node.close();
  await service.close();
});

test('a password is never compared inside a transaction, even if the user was created in the meantime', async () => {
  for (const [Password, status] of [
    ['the same', 200],
    ['another', 409],
  ] as const) {
    const LoginID = unique('raced');
    const create = { LoginID, Password: 'the same' };
    before = async () => expectStatus(await tenant.api('POST', '/user', create), 201);
    const headers = { authorization: `Bearer ${tenant.key}`, 'idempotency-key': unique('key') };
    const request = { method: 'POST', url: '/user', payload: { LoginID, Password }, headers } as const;
    const response = await node.api.inject(request);
    assert.equal(response.statusCode, status, response.body);
    assert.equal((await node.api.inject(request)).headers['idempotency-replayed'], 'true');
  }
  assert.ok(inside.some((text) => / from create_user_/.test(text)));
  assert.ok(!inside.some((text) => text.includes('insert into password_failure')), `${inside}`);
});
