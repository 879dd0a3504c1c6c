import { isDeepStrictEqual } from 'node:util';

/** The keys of a constant table, in order. The cast is safe because a constant has exactly the keys of its type. */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

/** The names of the given fields whose values differ from the record's. */
export function differences(sent: Record<string, unknown>, record: Record<string, unknown>): string[] {
  return Object.keys(sent).filter((name) => !isDeepStrictEqual(sent[name], record[name]));
}
