/**
 * The names in a table of constants, in its order. The type of such a table is exact, so it has no other
 * names.
 */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}
