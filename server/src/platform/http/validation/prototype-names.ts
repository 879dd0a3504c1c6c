/**
 * Whether a value parsed from JSON or CSV contains, at any depth, a name that could change the prototype of all
 * objects.
 */
export function hasPrototypeName(value: unknown): boolean {
  const waiting = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one !== 'object' || one === null) continue;
    if (Object.hasOwn(one, '__proto__')) return true;
    const made = Object.hasOwn(one, 'constructor') && (one as { constructor: unknown }).constructor;
    if (typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype')) return true;
    for (const member of Object.values(one)) waiting.push(member);
  }
  return false;
}
