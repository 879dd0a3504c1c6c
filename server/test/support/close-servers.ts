import type { FastifyInstance } from 'fastify';

/** Does not wait up to 72 s for connections that clients cut off. */
export async function closeServers(servers: readonly (FastifyInstance | null)[]): Promise<void> {
  const open = servers.filter((server) => server !== null);
  const closed = Promise.all(open.map((server) => server.close()));
  // A server with TLS has HTTP/2, and no such method.
  for (const { server } of open) if ('closeAllConnections' in server) server.closeAllConnections();
  await closed;
}
