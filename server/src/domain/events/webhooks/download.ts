import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import { type AllowedConfig, resolveChecked } from './addresses.ts';
import { checkedLookup } from './send.ts';

/** Opens a file at a URL that `checkUrl` has accepted, with the same rules as a delivery. Redirects are not followed. */
export async function download(
  config: AllowedConfig,
  address: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(address);
  // An IP address in the URL is never looked up, so it is checked here.
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) await resolveChecked(config, url.hostname);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { lookup: checkedLookup(config) as never, signal, agent: false as const };
    const sent = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, options, resolve);
    sent.on('error', reject);
    sent.end();
  });
  if (response.statusCode === 200) return response;
  response.destroy();
  throw new Error(`The server responded with status ${response.statusCode}.`);
}
