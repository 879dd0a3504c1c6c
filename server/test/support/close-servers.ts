import type { FastifyInstance } from 'fastify';

/** Closes the servers without waiting up to 72 s for connections that clients have cut off. */
export async function closeServers(servers: readonly (FastifyInstance | null)[]): Promise<void> {
  const open = servers.filter((server) => server !== null);
  const closed = Promise.all(open.map((server) => server.close()));
  // A server with TLS supports HTTP/2 and does not have this method.
  for (const { server } of open) if ('closeAllConnections' in server) server.closeAllConnections();
  await closed;
}
