import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { networkOf } from '../load/budgets.ts';
import { delayQueueOf, holdConnection, mayPipeline, type Peers, waitIn } from '../load/peers.ts';
import { hasBody, headerLimits, silenceMilliseconds } from '../load/slow-clients.ts';
import { type StalledResponses, watchStalledResponses } from '../load/stalled-responses.ts';
import { joinTinyChunks } from '../load/tiny-chunks.ts';
import { closeConnection, connectionOf, streamOf } from './http2.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Maximum pipelined requests waiting on a connection. Browsers do not pipeline, and programs rarely send this many in
 * advance.
 */
const maxWaiting = 100;
/** Longer than the idle timeout of load balancers, which is usually 60 s. */
const idleMilliseconds = 72_000;

/** Browsers load a course's files in parallel. Clients that keep cancelling requests are disconnected. */
const streamLimits = {
  settings: { maxConcurrentStreams: 100 },
  streamResetBurst: 200,
  streamResetRate: 20,
};

/** Requests on an HTTP/1.1 connection that wait for the request in progress. `pass` starts the next one. */
type ConnectionQueue = { busy: boolean; readonly waiting: (() => void)[]; readonly finish: () => void };

type Rejected = 'address_concurrency' | 'address_rate' | 'tiny_chunks' | 'unread';
export type ConnectionLimits = {
  peers: Peers | null;
  reject: (reason: Rejected) => void;
  /** Called with an unhandled error, which ends the request's connection but not the process. */
  fail?: (error: unknown) => void;
  stalledMilliseconds?: number;
};

/** Node's server for one origin: HTTPS with HTTP/2 if the configuration has TLS. */
export function openHttpServer(
  tls: Config['tls'],
  handle: Handler,
  { peers, reject, fail = () => {}, stalledMilliseconds }: ConnectionLimits = {
    peers: null,
    reject: () => {},
  },
): Server {
  const stalled = watchStalledResponses(() => reject('unread'), stalledMilliseconds);
  const contained = containErrors(handle, fail);
  const throttled = peers ? delayRejectedNetworks(peers, contained, () => reject('address_rate')) : contained;
  const inOrder = joinChunks(inTurn(throttled, stalled, peers), () => reject('tiny_chunks'));
  const server = tls ? openSecureServer(tls, inOrder) : createServer(headerLimits, inOrder);
  // Without this, Node would respond with 417. An unknown expectation may be ignored (RFC 9110
  // §10.1.1).
  server.on('checkExpectation', inOrder);
  server.keepAliveTimeout = idleMilliseconds;
  server.requestTimeout = 0;
  server.setTimeout(silenceMilliseconds);
  if (peers) limitConnections(server, peers, () => reject('address_concurrency'));
  stalled.follow(server);
  // Reads each address now. After the client has hung up, an address is available only if it was
  // read before.
  for (const event of ['connection', 'secureConnection'])
    server.on(event, (socket: Socket) => {
      if (socket.remoteAddress === undefined) socket.destroy();
    });
  return server;
}

function openSecureServer(tls: NonNullable<Config['tls']>, handle: Handler): Server {
  const certificate = { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certFile) };
  const options = { ...certificate, allowHTTP1: true, ...streamLimits, ...headerLimits };
  const server = createSecureServer(options, handle as never);
  server.on('session', (session) => session.setTimeout(idleMilliseconds, () => session.close()));
  return server as unknown as Server;
}

function containErrors(handle: Handler, fail: (error: unknown) => void): Handler {
  return (request, response) => {
    try {
      handle(request, response);
    } catch (error) {
      fail(error);
      closeConnection(request);
    }
  };
}

/**
 * Emits `close` for a HEAD request that was cancelled before its response began, because requests
 * release their slots on `close`. For all other methods, Node emits it.
 */
