/**
 * For this long, progress leaves `changed_at` unchanged and updates only `last_accessed_at`. That
 * column has no index, so the update touches no index and stays on its page.
 */
export const maxListingDelay = `interval '5 minutes'`;

/** SQL: when the enrolment last changed. */
export const changedAtSql = (row: string) => `greatest(${row}.changed_at, ${row}.last_accessed_at)`;

/**
 * SQL: whether `changed_at` is so recent that a change at the time `now` may leave it unchanged.
 */
export const isListedSql = (row: string, now: string) => `${row}.changed_at > ${now} - ${maxListingDelay}`;
