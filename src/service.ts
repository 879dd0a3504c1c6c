import { readFileSync, watchFile } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { type App, buildApp } from './app.ts';
import type { Context } from './platform/context.ts';
import { openMetrics } from './platform/metrics.ts';
import { startWorker } from './worker.ts';

/** How long in-flight requests may take to finish when the service stops. */
const graceMilliseconds = 10_000;

export type Service = { app: App; stop: () => Promise<void> };

/** Serves and works until stopped. Stopping lets in-flight requests, commits and jobs finish, then closes the database. */
export async function startService(ctx: Context): Promise<Service> {
  const app = await buildApp(ctx, openMetrics({ processMetrics: true }));
  const { host, port, contentPort, operationsPort } = ctx.config;
  const servers: [FastifyInstance, number][] = [
    [app.content, contentPort],
    [app.api, port],
  ];
  if (app.operations && operationsPort !== null) servers.push([app.operations, operationsPort]);
  const stopReloading = reloadCertificates(
    ctx,
    servers.map(([server]) => server),
  );
  const worker = await startWorker(ctx);
  const stop = async () => {
    stopReloading();
    const closed = Promise.allSettled([...servers.map(([server]) => server.close()), worker.stop()]);
    const timer = setTimeout(() => {
      for (const [server] of servers) closeAllConnections(server);
    }, graceMilliseconds);
    await closed;
    clearTimeout(timer);
    await ctx.engine.close();
  };
  try {
    for (const [server, port] of servers) await server.listen({ host, port });
  } catch (error) {
    await stop();
    throw error;
  }
  return { app, stop };
}

function closeAllConnections(server: FastifyInstance): void {
  const { server: socket } = server as { server: { closeAllConnections?: () => void } };
  socket.closeAllConnections?.();
}

/** Takes a renewed certificate without a restart; a half-written one is left for the next change. */
function reloadCertificates(ctx: Context, servers: FastifyInstance[]): () => void {
  const { tls } = ctx.config;
  if (!tls) return () => {};
  const reload = () => {
    try {
      const options: SecureContextOptions = {
        key: readFileSync(tls.keyFile),
        cert: readFileSync(tls.certFile),
      };
      for (const { server } of servers)
        (server as unknown as { setSecureContext: (options: SecureContextOptions) => void }).setSecureContext(
          options,
        );
      ctx.log.info({}, 'took the renewed certificate');
    } catch (error) {
      ctx.log.warn({ err: error }, 'the renewed certificate cannot be used; the one before stays');
    }
  };
  const watchers = [tls.certFile, tls.keyFile].map((file) => watchFile(file, { interval: 2_000 }, reload));
  return () => {
    for (const watcher of watchers) watcher.unref().removeAllListeners();
  };
}
