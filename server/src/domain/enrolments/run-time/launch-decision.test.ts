import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { prepareCourse } from '../../../../../scorm/sequencing/course.ts';
import { createState, launch, unitEnded } from '../../../../../scorm/sequencing/session.ts';
import { writeTreeState } from '../../../../../standards/tree-state.ts';
import { packCourse, packRow } from '../../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { click, play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../../../test/support/tenant.ts';
import { ruleCodes } from '../record/schemas.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user } = await newTenant(service);
// A course for all tenants can require a sign-in as soon as one of them has a provider.
const provider = { Issuer: 'https://93.184.215.14', ClientID: 'lectern' };
expectStatus(await (await newTenant(service)).api('PUT', '/identity-provider/acme', provider), 201);

type Situation = { LoginID: string; CourseID: string; address: string };

async function finish({ address }: Situation, Attempts: object): Promise<void> {
  const { commit } = await play(service, (await api('GET', address)).body.LaunchURL);
  expectStatus(await commit({ Data: { 'lectern.completion': 'completed' }, Exit: true }), 200);
  expectStatus(await api('PUT', address, { Attempts }), 200);
}

/** How to break each rule, and how to satisfy it again. */
const ruleCases: Record<
  (typeof ruleCodes)[number],
  { break: (s: Situation) => unknown; fix: (s: Situation) => unknown }
> = {
  user_enabled: {
    break: ({ LoginID }) => api('PUT', `/user/${LoginID}`, { Enabled: false }),
    fix: ({ LoginID }) => api('PUT', `/user/${LoginID}`, { Enabled: true }),
  },
  not_withdrawn: {
    break: ({ address }) => api('PUT', address, { Withdrawn: true }),
    fix: ({ address }) => api('PUT', address, { Withdrawn: false }),
  },
  not_expired: {
    break: () => clock.advance({ days: 31 }),
    fix: ({ address }) => api('PUT', address, { ExpiresAt: null }),
  },
  course_available: {
    break: ({ CourseID }) => service.api('PUT', `/course/${CourseID}`, { Status: 'draft' }),
    fix: ({ CourseID }) => service.api('PUT', `/course/${CourseID}`, { Status: 'retired' }),
  },
  course_playable: {
    break: ({ CourseID }) => service.api('PUT', `/course/${CourseID}`, { URL: null }),
    fix: ({ CourseID }) => service.api('PUT', `/course/${CourseID}`, { URL: 'https://web.example/' }),
  },
  attempts_left: {
    break: (situation) => finish(situation, { Limit: 1, After: 'finished' }),
    fix: ({ address }) => api('POST', `${address}/reset`, { Reason: 'Another attempt' }),
  },
  cool_down_over: {
    break: (situation) => finish(situation, { CoolDown: 'P1D', After: 'finished' }),
    fix: () => clock.advance({ days: 1 }),
  },
  signed_in: {
    break: ({ CourseID }) => service.api('PUT', `/course/${CourseID}`, { RequireSignIn: true }),
    fix: ({ CourseID }) => service.api('PUT', `/course/${CourseID}`, { RequireSignIn: false }),
  },
};

