import type { Context, TenantContext } from '../../platform/context.ts';
import { inBatches } from '../../platform/db/batches.ts';
import { forTenant } from '../../platform/db/queues.ts';
import { run } from '../../platform/db/transaction.ts';

const unfilled = `/* across tenants: tenants of the previous version */
select tenant_id from user_word_fill order by tenant_id limit 100`;

/** Job: indexes the words of users that an earlier version created. */
export async function indexOlderUsers(ctx: Context): Promise<void> {
  for (;;) {
    const tenants = await run<{ tenant_id: string }>(ctx, { text: unfilled, values: [] });
    for (const { tenant_id } of tenants) await inBatches(forTenant(ctx, tenant_id), 500, fillBatch);
    if (tenants.length === 0) return;
  }
}

const addWords = `
update "user" account set words = user_words(account.last_name, account.first_name, account.login_id, account.email)
where account.tenant_id = $1 and account.user_id > $2 and account.user_id <= $3 and account.words is null`;

const fill = `
insert into user_word (tenant_id, word, user_id, words)
select account.tenant_id, word, account.user_id, account.words
from "user" account cross join unnest(indexed_words(account.words)) word
where account.tenant_id = $1 and account.user_id > $2 and account.user_id <= $3
on conflict (tenant_id, word, user_id) do nothing`;

async function fillBatch(ctx: TenantContext, rows: number): Promise<number> {
  const { tenantId } = ctx;
  const found = await ctx.db
    .selectFrom('user_word_fill')
    .select('position')
    .where('tenant_id', '=', tenantId)
    .forUpdate()
    .executeTakeFirst();
  if (!found) return 0;
  // Lock the users, so that the words below come from their latest names.
  const users = await ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '>', found.position)
    .orderBy('user_id')
    .limit(rows)
    .forShare()
    .execute();
  const last = users.at(-1)?.user_id;
  if (last !== undefined) {
    await run(ctx, { text: addWords, values: [tenantId, found.position, last] });
    await run(ctx, { text: fill, values: [tenantId, found.position, last] });
    await ctx.db
      .updateTable('user_word_fill')
      .set({ position: last })
      .where('tenant_id', '=', tenantId)
      .execute();
  }
  if (users.length < rows)
    await ctx.db.deleteFrom('user_word_fill').where('tenant_id', '=', tenantId).execute();
  return users.length;
}
