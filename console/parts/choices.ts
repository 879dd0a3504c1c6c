/** The keys of a constant table, in its order. The type of such a table is exact, so it has no other keys. */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

/** The choice that a text from the URL or an input names; undefined if it names none. */
export function choiceOf<T extends string>(
  choices: readonly T[],
  text: string | null | undefined,
): T | undefined {
  return choices.find((one) => one === text);
}
