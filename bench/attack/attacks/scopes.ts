import { ask, type Reply, tally } from '../ask.ts';
import type { Attack } from '../attack.ts';
import { click, expect, uniqueName } from '../world.ts';

export const scopeAttacks: readonly Attack[] = [
  {
    finding: '6',
    name: 'a key that may write users makes itself an administrator',
    run: async (world) => {
      const key = await world.narrowKey('users:read', 'users:write');
      const admin = uniqueName('admin');
      expect(await world.api('POST', '/user', { LoginID: admin, IsAdmin: true }, world.key), 201);
      const plain = uniqueName('plain');
      expect(await world.api('POST', '/user', { LoginID: plain }, key), 201);
      const bulk = await ask(`${world.service.baseUrl}/user/bulk`, {
        method: 'POST',
        key,
        headers: { 'content-type': 'application/x-ndjson' },
        body: `{"LoginID":"${uniqueName('bulk')}","IsAdmin":true}\n`,
      });
      const replies: Reply[] = [
        await world.api('POST', '/user', { LoginID: uniqueName('made'), IsAdmin: true }, key),
        await world.api('PUT', `/user/${plain}`, { IsAdmin: true }, key),
        await world.api('PUT', `/user/${admin}`, { Enabled: false }, key),
        await world.api('PUT', `/user/${admin}`, { Password: 'f'.repeat(64) }, key),
        await world.api('POST', `/user/session/${admin}`, {}, key),
        await world.api('DELETE', `/user/${admin}`, undefined, key),
      ];
      const isBulkRejected = bulk.status === 403 || JSON.stringify(bulk.body).includes('scope_missing');
      const withstood = replies.every(({ status }) => status === 403) && isBulkRejected;
      return { withstood, detail: `${tally(replies)}; bulk ${isBulkRejected ? 'refused' : bulk.status}` };
    },
  },
  {
    finding: '6',
    name: 'a key that may read enrolments starts a course',
    run: async (world) => {
      const key = await world.narrowKey('enrolments:read');
      const { loginId, enrollId } = await world.learner();
      const lists = await Promise.all([
        ask(`${world.service.baseUrl}/enrolment?Limit=200`, { key }),
        ask(`${world.service.baseUrl}/enrolment/${loginId}`, { key }),
        ask(`${world.service.baseUrl}/enrolment/${loginId}/${enrollId}`, { key }),
        ask(`${world.service.baseUrl}/enrolment`, { key, headers: { accept: 'application/x-ndjson' } }),
        ask(`${world.service.baseUrl}/enrolment/${loginId}/${enrollId}/explain`, { key }),
      ]);
      const leaked = lists.filter(({ body }) => JSON.stringify(body).includes('/launch?'));
      return {
        withstood: leaked.length === 0,
        detail: `${leaked.length} of ${lists.length} responses contain a LaunchURL`,
      };
    },
  },
  {
    finding: '6',
    name: "a tenant's key acts as the operator and on another tenant",
    run: async (world) => {
      const { loginId } = await world.learner();
      const replies = [
        await world.api('POST', '/tenant', { TenantID: uniqueName('t') }, world.key),
        await world.api('POST', '/tenant/acme/key', { Name: 'x' }, world.key),
        await world.api('PUT', '/course/phishing', { Title: 'Mine' }, world.key),
        await ask(`${world.service.baseUrl}/user`, { key: world.key, headers: { tenant: 'rival' } }),
        await world.api('GET', `/user/${loginId}`, undefined, world.rivalKey),
      ];
      return {
        withstood: replies.every(({ status }) => status === 403 || status === 404),
        detail: tally(replies),
      };
    },
  },
  {
    finding: '13',
    name: 'links, tickets and tokens with one character changed',
    run: async (world) => {
      const { launchUrl } = await world.learner();
      const { ticket } = await click(launchUrl);
      const changed = (text: string, at: number) =>
        text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
      const replies: Reply[] = [];
      // From an address that earlier attacks have not used: a 429 would prove nothing.
      const from = { localAddress: '127.0.0.8' };
      for (let back = 2; back < 40; back += 3) {
        replies.push(await ask(changed(launchUrl, launchUrl.length - back), from));
        const bad = changed(String(ticket), String(ticket).length - back);
        replies.push(await ask(`${bad}/session`, { method: 'POST', ...from }));
      }
      replies.push(
        await ask(`${world.service.baseUrl}/oauth/token`, { method: 'POST', body: '{}', ...from }),
      );
      const isRejected = ({ status }: Reply) => status >= 400 && status !== 429;
      return { withstood: replies.every(isRejected), detail: tally(replies) };
    },
  },
];
