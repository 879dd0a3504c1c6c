import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Attack, Outcome } from '../attack.ts';
import { openSockets, type Reply, send, sendRequest, tally } from '../send-request.ts';
import { openSession, type Target } from '../target.ts';

const nested = '['.repeat(4 * 1024 * 1024);
const bomb = brotliCompressSync(nested);
const manyKeys = JSON.stringify(
  Object.fromEntries(Array.from({ length: 330_000 }, (_, n) => [`k${n}`, ''])),
).slice(0, 4 * 1024 * 1024);
/** Combining marks that take quadratic time to sort. */
const marks = `a${'\u0315'.repeat(40_000)}${'\u0316'.repeat(40_000)}`;
const unknown = '/play/bm9ib2R5.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/commit';
const quickMilliseconds = 500;

/** Sends the same body ten times. Each request must be rejected quickly. */
async function rejectedTenTimes(send: () => Promise<Reply>): Promise<Outcome> {
  const replies: Reply[] = [];
  for (let n = 0; n < 10; n++) replies.push(await send());
  const slowest = Math.round(Math.max(...replies.map(({ milliseconds }) => milliseconds)));
  // The service may also reject a client that sends megabytes by closing the connection (status 0).
  const withstood =
    replies.every(({ status }) => status === 0 || (status >= 400 && status < 500)) &&
    slowest < quickMilliseconds;
  return { withstood, detail: `${tally(replies)}, slowest ${slowest} ms` };
}

const compressed = { 'content-encoding': 'br', 'content-type': 'application/json' };

async function ownCommit(target: Target): Promise<string> {
  return `${(await openSession(await target.learner())).base}/commit`;
}

/** Sends the headers of a request, but never its body. */
function withoutBody(target: Target, path: string, authorization: string): Promise<Outcome> {
  const begun = performance.now();
  const { host } = new URL(target.service.baseUrl);
  return new Promise((resolve) => {
    const request = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${authorization}content-type: application/json\r\ncontent-length: 1000000\r\n\r\n`;
    const response = (text: string) => {
      const waited = Math.round(performance.now() - begun);
      close();
      clearTimeout(late);
      resolve({
        withstood: / 4\d\d /.test(text) && waited < quickMilliseconds,
        detail: `${text.slice(9, 12)} after ${waited} ms`,
      });
    };
    const close = openSockets(target.service.baseUrl, 1, request, undefined, response);
    const late = setTimeout(response, 3_000, '');
  });
}

export const bodyAttacks: readonly Attack[] = [
  {
    name: `a commit of ${bomb.length} bytes that expands to 4 MiB, to an unknown session`,
    run: ({ service }) =>
      rejectedTenTimes(() =>
        sendRequest(service.contentUrl + unknown, { method: 'POST', headers: compressed, body: bomb }),
      ),
  },
  {
    name: 'the same from a real session',
    run: async (target) => {
      const address = await ownCommit(target);
      return rejectedTenTimes(() =>
        sendRequest(address, { method: 'POST', headers: compressed, body: bomb }),
      );
    },
  },
  {
    name: 'a gzipped body to the API with a valid key',
    run: ({ service, key }) =>
      rejectedTenTimes(() =>
        sendRequest(`${service.baseUrl}/user`, {
          method: 'POST',
          key,
          headers: { 'content-encoding': 'gzip' },
          body: gzipSync(nested),
        }),
      ),
  },
  {
    name: '4 MiB with 330,000 keys to an unknown session',
    run: ({ service }) =>
      rejectedTenTimes(() => sendRequest(service.contentUrl + unknown, { method: 'POST', body: manyKeys })),
  },
  {
    name: '4 MiB with 330,000 keys from a real session',
    run: async (target) => {
      const address = await ownCommit(target);
      return rejectedTenTimes(() => sendRequest(address, { method: 'POST', body: manyKeys }));
    },
  },
  {
    name: '1 MiB of opening brackets to the API with a valid key',
    run: ({ service, key }) =>
      rejectedTenTimes(() =>
        sendRequest(`${service.baseUrl}/user`, { method: 'POST', key, body: nested.slice(0, 1_000_000) }),
      ),
  },
  {
    name: 'a LoginID of 80,000 combining marks',
    run: ({ service, key }) =>
      rejectedTenTimes(() => send(`${service.baseUrl}/user`, 'POST', { LoginID: marks }, key)),
  },
  {
    name: 'a commit with an invalid number of 36,000 digits',
    run: async (target) => {
      const { commit } = await openSession(await target.learner());
      const { status, milliseconds } = await commit({
        Data: { 'lectern.seconds': `${'1'.repeat(36_000)}x` },
      });
      const detail = `${status} after ${Math.round(milliseconds)} ms`;
      return { withstood: status > 0 && status < 500 && milliseconds < quickMilliseconds, detail };
    },
  },
];

/** Bodies that never end. */
export const endlessBodyAttacks: readonly Attack[] = [
  {
    name: 'an unknown key that declares a body and never sends it',
    run: (target) =>
      withoutBody(target, '/user', 'authorization: Bearer not-a-key-of-anybody-0123456789\r\n'),
  },
  {
    name: 'a request without a key that declares a body and never sends it',
    run: (target) => withoutBody(target, '/user', ''),
  },
];
