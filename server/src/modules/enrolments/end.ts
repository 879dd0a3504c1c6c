/** SQL: a duration as far as it matters. Extended without end, it would exceed what an interval or a time can hold. */
export function shortened(duration: string): string {
  return `least(${duration}::interval, interval '9999 years')`;
}

/** SQL: the end of a time; no year has five digits. */
export function endOf(start: string, duration: string): string {
  const last = `'9999-12-31T00:00:00Z'::timestamptz`;
  return `case when ${duration} is not null then least(least(${start}, ${last}) + ${shortened(duration)}, ${last}) end`;
}
