import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Event } from '../../src/domain/events/schemas.ts';

export type Received = { headers: IncomingHttpHeaders; text: string; event: Event };

export type Receiver = {
  url: string;
  received: Received[];
  /** Replaces the function that responds to later requests. Requests hang unless the function sends a response. */
  answer: (respond: (response: ServerResponse, received: Received) => void) => void;
  kill: () => Promise<void>;
  restart: () => Promise<void>;
};

/** A client's server that receives webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let respond = (response: ServerResponse, _received: Received): void => {
    response.writeHead(200).end('thank you');
  };
  const open = (port: number) =>
    new Promise<Server>((resolve) => {
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks).toString();
        const one = { headers: request.headers, text, event: JSON.parse(text) as Event };
        received.push(one);
        respond(response, one);
      });
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  let server = await open(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (next) => {
      respond = next;
    },
    kill: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    restart: async () => {
      server = await open(port);
    },
  };
}
