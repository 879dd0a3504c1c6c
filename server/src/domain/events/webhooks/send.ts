import type { LookupOptions } from 'node:dns';
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import { storable } from '../../../lib/unicode.ts';
import { AddressRejected, type AllowedConfig, resolveChecked } from './addresses.ts';

export const deliverySeconds = 10;
const maxRead = 64 * 1024;
const maxStoredBytes = 4 * 1024;
/** Maximum number of chunks, because a response in many small packets would take too much processing time. */
const maxChunks = 100;
/** Maximum interim responses, such as 103 Early Hints, before the response itself. */
const maxInterim = 5;

export type Outcome = {
  delivered: boolean;
  /** The receiver will never accept the message, so it is not sent again. */
  isRefused?: true;
  /** The request was sent twice, and the first one may have arrived. */
  isRepeated?: true;
  status: number | null;
  body: string | null;
  error: string | null;
  milliseconds: number;
  /** Seconds to wait before the next attempt, from the `Retry-After` header. */
  retryAfter: number | null;
};

export type Message = {
  method?: 'GET';
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
};

/**
 * Sends to one endpoint and keeps its connections open. Each new connection uses an address that has just been checked.
 */
export type Sender = { send: (message: Message, stop: AbortSignal) => Promise<Outcome>; close: () => void };

type Found = (error: Error | null, address: unknown, family?: number) => void;

/** Resolves names for connections, and checks each address just before it is used. */
export function checkedLookup(config: AllowedConfig) {
  return (host: string, options: LookupOptions, found: Found) => {
    resolveChecked(config, host).then(
      ({ addresses }) => {
        const fitting = addresses.filter(({ family }) => !options.family || family === options.family);
        const [first] = fitting;
        if (!first) found(new AddressRejected(`${host} has no such address.`), []);
        else if (options.all) found(null, fitting);
        else found(null, first.address, first.family);
      },
      (error: unknown) => found(error as Error, []),
    );
  };
}

type Reply = { response: IncomingMessage; body: string; isRepeated?: true };

export function openSender(config: AllowedConfig): Sender {
  const lookup = checkedLookup(config);
  const options = { keepAlive: true, maxSockets: 64, maxFreeSockets: 4, timeout: 30_000 };
  const agents = { 'http:': new PlainAgent(options), 'https:': new SecureAgent(options) };

  const once = (message: Message, signal: AbortSignal) =>
    new Promise<Reply>((resolve, reject) => {
      const url = new URL(message.url);
      const secure = url.protocol === 'https:';
      const request = (secure ? secureRequest : plainRequest)(url, {
        method: message.method ?? 'POST',
        agent: agents[secure ? 'https:' : 'http:'],
        lookup: lookup as never,
        signal,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Lectern-Webhooks/1',
          'content-length': Buffer.byteLength(message.body),
          ...message.headers,
        },
      });
      request.on('error', (error) => reject(Object.assign(error, { reused: request.reusedSocket })));
      let interim = 0;
      request.on('information', () => {
        if (++interim > maxInterim) request.destroy(new Error('The endpoint sent only interim responses.'));
      });
      let hasResponse = false;
      // Without this listener, a response with 101 Switching Protocols would end the request without an error.
      request.on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('The endpoint tried to switch to another protocol (101).'));
      });
      request.on('close', () => {
        if (!hasResponse) reject(new Error('The endpoint closed the connection without a response.'));
      });
      request.on('response', (response) => {
        hasResponse = true;
        readStart(response).then((body) => resolve({ response, body }), reject);
      });
      request.end(message.body);
    });

  const attempt = async (message: Message, signal: AbortSignal) => {
    const host = new URL(message.url).hostname;
    // An IP address in the URL is never looked up, so it is checked here.
    if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) await resolveChecked(config, host);
    return once(message, signal).catch((error: { reused?: boolean; code?: string }) => {
      // The receiver usually closed an idle connection just as it was reused, which is not a failure.
      if (!error.reused || error.code !== 'ECONNRESET') throw error;
      return once(message, signal).then((reply): Reply => ({ ...reply, isRepeated: true }));
    });
  };

  return {
    send: async (message, stop) => {
      const began = performance.now();
      const limit = AbortSignal.timeout(deliverySeconds * 1000);
      const outcome = await attempt(message, AbortSignal.any([limit, stop])).then(
        toOutcome,
        (error: unknown) => toFailure(error, limit.aborted),
      );
      return { ...outcome, milliseconds: Math.round(performance.now() - began) };
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (chunks.push(chunk) >= maxChunks || bytes >= maxRead) break;
  }
  const text = Buffer.concat(chunks).subarray(0, maxStoredBytes).toString();
  return storable(text);
}

function toOutcome({ response, body, isRepeated }: Reply): Omit<Outcome, 'milliseconds'> {
  const status = response.statusCode ?? 0;
  const delivered = status >= 200 && status < 300;
  const wait = Number(response.headers['retry-after'] ?? Number.NaN);
  const isRedirect = status >= 300 && status < 400;
  const error = isRedirect
    ? 'The endpoint redirects, but redirects are not followed.'
    : `The endpoint responded with status ${status}.`;
  return {
    delivered,
    ...(isRepeated && { isRepeated }),
    status,
    body,
    error: delivered ? null : error,
    retryAfter: Number.isInteger(wait) && wait > 0 ? Math.min(wait, 3_600) : null,
  };
}

function toFailure(error: unknown, late: boolean): Omit<Outcome, 'milliseconds'> {
  const { message, code } = error as { message: string; code?: string };
  const text = late
    ? `The endpoint did not respond within ${deliverySeconds} s.`
    : message || code || 'Unknown error.';
  return { delivered: false, status: null, body: null, error: text.slice(0, 1_000), retryAfter: null };
}
