/** Rows of a bulk call, or the IDs of records that are changed one by one. */
export type Source = { columns: readonly string[]; cells: readonly (readonly string[])[] };
