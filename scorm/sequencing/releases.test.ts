import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Objective, Unit } from '../../standards/types.ts';
import { learnerOf } from '../test-support/learners.ts';
import { courseOf, group, leaf } from '../test-support/trees.ts';
import { objectiveTrack, openDraft, trackOf } from './draft.ts';
import type { SequencingState } from './state.ts';
import { availableChildren } from './tree.ts';

const objective = (ObjectiveID: string, Primary = false): Objective => ({
  ...{ ObjectiveID, Primary, SatisfiedByMeasure: false, MinNormalizedMeasure: 1, Maps: [] },
});
const unitWith = (...ids: string[]) =>
  leaf('a', { Objectives: ids.map((id, index) => objective(id, index === 0)) });

/** A learner passed `first` and failed `second` in an earlier release. */
function played(): SequencingState {
  const learner = learnerOf(courseOf([unitWith('first', 'second'), leaf('b')]));
  learner.ask('start');
  const data = {
    ...{ 'cmi.success_status': 'passed', 'cmi.score.scaled': '0.8' },
    ...{ 'cmi.objectives.0.id': 'second', 'cmi.objectives.0.success_status': 'failed' },
  };
  learner.finish(data, 'continue');
  return learner.state;
}

/** Returns the unit's objectives in a new release for a learner who has used the earlier release. */
function seen(...ids: string[]): string[] {
  const course = courseOf([unitWith(...ids), leaf('b')]);
  const a = course.byID.get('a') ?? assert.fail('no unit');
  const { objectives } = trackOf(openDraft(course, played(), 0), a);
  return objectives.map(({ id, satisfied, measure }) => `${id} ${satisfied} ${measure}`);
}

describe('a state from an earlier release', () => {
  const cases: [title: string, ids: string[], expected: string[]][] = [
    ['the same objectives keep their values', ['first', 'second'], ['first true 0.8', 'second false null']],
    [
      'objectives in another order keep their values',
      ['second', 'first'],
      ['second false null', 'first true 0.8'],
    ],
    [
      'an added objective is unknown',
      ['first', 'second', 'third'],
      ['first true 0.8', 'second false null', 'third null null'],
    ],
    ['a removed objective is dropped', ['first'], ['first true 0.8']],
    ['a renamed objective is unknown', ['first', 'third'], ['first true 0.8', 'third null null']],
  ];
  for (const [title, ids, expected] of cases) it(title, () => assert.deepEqual(seen(...ids), expected));

  it('activities that no longer exist are dropped, even if they are current or suspended', () => {
    const before = learnerOf(courseOf([leaf('a'), leaf('b')]));
    before.ask('start');
    const course = courseOf([leaf('b'), leaf('c')]);
    const draft = openDraft(course, { ...before.state, suspended: 'a' }, 0);
    assert.deepEqual([draft.current, draft.suspended], [null, null]);
    assert.equal(draft.tracks.filter((track) => track.attempts > 0).length, 1);
  });

  it('a selection or an order is kept only while all of its children exist', () => {
    const random = {
      ControlMode: { Flow: true },
      Randomization: { SelectionTiming: 'once', SelectCount: 2 },
    };
    const shuffled = (units: Unit[]) => courseOf([group('g', units, random)]);
    const units = ['a', 'b', 'c', 'd'].map((id) => leaf(id));
    const course = shuffled(units);
    const { state } = learnerOf(course, { seed: 3 });
    const selected = (release: typeof course, order: number[]) => {
      const activities = state.activities.map(([id, track]): (typeof state.activities)[number] => [
        id,
        id === 'g' ? { ...track, order } : track,
      ]);
      const draft = openDraft(release, { ...state, activities }, 0);
      return availableChildren(draft, release.byID.get('g') ?? assert.fail('no group')).map(({ id }) => id);
    };
    assert.deepEqual(selected(course, [3, 1]), ['d', 'b']);
    assert.deepEqual(selected(shuffled(units.slice(0, 3)), [2, 1]), ['c', 'b']);
    assert.deepEqual(selected(shuffled(units.slice(0, 3)), [3, 1]), ['a', 'b', 'c']);
  });

  it('passing an activity of another course is an error', () => {
    const small = courseOf([leaf('a')]);
    const large = courseOf([leaf('a'), leaf('b'), leaf('c')]);
    const draft = openDraft(small, learnerOf(small).state, 0);
    const [a, c] = ['a', 'c'].map((id) => large.byID.get(id) ?? assert.fail(id));
    assert.ok(a && c);
    assert.throws(() => trackOf(draft, c), /The activity c belongs to another course/);
    assert.throws(() => objectiveTrack(draft, a, 1), /The activity a has no objective 1/);
  });

  it('time never goes back', () => {
    const course = courseOf([leaf('a')]);
    const state = { ...learnerOf(course).state, now: 5_000 };
    assert.deepEqual(
      [openDraft(course, state, 1_000).now, openDraft(course, state, 9_000).now],
      [5_000, 9_000],
    );
  });
});
