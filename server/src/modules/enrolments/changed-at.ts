/**
 * Progress leaves the indexed column `changed_at` unchanged for up to this long, so that PostgreSQL updates
 * no index and keeps the row on its page. `last_accessed_at` has the time of the change.
 */
export const maxListingDelay = `interval '5 minutes'`;

/** SQL: when the enrolment last changed. */
export const changedAtSql = (row: string) => `greatest(${row}.changed_at, ${row}.last_accessed_at)`;

/** SQL: a change at the time `now` may leave `changed_at` unchanged if it is later than this. */
export const listedSinceSql = (now: string) => `${now} - ${maxListingDelay}`;
