/**
 * The keys of a constant table, in order. The cast is safe because a constant has exactly the keys
 * of its type.
 */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}
