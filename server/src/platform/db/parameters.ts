/** The values of a composed statement: `add` takes a value and returns its placeholder, `$n`. */
export type Parameters = { values: unknown[]; add: (value: unknown) => string };

export function parametersAfter(...given: readonly unknown[]): Parameters {
  const values = [...given];
  return { values, add: (value) => `$${values.push(value)}` };
}
