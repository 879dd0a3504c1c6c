import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainIdentifier } from '../../standards/objectives.ts';
import type { Objective, RunTimeData } from '../../standards/types.ts';
import { learnerOf } from '../test-support/learners.ts';
import { courseOf, group, leaf, mapWith } from '../test-support/trees.ts';
import { completedOf, readObjective } from './objectives.ts';
import { type GlobalObjective, unknownObjective } from './state.ts';

const objective = (
  ObjectiveID: string,
  Maps: Objective['Maps'],
  more: Partial<Objective> = {},
): Objective => ({
  ...{ ObjectiveID, Primary: ObjectiveID === 'p', SatisfiedByMeasure: false, MinNormalizedMeasure: 1, Maps },
  ...more,
});

/**
 * For each value, the flags that pass it from unit a to unit b, and the element in which content reports it
 * (SN §3.10.3, RTE §4.2.17).
 */
const facts: [
  fact: keyof GlobalObjective,
  flag: string,
  element: string,
  value: string,
  read: string | number | boolean,
][] = [
  ['satisfied', 'SatisfiedStatus', 'success_status', 'failed', false],
  ['measure', 'NormalizedMeasure', 'score.scaled', '-0.5', -0.5],
  ['raw', 'RawScore', 'score.raw', '7', 7],
  ['min', 'MinScore', 'score.min', '1', 1],
  ['max', 'MaxScore', 'score.max', '9.5', 9.5],
  ['completed', 'CompletionStatus', 'completion_status', 'completed', true],
  ['progress', 'ProgressMeasure', 'progress_measure', '0.25', 0.25],
];

