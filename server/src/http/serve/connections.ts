import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Config } from '../../infra/context/config.ts';
import { closeConnection } from '../../infra/load/request-end.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Longer than the idle timeout of load balancers, which is usually 60 s. */
const idleMilliseconds = 72_000;
/** A connection without traffic in either direction is closed after this time, whatever it is waiting for. */
const silenceMilliseconds = 600_000;
/** `requestTimeout` includes the body: a package of 2 GiB takes half an hour over 10 Mbit/s. */
const timeouts = { headersTimeout: 15_000, requestTimeout: 1_800_000, connectionsCheckingInterval: 5_000 };
/** A browser opens six connections. The process may open 65,536 files in most systemd units and containers. */
const maxConnections = 20_000;

/** Browsers load a course's files in parallel. Clients that keep cancelling requests are disconnected. */
const streamLimits = {
  settings: { maxConcurrentStreams: 100 },
  streamResetBurst: 200,
  streamResetRate: 20,
};

/**
 * Node's server for one origin: HTTPS with HTTP/2 if the configuration has TLS. An error that `handle` does not catch
 * ends the request's connection, not the process.
 */
export function openHttpServer(
  tls: Config['tls'],
  handle: Handler,
  fail: (error: unknown) => void = () => {},
): Server {
  const contained: Handler = (request, response) => {
    try {
      handle(request, response);
    } catch (error) {
      fail(error);
      closeConnection(request);
    }
  };
  const server = tls ? openSecureServer(tls, contained) : createServer(timeouts, contained);
  // Without this, Node would respond with 417. An unknown expectation may be ignored (RFC 9110 §10.1.1).
  server.on('checkExpectation', contained);
  server.keepAliveTimeout = idleMilliseconds;
  server.maxConnections = maxConnections;
  server.setTimeout(silenceMilliseconds);
  return server;
}

function openSecureServer(tls: NonNullable<Config['tls']>, handle: Handler): Server {
  const certificate = { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certFile) };
  const options = { ...certificate, allowHTTP1: true, ...streamLimits, ...timeouts };
  const server = createSecureServer(options, handle as never);
  server.on('session', (session) => session.setTimeout(idleMilliseconds, () => session.close()));
  return server as unknown as Server;
}
