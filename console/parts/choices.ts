/** The keys of a constant table, in its order. The cast is safe, because the type of the table lists all its keys. */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

/** The text from a URL or an input as one of the choices; undefined if it is not one of them. */
export function choiceOf<T extends string>(
  choices: readonly T[],
  text: string | null | undefined,
): T | undefined {
  return choices.find((one) => one === text);
}
