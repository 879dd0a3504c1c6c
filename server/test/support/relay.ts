import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePorts } from './process.ts';

/** A relay to the server. Tests can cut its connections. */
export async function relayTo(target: { host: string; port: number }) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(target);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(from);
      from
        .on('error', () => {})
        .on('close', () => {
          open.delete(from);
          to.destroy();
        });
      from.pipe(to);
    }
  });
  const [port = 0] = await freePorts(1);
  const join = async () => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
  await join();
  return { port, join, cut };
}
