import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { prepareCourse } from '../../../../../scorm/sequencing/course.ts';
import { courseResult } from '../../../../../scorm/sequencing/result.ts';
import * as sequencing from '../../../../../scorm/sequencing/session.ts';
import { writeTreeState } from '../../../../../standards/tree-state.ts';
import type { RunTimeData } from '../../../../../standards/types.ts';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { type Play, play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);
for (const name of ['fire-safety', 'phishing'] as const) {
  expectStatus(await service.importPackage(name, await packCourse(name)), 201);
  await service.api('PUT', `/course/${name}/option/open`, {});
}

async function enrolled(course = 'fire-safety') {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${course}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  const commits = async () =>
    (await api('GET', `${address}/timeline`)).body.Items.filter(
      ({ Kind }: { Kind: string }) => Kind === 'commit',
    );
  const claims = async () => (await api('GET', `${address}/explain`)).body.Claims;
  return { LaunchURL: LaunchURL as string, commits, claims, page: await play(service, LaunchURL) };
}

const all = { Completion: 'completed', Success: 'passed', Score: 100, Progress: 100 } as const;
const done = {
  'cmi.completion_status': 'completed',
  'cmi.success_status': 'passed',
  'cmi.score.scaled': '1',
};
const begun = { 'cmi.completion_status': 'incomplete', 'cmi.success_status': 'unknown' };

/** Plays the course with the sequencing code, as the player's page does. */
function learner({ session }: Play) {
  const course = prepareCourse(session.Tree, session.CourseTitle);
  let { state } = sequencing.launch(course, sequencing.createState(course, { seed: 1, now: 0 }), 1);
  const root = (of: typeof state) => courseResult(course, new Map(sequencing.statuses(course, of)));
  return {
    course,
    /** Ends the open unit with this data, continues to the next unit, and returns the commit. */
    end(data: RunTimeData) {
      const unitID = state.current ?? '';
      const request = { kind: 'continue' } as const;
      state = sequencing.unitEnded(course, state, { unitID, data, request }, state.now + 1_000).state;
      return { UnitID: unitID, Data: data, Tree: writeTreeState(course, state), Root: root(state) };
    },
  };
}

test('an honest page is never flagged, from the first unit to the result', async () => {
  const { page, commits, claims } = await enrolled();
  const honest = learner(page);
  let reply = await page.commit(honest.end(done));
  for (let unit = 1; unit < 4; unit += 1) reply = await page.commit(honest.end(done));
  const { Status, Completion, Success, Score } = reply.body;
  assert.deepEqual([Status, Completion, Success, Score], ['completed', 'completed', 'passed', 100]);
  for (const { Claimed, Warnings } of await commits()) assert.deepEqual([Claimed, Warnings], [null, []]);
  assert.deepEqual(await claims(), []);
});

test('a claim without data is recorded and flagged, and does not count', async () => {
  const { page, commits, claims } = await enrolled();
  const honest = learner(page);
  const { Data, ...first } = honest.end(begun);
  const reply = await page.commit({ ...first, Data, Root: all });
  const { Status, Completion, Success, Score } = reply.body;
  assert.deepEqual([Status, Completion, Success, Score], ['in_progress', 'incomplete', 'unknown', null]);
  const [{ Claimed, Warnings, Commit }] = await commits();
  assert.deepEqual([Claimed, Warnings.length, Commit], [all, 1, 1]);
  const [claim] = await claims();
  assert.deepEqual({ ...claim, At: null }, { At: null, Launch: 1, Commit: 1, UnitID: first.UnitID, ...all });
});

test('a forged tree state does not count, and neither does a claim without a tree state', async () => {
  const { page, commits } = await enrolled();
  const { UnitID } = learner(page).end(begun);
  const forger = learner(page);
  for (let unit = 1; unit < 4; unit += 1) forger.end(done);
  const { Tree, Root } = forger.end(done);
  assert.equal(Root.Completion, 'completed');
  for (const forged of [{ Tree, Root }, { Tree }, { Root: all }, { Root: all, Tree: '{"tree":1}' }]) {
    const { body } = await page.commit({ UnitID, Data: begun, ...forged });
    assert.deepEqual(
      [body.Completion, body.Success, body.Score],
      ['incomplete', 'unknown', null],
      JSON.stringify(forged),
    );
  }
  assert.equal((await commits()).filter(({ Claimed }: { Claimed: unknown }) => Claimed !== null).length, 4);
});

test('states that the page never writes are ignored', async () => {
  const { page } = await enrolled();
  const { UnitID, Tree } = learner(page).end(begun);
  const { Version, State } = JSON.parse(Tree);
  const [[id, track]] = State.activities;
  for (const activities of [
    1,
    [[id, { ...track, order: 5 }]],
    [[id, { objectives: [{ measure: 'x' }] }]],
    [[id]],
    [[]],
  ])
    expectStatus(
      await page.commit({
        UnitID,
        Data: begun,
        Tree: JSON.stringify({ Version, State: { ...State, activities } }),
      }),
      200,
    );
});

test('a rollup claimed by a SCORM 1.2 page is flagged', async () => {
  const { page, commits } = await enrolled('phishing');
  const { body } = await page.commit({ Data: scorm12('incomplete', 40), Root: all });
  assert.deepEqual([body.Completion, body.Score], ['incomplete', 40]);
  assert.deepEqual((await commits())[0].Claimed, all);
});
