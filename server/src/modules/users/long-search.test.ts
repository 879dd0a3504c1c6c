import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';

let searches = 0;
const service = await startService({
  over: (engine) => ({
    ...engine,
    query: (statement, queue) => {
      if (statement.text.includes('user_word held')) searches++;
      return engine.query(statement, queue);
    },
  }),
});
after(service.close);

test('a search with more than 40 characters finds the right user, in batches, among many whose words begin with the same characters', async () => {
  const { TenantID, api, user } = await newTenant(service);
  const same = 'n'.repeat(70);
  await sql`insert into "user" (tenant_id, user_id, login_id, last_name, password_hash, enabled, created_at, updated_at)
    select ${TenantID}, gen_random_uuid(), 'alike-' || n, ${same} || 'a', 'x', true, now(), now()
    from generate_series(1, 2000) n`.execute(service.ctx.db);
  const LoginID = await user({ LastName: `${same}z` });
  const { body } = await api('GET', `/user?Search=${same}z`);
  assert.deepEqual(
    body.Items.map((one: { LoginID: string }) => one.LoginID),
    [LoginID],
  );
  assert.ok(searches > 2, `It took ${searches} statements.`);
});
