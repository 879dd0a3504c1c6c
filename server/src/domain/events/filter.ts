import type { Condition } from '../../db/page.ts';

/** Filters for the log. `userId` is null if no user has the LoginID. */
export type LogFilter = { types?: readonly string[] | null; enrollId?: string; userId?: string | null };

/** The events of a user's enrolments are found by enrolment, so that the table needs no additional index. */
const isOfUser =
  (userId: string | null): Condition =>
  ({ add }) => {
    const user = add(userId);
    return `held.user_id = ${user}::uuid and (held.enroll_id is null or held.enroll_id = any (array(
      select own.enroll_id from enrolment own where own.tenant_id = $1 and own.user_id = ${user}::uuid)))`;
  };

export function conditionsOf({ types, enrollId, userId }: LogFilter): Condition[] {
  const conditions: Condition[] = [];
  if (enrollId !== undefined) conditions.push(({ add }) => `held.enroll_id = ${add(enrollId)}::uuid`);
  if (userId !== undefined) conditions.push(isOfUser(userId));
  if (types) conditions.push(({ add }) => `held.type = any (${add(types)}::text[])`);
  return conditions;
}
