import { isJson, type Request, type RequestBody } from '../request.ts';
import { literal, type Notation } from './literal.ts';

/** Python knows all escapes that JSON uses. */
export function pythonString(text: string): string {
  const quoted = JSON.stringify(text);
  if (!text.includes('"') || text.includes("'")) return quoted;
  return `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}

export const python: Notation = {
  indent: '    ',
  string: pythonString,
  words: ['True', 'False', 'None'],
  list: ['[', ']'],
  record: () => ['{', '}'],
  field: (name) => `${pythonString(name)}:`,
};

function bodyArgument(body: RequestBody, margin: string): string {
  if ('json' in body) return `json=${literal(body.json, python, margin)}`;
  return 'file' in body ? 'data=file' : `data=${pythonString(body.text)}.encode()`;
}

/** The request with the package requests. */
export function pythonOf(
  { method, url, query, isAuthorized, headers, body }: Request,
  answerType: string | null,
): string {
  const isFile = body !== null && 'file' in body;
  const margin = isFile ? '        ' : '    ';
  const given = { ...headers, ...(body && !isJson(body.type) ? { 'Content-Type': body.type } : {}) };
  const written = [
    ...(isAuthorized ? [`"Authorization": f"Bearer {os.environ['KEY']}"`] : []),
    ...Object.entries(given).map(([name, value]) => `${pythonString(name)}: ${pythonString(value)}`),
  ];
  const headerLines = written.map((line) => `${margin}    ${line},\n`).join('');
  const parts = [
    pythonString(url),
    ...(Object.keys(query).length > 0 ? [`params=${literal(query, python, margin)}`] : []),
    ...(written.length === 1 ? [`headers={${written[0]}}`] : []),
    ...(written.length > 1 ? [`headers={\n${headerLines}${margin}}`] : []),
    ...(body ? [bodyArgument(body, margin)] : []),
  ];
  const lines = parts.map((part) => `${margin}${part},\n`).join('');
  const call = `response = requests.${method.toLowerCase()}(\n${lines}${margin.slice(4)})\n`;
  const shown = answerType === null ? 'status_code' : isJson(answerType) ? 'json()' : 'text';
  return [
    isAuthorized ? 'import os\n\n' : '',
    'import requests\n\n',
    isFile ? `with open(${pythonString(body.file)}, "rb") as file:\n    ` : '',
    call,
    `print(response.${shown})`,
  ].join('');
}
