import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** Attackers and honest clients use different addresses of this machine, as they would on the internet. */
export const attackerAddress = '127.0.0.1';
export const honestAddress = '127.0.0.2';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
export type Reply = { status: number; headers: Record<string, unknown>; body: any; milliseconds: number };

export type RequestOptions = {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
  key?: string;
  agent?: Agent;
  localAddress?: string;
};

/** Resolves names under `localhost` to this machine, regardless of the system's resolver. */
export function addressOf(url: URL): { host: string; port: number; name: string } {
  const isLocal = url.hostname === 'localhost' || url.hostname.endsWith('.localhost');
  return { host: isLocal ? '127.0.0.1' : url.hostname, port: Number(url.port || 80), name: url.host };
}

/** Sends one request. The status is 0 if the connection ends without a response. */
export function sendRequest(address: string, options: RequestOptions = {}): Promise<Reply> {
  const url = new URL(address);
  const { host, port, name } = addressOf(url);
  const { method = 'GET', body, key, agent, localAddress = attackerAddress } = options;
  const headers: OutgoingHttpHeaders = { host: name, ...options.headers };
  if (key) headers.authorization = `Bearer ${key}`;
  if (body !== undefined) {
    headers['content-type'] ??= 'application/json';
    headers['content-length'] ??= Buffer.byteLength(body);
  }
  const begun = performance.now();
  const past = () => performance.now() - begun;
  return new Promise((resolve) => {
    const broken = (): void => resolve({ status: 0, headers: {}, body: null, milliseconds: past() });
    const sent = request(
      { host, port, localAddress, method, path: url.pathname + url.search, headers, agent, timeout: 30_000 },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('close', () => {
          const text = Buffer.concat(parts).toString();
          const isJson = /[/+]json/.test(response.headers['content-type'] ?? '') && text !== '';
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: isJson && response.complete ? JSON.parse(text) : text,
            milliseconds: past(),
          });
        });
      },
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', broken);
    sent.end(body);
  });
}

export function send(address: string, method: string, body: unknown, key?: string): Promise<Reply> {
  return sendRequest(address, { method, body: JSON.stringify(body), ...(key ? { key } : {}) });
}

/**
 * Opens connections that send the given bytes, and then `drip` once a second. Returns a function that closes
 * them.
 */
export function openSockets(
  address: string,
  count: number,
  first: string,
  drip?: string,
  /** If null, the response is never read. */
  onData: ((text: string) => void) | null = () => {},
): () => void {
  const { host, port } = addressOf(new URL(address));
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = connect({ host, port, localAddress: attackerAddress }, () => socket.write(first));
    socket.on('error', () => {});
    if (onData) socket.on('data', (data) => onData(data.toString()));
    sockets.push(socket);
  }
  const timer = drip === undefined ? null : setInterval(() => sockets.map((one) => one.write(drip)), 1_000);
  return () => {
    if (timer) clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}

/** The number of responses by status, as text: "401 × 10". */
export function tally(replies: readonly { status: number }[]): string {
  const counts = new Map<number, number>();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${status || 'no answer'} × ${count}`).join(', ');
}
