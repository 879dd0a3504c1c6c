import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Call = { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer };
export type Answer = { status: number; headers: Headers; body: Buffer };

export type SampleProxy = { origin: string; failure: () => unknown; close: () => Promise<void> };

/**
 * A server between the samples and the service. `forward` replaces the example values, so that the samples are sent
 * exactly as the page shows them.
 */
export async function startProxy(forward: (call: Call) => Promise<Answer>): Promise<SampleProxy> {
  let failure: unknown;
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const answer = await forward({ method, url, headers, body: await buffer(request) });
    const type = answer.headers.get('content-type');
    response.writeHead(answer.status, type ? { 'content-type': type } : {}).end(answer.body);
  }
  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => {
      failure ??= error;
      response.writeHead(500).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failure: () => failure,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
