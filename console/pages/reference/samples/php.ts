import type { Request, RequestBody } from '../request.ts';
import { literal, type Notation } from './literal.ts';

/** Within single quotes, PHP changes nothing but escaped backslashes and single quotes. */
export function phpString(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** PHP encodes an array as a list if it is empty or its names are 0, 1 and so on. */
const looksLikeList = (names: readonly string[]) => names[0] === undefined || names[0] === '0';

export const php: Notation = {
  indent: '    ',
  string: phpString,
  words: ['true', 'false', 'null'],
  list: ['[', ']'],
  record: (names) => [looksLikeList(names) ? '(object) [' : '[', ']'],
  field: (name) => `${phpString(name)} =>`,
};

function bodyOptions(body: RequestBody): string[] {
  if ('json' in body) return [`CURLOPT_POSTFIELDS => json_encode(${literal(body.json, php, '    ')})`];
  if ('text' in body) return [`CURLOPT_POSTFIELDS => ${phpString(body.text)}`];
  const file = phpString(body.file);
  return [
    'CURLOPT_UPLOAD => true',
    `CURLOPT_INFILE => fopen(${file}, 'rb')`,
    `CURLOPT_INFILESIZE => filesize(${file})`,
  ];
}

/** The method that the curl extension uses if none is given. */
function impliedMethod(body: RequestBody | null): string {
  if (!body) return 'GET';
  return 'file' in body ? 'PUT' : 'POST';
}

/** The request with the curl extension. */
export function phpOf({ method, url, query, isAuthorized, headers, body }: Request): string {
  const given = { ...headers, ...(body ? { 'Content-Type': body.type } : {}) };
  const written = [
    ...(isAuthorized ? [`'Authorization: Bearer ' . getenv('KEY')`] : []),
    ...Object.entries(given).map(([name, value]) => phpString(`${name}: ${value}`)),
  ];
  const headerLines = written.map((line) => `        ${line},\n`).join('');
  const options = [
    'CURLOPT_RETURNTRANSFER => true',
    ...(method === impliedMethod(body) ? [] : [`CURLOPT_CUSTOMREQUEST => ${phpString(method)}`]),
    ...(written.length === 1 ? [`CURLOPT_HTTPHEADER => [${written[0]}]`] : []),
    ...(written.length > 1 ? [`CURLOPT_HTTPHEADER => [\n${headerLines}    ]`] : []),
    ...(body ? bodyOptions(body) : []),
  ];
  const isQueried = Object.keys(query).length > 0;
  return [
    '<?php\n',
    isQueried ? `$query = http_build_query(${literal(query, php)});\n` : '',
    `$curl = curl_init(${isQueried ? `${phpString(`${url}?`)} . $query` : phpString(url)});\n`,
    `curl_setopt_array($curl, [\n${options.map((line) => `    ${line},\n`).join('')}]);\n`,
    'echo curl_exec($curl);',
  ].join('');
}
