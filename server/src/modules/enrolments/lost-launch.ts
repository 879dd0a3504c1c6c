// A failover or a restored backup can lose a launch: it has no row, or its number belongs to
// another launch. Then only the ID in its session token identifies it. Its commits count like those
// of a superseded launch.

/**
 * The launch number for the commits of a lost launch. It is negative, so every launch in the
 * database has a different and higher number.
 */
export function lostLaunchNumber(launchId: string): number {
  return -1 - (Number.parseInt(launchId.slice(-8), 16) >>> 1);
}

/** Reads the start time of the launch from its ID (a UUIDv7). */
export function lostLaunchStart(launchId: string): Date {
  return new Date(Number.parseInt(launchId.replace('-', '').slice(0, 12), 16));
}
