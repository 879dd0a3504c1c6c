import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { deleteExpiredResponses } from './stored-responses.ts';

let meanwhile: (() => Promise<unknown>) | null = null;
const service = await startService({
  over: (engine) => ({
    ...engine,
    query: async (statement, queue) => {
      const found = await engine.query(statement, queue);
      const interrupt = statement.text.includes('stored responses expire') ? meanwhile : null;
      if (interrupt) meanwhile = null;
      await interrupt?.();
      return found as never;
    },
  }),
});
after(service.close);

test('a response stays if its expired key is used again while the job looks for expired ones', async () => {
  const post = () =>
    service.api('POST', '/user', { LoginID: 'renewed' }, undefined, { 'idempotency-key': 'again' });
  assert.equal((await post()).status, 201);
  await sql`update stored_answer set expires_at = now() - interval '1 minute' where tenant_id = 'test'`.execute(
    service.ctx.db,
  );
  meanwhile = async () => assert.equal((await post()).headers.get('idempotency-replayed'), null);
  await deleteExpiredResponses(service.ctx);
  assert.equal(meanwhile, null);
  assert.equal((await post()).headers.get('idempotency-replayed'), 'true');
});
