import { bodyOf, type Entry } from './document.ts';

export type Request = { method: string; url: string; headers: Record<string, string>; body: string | null };

/** The URL with its parameters filled in. Empty parameters are omitted, except in the path. */
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

/** A request as a command line. If there is a body, curl uses POST automatically. */
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

/** Whether the operation needs no key. Any credential is then in the query. */
const isOpen = (entry: Entry) => entry['x-access'] === 'anyone' || entry['x-access'] === 'session';

function exampleValues(entry: Entry): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { in: place, name, required, example } of entry.parameters ?? [])
    if (required || (place === 'query' && isOpen(entry) && example !== undefined))
      values[`${place} ${name}`] = String(example);
  return values;
}

const isJson = (type: string) => type === 'application/json';

type Body = { type: string; example: unknown };

/** Sends text unchanged and JSON on one line. Binary bodies come from a file. */
function writtenBody({ type, example }: Body): string {
  if (typeof example === 'string') return example.trimEnd();
  return isJson(type) ? JSON.stringify(example) : '@package.zip';
}

/** A request with the example values from the document. */
export function exampleRequest(entry: Entry, baseUrl: string): Request {
  const body = bodyOf(entry.requestBody?.content);
  const values = exampleValues(entry);
  const headers = (entry.parameters ?? []).flatMap(({ in: place, name }) => {
    const value = place === 'header' ? values[`header ${name}`] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return {
    method: entry.method,
    url: (entry.servers?.[0]?.url ?? baseUrl) + addressOf(entry, values),
    headers: {
      ...(isOpen(entry) ? {} : { Authorization: 'Bearer $KEY' }),
      ...Object.fromEntries(headers),
      ...(body ? { 'Content-Type': body.type } : {}),
    },
    body: body && writtenBody(body),
  };
}

/** The same call with our JavaScript client. It does not cover files, links and other origins, so these use `fetch`. */
export function scriptOf(entry: Entry, baseUrl: string): string {
  const body = bodyOf(entry.requestBody?.content);
  if (typeof body?.example === 'string') return bulkScript(entry.path, body.example);
  const done = Object.entries(entry.responses).find(([status]) => /^[23]/.test(status));
  const isRecord = done !== undefined && Object.keys(done[1].content ?? {}).every(isJson) && done[0] < '300';
  if (entry.servers || !isRecord || (body && !isJson(body.type)))
    return fetchScript(exampleRequest(entry, baseUrl));
  const values = exampleValues(entry);
  const params: Record<string, Record<string, unknown>> = {};
  for (const { in: place, name, example } of entry.parameters ?? [])
    if (`${place} ${name}` in values) params[place] = { ...params[place], [name]: example };
  const given = { ...(Object.keys(params).length > 0 && { params }), ...(body && { body: body.example }) };
  const init = Object.keys(given).length > 0 ? `, ${JSON.stringify(given, null, 2)}` : '';
  return `const answer = await lectern.${entry.method.toLowerCase()}('${entry.path}'${init});`;
}

function bulkScript(path: string, example: string): string {
  const rows = example
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line},\n`);
  return `const rows = [\n${rows.join('')}];\nfor await (const result of lectern.bulk('${path}', rows)) console.log(result);`;
}

function fetchScript({ method, url, headers, body }: Request): string {
  const isFile = body?.startsWith('@') ?? false;
  const written = Object.entries(headers).map(([name, value]) => {
    const text = value.endsWith(' $KEY') ? `\`Bearer \${process.env.KEY}\`` : `'${value}'`;
    return `    '${name}': ${text},\n`;
  });
  const sent = isFile ? `await openAsBlob('${body?.slice(1)}')` : `JSON.stringify(${body})`;
  return [
    isFile ? "import { openAsBlob } from 'node:fs';\n\n" : '',
    `const response = await fetch('${url}', {\n`,
    method === 'GET' ? '' : `  method: '${method}',\n`,
    written.length > 0 ? `  headers: {\n${written.join('')}  },\n` : '',
    body === null ? '' : `  body: ${sent},\n`,
    '});',
  ].join('');
}