function reportClose(request: IncomingMessage, response: ServerResponse): void {
  let isReported = false;
  response.once('close', () => {
    isReported = true;
  });
  streamOf(request).once('close', () => {
    if (!isReported) response.emit('close');
  });
}

/**
 * Refuses further connections from a network that has reached its maximum, because the TLS handshake alone would cost
 * a millisecond.
 */
function limitConnections(server: Server, peers: Peers, reject: () => void): void {
  const remember = (connection: object, { remoteAddress }: { remoteAddress?: string | undefined }) => {
    if (remoteAddress) peers.networks.set(connection, networkOf(remoteAddress));
  };
  server.on('connection', (socket: Socket) => {
    if (socket.remoteAddress === undefined) return;
    const release = holdConnection(peers, socket.remoteAddress);
    if (release) {
      remember(socket, socket);
      socket.once('close', release);
    } else {
      reject();
      socket.destroy();
    }
  });
  server.on('secureConnection', (socket: Socket) => remember(socket, socket));
  server.on('session', (session) => remember(session, session.socket));
}

/** Delays requests from a network that gets only rejections, before doing any work for them. */
function delayRejectedNetworks(peers: Peers, handle: Handler, reject: () => void): Handler {
  return (request, response) => {
    const queue = delayQueueOf(peers, connectionOf(request));
    if (!queue) return handle(request, response);
    const leave = waitIn(queue, () => handle(request, response));
    if (leave) return void response.once('close', leave);
    reject();
    closeConnection(request);
  };
}

/** Ends connections that flood us with tiny chunks. Must run before any step in which requests can wait. */
function joinChunks(handle: Handler, reject: () => void): Handler {
  const watch = (request: IncomingMessage, body: Readable) =>
    joinTinyChunks(body, () => {
      reject();
      closeConnection(request);
    });
  return (request, response) => {
    if (request.httpVersionMajor >= 2) {
      if (hasBody(request)) watch(request, streamOf(request));
    } else if (request.headers['transfer-encoding'] !== undefined) watch(request, request);
    handle(request, response);
  };
}

/** Whether the client has cancelled the request. Called only for HTTP/2 requests. */
function isCancelled(request: IncomingMessage): boolean {
  const stream = streamOf(request);
  return stream.destroyed || stream.closed;
}

/**
 * Processes the requests of an HTTP/1.1 connection one after another. Node starts every request in a packet
 * immediately, and never reports the end of waiting requests when the connection closes.
 */
function inTurn(handle: Handler, stalled: StalledResponses, peers: Peers | null): Handler {
  const queues = new WeakMap<Socket, ConnectionQueue>();
  const open = (socket: Socket): ConnectionQueue => {
    const waiting: ConnectionQueue['waiting'] = [];
    const next = () => {
      if (socket.destroyed) return;
      const start = waiting.shift();
      if (waiting.length === 0) socket.resume();
      start?.();
    };
    const finish = () => {
      // Lets other connections proceed first.
      if (waiting.length > 0) setImmediate(next);
      else queue.busy = false;
    };
    const queue = { busy: false, waiting, finish };
    queues.set(socket, queue);
    return queue;
  };
  return (request, response) => {
    const { socket } = request;
    if (request.httpVersionMajor >= 2) {
      stalled.add(streamOf(request));
      if (request.method === 'HEAD') reportClose(request, response);
      // Waits for the rest of the packet, which may cancel the request.
      setImmediate(() => {
        if (!isCancelled(request)) handle(request, response);
      });
      return;
    }
    if (socket.destroyed) return;
    const queue = queues.get(socket) ?? open(socket);
    const { waiting, finish } = queue;
    if (!queue.busy) {
      queue.busy = true;
      response.once('close', finish);
      return handle(request, response);
    }
    const start = () => {
      response.once('close', finish);
      handle(request, response);
    };
    if (waiting.length >= maxWaiting || !mayPipeline(peers, socket)) return void socket.destroy();
    waiting.push(start);
    socket.pause();
  };
}
