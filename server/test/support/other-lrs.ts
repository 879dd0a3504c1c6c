import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Sent = { id: string; [member: string]: unknown };
export type Request = { method: string; url: string; headers: IncomingHttpHeaders; statements: Sent[] };

export type OtherLrs = {
  url: string;
  username: string;
  password: string;
  /** All requests. `stored` contains each statement once, in the order in which it was stored. */
  requests: Request[];
  stored: Sent[];
  /** Sets the rule for rejections. The rule returns a status, or 0 to accept the statement. */
  reject: (rule: (statement: Sent) => number) => void;
  /** Responds to requests instead of storing anything; null restores the normal behaviour. */
  intercept: (respond: ((response: ServerResponse, request: Request) => void) | null) => void;
  kill: () => Promise<void>;
  restart: () => Promise<void>;
};

/**
 * A small LRS that accepts only JSON. It stores all statements of a request or none, answers known IDs with
 * 409, and requires Basic credentials.
 */
export async function startOtherLrs(): Promise<OtherLrs> {
  const credentials = { username: 'forwarder', password: 'p:ä55' };
  const requests: Request[] = [];
  const stored: Sent[] = [];
  let rule: (statement: Sent) => number = () => 0;
  let intercepted: ((response: ServerResponse, request: Request) => void) | null = null;

  const statusOf = ({ method, url, headers, statements }: Request): number => {
    const { username, password } = credentials;
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (headers.authorization !== basic) return 401;
    if (!/^[12]\.0\.\d$/.test(String(headers['x-experience-api-version']))) return 400;
    if (!url.startsWith('/lrs/statements')) return 404;
    if (method === 'GET') return 200;
    const rejected = statements.map(rule).find((status) => status !== 0);
    if (rejected !== undefined) return rejected;
    const known = new Set(stored.map(({ id }) => id));
    if (statements.some(({ id }) => known.has(id))) return 409;
    stored.push(...statements);
    return 200;
  };

  const open = (port: number) =>
    new Promise<Server>((resolve) => {
      const server = createServer(async (incoming, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks).toString();
        const { method = '', url = '', headers } = incoming;
        const request: Request = { method, url, headers, statements: text === '' ? [] : JSON.parse(text) };
        requests.push(request);
        if (intercepted) return intercepted(response, request);
        response.writeHead(statusOf(request)).end('private words of the LRS');
      });
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  let server = await open(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/lrs/`,
    ...credentials,
    requests,
    stored,
    reject: (next) => {
      rule = next;
    },
    intercept: (next) => {
      intercepted = next;
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
