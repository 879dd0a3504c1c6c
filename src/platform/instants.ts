const rfc3339 =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339, and an instant that JavaScript and PostgreSQL can both hold: no leap second, no 30 February, no year 0. */
export function isInstant(text: string): boolean {
  const [, day] = rfc3339.exec(text) ?? [];
  const year = new Date(text).getUTCFullYear();
  if (!day || !(year >= 1 && year <= 9999)) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
