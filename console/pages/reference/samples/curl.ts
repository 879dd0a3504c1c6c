import { type Request, type RequestBody, withQuery } from '../request.ts';
import { jsonText } from './literal.ts';

/** Within single quotes, a POSIX shell keeps everything except the single quote itself. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function bodyArgument(body: RequestBody): string {
  if ('file' in body) return `--data-binary ${quote(`@${body.file}`)}`;
  const text = 'text' in body ? body.text : jsonText(body.json);
  // curl reads a file if the text begins with @.
  return `${text.startsWith('@') ? '--data-raw' : '--data-binary'} ${quote(text)}`;
}

/** The request as a shell command. If there is a body, curl uses POST automatically. */
export function curlOf({ method, url, query, isAuthorized, headers, body }: Request): string {
  const given = { ...headers, ...(body ? { 'Content-Type': body.type } : {}) };
  const verb = method === (body ? 'POST' : 'GET') ? '' : `-X ${method} `;
  return [
    `curl ${verb}${quote(withQuery(url, query))}`,
    // The key is a variable, so that it does not end up in the shell history.
    ...(isAuthorized ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...Object.entries(given).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body ? [bodyArgument(body)] : []),
  ].join(' \\\n  ');
}
