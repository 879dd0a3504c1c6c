import type { Attack } from '../attack.ts';
import { send, tally } from '../send-request.ts';
import { expect, openSession } from '../target.ts';

const passed = { 'cmi.core.lesson_status': 'passed', 'cmi.core.score.raw': '80' };

export const evidenceAttacks: readonly Attack[] = [
  {
    name: 'a result reached offline arrives after the course was opened elsewhere',
    run: async (target) => {
      const learner = await target.learner();
      const laptop = await openSession(learner);
      const phone = await openSession(learner);
      expect(await phone.commit({ Data: { 'cmi.core.lesson_status': 'incomplete' } }), 200);
      const late = await laptop.commit({ Data: passed });
      const { body } = await target.api(
        'GET',
        `/enrolment/${learner.loginId}/${learner.enrollId}`,
        undefined,
        target.key,
      );
      const withstood = late.status === 200 && body.Success === 'passed' && body.Score === 80;
      return { withstood, detail: `${tally([late])}; ${body.Status}, ${body.Success}, ${body.Score}` };
    },
  },
  {
    name: 'a session commits after Exit',
    run: async (target) => {
      const learner = await target.learner();
      const session = await openSession(learner);
      expect(await session.commit({ Exit: true }), 200);
      const after = await session.commit({ Data: passed });
      return {
        withstood: after.status >= 400 && typeof after.body?.code === 'string',
        detail: tally([after]),
      };
    },
  },
  {
    name: 'the open session of a disabled and of a withdrawn learner commits',
    run: async (target) => {
      const disabled = await target.learner();
      const withdrawn = await target.learner();
      const [one, two] = [await openSession(disabled), await openSession(withdrawn)];
      expect(await target.api('PUT', `/user/${disabled.loginId}`, { Enabled: false }, target.key), 200);
      const path = `/enrolment/${withdrawn.loginId}/${withdrawn.enrollId}`;
      expect(await target.api('PUT', path, { Withdrawn: true }, target.key), 200);
      const replies = [await one.commit({ Data: passed }), await two.commit({ Data: passed })];
      return {
        withstood: replies.every(({ status }) => status >= 400 && status < 500),
        detail: tally(replies),
      };
    },
  },
  {
    name: 'commits out of order, twice and across two launches end in the best result',
    run: async (target) => {
      const learner = await target.learner();
      const first = await openSession(learner);
      const second = await openSession(learner);
      const commit = (session: typeof first, number: number, raw: string) =>
        send(`${session.base}/commit`, 'POST', {
          Number: number,
          UnitID: session.unit,
          Data: { 'cmi.core.lesson_status': 'passed', 'cmi.core.score.raw': raw },
        });
      const [a, b] = [first.next, second.next];
      const replies = [
        await commit(second, b + 1, '40'),
        await commit(second, b, '30'),
        await commit(first, a + 1, '95'),
        await commit(first, a + 1, '95'),
        await commit(first, a, '20'),
      ];
      const { body } = await target.api(
        'GET',
        `/enrolment/${learner.loginId}/${learner.enrollId}`,
        undefined,
        target.key,
      );
      return {
        withstood: body.Score === 95 && body.Success === 'passed',
        detail: `${tally(replies)}; score ${body.Score}`,
      };
    },
  },
];
