import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Course, prepareCourse } from '../scorm/sequencing/course.ts';
import * as session from '../scorm/sequencing/session.ts';
import { unknownObjective } from '../scorm/sequencing/state.ts';
import { cpuMilliseconds } from '../scorm/test-support/cpu-time.ts';
import { group, leaf, mapWith, treeOf } from '../scorm/test-support/trees.ts';
import { convertPrevious } from './previous-tree-state.ts';
import { readTreeState, sharedIn, sharedPart, writeTreeState } from './tree-state.ts';
import type { CourseTree, Objective, RunTimeData, Unit } from './types.ts';
import { unavailableIn } from './unavailable.ts';

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

it('a time limit does not apply to attempts that the previous engine had ended', () => {
  const limits = { Limits: { AttemptAbsoluteDurationLimit: 'PT1H' } };
  const course = prepareCourse(
    treeOf([leaf('a', limits), leaf('b')], { ControlMode: { Flow: true } }),
    'Course',
  );
  const track = {
    isActive: false,
    isSuspended: false,
    attemptCount: 1,
    attemptAbsoluteStartTime: '2026-10-01T08:00:00Z',
  };
  const changes = { sequencing: { activityStates: { a: [track] } } };
  const state = convertPrevious(course, changes);
  const launched = session.launch(course, state, Date.parse('2026-11-25T08:00:00Z'));
  assert.equal(launched.delivery?.unitID, 'a');
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

const objectiveWith = {
  ObjectiveID: 'o',
  Primary: false,
  SatisfiedByMeasure: false,
  MinNormalizedMeasure: 1,
};

describe('states that no page has written', () => {
  const course = prepareCourse(
    treeOf(
      [
        leaf('a'),
        group('b', [leaf('c'), leaf('d'), leaf('e')], { ControlMode: { Flow: true, Choice: true } }),
      ],
      { ControlMode: { Flow: true, Choice: true } },
    ),
    'Course',
  );
  const written = mapWith('o', ['WriteSatisfiedStatus']);
  const sharing = prepareCourse(
    treeOf([leaf('a', { Objectives: [{ ...objectiveWith, Maps: [written] }] })]),
    'Course',
  );
  const stateWith = (id: string, track: object, more: object = {}) => {
    const State = { ...session.createState(course, { seed: 1, now: 0 }), activities: [[id, track]], ...more };
    return JSON.stringify({ Version: 2, State });
  };

  for (const order of [[0, 0, 1], [0, 1, 0], [-1, 0], [0, 1, 2, 3], [2, 2, 2], [1, 0, 1, 0], [1e300]])
    it(`the invalid order ${JSON.stringify(order)} is ignored and does not cause an endless loop`, () => {
      for (const id of [course.root.id, 'b']) {
        const text = stateWith(id, { order, attempts: 1 }, { current: 'd' });
        assert.ok(unavailableIn(course, text, 1, 100).length <= 4);
        const { state } = session.launch(course, read(course, text), 1);
        for (const kind of ['continue', 'previous'] as const) session.request(course, state, { kind }, 1);
        session.request(course, state, { kind: 'choice', target: 'e' }, 1);
        session.predict(course, state, 1);
        assert.ok(session.statuses(course, state));
      }
    });

  it('states with deep nesting or a very large number of values are rejected before they are parsed', () => {
    const mebibyte = 1024 ** 2;
    const began = cpuMilliseconds();
    for (const text of [
      '['.repeat(mebibyte),
      '{"a":'.repeat(mebibyte / 5),
      `{"Version":2,"Shared":{},"State":${'['.repeat(mebibyte)}`,
      `{"Version":2,"Shared":{},"State":[${'0,'.repeat(mebibyte / 2)}0]}`,
    ]) {
      assert.equal(readTreeState(course, text), null);
      assert.equal(sharedPart(sharing, text), '');
    }
    // Parsing them would take 1 s.
    assert.ok(cpuMilliseconds() - began < 300, `${cpuMilliseconds() - began} ms`);
  });

  const values = [null, 0, -1, 1e300, '', 'a', true, [], {}, [0], [[]], [null], ['a', 1]];
  const members = ['now', 'seed', 'current', 'suspended', 'delivered', 'activities', 'globals', 'buckets'];
  const parts = [...Object.keys(course.freshTracks[0] ?? {}), 'unknown'];
  it('values of the wrong type are rejected, and every accepted state can be used', () => {
    const texts = values.flatMap((value) => [
      ...members.map((name) => stateWith('b', {}, { [name]: value })),
      ...parts.map((name) => stateWith('b', { attempts: 1, [name]: value })),
      ...['id', 'satisfied', 'measure'].map((name) => stateWith('b', { objectives: [{ [name]: value }] })),
      ...['satisfied', 'raw'].map((name) => stateWith('b', {}, { globals: [['g', { [name]: value }]] })),
    ]);
    const accepted = texts.filter((text) => readTreeState(course, text) !== null);
    assert.ok(
      accepted.length > 20 && accepted.length < texts.length / 2,
      `${accepted.length} of ${texts.length}`,
    );
    const twice = (name: string, value: unknown) =>
      stateWith(
        'b',
        {},
        {
          [name]: [
            ['b', value],
            ['b', value],
          ],
        },
      );
    const track = course.freshTracks[0];
    for (const text of [twice('activities', track), twice('buckets', ''), twice('globals', unknownObjective)])
      assert.equal(readTreeState(course, text), null, text);
    for (const text of accepted) assert.ok(unavailableIn(course, text, 1, 100).length <= 4, text);
  });
});

describe('values shared between courses', () => {
  const objective = (id: string, ...flags: string[]): Objective => ({
    ...objectiveWith,
    ObjectiveID: id,
    Maps: [mapWith(id, flags)],
  });
  const courseWith = (objectives: Objective[], buckets: Unit['SharedData'] = []) =>
    prepareCourse(treeOf([leaf('a', { Objectives: objectives }, { SharedData: buckets })]), 'Course');
  const bucket = (TargetID: string, Read: boolean, Write: boolean) => ({ TargetID, Read, Write });
  const writer = courseWith(
    [objective('o', 'WriteSatisfiedStatus')],
    [bucket('b', false, true), bucket('c', false, true)],
  );
  const reader = courseWith([objective('o', 'ReadRawScore')], [bucket('b', true, false)]);
  const stateWith = (Shared: unknown) => JSON.stringify({ Version: 2, Shared });
  const sharedBy = (Shared: unknown) => sharedIn(reader, shares(sharedPart(writer, stateWith(Shared))));
  const shares = (...parts: string[]) => parts.filter((part) => part !== '');
  const none = { globals: [], buckets: [] };

  it('objectives with known values are shared', () => {
    const known = { satisfied: true, measure: 0.5, completed: null };
    assert.deepEqual(sharedBy({ globals: [['o', known]] }).globals, [
      ['o', { ...unknownObjective, ...known }],
    ]);
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
    it(`an objective with the value ${JSON.stringify(value)} is not shared`, () =>
      assert.deepEqual(sharedBy({ globals: [['o', value]] }), none));

  it('malformed data from a page is not shared', () => {
    for (const pair of ['o', ['o'], [1, {}], { o: {} }, [['o'], {}]])
      assert.deepEqual(sharedBy({ globals: [pair] }), none);
    for (const Shared of [null, 1, 'x', [], { globals: 1, buckets: [['b', 1], ['b']] }])
      assert.deepEqual(sharedBy(Shared), none);
    for (const text of ['', '{}', '{"Version":2,"Shared":', '{"Version":3,"Shared":{"buckets":[["b","x"]]}}'])
      assert.equal(sharedPart(writer, text), '');
  });

  it('only values that one course may write and the other may read are shared', () => {
    const all = {
      globals: [
        ['o', {}],
        ['p', {}],
      ],
      buckets: [
        ['b', 'x'],
        ['c', 'y'],
        ['d', 'z'],
      ],
    };
    assert.deepEqual(sharedBy(all), { globals: [['o', unknownObjective]], buckets: [['b', 'x']] });
    assert.equal(sharedPart(reader, stateWith(all)), '');
    assert.deepEqual(sharedIn(writer, [sharedPart(writer, stateWith(all))]), none);
    const local = { ...treeOf([]), ObjectivesGlobalToSystem: false, SharedDataGlobalToSystem: false };
    const { read, written } = prepareCourse(local, 'Course').shared;
    assert.deepEqual(
      [read, written].map(({ objectives, buckets }) => objectives.size + buckets.size),
      [0, 0],
    );
  });

  it('a course that only writes an objective keeps its other values', () => {
    const both = courseWith([objective('o', 'ReadSatisfiedStatus', 'WriteSatisfiedStatus')]);
    const passed = sharedPart(writer, stateWith({ globals: [['o', { satisfied: true }]] }));
    const measured = stateWith({ globals: [['o', { measure: 1 }]] });
    const valuesOf = (...parts: string[]) => sharedIn(reader, parts).globals[0]?.[1];
    assert.deepEqual(valuesOf(passed, sharedPart(writer, measured)), {
      ...unknownObjective,
      ...{ satisfied: true, measure: 1 },
    });
    assert.deepEqual(valuesOf(passed, sharedPart(both, measured)), { ...unknownObjective, measure: 1 });
  });

  it('at most 64 kB and 1,000 pairs are shared, and buckets can have the length that SCORM guarantees', () => {
    const ids = Array.from({ length: 3_000 }, (_, n) => `o${n}`);
    const many = courseWith(ids.map((id) => objective(id, 'WriteRawScore')));
    const pairs = [...ids, ...ids].map((id) => [id, { raw: 1 }]);
    const part = sharedPart(many, stateWith({ globals: pairs }));
    assert.equal(JSON.parse(part).globals.length, 1_000);
    const long = 'x'.repeat(64_000);
    const stores = (b: string, c: string) =>
      sharedPart(
        writer,
        stateWith({
          buckets: [
            ['b', b],
            ['c', c],
          ],
        }),
      );
    assert.deepEqual(JSON.parse(stores(long, 'x')).buckets, [
      ['b', long],
      ['c', 'x'],
    ]);
    assert.deepEqual(JSON.parse(stores(`${long}x`, 'x')).buckets, [['c', 'x']]);
    assert.deepEqual(JSON.parse(stores(long, long)).buckets, [['b', long]]);
    assert.ok(stores(long, 'y'.repeat(1_500)).length < 66_000);
  });
});
