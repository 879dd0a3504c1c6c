import type { Attack } from '../attack.ts';
import { type Reply, sendRequest, tally } from '../send-request.ts';
import { click, expect, uniqueName } from '../target.ts';

export const scopeAttacks: readonly Attack[] = [
  {
    name: 'a key that may write users makes itself an administrator',
    run: async (target) => {
      const key = await target.narrowKey('users:read', 'users:write');
      const admin = uniqueName('admin');
      expect(await target.api('POST', '/user', { LoginID: admin, IsAdmin: true }, target.key), 201);
      const plain = uniqueName('plain');
      expect(await target.api('POST', '/user', { LoginID: plain }, key), 201);
      const bulk = await sendRequest(`${target.service.baseUrl}/user/bulk`, {
        method: 'POST',
        key,
        headers: { 'content-type': 'application/x-ndjson' },
        body: `{"LoginID":"${uniqueName('bulk')}","IsAdmin":true}\n`,
      });
      const replies: Reply[] = [
        await target.api('POST', '/user', { LoginID: uniqueName('made'), IsAdmin: true }, key),
        await target.api('PUT', `/user/${plain}`, { IsAdmin: true }, key),
        await target.api('PUT', `/user/${admin}`, { Enabled: false }, key),
        await target.api('PUT', `/user/${admin}`, { Password: 'f'.repeat(64) }, key),
        await target.api('POST', `/user/session/${admin}`, {}, key),
        await target.api('DELETE', `/user/${admin}`, undefined, key),
      ];
      const isBulkRejected = bulk.status === 403 || JSON.stringify(bulk.body).includes('scope_missing');
      const withstood = replies.every(({ status }) => status === 403) && isBulkRejected;
      return { withstood, detail: `${tally(replies)}; bulk ${isBulkRejected ? 'refused' : bulk.status}` };
    },
  },
  {
    name: 'a key that may read enrolments starts a course',
    run: async (target) => {
      const key = await target.narrowKey('enrolments:read');
      const { loginId, enrollId } = await target.learner();
      const lists = await Promise.all([
        sendRequest(`${target.service.baseUrl}/enrolment?Limit=200`, { key }),
        sendRequest(`${target.service.baseUrl}/enrolment/${loginId}`, { key }),
        sendRequest(`${target.service.baseUrl}/enrolment/${loginId}/${enrollId}`, { key }),
        sendRequest(`${target.service.baseUrl}/enrolment`, {
          key,
          headers: { accept: 'application/x-ndjson' },
        }),
        sendRequest(`${target.service.baseUrl}/enrolment/${loginId}/${enrollId}/explain`, { key }),
      ]);
      const leaked = lists.filter(({ body }) => JSON.stringify(body).includes('/launch?'));
      return {
        withstood: leaked.length === 0,
        detail: `${leaked.length} of ${lists.length} responses contain a LaunchURL`,
      };
    },
  },
  {
    name: "a tenant's key acts as the operator and on another tenant",
    run: async (target) => {
      const { loginId } = await target.learner();
      const replies = [
        await target.api('POST', '/tenant', { TenantID: uniqueName('t') }, target.key),
        await target.api('POST', '/tenant/acme/key', { Name: 'x' }, target.key),
        await target.api('PUT', '/course/phishing', { Title: 'Mine' }, target.key),
        await sendRequest(`${target.service.baseUrl}/user`, {
          key: target.key,
          headers: { tenant: 'rival' },
        }),
        await target.api('GET', `/user/${loginId}`, undefined, target.rivalKey),
      ];
      return {
        withstood: replies.every(({ status }) => status === 403 || status === 404),
        detail: tally(replies),
      };
    },
  },
  {
    name: 'links, tickets and tokens with one character changed',
    run: async (target) => {
      const { launchUrl } = await target.learner();
      const { ticket } = await click(launchUrl);
      const changed = (text: string, at: number) =>
        text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
      const replies: Reply[] = [];
      // Uses an address that earlier attacks have not used, because a 429 would prove nothing.
      const from = { localAddress: '127.0.0.8' };
      for (let back = 2; back < 40; back += 3) {
        replies.push(await sendRequest(changed(launchUrl, launchUrl.length - back), from));
        const bad = changed(String(ticket), String(ticket).length - back);
        replies.push(await sendRequest(`${bad}/session`, { method: 'POST', ...from }));
      }
      replies.push(
        await sendRequest(`${target.service.baseUrl}/oauth/token`, { method: 'POST', body: '{}', ...from }),
      );
      const isRejected = ({ status }: Reply) => status >= 400 && status !== 429;
      return { withstood: replies.every(isRejected), detail: tally(replies) };
    },
  },
];
