import { bodyOf, type Entry } from '../document.ts';
import { exampleRequest, exampleValues, isJson, type Request } from '../request.ts';
import { type AnswerType, answerTypeOf } from './answer-type.ts';
import { literal, type Notation } from './literal.ts';

/** JavaScript knows all escapes that JSON uses. */
export function scriptString(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

const fieldName = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : scriptString(name));

export const script: Notation = {
  indent: '  ',
  string: scriptString,
  words: ['true', 'false', 'null'],
  list: ['[', ']'],
  record: () => ['{ ', ' }'],
  // In a literal, only a computed name creates a field named __proto__.
  field: (name) => (name === '__proto__' ? "['__proto__']:" : `${fieldName(name)}:`),
};

/** The call with our client. It does not cover files, CSV, redirects and other origins, so these use `fetch`. */
export function typescriptOf(entry: Entry, baseUrl: string, type?: string): string {
  const body = bodyOf(entry.requestBody?.content, type);
  const answer = answerTypeOf(entry);
  if (body?.type === 'application/x-ndjson')
    return withClient(baseUrl, bulkCall(entry.path, String(body.example)));
  const isCovered = !entry.servers && answer.isSuccess && (answer.type === null || isJson(answer.type));
  if (!isCovered || (body && !isJson(body.type))) return fetchOf(exampleRequest(entry, baseUrl, type));
  return withClient(baseUrl, clientCall(entry, body?.example, answer));
}

function withClient(baseUrl: string, call: string): string {
  return `import { createLectern } from 'lectern-client';

const lectern = createLectern({
  baseUrl: ${scriptString(baseUrl)},
  key: process.env.KEY ?? '',
});

${call}`;
}

function clientCall(entry: Entry, body: unknown, answer: AnswerType): string {
  const values = exampleValues(entry);
  const params: Record<string, Record<string, unknown>> = {};
  for (const { in: place, name, example } of entry.parameters ?? [])
    if (`${place} ${name}` in values) params[place] = { ...params[place], [name]: example };
  const init = {
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(body === undefined ? {} : { body }),
  };
  const given = Object.keys(init).length > 0 ? `, ${literal(init, script)}` : '';
  const place = scriptString(entry.path);
  if (entry.method === 'GET' && answer.isPage)
    return `for await (const item of lectern.items(${place}${given})) console.log(item);`;
  const call = `await lectern.${entry.method.toLowerCase()}(${place}${given});`;
  return answer.type === null ? call : `const result = ${call}\nconsole.log(result);`;
}

function bulkCall(path: string, example: string): string {
  const lines = example.trimEnd().split('\n');
  const rows = lines.map((line) => `  ${literal(JSON.parse(line), script, '  ')},\n`).join('');
  return `const rows = [\n${rows}];\nfor await (const result of lectern.bulk(${scriptString(path)}, rows)) console.log(result);`;
}

export function fetchOf({ method, url, query, isAuthorized, headers, body }: Request): string {
  const isFile = body !== null && 'file' in body;
  const isQueried = Object.keys(query).length > 0;
  const given = { ...headers, ...(body ? { 'Content-Type': body.type } : {}) };
  const written = [
    ...(isAuthorized ? [`Authorization: \`Bearer \${process.env.KEY}\``] : []),
    ...Object.entries(given).map(([name, value]) => `${script.field(name)} ${scriptString(value)}`),
  ];
  const headerLines = written.map((line) => `    ${line},\n`).join('');
  const parts = [
    ...(method === 'GET' ? [] : [`method: ${scriptString(method)}`]),
    ...(written.length === 1 ? [`headers: { ${written[0]} }`] : []),
    ...(written.length > 1 ? [`headers: {\n${headerLines}  }`] : []),
    ...(body ? [`body: ${bodyText(body)}`] : []),
  ];
  const init = parts.length > 0 ? `, {\n${parts.map((part) => `  ${part},\n`).join('')}}` : '';
  return [
    isFile ? "import { openAsBlob } from 'node:fs';\n\n" : '',
    isQueried ? `const query = new URLSearchParams(${literal(query, script)});\n` : '',
    `const response = await fetch(${isQueried ? `${scriptString(`${url}?`)} + query` : scriptString(url)}${init});\n`,
    'console.log(response.status, await response.text());',
  ].join('');
}

function bodyText(body: NonNullable<Request['body']>): string {
  if ('file' in body) return `await openAsBlob(${scriptString(body.file)})`;
  return 'text' in body ? scriptString(body.text) : `JSON.stringify(${literal(body.json, script, '  ')})`;
}
