import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainIdentifier } from '../../standards/objectives.ts';
import type { Objective } from '../../standards/types.ts';
import { conditionFrom, rollupRule, rule } from '../test-support/learners.ts';
import { courseOf, group, leaf, mapWith, treeOf } from '../test-support/trees.ts';
import { defaultSequencing, prepareCourse, rootID } from './course.ts';

const objective = (ObjectiveID: string | null, more: Partial<Objective> = {}): Objective => ({
  ...{ ObjectiveID, Primary: false, SatisfiedByMeasure: false, MinNormalizedMeasure: 1, Maps: [] },
  ...more,
});

describe('the defaults (CAM §5.1)', () => {
  /** The defaults of the schemas of SCORM 2004 4th edition, element by element. */
  const table: [element: keyof typeof defaultSequencing, values: object][] = [
    [
      'ControlMode',
      {
        ...{ Choice: true, ChoiceExit: true, Flow: false, ForwardOnly: false },
        ...{ UseCurrentAttemptObjectiveInfo: true, UseCurrentAttemptProgressInfo: true },
      },
    ],
    ['ConstrainedChoice', { PreventActivation: false, ConstrainChoice: false }],
    ['Rules', []],
    ['Limits', { AttemptLimit: null, AttemptAbsoluteDurationLimit: null }],
    [
      'RollupRules',
      {
        ...{ RollupObjectiveSatisfied: true, RollupProgressCompletion: true },
        ...{ ObjectiveMeasureWeight: 1, Rules: [] },
      },
    ],
    [
      'RollupConsiderations',
      {
        ...{ RequiredForSatisfied: 'always', RequiredForNotSatisfied: 'always' },
        ...{ RequiredForCompleted: 'always', RequiredForIncomplete: 'always' },
        MeasureSatisfactionIfActive: true,
      },
    ],
    ['Objectives', []],
    [
      'Randomization',
      {
        ...{ RandomizationTiming: 'never', SelectCount: null },
        ...{ ReorderChildren: false, SelectionTiming: 'never' },
      },
    ],
    ['Delivery', { Tracked: true, CompletionSetByContent: false, ObjectiveSetByContent: false }],
  ];
  for (const [element, values] of table)
    it(element, () => assert.deepEqual(defaultSequencing[element], values));

  it('there are no other elements', () =>
    assert.deepEqual(
      Object.keys(defaultSequencing),
      table.map(([element]) => element),
    ));

  it('an activity that declares no primary objective gets an unnamed one with the defaults (SN §3.10)', () => {
    const { root } = courseOf([leaf('a', { Objectives: [objective('second')] })]);
    const [a] = root.children;
    assert.deepEqual(a?.objectives, [objective(null, { Primary: true }), objective('second')]);
    assert.equal(a?.primary, 0);
  });

  it('the declared primary objective is the primary one, wherever it is listed', () => {
    const Objectives = [objective('first'), objective('main', { Primary: true })];
    const { root } = courseOf([leaf('a', { Objectives })]);
    assert.equal(root.children[0]?.primary, 1);
    assert.deepEqual(root.children[0]?.objectives, Objectives);
  });
});

describe('a course without sequencing', () => {
  const flowOf = (...parameters: Parameters<typeof treeOf>) => {
    const [units, sequencing, more] = parameters;
    const course = prepareCourse({ ...treeOf(units, sequencing), Sequencing: null, ...more }, 'Course');
    return course.activities.map(({ sequencing: { ControlMode } }) => ControlMode.Flow);
  };
  const plain = (id: string) => leaf(id);
  const grouped = { ...group('g', [plain('a')]), Sequencing: null };

  it('is played in order', () => {
    assert.deepEqual(flowOf([plain('a'), grouped]), [true, true, true, true]);
    const [a] = prepareCourse({ ...treeOf([plain('a')]), Sequencing: null }, 'Course').root.children;
    assert.deepEqual(a?.sequencing, {
      ...defaultSequencing,
      ControlMode: { ...defaultSequencing.ControlMode, Flow: true },
    });
  });

  it('has the defaults if any part of it defines sequencing', () => {
    assert.deepEqual(flowOf([plain('a'), leaf('b', {})]), [false, false, false]);
    const inner = { ...group('g', [leaf('a', {})]), Sequencing: null };
    assert.deepEqual(flowOf([plain('b'), inner]), [false, false, false, false]);
    assert.deepEqual(flowOf([plain('a')], {}, { Sequencing: defaultSequencing }), [false, false]);
  });
});

