import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Outcome } from '../attack.ts';
import { openSockets, type Reply, send, sendRequest, tally } from '../send-request.ts';
import { expect, type Target, uniqueName, webCourse } from '../target.ts';

function outcome(replies: readonly Reply[]): Outcome {
  const withstood = replies.every(
    ({ status, headers, body }) =>
      status < 300 ||
      ([429, 503].includes(status) && (typeof body === 'string' || headers['retry-after'] !== undefined)),
  );
  return { withstood: withstood && replies.some(({ status }) => status === 200), detail: tally(replies) };
}

/** Runs this many concurrent callers for 6 s. A caller whose request is rejected waits 0.5 s. */
async function callRepeatedly(callers: number, call: () => Promise<Reply>): Promise<Reply[]> {
  const until = performance.now() + 6_000;
  const replies: Reply[] = [];
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      const reply = await call();
      replies.push(reply);
      if (reply.status >= 300) await pause(500);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return replies;
}

const ndjson = { 'content-type': 'application/x-ndjson' };

/** 200 enrolments with the maximum amount of Metadata: at least 4 MB of UTF-8. */
async function fillEnrolments({ service, key }: Target): Promise<void> {
  const names = Array.from({ length: 200 }, () => uniqueName('large'));
  const Metadata = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`k${n}`, '\u{1F600}'.repeat(250)]),
  );
  const post = async (path: string, rows: object[]) => {
    const body = rows.map((row) => JSON.stringify(row)).join('\n');
    expect(await sendRequest(service.baseUrl + path, { method: 'POST', key, headers: ndjson, body }), 200);
  };
  await post(
    '/user/bulk',
    names.map((LoginID) => ({ LoginID })),
  );
  await post(
    '/enrol/bulk',
    names.map((LoginID) => ({ LoginID, CourseID: webCourse, Metadata })),
  );
}

/** Expensive operations that a single key may call. */
export const heavyAttacks: readonly Attack[] = [
  {
    name: '150 concurrent password checks with one key',
    run: async ({ service, key }) =>
      outcome(
        await callRepeatedly(150, () =>
          sendRequest(`${service.baseUrl}/user/check/${uniqueName('none')}`, {
            method: 'POST',
            key,
            body: JSON.stringify({ Password: 'a'.repeat(64) }),
          }),
        ),
      ),
  },
  {
    name: '900 changes to one enrolment at once, with the key of another tenant',
    run: async ({ service, api, rivalKey }) => {
      const LoginID = uniqueName('rival');
      expect(await api('POST', '/user', { LoginID }, rivalKey), 201);
      const { body } = expect(await api('POST', `/enrol/${LoginID}/${webCourse}`, {}, rivalKey), 201);
      const address = `${service.baseUrl}/enrolment/${LoginID}/${body.EnrollID}`;
      return outcome(
        await callRepeatedly(900, () => send(address, 'PUT', { Reference: uniqueName('order') }, rivalKey)),
      );
    },
  },
  {
    name: '300 concurrent lists of large enrolments with one key',
    run: async (target) => {
      await fillEnrolments(target);
      const { service, key } = target;
      return outcome(
        await callRepeatedly(300, () => sendRequest(`${service.baseUrl}/enrolment?Limit=200`, { key })),
      );
    },
  },
  {
    name: '300 lists of large enrolments that are never read',
    run: async (target) => {
      const { service, key } = target;
      await fillEnrolments(target);
      const { host } = new URL(service.baseUrl);
      const request = `GET /enrolment?Limit=200 HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`;
      const close = openSockets(service.baseUrl, 300, request, undefined, null);
      await pause(6_000);
      const reply = await sendRequest(`${service.baseUrl}/user`, { key: target.rivalKey });
      close();
      return { withstood: reply.status === 200, detail: `another tenant's list: ${reply.status}` };
    },
  },
  {
    name: 'two bulk calls with 50,000 one-character rows each',
    run: async ({ service, key }) => {
      const body = '1\n'.repeat(50_000);
      const call = () =>
        sendRequest(`${service.baseUrl}/user/bulk`, { method: 'POST', key, headers: ndjson, body });
      return outcome(await Promise.all([call(), call()]));
    },
  },
];
