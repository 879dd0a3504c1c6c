import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Reply, tally } from '../ask.ts';
import type { Attack } from '../attack.ts';
import { click, expect, openSession } from '../world.ts';

const maxSeconds = 60;

/** Repeats a request until it is rejected; returns how long that took. */
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
    finding: '8',
    name: `course files more than ${maxSeconds} s after expiry, withdrawal and disabling`,
    run: async (world) => {
      const learners = [await world.learner(), await world.learner(), await world.learner()] as const;
      const [expired, withdrawn, disabled] = learners;
      const sessions = await Promise.all(learners.map((learner) => openSession(learner)));
      const file = (n: number) => () => ask(`${sessions[n]?.base}/content/index.html`);
      for (const n of [0, 1, 2]) expect(await file(n)(), 200);
      const change = (learner: (typeof learners)[0], fields: object) =>
        world.api('PUT', `/enrolment/${learner.loginId}/${learner.enrollId}`, fields, world.key);
      expect(await change(expired, { ExpiresAt: new Date(Date.now() + 1_000).toISOString() }), 200);
      expect(await change(withdrawn, { Withdrawn: true }), 200);
      expect(await world.api('PUT', `/user/${disabled.loginId}`, { Enabled: false }, world.key), 200);
      const after = await Promise.all([0, 1, 2].map((n) => rejectedAfter(file(n), maxSeconds)));
      const text = after
        .map((seconds) => (seconds === null ? 'never' : `${seconds.toFixed(1)} s`))
        .join(', ');
      return { withstood: after.every((seconds) => seconds !== null), detail: `refused after ${text}` };
    },
  },
  {
    finding: '14',
    name: 'keys, links and sessions of a suspended tenant',
    run: async (world) => {
      expect(await world.api('POST', '/tenant', { TenantID: 'late' }), 201);
      const made = expect(await world.api('POST', '/tenant/late/key', { Name: 'late' }), 201);
      const key = made.body.Secret as string;
      expect(await world.api('POST', '/user', { LoginID: 'one' }, key), 201);
      const { body } = expect(await world.api('POST', '/enrol/one/phishing', {}, key), 201);
      const learner = { loginId: 'one', enrollId: body.EnrollID, launchUrl: body.LaunchURL };
      const session = await openSession(learner);
      const calls = [
        () => ask(`${world.service.baseUrl}/user`, { key }),
        async () => (await click(learner.launchUrl)).reply,
        () => ask(`${session.base}/content/index.html`),
        () => ask(`${session.base}/alive`),
      ];
      const change = await world.api('PUT', '/tenant/late', { Status: 'suspended' });
      if (change.status !== 200) return { withstood: false, detail: `suspending returned ${change.status}` };
      const after = await Promise.all(calls.map((call) => rejectedAfter(call, 6)));
      const text = after
        .map((seconds) => (seconds === null ? 'never' : `${seconds.toFixed(1)} s`))
        .join(', ');
      return { withstood: after.every((seconds) => seconds !== null), detail: `refused after ${text}` };
    },
  },
  {
    finding: '12',
    name: 'the log names the caller and the address of a rejected request',
    run: async (world) => {
      const key = await world.narrowKey('users:read');
      const refused = [
        await world.api('POST', '/user', { LoginID: 'x' }, key),
        await ask(`${world.service.baseUrl}/user`, { key: 'nobody-has-this-key-0123456789' }),
      ];
      await pause(300);
      const lines = world.service.stdout().split('\n');
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
