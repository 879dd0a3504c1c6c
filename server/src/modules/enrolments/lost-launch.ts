// A launch that was lost in a failover, or when a backup was restored, is known only by the ID in its session token: it
// has no row, or its number belongs to another launch. Its commits count like those of a superseded launch.

/**
 * The launch number for its commits. It is negative, so it does not collide with other launches, and every launch in
 * the database is newer.
 */
export function lostLaunchNumber(launchId: string): number {
  return -1 - (Number.parseInt(launchId.slice(-8), 16) >>> 1);
}

/** When the launch started, from its ID (a UUIDv7). */
export function lostLaunchStart(launchId: string): Date {
  return new Date(Number.parseInt(launchId.replace('-', '').slice(0, 12), 16));
}