for (const rule of ruleCodes)
  test(`the explanation and the launch agree on ${rule}`, async () => {
    const CourseID = await newCourse(service, {}, { month: { Duration: 'P30D' } });
    const LoginID = await user();
    const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
    const address = `/enrolment/${LoginID}/${EnrollID}`;
    const situation = { LoginID, CourseID, address };

    async function expectDecision(failing: string[]): Promise<void> {
      const reply = await api('GET', `${address}/explain`);
      expectStatus(reply, 200);
      const { Rules, NextAttemptAt, ...rest } = reply.body;
      assert.equal(NextAttemptAt !== null, failing.includes('cool_down_over'));
      assert.deepEqual(rest, {
        EnrollID,
        LoginID,
        CourseID,
        MayLaunch: failing.length === 0,
        TimeFactor: 1,
        TimeFactorFrom: 'user',
        Unavailable: [],
        Parts: [],
        Claims: [],
        Refused: [],
        Units: [],
      });
      assert.deepEqual(
        Rules.map((asked: { Rule: string }) => asked.Rule),
        [...ruleCodes],
      );
      const failed = Rules.filter((asked: { Passed: boolean }) => !asked.Passed);
      assert.deepEqual(
        failed.map((asked: { Rule: string }) => asked.Rule),
        failing,
      );
      const clicked = await click(LaunchURL);
      assert.equal(clicked.status, failing.length === 0 ? 303 : 403);
      if (failing.length > 0) assert.ok(clicked.text.includes(failed[0].Detail));
    }

    await expectDecision([]);
    await ruleCases[rule].break(situation);
    await expectDecision([rule]);
    await ruleCases[rule].fix(situation);
    await expectDecision([]);
  });

test('the reason is the first rule that fails', async () => {
  const CourseID = await newCourse(service);
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  await api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Withdrawn: true });
  await api('PUT', `/user/${LoginID}`, { Enabled: false });
  const { Rules } = (await api('GET', `/enrolment/${LoginID}/${EnrollID}/explain`)).body;
  const { text } = await click(LaunchURL);
  assert.ok(text.includes(Rules[0].Detail));
  assert.ok(!text.includes(Rules[1].Detail));
});

test('a completed course can be opened again', async () => {
  const CourseID = await newCourse(service, { Status: 'published' });
  const LoginID = await user();
  const { LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  await service.api('PUT', `/course/${CourseID}`, { Status: 'retired' });
  assert.equal((await click(LaunchURL)).status, 303);
});

test('explain reports the rule that keeps a unit locked until it is met', async () => {
  for (const name of ['fire-safety', 'row'] as const) {
    const file = name === 'row' ? await packRow() : await packCourse(name);
    expectStatus(await service.importPackage(name, file), 201);
    await service.api('PUT', `/course/${name}/option/open`, {});
  }
  const unavailable = async (address: string) =>
    (await api('GET', `${address}/explain`)).body.Unavailable.map(({ Detail }: { Detail: string }) => Detail);
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/fire-safety`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  const closed = [
    'Getting out opens after How fires start is passed.',
    'Extinguishers opens after Getting out is passed.',
    'What would you do? opens after Extinguishers is passed.',
  ];
  assert.deepEqual(await unavailable(address), closed);
  const [first] = (await api('GET', `${address}/explain`)).body.Unavailable;
  assert.deepEqual([first.Because, first.Of, first.Rule.Rule], ['rule', 'Getting out', 'opensAfter']);
  assert.deepEqual(first.Rule.Conditions[0].Units, ['How fires start']);
  const { commit, session } = await play(service, LaunchURL);
  const course = prepareCourse(session.Tree, '');
  const begun = launch(course, createState(course, { seed: 1, now: 0 }), 1).state;
  const Data = { 'cmi.completion_status': 'completed', 'cmi.success_status': 'passed' };
  const end = { unitID: 'lesson-1', data: Data, request: { kind: 'suspendAll' } as const };
  const Tree = writeTreeState(course, unitEnded(course, begun, end, 2).state);
  expectStatus(await commit({ UnitID: 'lesson-1', Data, Tree }), 200);
  assert.deepEqual(await unavailable(address), closed.slice(1));

  const row = (await api('POST', `/enrol/${LoginID}/row`)).body;
  const rowAddress = `/enrolment/${LoginID}/${row.EnrollID}`;
  assert.deepEqual(await unavailable(rowAddress), ['Part 3 opens after Part 1 is completed or passed.']);
  const playing = await play(service, row.LaunchURL);
  expectStatus(await playing.commit({ UnitID: 'part-1', Data: scorm12('completed') }), 200);
  assert.deepEqual(await unavailable(rowAddress), []);
});
