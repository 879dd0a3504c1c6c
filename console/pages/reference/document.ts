/** What the reference reads of an OpenAPI 3.1 document, as far as ours uses it. */
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
};

export type Parameter = {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
};

type Content = Record<string, { schema?: Schema }>;

export type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
  'x-access'?: 'tenant' | 'operator' | 'anyone';
  'x-scope'?: string;
};

export type Document = {
  info: { title: string; version: string; description?: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
};

export type Entry = Operation & { method: string; path: string; tag: string };

/** The operations in the document's order, and after them the events that are sent to webhook endpoints. */
export function entriesOf(document: Document): Entry[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? '',
    })),
  );
  const events = Object.entries(document.webhooks).map(([type, { post }]) => ({
    ...post,
    method: 'EVENT',
    path: type,
    tag: 'Webhook events',
  }));
  return [...operations, ...events];
}

/** Entries by tag, those whose words all occur in name, address or summary. */
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

/** The media type and schema of a body; JSON before all others. */
export function bodyOf(content: Content | undefined): { type: string; schema: Schema } | null {
  const types = Object.keys(content ?? {});
  const type = types.find((one) => one === 'application/json') ?? types[0];
  return type === undefined ? null : { type, schema: content?.[type]?.schema ?? {} };
}
