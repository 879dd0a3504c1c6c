import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { auditRotation, renewSeals } from '../domain/audit/verify.ts';
import { pollClocks } from '../domain/tenants/clock.ts';
import type { Context } from '../infra/context/context.ts';
import { uncoveredHosts } from '../infra/operations/certificate.ts';
import { watchKeyRing } from '../infra/operations/open-keys.ts';
import { startWatchdog } from '../infra/operations/watchdog.ts';
import { codeOf } from '../lib/errors.ts';
import { type App, buildApp } from './app.ts';
import { encryptStored } from './encrypt-stored.ts';
import { startWorker } from './jobs.ts';

/** How long in-flight requests may take to finish during a shutdown, which must complete within 10 s. */
const graceMilliseconds = 9_000;

/** A client that opens a connection for a request sends that request immediately. */
const unusedConnectionMilliseconds = 1_000;

export type Service = { app: App; stop: () => Promise<void> };

/**
 * Serves requests and runs jobs until stopped. A shutdown lets in-flight requests, commits and jobs finish, then closes
 * the database.
 */
export async function startService(ctx: Context): Promise<Service> {
  const { tracing } = ctx;
  const app = await buildApp(ctx, {
    processMetrics: true,
    ...(tracing && { observe: tracing.observe }),
  });
  const { host, port, contentPort, operationsPort } = ctx.config;
  const servers: [FastifyInstance, number, string][] = [
    [app.content, contentPort, 'CONTENT_PORT'],
    [app.api, port, 'PORT'],
  ];
  if (app.operations && operationsPort !== null)
    servers.push([app.operations, operationsPort, 'OPERATIONS_PORT']);
  const stopReloading = reloadCertificates(
    ctx,
    servers.map(([server]) => server),
  );
  const stopFollowing = watchKeyRing(ctx, async () => {
    await encryptStored(ctx);
    await auditRotation(ctx);
    await renewSeals(ctx);
  });
  const stopClocks = await pollClocks(ctx);
  const worker = await startWorker(ctx).catch(async (error: unknown) => {
    stopReloading();
    stopFollowing();
    stopClocks();
    await ctx.engine.close();
    throw error;
  });
  const connections = servers.map(([server]) => followConnections(server));
  const watchdog = startWatchdog(ctx.log);
  const stop = async () => {
    stopReloading();
    stopFollowing();
    ctx.load.draining = true;
    stopClocks();
    const worked = worker.stop();
    worked.catch(() => {});
    // Keep accepting connections until load balancers have seen in /health/ready that this node is
    // shutting down.
    if (app.api.server.listening) await delay(ctx.config.drainSeconds * 1_000);
    const closed = Promise.allSettled([...servers.map(([server]) => server.close()), worked]);
    // A connection that is busy when the shutdown starts would stay open after its request, so
    // check at intervals.
    const idle = setInterval(() => {
      for (const connection of connections) connection.closeIdle();
    }, 50);
    const late = setTimeout(() => {
      for (const connection of connections) connection.destroyAll();
    }, graceMilliseconds);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
    watchdog.stop();
    await ctx.engine.close();
    await tracing?.close();
  };
  try {
    for (const [server, port, setting] of servers)
      await server.listen({ host, port }).catch((error: unknown) => {
        throw listenError(error, { host, port, setting });
      });
  } catch (error) {
    await stop();
    throw error;
  }
  return { app, stop };
}

type Place = { host: string; port: number; setting: string };

function listenError(error: unknown, { host, port, setting }: Place): unknown {
  if (codeOf(error) === 'EADDRINUSE')
    return new Error(
      `Port ${port} of ${host} is in use. Stop the program that is listening on it, or set ${setting} to another port.`,
      { cause: error },
    );
  if (codeOf(error) === 'EACCES')
    return new Error(
      `The process does not have permission to listen on port ${port}. Set ${setting} to another port.`,
      { cause: error },
    );
  return error;
}

/**
 * Tracks a server's HTTP/1.1 and HTTP/2 connections, because Node's `closeAllConnections` closes
 * only those of HTTP/1.1.
 */
function followConnections({ server }: FastifyInstance) {
  const open = new Map<Socket, number>();
  const follow = (socket: Socket) => {
    open.set(socket, performance.now());
    socket.once('close', () => open.delete(socket));
  };
  (server as Server).on('connection', follow).on('secureConnection', follow);
  return {
    closeIdle: () => {
      server.closeIdleConnections();
      // Browsers open connections in advance, and Node counts a connection without a request as busy.
      for (const [socket, since] of open)
        if (socket.bytesRead === 0 && performance.now() - since > unusedConnectionMilliseconds)
          socket.destroy();
    },
    destroyAll: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

/** This is only a warning, because a proxy that does not check names accepts any certificate. */
function warnIfCertificateDoesNotCover({ config, log }: Context): void {
  const { hostname } = new URL(config.contentUrl);
  if (
    config.tls &&
    hostname.startsWith('*.') &&
    uncoveredHosts(config.tls.certFile, config).includes(hostname)
  )
    log.warn({}, `TLS_CERT does not cover ${hostname}: browsers will refuse to open courses`);
}

/** Loads a renewed certificate without a restart; an incomplete file is ignored until the next change. */
function reloadCertificates(ctx: Context, servers: FastifyInstance[]): () => void {
  const { tls } = ctx.config;
  if (!tls) return () => {};
  warnIfCertificateDoesNotCover(ctx);
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
      ctx.log.info({}, 'loaded the renewed certificate');
      warnIfCertificateDoesNotCover(ctx);
    } catch (error) {
      ctx.log.warn({ err: error }, 'the renewed certificate cannot be used; the previous one remains in use');
    }
  };
  const files = [tls.certFile, tls.keyFile];
  for (const file of files) watchFile(file, { interval: 2_000 }, reload);
  return () => {
    for (const file of files) unwatchFile(file, reload);
  };
}