describe('preparing a course', () => {
  it('numbers activities in the order of the tree, with their depths and positions', () => {
    const { activities, byID, root } = courseOf([group('g', [leaf('a'), leaf('b')]), leaf('c')]);
    const rows = activities.map(({ id, title, index, depth, position, parent }) =>
      [id, title, index, depth, position, parent?.id].join(' '),
    );
    assert.deepEqual(rows, [
      'root Course 0 0 0 ',
      'g g 1 1 0 root',
      'a a 2 2 0 g',
      'b b 3 2 1 g',
      'c c 4 1 1 root',
    ]);
    assert.equal(byID.get('b'), activities[3]);
    assert.equal(root, activities[0]);
  });

  it("uses the organization's identifier for the root, unless an item has the same identifier", () => {
    const idOf = (more: Parameters<typeof treeOf>[2]) => courseOf([leaf('a')], {}, more).root.id;
    assert.equal(idOf({ Identifier: 'org' }), 'org');
    assert.equal(idOf({ Identifier: 'a' }), 'lectern.root');
    assert.equal(rootID, 'lectern.root');
    const deep = prepareCourse({ ...treeOf([group('g', [leaf('a')])]), Identifier: 'a' }, 'Course');
    assert.equal(deep.root.id, rootID);
  });

  it('finds rules by action, with their positions', () => {
    const Rules = [
      rule('post', 'retry', 'satisfied'),
      rule('pre', 'skip', 'completed'),
      rule('pre', 'disabled', 'always'),
      rule('pre', 'skip', 'attempted'),
      rule('exit', 'exit', 'always'),
    ];
    const RollupRules = {
      Rules: [
        rollupRule('satisfied', 'all', 'completed'),
        rollupRule('completed', 'any', 'attempted'),
        rollupRule('satisfied', 'any', 'satisfied'),
      ],
    };
    const [a] = courseOf([leaf('a', { Rules, RollupRules })]).root.children;
    const positions = [...(a?.rules ?? [])].map(([key, list]) => [key, list.map(({ index }) => index)]);
    assert.deepEqual(positions, [
      ['post', [0]],
      ['skip', [1, 3]],
      ['disabled', [2]],
      ['exit', [4]],
    ]);
    const sets = [...(a?.rollupRules ?? [])].map(([key, list]) => [
      key,
      list.map(({ ChildActivitySet }) => ChildActivitySet),
    ]);
    assert.deepEqual(sets, [
      ['satisfied', ['all', 'any']],
      ['completed', ['any']],
    ]);
  });

  it('reads thresholds and limits', () => {
    const CompletionThreshold = { CompletedByMeasure: true, MinProgressMeasure: 0.7, ProgressWeight: 0.2 };
    const units = [
      leaf('a', { Limits: { AttemptAbsoluteDurationLimit: 'PT1M30S' } }, { CompletionThreshold }),
      leaf('b'),
    ];
    const { root } = courseOf(units, {}, { CompletionThreshold });
    const rows = [root, ...root.children].map((each) => [
      ...[each.completedByMeasure, each.minProgressMeasure, each.progressWeight, each.durationLimit],
    ]);
    assert.deepEqual(rows, [
      [true, 0.7, 0.2, null],
      [true, 0.7, 0.2, 90],
      [false, 1, 1, null],
    ]);
  });

  it('starts with empty tracking (SN §4.2.1)', () => {
    const { freshTracks } = courseOf([leaf('a', { Objectives: [objective('x', { Primary: true })] })]);
    const unknown = {
      ...{ satisfied: null, measure: null, raw: null, min: null, max: null, completed: null, progress: null },
    };
    assert.deepEqual(freshTracks[1], {
      ...{ active: false, suspended: false, attempts: 0, order: null },
      objectives: [{ id: 'x', ...unknown }],
      ...{ oldObjectives: false, oldProgress: false, setsCompletion: false, setsSuccess: false },
      ...{ attemptBegan: null, attemptExperienced: 0, activityExperienced: 0 },
    });
  });
});

