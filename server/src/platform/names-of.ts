/** The keys of a constant table, in its order. The type of such a table is exact, so there are no other keys. */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}
