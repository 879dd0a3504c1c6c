import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { learnerOf } from '../test-support/learners.ts';
import { courseOf, leaf, mapWith } from '../test-support/trees.ts';
import { bucketsFor, dataFor, statuses, unitEnded } from './session.ts';

const Objectives = [
  { ObjectiveID: 'p', Primary: true, SatisfiedByMeasure: true, MinNormalizedMeasure: 0.7, Maps: [] },
  {
    ObjectiveID: 'o',
    Primary: false,
    SatisfiedByMeasure: false,
    MinNormalizedMeasure: 1,
    Maps: [mapWith('x', ['ReadSatisfiedStatus', 'ReadRawScore', 'ReadCompletionStatus'])],
  },
];

describe('data for a delivered unit (RTE §4.2)', () => {
  const course = courseOf([
    leaf(
      'a',
      { Objectives, Limits: { AttemptAbsoluteDurationLimit: 'PT10M' } },
      {
        ...{ DataFromLMS: 'launch', TimeLimitAction: 'exit,message' },
        CompletionThreshold: { CompletedByMeasure: true, MinProgressMeasure: 0.8, ProgressWeight: 1 },
      },
    ),
    leaf(
      'b',
      {
        Objectives: [
          {
            ObjectiveID: null,
            Primary: true,
            SatisfiedByMeasure: false,
            MinNormalizedMeasure: 0.7,
            Maps: [],
          },
        ],
      },
      {
        CompletionThreshold: { CompletedByMeasure: false, MinProgressMeasure: 0.8, ProgressWeight: 1 },
      },
    ),
  ]);
  const manifest = {
    'cmi.launch_data': 'launch',
    'cmi.time_limit_action': 'exit,message',
    'cmi.max_time_allowed': 'PT10M',
    'cmi.completion_threshold': '0.8',
    'cmi.scaled_passing_score': '0.7',
  };
  const ids = { 'cmi.objectives.0.id': 'p', 'cmi.objectives.1.id': 'o' };
  const system = { 'cmi.learner_id': 'l', 'cmi.learner_preference.language': 'de', 'cmi.mode': 'normal' };

  it('a new attempt gets only manifest and system data', () => {
    const learner = learnerOf(course);
    const stored = {
      ...system,
      'cmi.location': '3',
      'cmi.suspend_data': 'x',
      'cmi.objectives.0.id': 'old',
      'cmi.exit': 'normal',
    };
    const data = dataFor(course, learner.state, { unitID: 'a', isResumed: false }, stored);
    assert.deepEqual(data, { ...system, 'cmi.entry': 'ab-initio', ...manifest, ...ids });
  });

  it('thresholds that have no effect are omitted', () => {
    const data = dataFor(course, learnerOf(course).state, { unitID: 'b', isResumed: false });
    assert.deepEqual(data, { 'cmi.entry': 'ab-initio' });
  });

  it('objectives show the values that they read, and keep their positions when an attempt is resumed', () => {
    const shared = {
      satisfied: false,
      measure: null,
      raw: 4,
      min: null,
      max: null,
      completed: true,
      progress: null,
    };
    const learner = learnerOf(course, { globals: [['x', shared]] });
    const stored = {
      ...system,
      ...{
        'cmi.location': '3',
        'cmi.exit': 'suspend',
        'cmi.session_time': 'PT1H',
        'cmi.total_time': 'PT30M',
      },
      ...{
        'cmi.objectives.0.id': 'o',
        'cmi.objectives.0.success_status': 'passed',
        'cmi.objectives.1.id': 'own',
      },
    };
    const data = dataFor(course, learner.state, { unitID: 'a', isResumed: true }, stored);
    assert.deepEqual(data, {
      ...{ ...system, ...manifest, 'cmi.location': '3', 'cmi.total_time': 'PT1H30M', 'cmi.entry': 'resume' },
      ...{
        'cmi.objectives.0.id': 'o',
        'cmi.objectives.0.success_status': 'failed',
        'cmi.objectives.0.score.raw': '4',
      },
      ...{
        'cmi.objectives.0.completion_status': 'completed',
        'cmi.objectives.1.id': 'own',
        'cmi.objectives.2.id': 'p',
      },
    });
  });
});

