import { groupsSql } from '../users/groups.ts';

/**
 * SQL: whether a user belongs to an audience: every part that is given matches. `user` is a row of "user", `audience` a
 * JSON object in which each attribute has a list of values.
 */
export const isInAudience = (user: string, audience: string) =>
  `(${Object.values(audienceParts(user, audience)).join(' and ')})`;

/** SQL of each part; true if the audience does not have it. */
export const audienceParts = (user: string, audience: string) => ({
  Groups: `(${audience} -> 'Groups' is null or ${audience} -> 'Groups' ?| ${groupsSql(user)})`,
  Attributes: `(${audience} -> 'Attributes' is null or not exists (
    select from jsonb_each(${audience} -> 'Attributes') part
    where not coalesce(part.value ? (${user}.attributes ->> part.key), false)))`,
  Managers: `(${audience} -> 'Managers' is null
    or coalesce(${audience} -> 'Managers' ? ${user}.manager_login_id, false))`,
  LoginIDs: `(${audience} -> 'LoginIDs' is null or ${audience} -> 'LoginIDs' ? ${user}.login_id)`,
});

/** SQL: whether an obligation belongs to somebody in this group. */
export const hasGroup = (row: string, group: string) => `${row}.group_names @> array[${group}::text]`;
