/** The keys of a constant table, in its order. The type of such a table is exact, so it has no other keys. */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

/** The choice named by a text from the address or an input; undefined if there is none. */
export function choiceOf<T extends string>(
  choices: readonly T[],
  text: string | null | undefined,
): T | undefined {
  return choices.find((one) => one === text);
}
