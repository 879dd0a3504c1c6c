import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Unit } from '../../standards/types.ts';
import { askAll, learnerOf, rule } from '../test-support/learners.ts';
import { courseOf, group, leaf, mapWith, treeOf } from '../test-support/trees.ts';
import { prepareCourse, rootID } from './course.ts';
import { blockedUnits, reported, sharedOf, statuses, unitEnded, withShared } from './session.ts';
import { unknownObjective } from './state.ts';

describe('launch', () => {
  const units = [leaf('a'), leaf('b')];

  it('starts, resumes after suspension, and restarts after the end', () => {
    const learner = learnerOf(courseOf(units));
    const answers = ['launch', 'suspendAll', 'launch', 'continue', 'exitAll', 'launch'].map(learner.ask);
    assert.deepEqual(answers, ['a', 'ended', 'a resumed', 'b', 'ended', 'a']);
  });

  it('resumes a unit whose page disappeared', () => {
    const learner = learnerOf(courseOf(units));
    assert.equal(askAll(learner, ['launch', 'continue', 'launch']), 'b resumed');
  });

  it('delivers nothing without flow until the learner chooses', () => {
    const learner = learnerOf(courseOf(units, {}));
    assert.equal(learner.ask('launch'), 'SB.2.2-1');
    assert.equal(learner.ask('choice b'), 'b');
  });
});

describe('ending a unit', () => {
  const course = courseOf([leaf('a'), leaf('b')]);
  const opened = () => {
    const learner = learnerOf(course);
    learner.ask('start');
    return learner;
  };

  it('the results are kept until there is a request', () => {
    const learner = opened();
    assert.equal(learner.finish({ 'cmi.success_status': 'failed' }), 'nothing');
    assert.equal(new Map(learner.state.activities).get('a')?.active, true);
    assert.equal(learner.ask('continue'), 'b');
    assert.equal(new Map(learner.state.activities).get('a')?.objectives[0]?.satisfied, false);
  });

  it("the learner's request takes precedence over the content's", () => {
    assert.equal(opened().finish({}, 'exitAll'), 'ended');
    const learner = opened();
    learner.finish({}, 'continue');
    const end = { unitID: 'b', data: {}, contentRequest: 'exitAll', request: { kind: 'previous' } as const };
    assert.equal(unitEnded(course, learner.state, end, 9_000).delivery?.unitID, 'a');
  });

  it('logout and time-out end the session (RTE §4.2.8)', () => {
    assert.equal(opened().finish({ 'cmi.exit': 'logout' }), 'ended');
    assert.equal(opened().finish({ 'cmi.exit': 'time-out' }), 'ended');
    assert.equal(opened().finish({ 'cmi.exit': 'time-out' }, 'continue'), 'b');
    assert.equal(opened().finish({ 'cmi.exit': 'normal' }), 'nothing');
  });

  it('ending a unit that is not open changes nothing', () => {
    const learner = opened();
    const { state } = unitEnded(
      course,
      learner.state,
      { unitID: 'b', data: { 'cmi.success_status': 'passed' }, contentRequest: 'exitAll' },
      1_000,
    );
    assert.deepEqual(state, learner.state);
  });
});

describe('what an open unit has reported so far', () => {
  const units = [leaf('a', {}, { SharedData: [{ TargetID: 'x', Read: true, Write: true }] }), leaf('b')];
  const course = courseOf(units);
  const learner = learnerOf(course);
  learner.ask('start');
  const data = { 'cmi.completion_status': 'completed', 'cmi.success_status': 'passed' };

  it('counts in the statuses and in shared data, while the unit stays open', () => {
    const report = { unitID: 'a', data, buckets: new Map([['x', 'seen']]) };
    const state = reported(course, learner.state, report);
    const [root, a] = statuses(course, state);
    assert.deepEqual([a?.[1].completed, a?.[1].satisfied, a?.[1].active], [true, true, true]);
    assert.equal(root?.[1].completed, null);
    assert.deepEqual(state.buckets, [['x', 'seen']]);
    assert.deepEqual(reported(course, learner.state, { unitID: 'a', data }).buckets, []);
    assert.deepEqual([state.current, state.suspended], ['a', null]);
  });

  it('does not count if the unit is not open', () => {
    const closed = learnerOf(course);
    assert.equal(reported(course, closed.state, { unitID: 'a', data }), closed.state);
    assert.equal(reported(course, learner.state, { unitID: 'b', data }), learner.state);
    askAll(closed, ['start', 'exit']);
    assert.equal(reported(course, closed.state, { unitID: 'a', data }), closed.state);
  });
});

