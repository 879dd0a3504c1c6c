import { run } from '../../platform/db/transaction.ts';
import type { PersonalData } from '../../platform/personal-data.ts';
import { selectKeys, toKey } from './record.ts';

const anonymize = `
update enrolment_key made set user_id = nullif(made.user_id, $2), redeemed_by = nullif(made.redeemed_by, $2),
  revoked_at = case when made.redeemed_at is null then coalesce(made.revoked_at, $3) else made.revoked_at end,
  enroll_ids = case when made.redeemed_by = $2 then null else made.enroll_ids end
where made.tenant_id = $1 and (made.user_id = $2 or made.redeemed_by = $2) returning 1`;

export const enrolmentKeyData: PersonalData = {
  name: 'EnrolmentKeys',
  tables: ['enrolment_key', 'key_guess'],
  erased:
    "Who redeemed a key, for whom it was made, and which keys were tried. The person's unused keys are revoked.",
  kept: {
    what: 'The keys, and whether they were used.',
    why: "They belong to the buyer's order.",
  },
  erase: async (ctx, { userId }) => {
    const values = [ctx.tenantId, userId, ctx.now()];
    return (await run(ctx, { name: 'anonymize_keys', text: anonymize, values })).length;
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
