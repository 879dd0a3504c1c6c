import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openClient } from '../../../bench/kill/client.ts';
import { ready } from '../../../bench/kill/rounds.ts';

type Origin = 'baseUrl' | 'contentUrl';
export type Backend = Record<Origin, string>;

export type Balancer = Backend & {
  add: (node: Backend) => void;
  /** The number of nodes that were ready at the last check. */
  healthy: () => number;
  /**
   * The number of responses by node. `broken` lists the requests that failed between the balancer and a node.
   */
  passed: Map<string, number>;
  broken: string[];
  close: () => Promise<void>;
};

const checkMilliseconds = 100;

/**
 * Sends requests to the ready nodes in turn. Like other load balancers, it reuses connections, and tries
 * another node only if a connection is refused.
 */
export async function startBalancer(): Promise<Balancer> {
  const nodes = new Map<Backend, boolean>();
  const agents = new Map<Backend, Agent>();
  const passed = new Map<string, number>();
  const broken: string[] = [];
  const checks = openClient(8);
  let turn = 0;

  const next = (tried: Set<Backend>): Backend | undefined => {
    const fit = [...nodes].flatMap(([node, isReady]) => (isReady && !tried.has(node) ? [node] : []));
    return fit[turn++ % fit.length];
  };

  const pass = (
    origin: Origin,
    from: IncomingMessage,
    body: Buffer,
    to: ServerResponse,
    tried: Set<Backend>,
  ) => {
    const node = next(tried);
    if (!node) {
      broken.push(`no node for ${from.method} ${from.url}`);
      to.writeHead(502).end();
      return;
    }
    tried.add(node);
    const { connection, ...headers } = from.headers;
    const address = new URL(node[origin]);
    const { hostname, port } = address;
    const agent = agents.get(node) as Agent;
    const sent = request(
      { hostname, port, path: from.url, method: from.method, headers, agent },
      (response) => {
        const { connection, 'keep-alive': keepAlive, ...kept } = response.headers;
        to.writeHead(response.statusCode ?? 502, kept);
        response.pipe(to);
        response.on('error', (error) => {
          broken.push(`answer to ${from.method} ${from.url}: ${error.message}`);
          to.destroy();
        });
        passed.set(node.baseUrl, (passed.get(node.baseUrl) ?? 0) + 1);
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') return pass(origin, from, body, to, tried);
      if (to.headersSent) return;
      broken.push(`${from.method} ${from.url}: ${error.message}`);
      to.destroy();
    });
    sent.end(body);
  };

  const open = async (origin: Origin) => {
    const server = createServer(async (from, to) => {
      const chunks: Buffer[] = [];
      for await (const chunk of from) chunks.push(chunk as Buffer);
      pass(origin, from, Buffer.concat(chunks), to, new Set());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const [base, content] = await Promise.all([open('baseUrl'), open('contentUrl')]);
  const looking = setInterval(() => {
    for (const node of nodes.keys())
      void ready(checks, node.baseUrl).then((isReady) => nodes.set(node, isReady));
  }, checkMilliseconds);

  return {
    baseUrl: base.url,
    contentUrl: content.url,
    add: (node) => {
      agents.set(node, new Agent({ keepAlive: true, maxSockets: 64 }));
      nodes.set(node, false);
    },
    healthy: () => [...nodes.values()].filter(Boolean).length,
    passed,
    broken,
    close: async () => {
      clearInterval(looking);
      checks.close();
      for (const agent of agents.values()) agent.destroy();
      for (const { server } of [base, content]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
