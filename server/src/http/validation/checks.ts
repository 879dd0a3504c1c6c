import type { TSchema } from 'typebox';
import { fitsShape, type JsonShape } from '../../../../standards/json-shape.ts';
import { Problem } from '../../lib/errors.ts';

/** Checks the text of a body before it is parsed. */
export function checkShape(text: string, shape: JsonShape): void {
  if (fitsShape(text, shape)) return;
  throw new Problem(
    'validation_failed',
    `The body has more than ${shape.values} values, or values nested more than ${shape.depth} levels deep. Split it into several requests.`,
  );
}

/** Accepts query parameters that begin with a lower-case letter. Some, such as `plan`, were once named that way. */
export function acceptLowerCase(query: unknown, schema: TSchema): void {
  const given: Record<string, unknown> = Object(query);
  const declared: object = Object(Reflect.get(schema, 'properties'));
  for (const name of Object.keys(given)) {
    const capitalised = name.charAt(0).toUpperCase() + name.slice(1);
    if (Object.hasOwn(declared, name) || !Object.hasOwn(declared, capitalised)) continue;
    if (Object.hasOwn(given, capitalised)) continue;
    given[capitalised] = given[name];
    delete given[name];
  }
}

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