describe('identifiers are URI references', () => {
  const cases: [reference: string, plain: string][] = [
    ['obj', 'obj'],
    [' obj\n 1\t', 'obj 1'],
    ['obj%201', 'obj 1'],
    ['%C3%A9', 'é'],
    ['100%', '100%'],
    ['%2', '%2'],
    ['%zz', '%zz'],
    ['%C3', '%C3'],
    ['%20', ''],
  ];
  for (const [reference, plain] of cases)
    it(JSON.stringify(reference), () => assert.equal(plainIdentifier(reference), plain));

  it('applies to objectives, their maps, rules and shared data', () => {
    const Objectives = [objective(' a%201', { Primary: true, Maps: [mapWith('g%201', [])] })];
    const Rules = [
      {
        ...rule('pre', 'skip', 'satisfied'),
        Conditions: [{ ...conditionFrom('satisfied'), ReferencedObjective: 'a%201' }],
      },
      rule('pre', 'skip', 'satisfied'),
    ];
    const SharedData = [{ TargetID: 'b%20', Read: true, Write: false }];
    const [a] = courseOf([leaf('a', { Objectives, Rules }, { SharedData })]).root.children;
    assert.equal(a?.objectives[0]?.ObjectiveID, 'a 1');
    assert.equal(a?.objectives[0]?.Maps[0]?.TargetObjectiveID, 'g 1');
    const references = a?.rules.get('skip')?.map(({ Conditions }) => Conditions[0]?.ReferencedObjective);
    assert.deepEqual(references, ['a 1', null]);
    assert.deepEqual(a?.sharedData, [{ TargetID: 'b', Read: true, Write: false }]);
  });
});

describe('what courses share (SN §3.10.4)', () => {
  const all = ['SatisfiedStatus', 'NormalizedMeasure', 'RawScore', 'MinScore', 'MaxScore'];
  const facts = [...all, 'CompletionStatus', 'ProgressMeasure'];
  const mapping = (...maps: Objective['Maps']) => ({
    Objectives: [objective('o', { Primary: true, Maps: maps })],
  });
  const names = (more: Parameters<typeof treeOf>[2] = {}) => {
    const units = [
      leaf('a', mapping(...facts.map((fact) => mapWith(`read ${fact}`, [`Read${fact}`])))),
      leaf(
        'b',
        mapping(...facts.map((fact) => mapWith(`write ${fact}`, [`Write${fact}`])), mapWith('none', [])),
      ),
      leaf(
        'c',
        {},
        {
          SharedData: [
            { TargetID: 'in', Read: true, Write: false },
            { TargetID: 'out', Read: false, Write: true },
          ],
        },
      ),
    ];
    const { shared } = courseOf(units, {}, more);
    const sorted = (set: ReadonlySet<string>) => [...set].sort();
    return [shared.read, shared.written].map(({ objectives, buckets }) => [
      sorted(objectives),
      sorted(buckets),
    ]);
  };

  it('includes only values that the manifest maps for reading or writing', () => {
    assert.deepEqual(names(), [
      [facts.map((fact) => `read ${fact}`).sort(), ['in']],
      [facts.map((fact) => `write ${fact}`).sort(), ['out']],
    ]);
  });

  it('includes no objectives or data that the manifest keeps within the course', () => {
    const [read, written] = names({ ObjectivesGlobalToSystem: false });
    assert.deepEqual([read?.[0], written?.[0], read?.[1]], [[], [], ['in']]);
    const [readOnly, writtenOnly] = names({ SharedDataGlobalToSystem: false });
    assert.deepEqual([readOnly?.[1], writtenOnly?.[1], writtenOnly?.[0]?.length], [[], [], facts.length]);
  });

  it('each activity that reads a status or measure from a global objective is listed once', () => {
    const reading = (...flags: string[]) => mapping(...flags.map((flag) => mapWith('x', [flag])));
    const { readers } = courseOf([
      leaf('satisfied', reading('ReadSatisfiedStatus')),
      leaf('measure', reading('ReadNormalizedMeasure')),
      leaf('completed', reading('ReadCompletionStatus')),
      leaf('progress', reading('ReadProgressMeasure', 'ReadSatisfiedStatus')),
      leaf('raw', reading('ReadRawScore')),
      leaf('writer', reading('WriteSatisfiedStatus', 'WriteNormalizedMeasure')),
    ]);
    const ids = [...readers].map(([id, list]) => [id, list.map((each) => each.id)]);
    assert.deepEqual(ids, [['x', ['satisfied', 'measure', 'completed', 'progress']]]);
  });
});
