/** The parts of an OpenAPI 3.1 document that the reference reads. */
export type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
};

export type Parameter = {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  deprecated?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};

type Content = Record<string, { schema?: Schema; example?: unknown }>;

export type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
  security?: Record<string, unknown>[];
  'x-access'?: 'tenant' | 'operator' | 'either' | 'anyone' | 'session';
  /** The operation's server, if it is not the API's origin. */
  servers?: { url: string }[];
  'x-scope'?: string;
};

export type Document = {
  info: { title: string; version: string; description?: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
};

export type Entry = Operation & { method: string; path: string; tag: string };

/** Whether only signed-in people can call the operation. It then accepts no key. */
export function needsSession({ security = [] }: Operation): boolean {
  return security.length > 0 && !security.some((one) => 'key' in one);
}

/** Writes a list of values or null, which refers to the list by name, as one schema. */
function withNull({ anyOf, ...about }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(anyOf)) return about;
  const [named, other] = anyOf as Schema[];
  if (anyOf.length !== 2 || other?.type !== 'null' || !named?.enum) return { anyOf, ...about };
  return { ...named, type: [named.type ?? 'string', 'null'].flat(), enum: [...named.enum, null], ...about };
}

/** The document with every reference resolved; recursive records are cut off. */
function withoutReferences(document: Document): Document {
  const find = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce<unknown>((part, name) => Object(part)[name], document);
  const resolve = (value: unknown, above: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((part) => resolve(part, above));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...members } = value as Record<string, unknown>;
    const parts = Object.entries(members).map(([name, part]) => [name, resolve(part, above)]);
    const own = withNull(Object.fromEntries(parts));
    if (typeof $ref !== 'string') return own;
    return above.includes($ref) ? {} : { ...Object(resolve(find($ref), [...above, $ref])), ...own };
  };
  return { ...document, ...(resolve({ paths: document.paths, webhooks: document.webhooks }, []) as object) };
}

/** The operations in the document's order, without deprecated parameters, followed by the webhook events. */
export function entriesOf(document: Document): Entry[] {
  const { paths, webhooks } = withoutReferences(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      ...(operation.parameters && {
        parameters: operation.parameters.filter(({ deprecated }) => !deprecated),
      }),
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? '',
    })),
  );
  const events = Object.entries(webhooks).map(([type, { post }]) => ({
    ...post,
    method: 'EVENT',
    path: type,
    tag: 'Webhook events',
  }));
  return [...operations, ...events];
}

/** Groups the entries by tag. Keeps those whose name, path or summary contains all words of the filter. */
export function groupsOf(entries: readonly Entry[], filter: string): [string, Entry[]][] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const text = `${entry.method} ${entry.path} ${entry.summary ?? ''} ${entry.operationId}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    groups.set(entry.tag, [...(groups.get(entry.tag) ?? []), entry]);
  }
  return [...groups];
}

/** The media types of a body that have an example text, such as NDJSON and CSV. */
export function textTypesOf(content: Content | undefined): string[] {
  return Object.keys(content ?? {}).filter((type) => typeof content?.[type]?.example === 'string');
}

/** The media type and schema of a body: of the wanted type, or else preferably JSON. */
export function bodyOf(
  content: Content | undefined,
  wanted = 'application/json',
): { type: string; schema: Schema; example: unknown } | null {
  const types = Object.keys(content ?? {});
  const type = types.find((one) => one === wanted) ?? types[0];
  if (type === undefined) return null;
  const { schema = {}, example } = content?.[type] ?? {};
  return { type, schema, example };
}
