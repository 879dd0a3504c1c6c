import { bodyOf, type Entry } from './document.ts';

export type Request = { method: string; url: string; headers: Record<string, string>; body: string | null };

/** The URL with its parameters filled in. Empty ones are omitted, except in the path. */
export function addressOf(entry: Entry, values: Record<string, string>): string {
  const query = new URLSearchParams();
  let path = entry.path;
  for (const { in: place, name } of entry.parameters ?? []) {
    const value = values[`${place} ${name}`] ?? '';
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query' && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** Within single quotes, a POSIX shell keeps everything except the single quote itself. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The key is a shell variable, so that it does not end up in the shell history. */
function quoteHeader(text: string): string {
  return text.endsWith(' $KEY') ? `"${text}"` : quote(text);
}

/** One command line. Because it sends a body, curl uses POST automatically. */
export function curlOf({ method, url, headers, body }: Request): string {
  const implied = body === null ? 'GET' : 'POST';
  return [
    'curl',
    ...(method === implied ? [] : ['-X', method]),
    quote(url),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', quoteHeader(`${name}: ${value}`)]),
    ...(body === null ? [] : ['--data-binary', quote(body)]),
  ].join(' ');
}

/** The values for a first call: the example in the document. */
export function exampleRequest(entry: Entry, baseUrl: string): Request {
  const values: Record<string, string> = {};
  for (const { in: place, name, required, example } of entry.parameters ?? [])
    if (required) values[`${place} ${name}`] = String(example);
  const body = bodyOf(entry.requestBody?.content);
  const isOpen = entry['x-access'] === 'anyone' || entry['x-access'] === 'session';
  const isJson = body?.type === 'application/json';
  return {
    method: entry.method,
    url: (entry.servers?.[0]?.url ?? baseUrl) + addressOf(entry, values),
    headers: {
      ...(isOpen ? {} : { Authorization: 'Bearer $KEY' }),
      ...(body ? { 'Content-Type': body.type } : {}),
    },
    body: body ? (isJson ? JSON.stringify(body.example) : '@file') : null,
  };
}

/** The same call with our JavaScript client. */
export function scriptOf(entry: Entry): string {
  const method = entry.method.toLowerCase();
  const pathParameters = (entry.parameters ?? []).filter(({ in: place }) => place === 'path');
  const path = pathParameters.map(({ name, example }) => [name, example]);
  const body = bodyOf(entry.requestBody?.content);
  const given = {
    ...(path.length > 0 ? { params: { path: Object.fromEntries(path) } } : {}),
    ...(body?.type === 'application/json' ? { body: body.example } : {}),
  };
  const init = Object.keys(given).length > 0 ? `, ${JSON.stringify(given, null, 2)}` : '';
  return `const answer = await lectern.${method}('${entry.path}'${init});`;
}