describe('units that a rule or limit keeps closed', () => {
  const flow = { Flow: true };
  const always = (action: string) => ({ ControlMode: flow, Rules: [rule('pre', action, 'always')] });
  const cases: [title: string, units: Unit[], before: string[], blocked: string[]][] = [
    ['nothing', [leaf('a'), leaf('b')], ['start'], []],
    ['a disabled unit', [leaf('a'), leaf('b', always('disabled'))], [], ['b disabled b']],
    [
      'all units of a disabled group',
      [leaf('a'), group('g', [leaf('b'), leaf('c')], always('disabled'))],
      [],
      ['b disabled g', 'c disabled g'],
    ],
    [
      'a unit without remaining attempts',
      [leaf('a', { Limits: { AttemptLimit: 1 } }), leaf('b')],
      ['start', 'continue'],
      ['a attemptLimit a'],
    ],
    [
      'units after a unit that stops the choice',
      [leaf('a', always('stopForwardTraversal')), leaf('b'), leaf('c')],
      ['start'],
      ['b stopForwardTraversal a', 'c stopForwardTraversal a'],
    ],
    [
      'units of a group that must be activated first',
      [
        leaf('a'),
        group('g', [leaf('b')], { ControlMode: flow, ConstrainedChoice: { PreventActivation: true } }),
      ],
      ['start'],
      ['b preventActivation g'],
    ],
    [
      'units beyond the neighbour of a constrained group',
      [
        group('k', [leaf('a')], { ControlMode: flow, ConstrainedChoice: { ConstrainChoice: true } }),
        group('g', [leaf('b')]),
        group('h', [leaf('c')]),
      ],
      ['start'],
      ['c constrainChoice k'],
    ],
    [
      'units outside a group that cannot be left',
      [group('g', [leaf('a')], { ControlMode: { Flow: true, ChoiceExit: false } }), leaf('b')],
      ['start'],
      ['b choiceExitOff g'],
    ],
    [
      'units that only open in order or are hidden do not count',
      [
        group('g', [leaf('a'), leaf('b')], { ControlMode: { Flow: true, Choice: false } }),
        leaf('c', always('hiddenFromChoice')),
      ],
      ['start'],
      [],
    ],
  ];
  for (const [title, units, before, expected] of cases)
    it(title, () => {
      const course = courseOf(units);
      const learner = learnerOf(course);
      askAll(learner, before);
      const blocked = blockedUnits(course, learner.state, 60_000);
      assert.deepEqual(
        blocked.map(
          ({ id, title: name, refusal }) =>
            `${id} ${refusal.reason} ${refusal.activity}${name === id ? '' : '!'}`,
        ),
        expected,
      );
    });
});

describe('prediction of the first request', () => {
  const allowed = { allowed: true, refusal: null };
  const refusal = (code: string, reason: string) => ({
    ...{ allowed: false, refusal: { code, reason, activity: null, rule: null } },
  });

  it('a course that has not been opened can be started, and only a suspended course can be resumed', () => {
    const learner = learnerOf(courseOf([leaf('a')]));
    assert.deepEqual(learner.predict().requests.start, allowed);
    assert.deepEqual(learner.predict().requests.resumeAll, refusal('NB.2.1-3', 'nothingSuspended'));
    assert.deepEqual(learner.predict().requests.exit, refusal('NB.2.1-2', 'sessionNotBegun'));
    learner.ask('start');
    assert.deepEqual(learner.predict().requests.start, refusal('NB.2.1-1', 'sessionAlreadyBegun'));
    assert.deepEqual(learner.predict().requests.suspendAll, allowed);
    learner.ask('suspendAll');
    assert.deepEqual(learner.predict().requests.start, allowed);
    assert.deepEqual(learner.predict().requests.resumeAll, allowed);
  });

  it('no control is hidden before a unit is open', () => {
    const learner = learnerOf(courseOf([leaf('a', {}, { HideLMSUI: ['exit'] })]));
    assert.deepEqual(learner.predict().hidden, []);
    learner.ask('start');
    assert.deepEqual(learner.predict().hidden, ['exit']);
  });

  it('an update without shared values changes nothing', () => {
    const course = courseOf([leaf('a')]);
    const { state } = learnerOf(course);
    assert.deepEqual(withShared(course, state, {}), state);
  });

  it('a course whose first unit is closed cannot be started', () => {
    const learner = learnerOf(courseOf([leaf('a', { Rules: [rule('pre', 'disabled', 'always')] })]));
    assert.equal(learner.predict().requests.start.refusal?.code, 'SB.2.2-2');
  });
});

