import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import { type AllowedConfig, resolveChecked } from './addresses.ts';
import { checkedLookup } from './send.ts';

const usualBytes = 1024 * 1024;
const seconds = 10;

type Options = {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** The maximum size of the response. */
  bytes?: number;
};

/** `fetch` with the rules of a delivery: only checked addresses, no redirects, and at most 1 MiB, or `bytes`, within 10 s. */
export function checkedFetch(config: AllowedConfig) {
  return async (
    address: string,
    { method, headers, body, signal, bytes: maxBytes = usualBytes }: Options,
  ): Promise<Response> => {
    const url = new URL(address);
    // An IP address in the URL is never looked up, so it is checked here.
    if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) await resolveChecked(config, url.hostname);
    const limit = AbortSignal.timeout(seconds * 1000);
    const options = {
      method,
      headers: { 'user-agent': 'Lectern/1', ...headers },
      lookup: checkedLookup(config) as never,
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
      agent: false as const,
    };
    return new Promise((resolve, reject) => {
      const sent = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, options, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBytes) response.destroy(new Error('The response is too large.'));
          chunks.push(chunk);
        });
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          const received = new Headers();
          for (const [name, values = []] of Object.entries(response.headersDistinct))
            for (const value of values) received.append(name, value);
          const isEmpty = status === 204 || status === 304;
          resolve(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: received }));
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined || body === null ? undefined : String(body));
    });
  };
}