describe('objective maps (SN §3.10.3)', () => {
  const seenBy = (writes: string[], reads: string[], element: string, value: string) => {
    const course = courseOf([
      leaf('a', { Objectives: [objective('p', []), objective('o', [mapWith('x', writes)])] }),
      leaf('b', { Objectives: [objective('p', []), objective('q', [mapWith('x', reads)])] }),
    ]);
    const learner = learnerOf(course);
    learner.ask('start');
    learner.finish({ 'cmi.objectives.3.id': 'o', [`cmi.objectives.3.${element}`]: value }, 'continue');
    return readObjective(learner.draft(), course.activities[2] ?? course.root, 1);
  };
  const allReads = facts.map(([, flag]) => `Read${flag}`);
  const allWrites = facts.map(([, flag]) => `Write${flag}`);

  for (const [fact, flag, element, value, read] of facts) {
    it(`${flag} is shared if its own read and write flags are set`, () => {
      assert.equal(seenBy([`Write${flag}`], [`Read${flag}`], element, value)[fact], read);
    });
    it(`${flag} is not shared without its own read and write flags`, () => {
      const withoutRead = allReads.filter((each) => each !== `Read${flag}`);
      const withoutWrite = allWrites.filter((each) => each !== `Write${flag}`);
      assert.equal(seenBy(allWrites, withoutRead, element, value)[fact], null);
      assert.equal(seenBy(withoutWrite, allReads, element, value)[fact], null);
    });
  }

  it("a measure is compared with the reading activity's own minimum", () => {
    const course = courseOf([
      leaf('a', { Objectives: [objective('p', [mapWith('x', ['WriteNormalizedMeasure'])])] }),
      leaf('b', {
        Objectives: [
          objective('p', [mapWith('x', ['ReadNormalizedMeasure'])], {
            SatisfiedByMeasure: true,
            MinNormalizedMeasure: 0.5,
          }),
        ],
      }),
    ]);
    const learner = learnerOf(course);
    learner.ask('start');
    learner.finish({ 'cmi.score.scaled': '0.5', 'cmi.success_status': 'failed' }, 'continue');
    assert.equal(readObjective(learner.draft(), course.activities[2] ?? course.root, 0).satisfied, true);
  });

  it('a mapped status is unknown while the global objective is unknown, whatever the activity has recorded', () => {
    const course = courseOf([
      leaf('a', { Objectives: [objective('p', [mapWith('x', ['ReadSatisfiedStatus'])])] }),
      leaf('b'),
    ]);
    const learner = learnerOf(course);
    learner.ask('start');
    learner.finish({ 'cmi.success_status': 'passed' }, 'continue');
    assert.equal(readObjective(learner.draft(), course.activities[1] ?? course.root, 0).satisfied, null);
  });

  it('content can write "unknown", but starting a new attempt does not', () => {
    const map = mapWith('x', ['ReadSatisfiedStatus', 'WriteSatisfiedStatus']);
    const course = courseOf([leaf('a', { Objectives: [objective('p', [map])] })]);
    const learner = learnerOf(course);
    const shared = () => new Map(learner.state.globals).get('x')?.satisfied;
    learner.ask('start');
    learner.finish({ 'cmi.success_status': 'passed' });
    learner.ask('choice a');
    assert.equal(shared(), true);
    learner.finish({ 'cmi.success_status': 'unknown' });
    assert.equal(shared(), null);
  });

  /**
   * What the unit reports while the global objective is satisfied, and what it then writes (ADL's tests OB-17
   * and SX-11b).
   */
  const writing: [title: string, data: RunTimeData, sequencing: object, satisfied: boolean | null][] = [
    ['a status', { 'cmi.success_status': 'failed' }, {}, false],
    ['an unknown status, if content reports it', { 'cmi.success_status': 'unknown' }, {}, null],
    ['nothing, if content reports only something else', { 'cmi.score.scaled': '0.5' }, {}, true],
    ['nothing, if content reports nothing', {}, {}, true],
    [
      'nothing without a map',
      { 'cmi.success_status': 'failed' },
      { flags: ['WriteNormalizedMeasure'] },
      true,
    ],
    [
      'the status that follows from a measure',
      { 'cmi.score.scaled': '0.4' },
      { more: { SatisfiedByMeasure: true, MinNormalizedMeasure: 0.5 } },
      false,
    ],
    [
      'the status that follows from a measure, instead of the reported status',
      { 'cmi.score.scaled': '0.5', 'cmi.success_status': 'failed' },
      { more: { SatisfiedByMeasure: true, MinNormalizedMeasure: 0.5 } },
      true,
    ],
  ];
  for (const [title, data, given, expected] of writing)
    it(`writes ${title}`, () => {
      const { flags = ['WriteSatisfiedStatus'], more = {} } = given as {
        flags?: string[];
        more?: Partial<Objective>;
      };
      const Objectives = [objective('p', [mapWith('x', flags)], more)];
      const course = courseOf([
        leaf('a', { Objectives, Delivery: { ObjectiveSetByContent: true } }),
        leaf('b'),
      ]);
      const globals: [string, GlobalObjective][] = [['x', { ...unknownObjective, satisfied: true }]];
      const learner = learnerOf(course);
      learner.state = { ...learner.state, globals };
      learner.ask('start');
      learner.finish(data, 'continue');
      assert.equal(new Map(learner.state.globals).get('x')?.satisfied, expected);
    });

  it('writes unknown for a value that was known before', () => {
    const Objectives = [objective('p', [mapWith('x', ['WriteNormalizedMeasure'])])];
    const whole = group('g', [leaf('a', { Delivery: { ObjectiveSetByContent: true } })], {
      ...{ ControlMode: { Flow: true }, Objectives },
    });
    const learner = learnerOf(courseOf([whole]));
    const shared = () => new Map(learner.state.globals).get('x')?.measure;
    learner.ask('start');
    learner.finish({ 'cmi.score.scaled': '0.5' }, 'exit');
    assert.equal(shared(), 0.5);
    learner.ask('choice a');
    learner.finish({}, 'exit');
    assert.equal(shared(), null);
  });

  /**
   * The progress measure of a unit, and the completion that the unit and its group both write. They have the
   * same threshold (RB.1.3.a).
   */
  const thresholds: [progress: string | null, completed: boolean | undefined][] = [
    ['0.5', true],
    ['0.6', true],
    ['0.49', false],
    [null, undefined],
  ];
  for (const [progress, expected] of thresholds)
    it(`writes the completion that follows from a progress measure of ${progress}`, () => {
      const CompletionThreshold = { CompletedByMeasure: true, MinProgressMeasure: 0.5, ProgressWeight: 1 };
      const writes = (id: string) => ({
        ...{
          ControlMode: { Flow: true },
          Objectives: [objective('p', [mapWith(id, ['WriteCompletionStatus'])])],
        },
      });
      const unit = leaf('a', writes('unit'), { CompletionThreshold });
      const learner = learnerOf(
        courseOf([group('g', [unit], writes('group'), { CompletionThreshold }), leaf('b')]),
      );
      learner.ask('start');
      const measure = progress === null ? {} : { 'cmi.progress_measure': progress };
      learner.finish({ 'cmi.completion_status': 'completed', ...measure }, 'continue');
      const written = new Map(learner.state.globals);
      const found = [
        written.get('unit')?.completed ?? undefined,
        written.get('group')?.completed ?? undefined,
      ];
      assert.deepEqual(found, [expected, expected]);
    });

  it('writes the completion of a group from its measure, not from its rules', () => {
    const CompletionThreshold = { CompletedByMeasure: true, MinProgressMeasure: 0.5, ProgressWeight: 1 };
    const writes = { Objectives: [objective('p', [mapWith('x', ['WriteCompletionStatus'])])] };
    const units = [leaf('a'), leaf('b')];
    const whole = group('g', units, { ControlMode: { Flow: true }, ...writes }, { CompletionThreshold });
    const learner = learnerOf(courseOf([whole, leaf('c')]));
    learner.ask('start');
    learner.finish({ 'cmi.completion_status': 'completed', 'cmi.progress_measure': '1' }, 'continue');
    learner.finish({ 'cmi.completion_status': 'incomplete', 'cmi.progress_measure': '0' }, 'continue');
    assert.equal(new Map(learner.state.globals).get('x')?.completed, true);
  });

  it('the end of an attempt does not override statuses that a map reads (UP.4)', () => {
    const flags = [
      'ReadSatisfiedStatus',
      'WriteSatisfiedStatus',
      'ReadCompletionStatus',
      'WriteCompletionStatus',
    ];
    for (const [known, expected] of [
      [false, false],
      [null, true],
    ] as const) {
      const course = courseOf([
        leaf('a', { Objectives: [objective('p', [mapWith('x', flags)])] }),
        leaf('b'),
      ]);
      const learner = learnerOf(course);
      const globals: [string, GlobalObjective][] = [
        ['x', { ...unknownObjective, satisfied: known, completed: known }],
      ];
      learner.state = { ...learner.state, globals };
      learner.ask('start');
      learner.finish({}, 'continue');
      const { satisfied, completed } = new Map(learner.state.globals).get('x') ?? unknownObjective;
      assert.deepEqual([satisfied, completed], [expected, expected]);
    }
  });

  it("the completion of an objective that is not the primary one does not follow from the unit's measure", () => {
    const CompletionThreshold = { CompletedByMeasure: true, MinProgressMeasure: 0.5, ProgressWeight: 1 };
    const course = courseOf([
      leaf('a', { Objectives: [objective('p', []), objective('o', [])] }, { CompletionThreshold }),
      leaf('b'),
    ]);
    const learner = learnerOf(course);
    learner.ask('start');
    const data = {
      ...{ 'cmi.progress_measure': '0.9', 'cmi.objectives.0.id': 'o' },
      'cmi.objectives.0.completion_status': 'incomplete',
    };
    learner.finish(data, 'continue');
    const a = course.byID.get('a') ?? assert.fail('no unit');
    assert.equal(completedOf(learner.draft(), a, 'itself', 1), false);
    assert.equal(completedOf(learner.draft(), a), true);
    assert.throws(() => completedOf(learner.draft(), a, 'itself', 2), /The activity a has no objective 2/);
  });

  it('an untracked activity writes nothing', () => {
    const Objectives = [objective('p', [mapWith('x', ['WriteSatisfiedStatus'])])];
    const learner = learnerOf(courseOf([leaf('a', { Objectives, Delivery: { Tracked: false } })]));
    learner.ask('start');
    learner.finish({ 'cmi.success_status': 'passed' });
    assert.deepEqual(learner.state.globals, []);
  });
});

