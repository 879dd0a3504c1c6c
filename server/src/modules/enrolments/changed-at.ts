/**
 * How long progress may leave `changed_at` unchanged, so that an update touches no index and stays on its page. In the
 * meantime, `last_accessed_at` is the time of the change.
 */
export const maxListingDelay = `interval '5 minutes'`;

/** SQL: when the enrolment last changed. */
export const changedAtSql = (row: string) => `greatest(${row}.changed_at, ${row}.last_accessed_at)`;

/** SQL: whether lists ordered by change still find the enrolment at the time `now` without a new index entry. */
export const isListedSql = (row: string, now: string) => `${row}.changed_at > ${now} - ${maxListingDelay}`;
