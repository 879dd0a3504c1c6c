import { countTenantRows, pagesOf } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';
import { selectKeys, toKey } from './record.ts';

/** Uses one query per index. The ranges make the planner read the rows in the order of the index. */
const matchingKeysSql = (max: number | string) => `
  (select enrolment_key.key_id from enrolment_key where enrolment_key.tenant_id = $1 and enrolment_key.user_id between $2 and $2
    order by enrolment_key.user_id limit ${max})
  union all
  (select enrolment_key.key_id from enrolment_key where enrolment_key.tenant_id = $1 and enrolment_key.redeemed_by between $2 and $2
    and enrolment_key.user_id is distinct from $2 order by enrolment_key.redeemed_by limit ${max})
  limit ${max}`;

const anonymize = `
update enrolment_key issued set user_id = nullif(issued.user_id, $2), redeemed_by = nullif(issued.redeemed_by, $2),
  revoked_at = case when issued.redeemed_at is null then coalesce(issued.revoked_at, $3) else issued.revoked_at end,
  enroll_ids = case when issued.redeemed_by = $2 then null else issued.enroll_ids end
where issued.tenant_id = $1 and issued.key_id = any(array(${matchingKeysSql(batchRows)})) returning 1`;

export const enrolmentKeyData: PersonalData = {
  name: 'EnrolmentKeys',
  tables: ['enrolment_key', 'key_guess'],
  erased:
    "The connection between the person and the keys that they redeemed or tried, or that were created for them. The person's unused keys have been revoked.",
  retained: { what: 'The keys and whether they have been used.', why: "They belong to the buyer's order." },
  eraseForUser: async (ctx, { userId, until }) => {
    return batchOf((await run(ctx, anonymize, [ctx.tenantId, userId, until])).length);
  },
  count: (ctx, { userId, max }) => countTenantRows(ctx, matchingKeysSql('$3'), [userId, max]),
  read: async function* (ctx, { userId }) {
    for (const column of ['user_id', 'redeemed_by'])
      for await (const page of keysOf(ctx, column, userId)) {
        const once = page.filter(({ user_id }) => column === 'user_id' || user_id !== userId);
        const keyIds = once.map(({ key_id }) => key_id);
        if (keyIds.length === 0) continue;
        const rows = await selectKeys(ctx).where('enrolment_key.key_id', 'in', keyIds).execute();
        yield* rows.map((row) => toKey(ctx, row));
      }
  },
};

const keysOf = (ctx: TenantContext, column: string, userId: string) =>
  pagesOf<{ key_id: string; user_id: string | null }>(ctx, {
    table: 'enrolment_key',
    of: { [column]: userId },
    key: ['key_id'],
    // PostgreSQL looks up 50 keys through an index. For 200, it scanned a whole table of 12,000 rows.
    rows: 50,
  });
