import type { Attack } from '../attack.ts';
import { type Reply, sendRequest, tally } from '../send-request.ts';
import { click, expect, uniqueName, webCourse } from '../target.ts';

export const inputAttacks: readonly Attack[] = [
  {
    name: 'an option with an absurd duration, extended 121 times and launched',
    run: async (target) => {
      const course = uniqueName('absurd');
      expect(await target.api('PUT', `/course/${course}`, { Title: course, URL: 'https://a.example/' }), 201);
      const option = { Duration: 'P800000D', StartsOn: 'launch' };
      const made = await target.api('PUT', `/course/${course}/option/long`, option);
      const { loginId } = await target.learner();
      const replies: Reply[] = [await target.api('POST', `/enrol/${loginId}/${course}`, {}, target.key)];
      for (let n = 0; n < 121; n++)
        replies.push(
          await target.api('POST', `/enrol/${loginId}/${course}`, { IfEnrolled: 'extend' }, target.key),
        );
      const launch = replies[0]?.body?.LaunchURL;
      if (launch) {
        const { ticket } = await click(launch);
        if (ticket) await sendRequest(`${ticket}/session`, { method: 'POST' });
      }
      const list = await target.api('GET', '/enrolment?Limit=200', undefined, target.key);
      const withstood = list.status === 200 && replies.every(({ status }) => status < 500);
      return { withstood, detail: `option ${made.status}, ${tally(replies)}, list ${list.status}` };
    },
  },
  {
    name: 'Metadata with __proto__, alone and in bulk',
    run: async (target) => {
      const { loginId } = await target.learner();
      const metadata = '{"__proto__":"x"}';
      const single = await sendRequest(`${target.service.baseUrl}/enrol/${loginId}/${webCourse}`, {
        method: 'POST',
        key: target.key,
        body: `{"Metadata":${metadata}}`,
      });
      const bulk = await sendRequest(`${target.service.baseUrl}/enrol/bulk`, {
        method: 'POST',
        key: target.key,
        headers: { 'content-type': 'application/x-ndjson' },
        body: `{"LoginID":"${loginId}","CourseID":"${webCourse}","Metadata":${metadata}}\n`,
      });
      const withstood = single.status >= 400 && !String(bulk.body).includes('EnrollID');
      return {
        withstood,
        detail: `single ${single.status}, bulk ${String(bulk.body).slice(0, 60)}`,
      };
    },
  },
  {
    name: 'webhooks to addresses inside the network',
    run: async (target) => {
      const hosts = [
        '127.0.0.1',
        '10.0.0.1',
        '169.254.169.254',
        '[::1]',
        '[::ffff:10.0.0.1]',
        '[fe80::1]',
        '[fd00::1]',
        '[2001:db8::5efe:10.0.0.1]',
        '[2600::5efe:a00:1]',
        '[64:ff9b::a00:1]',
        '[64:ff9b:1::a00:1]',
        '[2002:a00:1::]',
        '[2001:0:a00:1::1]',
        '0.0.0.0',
        '2130706433',
        '0x7f.1',
        '100.64.0.1',
        '192.0.2.1',
        'localhost',
        'a.localhost',
      ];
      const replies: Reply[] = [];
      for (const host of hosts)
        replies.push(await target.api('POST', '/webhook', { URL: `https://${host}/hook` }, target.key));
      const taken = hosts.filter((_, n) => (replies[n]?.status ?? 0) < 400);
      return {
        withstood: taken.length === 0,
        detail: taken.length > 0 ? `taken: ${taken.join(', ')}` : tally(replies),
      };
    },
  },
  {
    name: "a stored response replays an erased person's data",
    run: async (target) => {
      const LoginID = uniqueName('erased');
      const once = () =>
        sendRequest(`${target.service.baseUrl}/user`, {
          method: 'POST',
          key: target.key,
          headers: { 'idempotency-key': `create-${LoginID}` },
          body: JSON.stringify({ LoginID, FirstName: 'Rosalind', Email: 'rosalind@mail.example' }),
        });
      expect(await once(), 201);
      expect(await target.api('DELETE', `/user/${LoginID}`, undefined, target.key), 200);
      const again = await once();
      const replayed = again.headers['idempotency-replayed'] !== undefined;
      return {
        withstood: !(replayed && JSON.stringify(again.body).includes('Rosalind')),
        detail: tally([again]),
      };
    },
  },
];
