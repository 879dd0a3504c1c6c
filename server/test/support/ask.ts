import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type Asked = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
};

/**
 * Like `fetch`, but does not follow redirects and allows another Host header. Connects to 127.0.0.1 for names
 * under localhost, because not every system resolves them.
 */
export async function ask(
  address: string,
  { method = 'GET', headers = {}, body }: Asked = {},
): Promise<Response> {
  const { host, hostname, port, pathname, search } = new URL(address);
  if (!hostname.endsWith('.localhost') && !headers.host)
    return fetch(address, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) });
  const path = pathname + search;
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { host, ...headers } }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, rawHeaders } = answer;
  const received = await buffer(answer);
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as [string, string]] : [],
  );
  return new Response(status === 204 || status === 304 ? null : received, { status, headers: pairs });
}
