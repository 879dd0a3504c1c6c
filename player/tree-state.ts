type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** `[value]` is a new value, `[]` a removed one, an object a change inside. */
type Change = Json[] | { [key: string]: Change };

/**
 * The engine's state takes about 9 kB per activity and is nearly identical to that of a fresh tree, so only the
 * difference is stored: 1 kB for an activity that was taken.
 */
export function packState(fresh: string, state: string): string {
  const before = JSON.parse(fresh);
  const now = JSON.parse(state);
  // The time of writing is not a change, so a commit that repeats the last one is not sent.
  sameTime(before, now);
  sameTime(before.sequencing, now.sequencing);
  sameTime(before.suspensionState, now.suspensionState);
  return JSON.stringify({ Version: 1, Changes: difference(before, now) ?? {} });
}

function sameTime(before: { timestamp?: string } | undefined, now: { timestamp?: string } | undefined): void {
  if (before?.timestamp && now?.timestamp) now.timestamp = before.timestamp;
}

/** Null for data that this player did not write. */
export function unpackState(fresh: string, packed: string): string | null {
  try {
    const { Version, Changes } = JSON.parse(packed);
    return Version === 1 ? JSON.stringify(apply(JSON.parse(fresh), Changes)) : null;
  } catch {
    return null;
  }
}

function difference(before: Json, after: Json): Change | null {
  if (before === after) return null;
  if (!isAlike(before, after)) return [after];
  // Maps, because activity identifiers are used as keys and may collide with properties that every object has.
  const old = new Map(Object.entries(before as object));
  const now = new Map(Object.entries(after as object));
  const changes = new Map<string, Change>();
  for (const key of old.keys()) if (!now.has(key)) changes.set(key, []);
  for (const [key, value] of now) {
    const change = old.has(key) ? difference(old.get(key), value) : [value];
    if (change) changes.set(key, change);
  }
  return changes.size > 0 ? Object.fromEntries(changes) : null;
}

function apply(before: Json, change: Change): Json {
  if (Array.isArray(change)) return change[0] ?? null;
  const after = new Map<string, Json>(Object.entries(before as object));
  for (const [key, inner] of Object.entries(change)) {
    if (Array.isArray(inner) && inner.length === 0) after.delete(key);
    else after.set(key, apply(after.get(key) ?? null, inner));
  }
  return Array.isArray(before) ? [...after.values()] : Object.fromEntries(after);
}

/** Objects, or lists of equal length, can be compared member by member. */
function isAlike(a: Json, b: Json): boolean {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return !Array.isArray(a) || a.length === (b as Json[]).length;
}
