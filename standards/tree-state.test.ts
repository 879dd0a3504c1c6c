import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Course, prepareCourse } from '../scorm/sequencing/course.ts';
import * as session from '../scorm/sequencing/session.ts';
import { unknownObjective } from '../scorm/sequencing/state.ts';
import { group, leaf, treeOf } from '../scorm/test-support/trees.ts';
import { readTreeState, sharedIn, writeTreeState } from './tree-state.ts';
import type { CourseTree, RunTimeData } from './types.ts';

type Launch = {
  /** What happened before the launch. */
  Before: string;
  TreeState: string;
  Data: Record<string, RunTimeData>;
  /** What the page with the previous engine showed after the launch. */
  Shown: {
    Unit: string;
    Next: boolean;
    Previous: boolean;
    Contents: Record<string, string>;
    Entry: string | null;
  };
};
type Recorded = { Course: string; Title: string; Tree: CourseTree; Launches: Launch[] };

const file = join(import.meta.dirname, 'fixtures/previous-engine.json');
const recorded: Recorded[] = JSON.parse(readFileSync(file, 'utf8'));

function read(course: Course, text: string) {
  const state = readTreeState(course, text);
  assert.ok(state);
  return state;
}

describe('states of the previous engine', () => {
  for (const { Course, Title, Tree, Launches } of recorded)
    for (const { Before, TreeState, Data, Shown } of Launches)
      it(`${Course}: ${Before}`, () => {
        const course = prepareCourse(Tree, Title);
        const { state, delivery } = session.launch(course, read(course, TreeState), Date.now());
        assert.ok(delivery);
        const { unitID } = delivery;
        assert.equal(course.byID.get(unitID)?.title, Shown.Unit);
        const data = session.dataFor(course, state, delivery, Data[unitID]);
        if (Shown.Entry) assert.equal(data['cmi.entry'], Shown.Entry);
        if (delivery.isResumed) assert.equal(data['cmi.location'], Data[unitID]?.['cmi.location']);

        const { contents } = session.predict(course, state, Date.now());
        const tracking = new Map(session.statuses(course, state));
        const titles = contents.filter(({ id }) => course.byID.get(id)?.unit?.Kind);
        for (const { id, title, visible, allowed } of titles) {
          const { completed, satisfied } = tracking.get(id) ?? {};
          const icon = Shown.Contents[title]?.split(' ')[0];
          if (icon === 'passed' || icon === 'failed') assert.equal(satisfied, icon === 'passed', title);
          if (icon === 'completed') assert.equal(completed, true, title);
          if (icon === 'locked') assert.equal(visible && allowed, false, title);
        }
      });
});

describe('states in the current format', () => {
  const course = prepareCourse(
    treeOf([leaf('a'), group('b', [leaf('c', { Randomization: { ReorderChildren: true } }), leaf('d')])]),
    'Course',
  );

  it('states are restored unchanged', () => {
    let { state } = session.launch(course, session.createState(course, { seed: 7, now: 1 }), 2);
    assert.deepEqual(read(course, writeTreeState(course, state)), state);
    const data = { 'cmi.completion_status': 'completed', 'cmi.score.scaled': '0.5', 'cmi.exit': 'suspend' };
    ({ state } = session.unitEnded(course, state, { unitID: 'a', data, request: { kind: 'continue' } }, 3));
    assert.deepEqual(read(course, writeTreeState(course, state)), state);
  });

  it('states take up little space', () => {
    const units = Array.from({ length: 200 }, (_, n) => leaf(`u${n}`));
    const large = prepareCourse(treeOf(units), 'Course');
    let { state } = session.launch(large, session.createState(large, { seed: 1, now: 0 }), 1_700_000_000_000);
    for (let n = 0; n < 199; n++) {
      const data = { 'cmi.completion_status': 'completed', 'cmi.score.scaled': '0.75' };
      const end = { unitID: `u${n}`, data, request: { kind: 'continue' } as const };
      ({ state } = session.unitEnded(large, state, end, 1_700_000_000_000 + n));
    }
    assert.ok(writeTreeState(large, state).length < 52_000, `${writeTreeState(large, state).length}`);
  });

  for (const text of ['', 'x', '{}', '{"Version":3,"State":{}}', '{"Version":2}', '{"Version":1}'])
    it(`reads ${text || 'an empty text'} as null`, () => assert.equal(readTreeState(course, text), null));
});

describe('values shared between courses', () => {
  const sharedBy = (...globals: unknown[]) =>
    sharedIn([JSON.stringify({ Shared: { globals, buckets: [] } })]).globals;

  it('objectives with known values are shared', () => {
    const objective = { satisfied: true, measure: 0.5, completed: null };
    assert.deepEqual(sharedBy(['o', objective]), [['o', { ...unknownObjective, ...objective }]]);
  });

  for (const value of [
    null,
    [1],
    'passed',
    { satisfied: 'true' },
    { measure: '1' },
    { completed: {} },
    { raw: [1] },
    { unknown: 1 },
  ])
    it(`an objective of ${JSON.stringify(value)} is not shared`, () =>
      assert.deepEqual(sharedBy(['o', value]), []));

  it('nothing else that a page sends is shared', () => {
    for (const pair of ['o', ['o'], [1, {}], { o: {} }]) assert.deepEqual(sharedBy(pair), []);
    assert.deepEqual(
      sharedIn(['', '{}', '{"Shared":null}', '{"Shared":{"globals":1,"buckets":[["b",1]]}}']),
      {
        globals: [],
        buckets: [],
      },
    );
  });
});
