import { connect, type Socket } from 'node:net';

/** `once` is the Idempotency-Key. */
export type Request = { method: 'GET' | 'POST'; path: string; body?: string; key?: string; once?: string };

export type Load = {
  /** The connections are distributed across these origins. */
  origins: string[];
  connections: number;
  seconds: number;
  /**
   * Requests per second, sent without waiting for responses (open loop). If null, each connection sends its
   * next request after receiving a response.
   */
  rate: number | null;
  expected: number;
  next: () => Request;
};

export type Figure = {
  answered: number;
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  slowest: number;
  /** The number of responses with other statuses and of closed connections. */
  wrong: number;
  firstWrong: string | null;
};

type OpenConnection = {
  socket: Socket;
  host: string;
  busy: boolean;
  since: number;
  parts: Buffer[];
  need: number;
  isChunked: boolean;
};

function bytesOf(request: Request, host: string): string {
  const { method, path, body, key, once } = request;
  const auth = key === undefined ? '' : `authorization: Bearer ${key}\r\n`;
  const version = path.startsWith('/xapi/') ? 'x-experience-api-version: 2.0.0\r\n' : '';
  const name = (once === undefined ? '' : `idempotency-key: ${once}\r\n`) + version;
  const content =
    body === undefined
      ? ''
      : `content-type: ${path.includes('/bulk') ? 'application/x-ndjson' : 'application/json'}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${auth}${name}${content}\r\n${body ?? ''}`;
}

const chunkedEnd = Buffer.from('0\r\n\r\n');

/**
 * Sends HTTP/1.1 over plain sockets and reads only the status and the end of each response. It uses about a fifth of
 * autocannon's CPU time; autocannon itself would be the bottleneck on a machine shared with the service.
 */
export async function generateLoad(load: Load): Promise<Figure> {
  const { origins, connections, seconds, rate, expected } = load;
  const latencies: number[] = [];
  const due: number[] = [];
  let wrong = 0;
  let firstWrong: string | null = null;
  let ended = false;
  let answered = 0;

  const free: OpenConnection[] = [];
  const send = (connection: OpenConnection, since: number) => {
    connection.busy = true;
    connection.since = since;
    connection.socket.write(bytesOf(load.next(), connection.host), 'utf8');
  };
  const fail = (what: string) => {
    wrong += 1;
    firstWrong ??= what;
  };
  const finish = (connection: OpenConnection, status: number, text: () => string) => {
    connection.parts = [];
    connection.need = 0;
    connection.busy = false;
    if (ended) return;
    answered += 1;
    if (status === expected) latencies.push(performance.now() - connection.since);
    else fail(`${status} ${text()}`);
    if (rate === null) send(connection, performance.now());
    else {
      const next = due.shift();
      if (next === undefined) free.push(connection);
      else send(connection, next);
    }
  };
  const receive = (connection: OpenConnection, data: Buffer) => {
    connection.parts.push(data);
    let whole = data;
    if (connection.need === 0) {
      if (connection.parts.length > 1) {
        whole = Buffer.concat(connection.parts);
        connection.parts = [whole];
      }
      const end = whole.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = whole.toString('latin1', 0, end).toLowerCase();
      const at = head.indexOf('\r\ncontent-length:');
      connection.isChunked = at < 0 && head.includes('\r\ntransfer-encoding: chunked');
      connection.need = end + 4 + (at < 0 ? 0 : Number.parseInt(head.slice(at + 17, at + 30), 10));
    }
    const status = () => Number((connection.parts[0] as Buffer).toString('latin1', 9, 12));
    const text = () => Buffer.concat(connection.parts).toString().split('\r\n\r\n')[1]?.slice(0, 300) ?? '';
    if (
      connection.isChunked
        ? data.subarray(-5).equals(chunkedEnd)
        : sizeOf(connection.parts) >= connection.need
    )
      finish(connection, status(), text);
  };

  const opened = await Promise.all(
    Array.from({ length: connections }, async (_, index): Promise<OpenConnection> => {
      const { hostname, port, host } = new URL(origins[index % origins.length] ?? '');
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await new Promise<void>((resolve, reject) => {
        socket.once('connect', resolve).once('error', reject);
      });
      const connection = { socket, host, busy: false, since: 0, parts: [], need: 0, isChunked: false };
      socket.on('data', (data) => receive(connection, data));
      socket.on('error', () => {});
      socket.on('close', () => {
        if (!ended) fail('a connection ended');
      });
      return connection;
    }),
  );
  const began = performance.now();
  if (rate === null) for (const connection of opened) send(connection, performance.now());
  else {
    free.push(...opened);
    pace(
      rate,
      () => ended,
      (at) => {
        const connection = free.pop();
        if (connection) send(connection, at);
        else due.push(at);
      },
    );
  }
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const elapsed = (performance.now() - began) / 1000;
  ended = true;
  await settle(opened);
  latencies.sort((a, b) => a - b);
  const at = (part: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? 0;
  return {
    answered,
    perSecond: (answered - wrong) / elapsed,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    slowest: latencies.at(-1) ?? 0,
    wrong: wrong + due.length,
    firstWrong: firstWrong ?? (due.length > 0 ? `${due.length} requests found no free connection` : null),
  };
}

function sizeOf(parts: Buffer[]): number {
  let size = 0;
  for (const { length } of parts) size += length;
  return size;
}

/** Calls at a steady rate. If a timer is late, the missed calls are sent immediately and measured from their due time. */
function pace(rate: number, isOver: () => boolean, tick: (at: number) => void): void {
  const began = performance.now();
  let made = 0;
  const step = () => {
    if (isOver()) return;
    const now = performance.now();
    for (; began + (made * 1000) / rate <= now; made++) tick(began + (made * 1000) / rate);
    setTimeout(step, 1);
  };
  step();
}

/** Waits for pending requests, so that the next load starts on an idle service. */
async function settle(opened: OpenConnection[]): Promise<void> {
  for (let time = 0; time < 500 && opened.some(({ busy }) => busy); time++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  for (const { socket } of opened) socket.destroy();
}
