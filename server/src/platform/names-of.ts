/** The names in a table of constants, in its order. Such a table is its whole type, so it has no other names. */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}