describe('scope of global objectives (SN §3.10.4)', () => {
  const Objectives = [objective('p', [mapWith('x', ['ReadSatisfiedStatus', 'WriteSatisfiedStatus'])])];
  const again = (ObjectivesGlobalToSystem: boolean, leave: string) => {
    const learner = learnerOf(courseOf([leaf('a', { Objectives })], undefined, { ObjectivesGlobalToSystem }));
    learner.ask('start');
    learner.finish({ 'cmi.success_status': 'passed' }, leave);
    learner.ask('launch');
    return new Map(learner.state.globals).get('x')?.satisfied ?? null;
  };

  it("global objectives last for all of the learner's courses or for one attempt, as the manifest specifies", () => {
    assert.equal(again(true, 'exitAll'), true);
    assert.equal(again(false, 'exitAll'), null);
    assert.equal(again(false, 'suspendAll'), true);
  });

  it("global objectives start with other courses' values if the manifest shares them", () => {
    const globals: [string, GlobalObjective][] = [
      [
        'x',
        { satisfied: true, measure: null, raw: null, min: null, max: null, completed: null, progress: null },
      ],
    ];
    for (const isShared of [true, false]) {
      const course = courseOf([leaf('a', { Objectives })], undefined, { ObjectivesGlobalToSystem: isShared });
      const { satisfied } = readObjective(
        learnerOf(course, { globals }).draft(),
        course.activities[1] ?? course.root,
        0,
      );
      assert.equal(satisfied, isShared ? true : null);
    }
  });
});

describe('objective identifiers', () => {
  const names: [reference: string, name: string][] = [
    ['obj1', 'obj1'],
    ['  %20obj%20 %201%20  ', 'obj 1'],
    ['100%', '100%'],
    ['%E0%A4%A', '%E0%A4%A'],
    ['%C3%A9', 'é'],
  ];
  for (const [reference, name] of names)
    it(`${reference} is read as ${name}`, () => assert.equal(plainIdentifier(reference), name));
});
