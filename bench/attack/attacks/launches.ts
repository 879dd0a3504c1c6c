import type { Attack } from '../attack.ts';
import { type Reply, send, sendRequest, tally } from '../send-request.ts';
import { click, openSession } from '../target.ts';

export const launchAttacks: readonly Attack[] = [
  {
    name: '300 launches from one ticket',
    run: async (target) => {
      const { ticket } = await click((await target.learner()).launchUrl);
      const replies: Reply[] = [];
      for (let n = 0; n < 300; n++) replies.push(await sendRequest(`${ticket}/session`, { method: 'POST' }));
      const opened = replies.filter(({ status }) => status === 201).length;
      return { withstood: opened > 0 && opened <= 10, detail: tally(replies) };
    },
  },
  {
    name: '500 commits for one launch within seconds',
    run: async (target) => {
      const session = await openSession(await target.learner());
      const replies: Reply[] = [];
      for (let n = 0; n < 500; n++) replies.push(await session.commit());
      const taken = replies.filter(({ status }) => status === 200).length;
      const rejected = replies.filter(({ status }) => status === 429);
      const withstood = taken <= 240 && rejected.every(({ headers }) => headers['retry-after'] !== undefined);
      return { withstood: withstood && rejected.length > 0, detail: tally(replies) };
    },
  },
  {
    name: '3.8 MB of invented element names in one commit',
    run: async (target) => {
      const session = await openSession(await target.learner());
      const Data = Object.fromEntries(
        Array.from({ length: 38_000 }, (_, n) => [`invented.${n}.${'x'.repeat(80)}`, '1']),
      );
      const reply = await session.commit({ Data });
      return { withstood: reply.status >= 400 && reply.status < 500, detail: tally([reply]) };
    },
  },
  {
    name: 'element names that no data model has',
    run: async (target) => {
      const session = await openSession(await target.learner());
      const names = [
        '__proto__',
        'constructor',
        'x',
        'cmi..a',
        'cmi.a b',
        'CMI.core',
        'cmi.é',
        `cmi.${'a.'.repeat(60)}b`,
      ];
      const replies: Reply[] = [];
      for (const name of names)
        replies.push(
          await send(`${session.base}/commit`, 'POST', {
            Number: session.next,
            UnitID: session.unit,
            Data: JSON.parse(`{${JSON.stringify(name)}:"1"}`),
          }),
        );
      return {
        withstood: replies.every(({ status }) => status >= 400 && status < 500),
        detail: tally(replies),
      };
    },
  },
  {
    name: 'a commit numbered 2,000,000,000, and then the real ones',
    run: async (target) => {
      const learner = await target.learner();
      const session = await openSession(learner);
      const far = await session.commit({ Number: 2_000_000_000 });
      const Data = { 'cmi.core.lesson_status': 'passed', 'cmi.core.score.raw': '90' };
      const next = await session.commit({ Data });
      const read = await target.api(
        'GET',
        `/enrolment/${learner.loginId}/${learner.enrollId}`,
        undefined,
        target.key,
      );
      const withstood = far.status >= 400 && next.status === 200 && read.body.Score === 90;
      return { withstood, detail: `${tally([far])}, then ${tally([next])} with score ${read.body.Score}` };
    },
  },
  {
    name: "one course's session on another course's origin",
    run: async (target) => {
      const own = await openSession(await target.learner());
      const other = new URL(own.base);
      const replies: Reply[] = [];
      for (const host of [
        `other.${other.host}`,
        other.host.replace(/^[^.]+/, 'a'.repeat(26)),
        new URL(target.service.contentUrl).host,
      ])
        replies.push(
          await sendRequest(`${target.service.contentUrl}${other.pathname}/content/index.html`, {
            headers: { host },
          }),
        );
      return { withstood: replies.every(({ status }) => status >= 400), detail: tally(replies) };
    },
  },
];
