/** The values of a text that is composed: `add` takes one and answers its place in the text, `$n`. */
export type Parameters = { values: unknown[]; add: (value: unknown) => string };

export function parametersAfter(...given: readonly unknown[]): Parameters {
  const values = [...given];
  return { values, add: (value) => `$${values.push(value)}` };
}
