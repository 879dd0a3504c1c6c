import { bodyOf, type Entry } from './document.ts';

/** The body of a request: a value to write as JSON, a text, or the name of a file. */
export type RequestBody = { type: string } & ({ json: unknown } | { text: string } | { file: string });

export type Request = {
  method: string;
  /** Without the query. */
  url: string;
  query: Record<string, string>;
  /** Whether the request carries the API key, which the samples read from the environment variable `KEY`. */
  isAuthorized: boolean;
  headers: Record<string, string>;
  body: RequestBody | null;
};

function pathOf(entry: Entry, values: Record<string, string>): string {
  let path = entry.path;
  for (const { in: place, name } of entry.parameters ?? [])
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(values[`path ${name}`] ?? ''));
  return path;
}

function partsIn(place: 'query' | 'header', entry: Entry, values: Record<string, string>) {
  const found: Record<string, string> = {};
  for (const parameter of entry.parameters ?? []) {
    const value = values[`${place} ${parameter.name}`] ?? '';
    if (parameter.in === place && value !== '') found[parameter.name] = value;
  }
  return found;
}

/** The URL with the query, percent-encoded. */
export function withQuery(url: string, query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString();
  return text ? `${url}?${text}` : url;
}

/** The URL with its parameters filled in. Empty parameters are omitted, except in the path. */
export function addressOf(entry: Entry, values: Record<string, string>): string {
  return withQuery(pathOf(entry, values), partsIn('query', entry, values));
}

/** Whether the operation needs no key. Any credential is then in the query. */
const isOpen = (entry: Entry) => entry['x-access'] === 'anyone' || entry['x-access'] === 'session';

export function exampleValues(entry: Entry): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { in: place, name, required, example } of entry.parameters ?? [])
    if (required || (place === 'query' && isOpen(entry) && example !== undefined))
      values[`${place} ${name}`] = String(example);
  return values;
}

export const isJson = (type: string) => type === 'application/json';

/** Text is sent unchanged, and other bodies that are not JSON come from a file. */
function exampleBody({ type, example }: { type: string; example: unknown }): RequestBody {
  if (typeof example === 'string') return { type, text: example.trimEnd() };
  return isJson(type) ? { type, json: example } : { type, file: 'package.zip' };
}

/** A request with the example values from the document. */
export function exampleRequest(entry: Entry, baseUrl: string, type?: string): Request {
  const body = bodyOf(entry.requestBody?.content, type);
  const values = exampleValues(entry);
  return {
    method: entry.method,
    url: (entry.servers?.[0]?.url ?? baseUrl) + pathOf(entry, values),
    query: partsIn('query', entry, values),
    isAuthorized: !isOpen(entry),
    headers: partsIn('header', entry, values),
    body: body && exampleBody(body),
  };
}
