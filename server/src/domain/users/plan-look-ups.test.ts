import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';
import { runInOrder } from '../../db/batches.ts';
import { sameEmailsText, similarUsersText } from './bulk.ts';

const service = await startService();
after(service.close);

const usersAt = [0, 1, 50, 80, 100, 120, 150, 180, 200, 230, 260, 300, 400, 600, 1000, 2000, 4000];

/** The plan that the database would choose now, with the values of one look-up. */
async function planOf(text: string): Promise<string> {
  const lines = await runInOrder<{ 'QUERY PLAN': string }>(
    service.ctx,
    `/* across tenants: a test reads the plan */ explain ${text}`,
    ['tenant-1', ['a']],
  );
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
  // On Citus, the names of tables and indexes end with the number of the shard.
  return plan.replaceAll(/_\d{6}\b/g, '');
}

test('the look-ups of a plan use their index, however many users there are when it is planned', async () => {
  const { TenantID } = await newTenant(service);
  let users = 0;
  for (const size of usersAt) {
    // With these lengths, each index has more levels than another at some sizes of the table.
    await sql`
      insert into "user" (tenant_id, user_id, login_id, email, folded_email, enabled, password_hash, created_at, updated_at)
      select ${TenantID}, gen_random_uuid(), lpad(n::text, case when n < 240 then 5 else 200 end, 'u'),
        n || '@acme.example', n || '@acme.example', true, 'x', now(), now()
      from generate_series(${users + 1}::integer, ${size}::integer) n`.execute(service.ctx.db);
    users = size;
    for (const [index, text] of [
      ['user_by_email', sameEmailsText],
      ['user_by_caseless_login', similarUsersText],
    ] as const) {
      const plan = await planOf(text);
      const scans = [...plan.matchAll(/(\w+)(?: Only)?( Scan) (?:using (\w+) )?on "?user"? /g)].map((scan) =>
        scan.slice(1),
      );
      assert.deepEqual(scans, [['Index', ' Scan', index]], `${size} users:\n${plan}`);
      assert.doesNotMatch(plan, /Filter: .*(lower|email)/, `${size} users:\n${plan}`);
      assert.match(plan, /Limit/);
    }
  }
});