describe('prediction for the page', () => {
  it('the prediction states for every activity whether it can be chosen, and why not', () => {
    const units = [
      leaf('open'),
      leaf('hidden', { Rules: [rule('pre', 'hiddenFromChoice', 'always')] }),
      leaf('invisible', {}, { Visible: false }),
      leaf('disabled', { Rules: [rule('exit', 'exit', 'never'), rule('pre', 'disabled', 'always')] }),
      group('listed', [leaf('part')], { ControlMode: { Choice: false, Flow: true } }),
      group('secret', [leaf('inside')], {
        Rules: [rule('pre', 'hiddenFromChoice', 'always')],
        ControlMode: { Flow: true },
      }),
    ];
    const learner = learnerOf(courseOf(units));
    learner.ask('start');
    const contents = learner
      .predict()
      .contents.map(({ id, visible, allowed, refusal }) =>
        [
          id,
          visible ? 'visible' : '',
          allowed ? 'allowed' : '',
          refusal ? `${refusal.reason} ${refusal.activity} ${refusal.rule}` : '',
        ].join('|'),
      );
    assert.deepEqual(contents, [
      'root|visible|allowed|',
      'open|visible|allowed|',
      'hidden|||hiddenFromChoice hidden 0',
      'invisible||allowed|',
      'disabled|visible||disabled disabled 1',
      'listed|visible|allowed|',
      'part|visible||choiceOff listed null',
      'secret|||hiddenFromChoice secret 0',
      'inside|||hiddenFromChoice secret 0',
    ]);
  });

  it('the prediction lists the hidden buttons and the result of each request', () => {
    const learner = learnerOf(
      courseOf([leaf('a', {}, { HideLMSUI: ['previous'] }), group('g', [leaf('b')], {})]),
    );
    learner.ask('start');
    const { hidden, requests } = learner.predict();
    assert.deepEqual(hidden, ['previous']);
    const allowed = Object.entries(requests).filter(([, permission]) => permission.allowed);
    assert.deepEqual(
      allowed.map(([kind]) => kind),
      ['continue', 'exit', 'exitAll', 'suspendAll', 'abandon', 'abandonAll'],
    );
    assert.equal(requests.continue.refusal?.reason, 'flowOff');
    assert.equal(requests.previous.refusal?.reason, 'firstActivity');
  });
});

describe('the root activity', () => {
  it("the root has the organization's identifier unless it is missing or an item has the same identifier", () => {
    const identifiers = ['org', null, 'a'].map(
      (Identifier) => prepareCourse(treeOf([leaf('a')], {}, { Identifier }), 'Course').root.id,
    );
    assert.deepEqual(identifiers, ['org', rootID, rootID]);
  });

  it('the root can be completed by measure', () => {
    const CompletionThreshold = { CompletedByMeasure: true, MinProgressMeasure: 0.5, ProgressWeight: 1 };
    const course = courseOf([leaf('a'), leaf('b')], undefined, { CompletionThreshold });
    const learner = learnerOf(course);
    learner.ask('start');
    learner.finish({ 'cmi.progress_measure': '1' });
    assert.equal(new Map(statuses(course, learner.state)).get('root')?.completed, true);
  });

  it('the root plays units in order if the tree has no sequencing', () => {
    const tree = {
      Units: [leaf('a')],
      Sequencing: null,
      ObjectivesGlobalToSystem: true,
      SharedDataGlobalToSystem: true,
    };
    const course = prepareCourse(tree, 'Course');
    assert.deepEqual(
      [course.root.sequencing.ControlMode.Choice, course.root.sequencing.ControlMode.Flow],
      [true, true],
    );
  });

  it('the root uses the default sequencing if only other activities define their own', () => {
    const course = prepareCourse({ ...treeOf([leaf('a', {}), leaf('b')]), Sequencing: null }, 'Course');
    assert.equal(course.root.sequencing.ControlMode.Flow, false);
  });
});

describe('data shared between courses', () => {
  const globals: [string, typeof unknownObjective][] = [['x', { ...unknownObjective, satisfied: true }]];
  const buckets: [string, string][] = [['y', 'z']];

  it('courses exchange data as the manifest specifies', () => {
    for (const isGlobal of [true, false]) {
      const SharedData = [{ TargetID: 'y', Read: true, Write: true }];
      const Objectives = [
        {
          ...{ ObjectiveID: 'p', Primary: true, SatisfiedByMeasure: false, MinNormalizedMeasure: 1 },
          Maps: [mapWith('x', ['ReadSatisfiedStatus'])],
        },
      ];
      const course = courseOf([leaf('a', { Objectives }, { SharedData })], undefined, {
        ObjectivesGlobalToSystem: isGlobal,
        SharedDataGlobalToSystem: !isGlobal,
      });
      const state = withShared(course, learnerOf(course).state, { globals, buckets });
      assert.deepEqual([state.globals, state.buckets], isGlobal ? [globals, []] : [[], buckets]);
      assert.deepEqual(
        sharedOf(course, { ...state, globals, buckets }),
        isGlobal ? { globals, buckets: [] } : { globals: [], buckets },
      );
    }
  });
});

describe('a state from another release', () => {
  it('the data of activities that still exist is kept', () => {
    const learner = learnerOf(courseOf([leaf('a'), leaf('b')]));
    learner.ask('start');
    learner.finish({ 'cmi.success_status': 'passed' }, 'continue');
    const other = learnerOf(courseOf([leaf('c'), leaf('a')]));
    other.state = learner.state;
    assert.equal(other.ask('launch'), 'c');
    assert.deepEqual(
      other.state.activities.map(([id]) => id),
      ['root', 'c', 'a'],
    );
  });
});
