/**
 * How long progress leaves `changed_at`, and therefore all indexes, unchanged: the update then stays on its page. Until
 * then, `last_accessed_at` is the time of the change.
 */
export const listedWithin = `interval '5 minutes'`;

/** SQL: when the enrolment last changed. */
export const changedAtSql = (row: string) => `greatest(${row}.changed_at, ${row}.last_accessed_at)`;

/** SQL: whether lists by change find the enrolment at the time `now` without a new entry in their index. */
export const isListedSql = (row: string, now: string) => `${row}.changed_at > ${now} - ${listedWithin}`;
