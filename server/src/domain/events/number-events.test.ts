import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';
import { numberEvents } from './write.ts';

const service = await startService();
after(service.close);

test('numbering many events does not reuse a query plan made for a few', async () => {
  const { TenantID } = await newTenant(service);
  const add = async (count: number) => {
    await sql`insert into event (tenant_id, event_id, type, occurred_at, data)
      select ${TenantID}, gen_random_uuid(), 'user.updated', now(), '{}' from generate_series(1, ${count}::integer)`.execute(
      service.ctx.db,
    );
    const begun = performance.now();
    await numberEvents(service.ctx, [TenantID]);
    return performance.now() - begun;
  };
  // PostgreSQL can reuse a generic plan from the sixth execution on.
  for (let nth = 0; nth < 10; nth++) await add(1);
  const milliseconds = await add(10_000);
  assert.ok(milliseconds < 5_000, `${milliseconds} ms`);
  const { rows } = await sql<{ last: number; count: number }>`
    select max(position)::integer as last, count(*)::integer as count from event where tenant_id = ${TenantID}`.execute(
    service.ctx.db,
  );
  assert.equal(rows[0]?.last, rows[0]?.count);
});
