// A launch that a restored backup or a failover has lost is known by the ID in its session token only: there is no row for
// it, or the row with its number has another ID. Its commits count like those of a superseded launch.

/**
 * The number under which its commits are stored: negative, so that no other launch has it, and each of those that the
 * database knows is newer.
 */
export function forgottenNumber(launchId: string): number {
  return -1 - (Number.parseInt(launchId.slice(-8), 16) >>> 1);
}

/** When it began: its ID is a UUIDv7. */
export function forgottenSince(launchId: string): Date {
  return new Date(Number.parseInt(launchId.replace('-', '').slice(0, 12), 16));
}
