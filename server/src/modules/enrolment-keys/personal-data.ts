import { sql } from 'kysely';
import type { PersonalData } from '../../platform/personal-data.ts';
import { selectKeys, toKey } from './record.ts';

export const enrolmentKeyData: PersonalData = {
  name: 'EnrolmentKeys',
  tables: ['enrolment_key', 'key_guess'],
  erased:
    'Who redeemed a key or for whom it was made; what was guessed. Unused keys of the person are revoked.',
  kept: {
    what: 'The keys, and whether they were used.',
    why: 'They belong to the order of whoever bought them.',
  },
  erase: async (ctx, { userId }) => {
    const { numUpdatedRows } = await ctx.db
      .updateTable('enrolment_key')
      .set({
        revoked_at: sql`case when redeemed_at is null then coalesce(revoked_at, ${ctx.now()}) else revoked_at end`,
        user_id: sql`nullif(user_id, ${userId})`,
        redeemed_by: sql`nullif(redeemed_by, ${userId})`,
        enroll_ids: sql`case when redeemed_by = ${userId} then null else enroll_ids end`,
      })
      .where('tenant_id', '=', ctx.tenantId)
      .where((where) => where.or([where('user_id', '=', userId), where('redeemed_by', '=', userId)]))
      .executeTakeFirst();
    return Number(numUpdatedRows);
  },
  read: async function* (ctx, { userId }) {
    const rows = await selectKeys(ctx)
      .where((where) =>
        where.or([
          where('enrolment_key.user_id', '=', userId),
          where('enrolment_key.redeemed_by', '=', userId),
        ]),
      )
      .orderBy('enrolment_key.key_id')
      .execute();
    for (const row of rows) yield toKey(ctx, row);
  },
};
