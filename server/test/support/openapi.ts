/** The document with every reference resolved; recursive records become empty schemas. */
export function withoutReferences<T>(document: T): T {
  const find = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document);
  const resolve = (value: unknown, above: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((part) => resolve(part, above));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === 'string') return above.includes($ref) ? {} : resolve(find($ref), [...above, $ref]);
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part, above)]));
  };
  return resolve(document, []) as T;
}
