import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import type { Person, PersonalData } from '../../platform/personal-data.ts';
import type { Entry } from './chain.ts';

const ofPerson = `entry.tenant_id = $1 and (entry.actor_user_id = $2::uuid or entry.target_id = any($3::text[]))`;
const values = (ctx: TenantContext, { userId, enrollIds }: Person) => [
  ctx.tenantId,
  userId,
  [userId, ...enrollIds],
];

/** The only data that an erasure leaves unchanged: the chain reveals any change. It contains no names. */
export const auditData: PersonalData = {
  name: 'AuditTrail',
  tables: ['audit_entry'],
  erased: null,
  kept: {
    what: "Entries about the person's access and results, under an ID that no longer leads to anyone.",
    why: "The trail proves that it was never changed, so entries cannot be removed. It never contained learners' names or addresses.",
  },
  erase: async (ctx, person) => {
    const [row] = await run<{ entries: number }>(ctx, {
      name: 'count_audit_of_person',
      text: `select count(*)::integer as entries from audit_entry entry where ${ofPerson}`,
      values: values(ctx, person),
    });
    return row?.entries ?? 0;
  },
  read: async function* (ctx, person) {
    const rows = await run<Entry>(ctx, {
      name: 'read_audit_of_person',
      text: `select entry.* from audit_entry entry where ${ofPerson} order by entry.audit_id`,
      values: values(ctx, person),
    });
    for (const { audit_id, at, action, actor, data } of rows)
      yield { AuditID: audit_id, At: at, Action: action, Actor: actor, Data: data };
  },
};
