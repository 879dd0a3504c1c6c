import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Outcome } from '../attack.ts';
import {
  addressOf,
  attackerAddress,
  openSockets,
  type Reply,
  send,
  sendRequest,
  tally,
} from '../send-request.ts';
import { openSession, type Target, uniqueName } from '../target.ts';

const holdMilliseconds = 8_000;

/**
 * Opens 2,010 connections, each of which sends a body as slowly as allowed. The honest client's response
 * times show the effect.
 */
async function slowBodies(origin: string, path: string, first = ''): Promise<Outcome> {
  const { host } = new URL(origin);
  const request = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${first}content-type: application/x-www-form-urlencoded\r\ncontent-length: 900000\r\n\r\n`;
  const close = openSockets(origin, 2_010, request, 'x'.repeat(600));
  await pause(holdMilliseconds);
  close();
  return { withstood: true, detail: `2,010 connections for ${holdMilliseconds / 1000} s` };
}

async function callInParallel(count: number, call: (n: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => call(n)));
}

/** nginx's own responses are not JSON and have no such header. */
function retryAfterEverywhere(replies: readonly Reply[]): boolean {
  return replies
    .filter(({ status, body }) => (status === 429 || status === 503) && typeof body === 'object')
    .every(({ headers }) => headers['retry-after'] !== undefined);
}

/** Sends an endless stream of rows until the service stops accepting it. */
async function manyRows(target: Target, key: string): Promise<Reply> {
  const row = `{"LoginID":"u","FirstName":"${'x'.repeat(1_000)}"}\n`.repeat(1_000);
  return sendRequest(`${target.service.baseUrl}/user/bulk?Plan=true`, {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/x-ndjson' },
    body: row.repeat(20),
  });
}

/**
 * Each connection of another tenant's learners requests one byte of a course file as soon as it has received
 * the previous byte. Uses plain sockets, because a real attacker would be on another machine and must use
 * little CPU time here.
 */
async function fileFlood({ learner, rivalKey }: Target): Promise<Outcome> {
  const sessions = await Promise.all(
    Array.from({ length: 10 }, async () => openSession(await learner({}, rivalKey))),
  );
  const replies: { status: number }[] = [];
  const sockets: Socket[] = [];
  const open = (n: number) => {
    const url = new URL(sessions[n % sessions.length]?.base ?? '');
    const { host, port, name } = addressOf(url);
    const request = `GET ${url.pathname}/content/index.html HTTP/1.1\r\nhost: ${name}\r\nrange: bytes=0-0\r\n\r\n`;
    const socket = connect({ host, port, localAddress: attackerAddress }, () => socket.write(request));
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const status = /^HTTP\/1.1 (\d+)/.exec(data.toString('latin1', 0, 12))?.[1];
      if (status === undefined) return;
      replies.push({ status: Number(status) });
      socket.write(request);
    });
    sockets.push(socket);
  };
  // Opens the connections gradually, because Node.js accepts only one in each turn of the event loop: see
  // "What is not defended" in SECURITY.md.
  for (let n = 0; n < 1_000; n++) {
    open(n);
    if (n % 25 === 0) await pause(25);
  }
  await pause(holdMilliseconds);
  for (const socket of sockets) socket.destroy();
  return { withstood: true, detail: `1,000 connections: ${tally(replies)}` };
}

export const floodAttacks: readonly Attack[] = [
  {
    name: "1,000 connections of another tenant's learners request a byte of a file each, endlessly",
    run: fileFlood,
  },
  {
    name: '2,010 slow bodies to /oauth/token',
    run: ({ service }) => slowBodies(service.baseUrl, '/oauth/token'),
  },
  {
    name: '2,010 slow bodies to the sign-in',
    run: ({ service }) => slowBodies(service.baseUrl, '/session'),
  },
  {
    name: '2,010 slow bodies to an unknown session',
    run: ({ service }) =>
      slowBodies(service.contentUrl, '/play/bm9ib2R5.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/commit'),
  },
  {
    name: '2,000 connections that never finish their headers',
    run: async ({ service }) => {
      const close = openSockets(service.baseUrl, 2_000, 'GET / HTTP/1.1\r\n', 'x: y\r\n');
      await pause(holdMilliseconds);
      close();
      return { withstood: true, detail: `2,000 connections for ${holdMilliseconds / 1000} s` };
    },
  },
  {
    name: '200 simultaneous wrong passwords at sign-in',
    run: async ({ service }) => {
      const replies = await callInParallel(200, (n) =>
        sendRequest(`${service.baseUrl}/session`, {
          method: 'POST',
          headers: { origin: service.baseUrl, 'sec-fetch-site': 'same-origin' },
          body: JSON.stringify({ TenantID: 'acme', LoginID: `nobody-${n}`, Password: 'f'.repeat(64) }),
        }),
      );
      const isRejected = replies.every(({ status }) => status >= 400);
      return { withstood: isRejected && retryAfterEverywhere(replies), detail: tally(replies) };
    },
  },
  {
    name: '5,000 requests with made-up keys',
    run: async ({ service }) => {
      const replies: Reply[] = [];
      for (let round = 0; round < 25; round++)
        replies.push(
          ...(await callInParallel(200, (n) =>
            sendRequest(`${service.baseUrl}/user`, { key: `made-up-key-${round}-${n}-0123456789abcdef` }),
          )),
        );
      const isRejected = replies.every(({ status }) => [0, 401, 429, 503].includes(status));
      return { withstood: isRejected && retryAfterEverywhere(replies), detail: tally(replies) };
    },
  },
  {
    name: 'eight simultaneous bulk calls with one key',
    run: async (target) => {
      const replies = await callInParallel(8, () => manyRows(target, target.key));
      const taken = replies.filter(({ status }) => status === 200).length;
      return { withstood: taken <= 4 && taken > 0 && retryAfterEverywhere(replies), detail: tally(replies) };
    },
  },
  {
    name: 'one extension sent 20 times at once under one Idempotency-Key',
    run: async (target) => {
      const { loginId, enrollId } = await target.learner();
      const before = await target.api('GET', `/enrolment/${loginId}/${enrollId}`, undefined, target.key);
      const headers = { 'idempotency-key': uniqueName('extend') };
      const replies = await callInParallel(20, () =>
        sendRequest(`${target.service.baseUrl}/enrol/${loginId}/phishing`, {
          method: 'POST',
          key: target.key,
          headers,
          body: '{"IfEnrolled":"extend"}',
        }),
      );
      const after = await target.api('GET', `/enrolment/${loginId}/${enrollId}`, undefined, target.key);
      const years =
        (Date.parse(after.body.ExpiresAt) - Date.parse(before.body.ExpiresAt)) / (365 * 86_400_000);
      return {
        withstood: Math.round(years) === 1,
        detail: `${tally(replies)}, extended ${years.toFixed(1)} years`,
      };
    },
  },
  {
    name: '30 keys that read as fast as they can',
    run: async (target) => {
      const until = performance.now() + 3_000;
      const replies: Reply[] = [];
      await callInParallel(30, async () => {
        let reply = await send(
          `${target.service.baseUrl}/user/check/nobody`,
          'POST',
          { Password: 'x' },
          target.key,
        );
        while (performance.now() < until) {
          reply = await sendRequest(`${target.service.baseUrl}/user`, { key: target.rivalKey });
          replies.push(reply);
        }
        return reply;
      });
      return { withstood: retryAfterEverywhere(replies), detail: tally(replies) };
    },
  },
];
