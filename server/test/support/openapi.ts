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

/** Both documents, of clients and of the console's sessions, as one without references. */
export async function readDocuments({ baseUrl }: { baseUrl: string }) {
  const read = async (name: string) => withoutReferences(await (await fetch(`${baseUrl}/${name}`)).json());
  const [ofClients, ofConsole] = [await read('openapi.json'), await read('openapi-console.json')];
  const tags = new Map(
    [...ofClients.tags, ...ofConsole.tags].map((tag: { name: string }) => [tag.name, tag]),
  );
  const paths = { ...ofClients.paths };
  for (const [path, item] of Object.entries<object>(ofConsole.paths))
    paths[path] = { ...paths[path], ...item };
  return { ...ofClients, paths, tags: [...tags.values()] };
}
