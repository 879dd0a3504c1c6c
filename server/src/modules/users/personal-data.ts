import type { PersonalData } from '../../platform/personal-data.ts';
import { toUser } from './record.ts';

export const userData: PersonalData = {
  name: 'User',
  tables: ['user', 'password_failure'],
  erased: 'The record with LoginID, names, group and e-mail address; the password hash; failed sign-ins.',
  kept: null,
  erase: async (ctx, person) => {
    const { numDeletedRows } = await ctx.db
      .deleteFrom('user')
      .where('tenant_id', '=', ctx.tenantId)
      .where('user_id', '=', person.userId)
      .executeTakeFirst();
    return Number(numDeletedRows);
  },
  read: async function* (ctx, person) {
    // By user ID: a user created later with the same LoginID is somebody else. After an erasure nothing is
    // held.
    const row = await ctx.db
      .selectFrom('user')
      .selectAll()
      .where('tenant_id', '=', ctx.tenantId)
      .where('user_id', '=', person.userId)
      .executeTakeFirst();
    if (row) yield toUser(row);
  },
};