describe('data reported by a unit (RTE §4.2)', () => {
  const report = (data: Record<string, string>, measured = false) => {
    const CompletionThreshold = { CompletedByMeasure: measured, MinProgressMeasure: 0.5, ProgressWeight: 1 };
    const plain = [
      { ObjectiveID: 'p', Primary: true, SatisfiedByMeasure: false, MinNormalizedMeasure: 1, Maps: [] },
    ];
    const course = courseOf([leaf('a', { Objectives: plain }, { CompletionThreshold })]);
    const learner = learnerOf(course);
    learner.ask('start');
    learner.finish(data);
    const { completed, satisfied, measure, progress } =
      new Map(statuses(course, learner.state)).get('a') ?? {};
    return [completed, satisfied, measure, progress];
  };
  const entry = { 'cmi.objectives.0.id': 'p' };
  const cases: [data: Record<string, string>, measured: boolean, expected: unknown[]][] = [
    [{}, false, [null, null, null, null]],
    [
      { 'cmi.completion_status': 'completed', 'cmi.success_status': 'passed' },
      false,
      [true, true, null, null],
    ],
    [{ 'cmi.completion_status': 'not attempted' }, false, [false, null, null, null]],
    [{ 'cmi.score.scaled': '0.5', 'cmi.progress_measure': '0.4' }, false, [null, null, 0.5, 0.4]],
    [{ 'cmi.score.scaled': 'much' }, false, [null, null, null, null]],
    [{ 'cmi.score.scaled': '55', 'cmi.progress_measure': '7' }, false, [null, null, null, null]],
    [
      { ...entry, 'cmi.objectives.0.success_status': 'failed', 'cmi.objectives.0.progress_measure': '1' },
      false,
      [null, false, null, 1],
    ],
    [
      { ...entry, 'cmi.objectives.0.success_status': 'failed', 'cmi.success_status': 'passed' },
      false,
      [null, true, null, null],
    ],
    [
      { 'cmi.objectives.0.id': 'q', 'cmi.objectives.0.success_status': 'failed' },
      false,
      [null, null, null, null],
    ],
    [{ 'cmi.progress_measure': '0.5', 'cmi.completion_status': 'incomplete' }, true, [true, null, null, 0.5]],
    [
      { 'cmi.progress_measure': '0.49', 'cmi.completion_status': 'completed' },
      true,
      [false, null, null, 0.49],
    ],
    [{ 'cmi.completion_status': 'completed' }, true, [null, null, null, null]],
  ];
  for (const [data, measured, expected] of cases)
    it(`${JSON.stringify(data)}${measured ? ', completed by measure' : ''}`, () =>
      assert.deepEqual(report(data, measured), expected));
});

describe('shared data (RTE §4.3.1)', () => {
  const SharedData = [
    { TargetID: 'both', Read: true, Write: true },
    { TargetID: 'read', Read: true, Write: false },
    { TargetID: ' write%20only ', Read: false, Write: true },
  ];
  const course = (SharedDataGlobalToSystem: boolean) =>
    courseOf([leaf('a', {}, { SharedData }), leaf('b', {}, { SharedData })], undefined, {
      SharedDataGlobalToSystem,
    });
  const ended = (isGlobal: boolean, buckets: [string, string | null][]) => {
    const learner = learnerOf(course(isGlobal), { buckets: [['both', 'before']] });
    learner.ask('start');
    const end = { unitID: 'a', data: {}, contentRequest: 'continue', buckets: new Map(buckets) };
    return unitEnded(course(isGlobal), learner.state, end, 5_000).state;
  };

  it('data is written only to buckets that the unit may write', () => {
    const state = ended(true, [
      ['both', '1'],
      ['read', '2'],
      ['write only', '3'],
      ['other', '4'],
    ]);
    assert.deepEqual(bucketsFor(course(true), state, 'b'), [
      { id: 'both', store: '1', read: true, write: true },
      { id: 'read', store: null, read: true, write: false },
      { id: 'write only', store: '3', read: false, write: true },
    ]);
  });

  it('a bucket can be emptied, and remains unchanged if a unit does not write it', () => {
    assert.equal(bucketsFor(course(true), ended(true, [['both', null]]), 'b')[0]?.store, null);
    assert.equal(bucketsFor(course(true), ended(true, []), 'b')[0]?.store, 'before');
    assert.equal(bucketsFor(course(false), ended(false, []), 'b')[0]?.store, null);
  });
});
