// A launch that was lost when a backup was restored or a failover happened is known only by the ID in its
// session token: it has no row, or its number belongs to another launch. Its commits count like those of a
// superseded launch.

/**
 * The number under which its commits are stored. It is negative, so it collides with no other launch, and
 * every launch in the database is newer.
 */
export function lostLaunchNumber(launchId: string): number {
  return -1 - (Number.parseInt(launchId.slice(-8), 16) >>> 1);
}

/** When it started: its ID is a UUIDv7. */
export function lostLaunchStart(launchId: string): Date {
  return new Date(Number.parseInt(launchId.replace('-', '').slice(0, 12), 16));
}
