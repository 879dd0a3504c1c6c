import { setTimeout as pause } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { type Reply, sendRequest, tally } from '../send-request.ts';
import { click, expect, openSession } from '../target.ts';

const maxSeconds = 60;

/**
 * Repeats a request until it is rejected. Returns how many seconds this took, or null if the request is still
 * accepted after `seconds`.
 */
async function rejectedAfter(call: () => Promise<Reply>, seconds: number): Promise<number | null> {
  const begun = performance.now();
  while (performance.now() - begun < seconds * 1000) {
    if ((await call()).status >= 400) return (performance.now() - begun) / 1000;
    await pause(250);
  }
  return null;
}

export const accessAttacks: readonly Attack[] = [
  {
    name: `course files more than ${maxSeconds} s after expiry, withdrawal and disabling`,
    run: async (target) => {
      const learners = [await target.learner(), await target.learner(), await target.learner()] as const;
      const [expired, withdrawn, disabled] = learners;
      const sessions = await Promise.all(learners.map((learner) => openSession(learner)));
      const file = (n: number) => () => sendRequest(`${sessions[n]?.base}/content/index.html`);
      for (const n of [0, 1, 2]) expect(await file(n)(), 200);
      const change = (learner: (typeof learners)[0], fields: object) =>
        target.api('PUT', `/enrolment/${learner.loginId}/${learner.enrollId}`, fields, target.key);
      expect(await change(expired, { ExpiresAt: new Date(Date.now() + 1_000).toISOString() }), 200);
      expect(await change(withdrawn, { Withdrawn: true }), 200);
      expect(await target.api('PUT', `/user/${disabled.loginId}`, { Enabled: false }, target.key), 200);
      const after = await Promise.all([0, 1, 2].map((n) => rejectedAfter(file(n), maxSeconds)));
      const text = after
        .map((seconds) => (seconds === null ? 'never' : `${seconds.toFixed(1)} s`))
        .join(', ');
      return { withstood: after.every((seconds) => seconds !== null), detail: `refused after ${text}` };
    },
  },
  {
    name: 'keys, links and sessions of a suspended tenant',
    run: async (target) => {
      expect(await target.api('POST', '/tenant', { TenantID: 'late' }), 201);
      const made = expect(await target.api('POST', '/tenant/late/key', { Name: 'late' }), 201);
      const key = made.body.Secret as string;
      expect(await target.api('POST', '/user', { LoginID: 'one' }, key), 201);
      const { body } = expect(await target.api('POST', '/enrol/one/phishing', {}, key), 201);
      const learner = { loginId: 'one', enrollId: body.EnrollID, launchUrl: body.LaunchURL };
      const session = await openSession(learner);
      const calls = [
        () => sendRequest(`${target.service.baseUrl}/user`, { key }),
        async () => (await click(learner.launchUrl)).reply,
        () => sendRequest(`${session.base}/content/index.html`),
        () => sendRequest(`${session.base}/alive`),
      ];
      const change = await target.api('PUT', '/tenant/late', { Status: 'suspended' });
      if (change.status !== 200) return { withstood: false, detail: `suspending returned ${change.status}` };
      const after = await Promise.all(calls.map((call) => rejectedAfter(call, 6)));
      const text = after
        .map((seconds) => (seconds === null ? 'never' : `${seconds.toFixed(1)} s`))
        .join(', ');
      return { withstood: after.every((seconds) => seconds !== null), detail: `refused after ${text}` };
    },
  },
  {
    name: 'the log names the caller and the address of a rejected request',
    run: async (target) => {
      const key = await target.narrowKey('users:read');
      const refused = [
        await target.api('POST', '/user', { LoginID: 'x' }, key),
        await sendRequest(`${target.service.baseUrl}/user`, { key: 'nobody-has-this-key-0123456789' }),
      ];
      await pause(300);
      const lines = target.service.stdout().split('\n');
      const statusOf = (reply: Reply) =>
        lines.find((line) => line.includes(String(reply.headers['x-request-id'])));
      const [known, unknown] = refused.map((reply) => JSON.parse(statusOf(reply) ?? '{}'));
      const withstood =
        known.key !== null &&
        known.key !== undefined &&
        [known, unknown].every((line) => JSON.stringify(line).includes('127.0.0.1'));
      return { withstood, detail: `${tally(refused)}; key ${known.key ?? 'not named'}` };
    },
  },
];
