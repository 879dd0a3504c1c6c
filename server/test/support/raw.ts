import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type RawResponse = { status: number; head: string; body: string; milliseconds: number };

/** A connection on which a test can write anything, including data that no HTTP client would send. */
export async function openSocket(origin: string, from = '127.0.0.1'): Promise<Socket> {
  const { port } = new URL(origin);
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends the text and waits for the head of a response. The connection stays open. */
export async function ask(socket: Socket, text: string | Buffer): Promise<RawResponse> {
  const begun = performance.now();
  let all = '';
  const answered = new Promise<void>((resolve) => {
    const take = (part: Buffer) => {
      all += part;
      if (!all.includes('\r\n\r\n')) return;
      socket.off('data', take);
      resolve();
    };
    socket.on('data', take).once('close', resolve);
  });
  socket.write(text);
  await answered;
  const [head = '', body = ''] = all.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body, milliseconds: performance.now() - begun };
}
