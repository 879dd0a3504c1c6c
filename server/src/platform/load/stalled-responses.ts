import type { Server } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { cancel } from '../http/http2.ts';
import { silenceMilliseconds } from './slow-clients.ts';

/**
 * The default of nginx's send_timeout. A video player that was suspended requests the rest of the
 * video again.
 */
const maxMilliseconds = 60_000;
const checksPerTimeout = 6;

export type StalledResponses = { follow: (server: Server) => void; add: (stream: ServerHttp2Stream) => void };

/** Drops responses from which the client has read nothing for a minute, because they occupy memory. */
export function watchStalledResponses(onDrop: () => void, milliseconds = maxMilliseconds): StalledResponses {
  const sockets = new Set<Socket>();
  /** The unsent bytes of each response at the last check, and the time of their last change. */
  const streams = new Map<ServerHttp2Stream, { left: number; since: number }>();
  const checkAll = () => {
    for (const socket of sockets) checkSocket(socket, milliseconds);
    const now = performance.now();
    for (const [stream, seen] of streams) {
      const left = stream.writableLength;
      const isLeaving = stream.headersSent && (stream.writableEnded || left > 0);
      if (!isLeaving || left !== seen.left) Object.assign(seen, { left, since: now });
      else if (now - seen.since >= milliseconds) {
        onDrop();
        cancel(stream);
      }
    }
  };
  return {
    follow: (server) => {
      const timer = setInterval(checkAll, milliseconds / checksPerTimeout).unref();
      server.once('close', () => clearInterval(timer));
      for (const event of ['connection', 'secureConnection'])
        server.on(event, (socket: Socket) => {
          sockets.add(socket);
          socket.once('close', () => sockets.delete(socket));
        });
    },
    add: (stream) => {
      streams.set(stream, { left: -1, since: 0 });
      stream.once('close', () => streams.delete(stream));
    },
  };
}

/**
 * Node closes a socket that has no traffic during its timeout, and knows how much of a long write
 * was sent.
 */
function checkSocket(socket: Socket, milliseconds: number): void {
  if (socket.writableLength > 0) {
    if (socket.timeout !== milliseconds) socket.setTimeout(milliseconds);
  } else if (socket.timeout === milliseconds) socket.setTimeout(silenceMilliseconds);
}
