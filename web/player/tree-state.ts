type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** `[value]` stands for a new value, `[]` for one that is gone, an object for what changed inside. */
type Change = Json[] | { [key: string]: Change };

/**
 * The engine's state is some 9 kB per activity and nearly all of it what every fresh tree says, so only the
 * difference is stored: 1 kB for an activity that was taken.
 */
export function packState(fresh: string, state: string): string {
  return JSON.stringify({ Version: 1, Changes: difference(JSON.parse(fresh), JSON.parse(state)) ?? {} });
}

/** Null for what this player has not written. */
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
  const changes: { [key: string]: Change } = {};
  const old = before as { [key: string]: Json };
  const now = after as { [key: string]: Json };
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const had = old[key];
    const has = now[key];
    const change = has === undefined ? [] : had === undefined ? [has] : difference(had, has);
    if (change) changes[key] = change;
  }
  return Object.keys(changes).length > 0 ? changes : null;
}

function apply(before: Json, change: Change): Json {
  if (Array.isArray(change)) return change[0] ?? null;
  const after = (Array.isArray(before) ? [...before] : { ...(before as object) }) as { [key: string]: Json };
  for (const [key, inner] of Object.entries(change)) {
    if (Array.isArray(inner) && inner.length === 0) delete after[key];
    else after[key] = apply(after[key] ?? null, inner);
  }
  return after;
}

/** Objects, or lists of the same length: what can be told apart member by member. */
function isAlike(a: Json, b: Json): boolean {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return !Array.isArray(a) || a.length === (b as Json[]).length;
}
