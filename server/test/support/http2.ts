import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectTls } from 'node:tls';

/**
 * Opens a session from an address on this machine. `window` is the flow-control window for each response, in
 * bytes.
 */
export async function openSession(
  origin: string,
  { from = '127.0.0.1', window = 65_535 } = {},
): Promise<ClientHttp2Session> {
  const { port } = new URL(origin);
  const options = { host: '127.0.0.1', port: Number(port), localAddress: from, ALPNProtocols: ['h2'] };
  const session = connect(origin, {
    createConnection: () => connectTls({ ...options, rejectUnauthorized: false }),
    settings: { initialWindowSize: window },
  });
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  return session;
}

/** Sends a request and waits for its status. Without `endStream`, a body will follow. */
export function send(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  endStream = true,
): { stream: ClientHttp2Stream; status: () => number | null } {
  const stream = session.request(headers, { endStream });
  let status: number | null = null;
  stream
    .on('error', () => {})
    .on('response', (answer) => {
      status = answer[':status'] ?? null;
    });
  stream.resume();
  return { stream, status: () => status };
}
