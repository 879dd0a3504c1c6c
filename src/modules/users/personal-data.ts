import type { PersonalData } from '../../platform/personal-data.ts';
import { readUser } from './users.ts';

export const userData: PersonalData = {
  name: 'User',
  tables: ['user', 'password_failure'],
  erased:
    'The record with LoginID, names, group and e-mail address; the hash of the password; failed sign-ins.',
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
    yield await readUser(ctx, person);
  },
};
