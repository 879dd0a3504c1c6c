import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export type RawMailServer = {
  url: string;
  /** The recipients of the accepted messages, in order. */
  delivered: string[];
  /**
   * Returns the reply to a recipient. The server sends the reply unchanged, or closes the connection if it is
   * null.
   */
  onRecipient: (address: string) => string | null | Promise<string | null>;
  /** Returns the reply to a message in the same way. */
  onMessage: RawMailServer['onRecipient'];
  close: () => void;
};

/** A mail server on 127.0.0.1 that can break the protocol, unlike `startMailServer`. */
export async function startRawMailServer(): Promise<RawMailServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    void talk(socket, state);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const state: RawMailServer = {
    url: `smtp://127.0.0.1:${port}`,
    delivered: [],
    onRecipient: () => '250 ok',
    onMessage: () => '250 ok',
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return state;
}

async function talk(socket: Socket, server: RawMailServer): Promise<void> {
  const say = (reply: string | null) => (reply === null ? socket.destroy() : socket.write(`${reply}\r\n`));
  say('220 test');
  let recipient = '';
  let isMessage = false;
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (isMessage && line !== '.') continue;
    if (isMessage) {
      isMessage = false;
      const reply = await server.onMessage(recipient);
      if (reply?.startsWith('2') && socket.writable) server.delivered.push(recipient);
      say(reply);
    } else if (line.startsWith('RCPT')) {
      recipient = /<(.*)>/.exec(line)?.[1] ?? '';
      say(await server.onRecipient(recipient));
    } else {
      isMessage = line === 'DATA';
      say(isMessage ? '354 go on' : '250 ok');
    }
  }
}
