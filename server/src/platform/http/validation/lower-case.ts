import type { TSchema } from 'typebox';

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
