const earliest = Date.parse('0001-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** The nearest time that JavaScript, PostgreSQL and RFC 3339 can all represent. */
export function withinYears(at: Date | number): Date {
  const time = Number(at);
  return new Date(Number.isNaN(time) ? latest : Math.min(Math.max(time, earliest), latest));
}

/**
 * Converts a time to a bound in SQL. `withinYears` maps later and earlier times to the limits of
 * the range, so a limit becomes an infinite bound that includes those times.
 */
export function toSqlBound(at: Date): Date | 'infinity' | '-infinity' {
  if (at.getTime() >= latest) return 'infinity';
  return at.getTime() <= earliest ? '-infinity' : at;
}

const rfc3339 =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Whether the text is an RFC 3339 time that JavaScript and PostgreSQL can both represent. Leap
 * seconds, 30 February and the year 0 are invalid.
 */
export function isInstant(text: string): boolean {
  const [, day] = rfc3339.exec(text) ?? [];
  const year = new Date(text).getUTCFullYear();
  if (!day || !(year >= 1 && year <= 9999)) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
