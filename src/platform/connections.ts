import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import type { Config } from './config.ts';
import { headerLimits, silenceMilliseconds } from './slow-clients.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Pipelined requests that may wait on a connection. No browser pipelines, and programs rarely send so many ahead. */
const mostWaiting = 100;
/** An idle connection stays open for longer than load balancers keep theirs, which is 60 s as a rule. */
const idleMilliseconds = 72_000;

/** Browsers load the files of a course side by side. Clients that keep cancelling requests are disconnected. */
const streamLimits = {
  settings: { maxConcurrentStreams: 100 },
  streamResetBurst: 200,
  streamResetRate: 20,
};

/** Node's server for one origin: HTTPS with HTTP/2 when the configuration has TLS. */
export function openHttpServer(tls: Config['tls'], handle: Handler): Server {
  const server = tls ? openSecureServer(tls, inTurn(handle)) : createServer(headerLimits, inTurn(handle));
  server.keepAliveTimeout = idleMilliseconds;
  server.requestTimeout = 0;
  server.setTimeout(silenceMilliseconds);
  // Asked for once while it is open, a socket still knows its address when the client has hung up.
  for (const event of ['connection', 'secureConnection'])
    server.on(event, (socket: Socket) => void socket.remoteAddress);
  return server;
}

function openSecureServer(tls: NonNullable<Config['tls']>, handle: Handler): Server {
  const certificate = { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certFile) };
  const options = { ...certificate, allowHTTP1: true, ...streamLimits, ...headerLimits };
  const server = createSecureServer(options, handle as never);
  server.on('session', (session) => session.setTimeout(idleMilliseconds, () => session.close()));
  return server as unknown as Server;
}

/** Whether the client has cancelled the request. Only requests of HTTP/2 are passed. */
function isCancelled(request: IncomingMessage): boolean {
  const { stream } = request as unknown as Http2ServerRequest;
  return stream.destroyed || stream.closed;
}

/**
 * Handles the requests of an HTTP/1.1 connection one after another. Node starts all that arrive in one packet at once,
 * and never reports the end of those that were still waiting for the connection when it closed.
 */
function inTurn(handle: Handler): Handler {
  const busy = new WeakMap<Socket, (() => void)[]>();
  const next = (socket: Socket, waiting: (() => void)[]) => {
    if (socket.destroyed) return;
    const start = waiting.shift();
    if (waiting.length === 0) socket.resume();
    start?.();
  };
  return (request, response) => {
    const { socket } = request;
    if (request.httpVersionMajor >= 2) {
      // After the rest of the packet, which may cancel the request.
      setImmediate(() => {
        if (!isCancelled(request)) handle(request, response);
      });
      return;
    }
    if (socket.destroyed) return;
    const waiting = busy.get(socket);
    const start = () => {
      response.once('close', () => {
        const left = busy.get(socket) ?? [];
        // Other connections get their turn in between.
        if (left.length > 0) setImmediate(next, socket, left);
        else busy.delete(socket);
      });
      handle(request, response);
    };
    if (!waiting) {
      busy.set(socket, []);
      return start();
    }
    if (waiting.length >= mostWaiting) return void socket.destroy();
    waiting.push(start);
    socket.pause();
  };
}
