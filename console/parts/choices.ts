/** The names in a table of constants, in its order. Such a table is its whole type, so it has no other names. */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

/** The choice that a text from the address or from an input names; undefined if it names none. */
export function choiceOf<T extends string>(
  choices: readonly T[],
  text: string | null | undefined,
): T | undefined {
  return choices.find((one) => one === text);
}
