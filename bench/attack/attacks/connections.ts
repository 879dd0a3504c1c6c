import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import type { Running } from '../../../server/test/support/process.ts';
import type { Attack, Outcome } from '../attack.ts';
import { openSockets, type Reply, sendRequest, tally } from '../send-request.ts';
import type { Target } from '../target.ts';

function openSessions(origin: string, count: number, window?: number): ClientHttp2Session[] {
  return Array.from({ length: count }, () => {
    const settings = window === undefined ? {} : { initialWindowSize: window };
    const session = connect(origin, { settings });
    return session.on('error', () => {});
  });
}

/** Sends a request. Without `ends`, its body never ends. The response's status is added to `statuses`. */
function request(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  statuses: { status: number }[],
  ends = true,
): void {
  if (session.destroyed || session.closed) return;
  const stream = session.request(headers, { endStream: ends });
  stream.on('response', (answer) => statuses.push({ status: answer[':status'] ?? 0 }));
  stream.on('error', () => {}).resume();
  if (!ends) stream.write('g');
}

function megabytes({ child }: Running): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Opens 100 sessions with 100 requests each, and never reads the responses. */
async function unreadResponses({ service, http2 }: Target): Promise<Outcome> {
  const before = megabytes(service);
  const sessions = openSessions(http2 ?? '', 100, 0);
  const statuses: { status: number }[] = [];
  for (const session of sessions)
    for (let nth = 0; nth < 100; nth++) request(session, { ':path': '/nothing' }, statuses);
  await pause(5_000);
  const grown = megabytes(service) - before;
  for (const session of sessions) session.destroy();
  return { withstood: grown < 100, detail: `+${grown} MB` };
}

/** Sends 50 request bodies that have no declared length and never end. */
async function endlessBodies({ http2 }: Target): Promise<Outcome> {
  const [session] = openSessions(http2 ?? '', 1);
  const statuses: { status: number }[] = [];
  const headers = {
    ':method': 'POST',
    ':path': '/oauth/token',
    'content-type': 'application/x-www-form-urlencoded',
  };
  for (let nth = 0; nth < 50 && session; nth++) request(session, headers, statuses, false);
  await pause(7_000);
  session?.destroy();
  // The honest client's response times show the effect.
  return { withstood: true, detail: tally(statuses) };
}

export const connectionAttacks: readonly Attack[] = [
  {
    name: '40 pupils sign in from one address at the same moment',
    run: async ({ service }) => {
      await pause(2_000);
      const body = (n: number) =>
        JSON.stringify({ TenantID: 'acme', LoginID: `pupil-${n}`, Password: 'f'.repeat(64) });
      const replies: Reply[] = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          sendRequest(`${service.baseUrl}/session`, {
            method: 'POST',
            localAddress: '127.0.0.7',
            body: body(n),
          }),
        ),
      );
      return { withstood: replies.every(({ status }) => status === 401), detail: tally(replies) };
    },
  },
  {
    name: '2,500 connections from one address that keep sending requests',
    run: async ({ service }) => {
      let answered = 0;
      const requests = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
      const close = openSockets(service.baseUrl, 2_500, requests, requests, (text) => {
        answered += text.split('HTTP/1.1 200').length - 1;
      });
      await pause(6_000);
      close();
      return { withstood: true, detail: `${answered} requests answered in 6 s` };
    },
  },
  {
    name: 'HTTP/2: 10,000 responses that are never read',
    run: unreadResponses,
  },
  {
    name: 'HTTP/2: 50 bodies without a length that never end',
    run: endlessBodies,
  },
];
