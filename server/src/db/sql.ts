/** SQL that caps a duration. Repeated extensions could otherwise exceed the range of an interval or timestamp. */
export function cappedDuration(duration: string): string {
  return `least(${duration}::interval, interval '9999 years')`;
}

/** SQL for the end of a period, capped so that the year never has five digits. */
export function cappedEnd(start: string, duration: string): string {
  const last = `'9999-12-31T00:00:00Z'::timestamptz`;
  return `case when ${duration} is not null then least(least(${start}, ${last}) + ${cappedDuration(duration)}, ${last}) end`;
}

/** The values of a composed statement: `add` takes a value and returns its placeholder, `$n`. */
export type Parameters = { values: unknown[]; add: (value: unknown) => string };

export function parametersAfter(...given: readonly unknown[]): Parameters {
  const values = [...given];
  return { values, add: (value) => `$${values.push(value)}` };
}
