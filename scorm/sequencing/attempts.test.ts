import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askAll, learnerOf, rule } from '../test-support/learners.ts';
import { courseOf, group, leaf } from '../test-support/trees.ts';
import { checkActivity } from './attempts.ts';
import { deliveryRequest } from './delivery.ts';
import { sequencingRequest } from './sequencing-requests.ts';
import { statuses } from './session.ts';
import { availableChildren } from './tree.ts';

const flow = { ControlMode: { Flow: true } };
const trackOf = (learner: ReturnType<typeof learnerOf>, id: string) =>
  new Map(learner.state.activities).get(id);

const optional = { RollupObjectiveSatisfied: false, RollupProgressCompletion: false };

describe('UP.1 Limit Conditions Check Process and UP.5 Check Activity Process', () => {
  const check = (units: ReturnType<typeof leaf>[], requests: string[]) => {
    const course = courseOf(units);
    const learner = learnerOf(course);
    askAll(learner, requests);
    return checkActivity(learner.draft(), course.activities[1] ?? course.root, 'X')?.refusal.reason ?? null;
  };
  const once = { Limits: { AttemptLimit: 1 } };
  const cases: [
    title: string,
    sequencing: Parameters<typeof leaf>[1],
    requests: string[],
    reason: string | null,
  ][] = [
    ['no limit', {}, ['start', 'continue'], null],
    ['before the first attempt', once, [], null],
    ['during the last attempt', once, ['start'], null],
    ['after the last attempt', once, ['start', 'continue'], 'attemptLimit'],
    ['after a suspended attempt', once, ['start', 'suspendAll'], null],
    ['an attempt limit of 0', { Limits: { AttemptLimit: 0 } }, [], 'attemptLimit'],
    ['an untracked activity', { ...once, Delivery: { Tracked: false } }, ['start', 'continue'], null],
    ['a rule', { Rules: [rule('pre', 'disabled', 'attempted')] }, ['start', 'continue'], 'disabled'],
  ];
  for (const [title, sequencing, requests, reason] of cases)
    it(`${title}: ${reason}`, () =>
      assert.equal(check([leaf('a', sequencing), leaf('b')], requests), reason));
});

describe('UP.4 End Attempt Process', () => {
  const measured = [
    { ObjectiveID: 'p', Primary: true, SatisfiedByMeasure: true, MinNormalizedMeasure: 0.5, Maps: [] },
  ];
  const cases: [
    title: string,
    sequencing: Parameters<typeof leaf>[1],
    data: Record<string, string>,
    completed: boolean | null,
    satisfied: boolean | null,
  ][] = [
    ['content that reports nothing is completed and satisfied', {}, {}, true, true],
    [
      'results reported by content are kept',
      {},
      { 'cmi.completion_status': 'incomplete', 'cmi.success_status': 'failed' },
      false,
      false,
    ],
    [
      'a reported "unknown" is kept',
      {},
      { 'cmi.completion_status': 'unknown', 'cmi.success_status': 'unknown' },
      null,
      null,
    ],
    ['completionSetByContent', { Delivery: { CompletionSetByContent: true } }, {}, null, true],
    ['objectiveSetByContent', { Delivery: { ObjectiveSetByContent: true } }, {}, true, null],
    ['suspended content is not completed', {}, { 'cmi.exit': 'suspend' }, null, null],
    ['untracked content', { Delivery: { Tracked: false } }, {}, null, null],
    ['only a measure can satisfy the objective', { Objectives: measured }, {}, true, null],
    [
      'by measure',
      { Objectives: measured },
      { 'cmi.score.scaled': '0.5', 'cmi.success_status': 'failed' },
      true,
      true,
    ],
  ];
  for (const [title, sequencing, data, completed, satisfied] of cases)
    it(title, () => {
      const course = courseOf([leaf('a', sequencing), leaf('b')]);
      const learner = learnerOf(course);
      learner.ask('start');
      learner.finish(data, 'continue');
      const status = new Map(statuses(course, learner.state)).get('a');
      assert.deepEqual([status?.completed, status?.satisfied], [completed, satisfied]);
    });

  it('suspends a group while one of its children is suspended', () => {
    const learner = learnerOf(courseOf([group('g', [leaf('a'), leaf('b')]), leaf('c')]));
    learner.ask('start');
    learner.finish({ 'cmi.exit': 'suspend' }, 'continue');
    assert.equal(learner.ask('choice c'), 'c');
    assert.deepEqual([trackOf(learner, 'a')?.suspended, trackOf(learner, 'g')?.suspended], [true, true]);
    assert.equal(learner.ask('choice a'), 'a resumed');
    assert.deepEqual([trackOf(learner, 'a')?.attempts, trackOf(learner, 'g')?.attempts], [1, 1]);
  });
});

describe('DB.1.1 Delivery Request Process', () => {
  it('delivers leaves that have no disabled ancestor', () => {
    const course = courseOf([
      group('g', [leaf('a')], { ...flow, Rules: [rule('pre', 'disabled', 'always')] }),
      leaf('b'),
    ]);
    const draft = learnerOf(course).draft();
    const codes = course.activities.map((activity) => deliveryRequest(draft, activity)?.refusal.code ?? null);
    assert.deepEqual(codes, ['DB.1.1-1', 'DB.1.1-1', 'DB.1.1-3', null]);
  });
});

describe('DB.2 Content Delivery Environment Process', () => {
  it('counts attempts on the activity and its ancestors, but not on untracked activities', () => {
    const learner = learnerOf(
      courseOf([group('g', [leaf('a'), leaf('b', { Delivery: { Tracked: false } })])]),
    );
    askAll(learner, ['start', 'continue', 'previous']);
    assert.deepEqual(
      ['root', 'g', 'a', 'b'].map((id) => trackOf(learner, id)?.attempts),
      [1, 1, 2, 0],
    );
  });

  it('starts each attempt without results', () => {
    const course = courseOf([leaf('a'), leaf('b')]);
    const learner = learnerOf(course);
    learner.ask('start');
    learner.finish({ 'cmi.success_status': 'passed', 'cmi.score.scaled': '1' }, 'continue');
    learner.ask('previous');
    const { satisfied, measure, attempts } = new Map(statuses(course, learner.state)).get('a') ?? {};
    assert.deepEqual([satisfied, measure, attempts], [null, null, 2]);
  });

  /**
   * DB.2.1: after the learner chooses a unit outside the group, the group stays suspended only if its child
   * `a` is suspended.
   */
  for (const exit of ['suspend', 'normal'])
    it(`keeps a group suspended only while one of its children is suspended: ${exit}`, () => {
      const learner = learnerOf(courseOf([group('g', [leaf('a'), leaf('b')]), leaf('c')]));
      learner.ask('start');
      learner.finish({ 'cmi.exit': exit }, 'continue');
      learner.ask('suspendAll');
      assert.equal(learner.state.suspended, 'b');
      assert.equal(learner.ask('choice c'), 'c');
      const suspended = learner.state.activities.filter(([, track]) => track.suspended).map(([id]) => id);
      assert.deepEqual(suspended, exit === 'suspend' ? ['g', 'a'] : []);
    });

  it('results from an earlier attempt do not prevent a new attempt from being completed (UP.4)', () => {
    const learner = learnerOf(courseOf([leaf('a'), leaf('b')]));
    learner.ask('start');
    const data = { 'cmi.completion_status': 'unknown', 'cmi.success_status': 'unknown' };
    learner.finish(data, 'learner: choice a');
    const [own] = new Map(learner.state.activities).get('a')?.objectives ?? [];
    assert.deepEqual([own?.completed, own?.satisfied], [null, null]);
    learner.ask('continue');
    const [later] = new Map(learner.state.activities).get('a')?.objectives ?? [];
    assert.deepEqual([later?.completed, later?.satisfied], [true, true]);
  });

  /**
   * SN §3.2.6–7: in a new attempt on the group, its roll-up uses only new results if its control mode says so.
   */
  const current: [
    objectives: boolean,
    progress: boolean,
    satisfied: boolean | null,
    completed: boolean | null,
  ][] = [
    [true, true, null, null],
    [false, false, true, true],
    [true, false, null, true],
    [false, true, true, null],
  ];
  for (const [UseCurrentAttemptObjectiveInfo, UseCurrentAttemptProgressInfo, satisfied, completed] of current)
    it(`counts results of the current attempt: ${UseCurrentAttemptObjectiveInfo}, ${UseCurrentAttemptProgressInfo}`, () => {
      const ControlMode = { Flow: true, UseCurrentAttemptObjectiveInfo, UseCurrentAttemptProgressInfo };
      const Delivery = { ObjectiveSetByContent: true, CompletionSetByContent: true };
      const units = [leaf('a', { Delivery }), leaf('b', { RollupRules: optional, Delivery })];
      const learner = learnerOf(courseOf([group('g', units, { ControlMode }), leaf('c')]));
      learner.ask('start');
      const done = { 'cmi.success_status': 'passed', 'cmi.completion_status': 'completed' };
      learner.finish(done, 'learner: choice c');
      assert.equal(learner.ask('choice b'), 'b');
      learner.ask('exit');
      const [own] = new Map(learner.state.activities).get('g')?.objectives ?? [];
      assert.deepEqual([own?.satisfied, own?.completed], [satisfied, completed]);
    });

  for (const isCurrent of [true, false])
    it(`counts measures of the current attempt: ${isCurrent}`, () => {
      const ControlMode = {
        ...{
          Flow: true,
          UseCurrentAttemptObjectiveInfo: isCurrent,
          UseCurrentAttemptProgressInfo: isCurrent,
        },
      };
      const weightless = { RollupRules: { ObjectiveMeasureWeight: 0 } };
      const learner = learnerOf(
        courseOf([group('g', [leaf('a'), leaf('b', weightless)], { ControlMode }), leaf('c')]),
      );
      learner.ask('start');
      learner.finish({ 'cmi.score.scaled': '0.5', 'cmi.progress_measure': '0.5' }, 'learner: choice c');
      askAll(learner, ['choice b', 'exit']);
      const [own] = trackOf(learner, 'g')?.objectives ?? [];
      assert.deepEqual([own?.measure, own?.progress], isCurrent ? [null, null] : [0.5, 0.25]);
    });

  it('clears the suspended activity if another one is delivered (DB.2.1)', () => {
    const learner = learnerOf(courseOf([group('g', [leaf('a')]), group('h', [leaf('b')])]));
    askAll(learner, ['start', 'suspendAll', 'choice b']);
    assert.equal(learner.state.suspended, null);
    assert.deepEqual(
      ['root', 'g', 'a'].map((id) => trackOf(learner, id)?.suspended),
      [false, false, false],
    );
  });

  it('measures how long activities were open', () => {
    const learner = learnerOf(courseOf([group('g', [leaf('a'), leaf('b')])]));
    askAll(learner, ['start', 'continue', 'previous', 'suspendAll', 'launch', 'exitAll']);
    const times = ['root', 'g', 'a', 'b'].map((id) => [
      trackOf(learner, id)?.attemptExperienced,
      trackOf(learner, id)?.activityExperienced,
    ]);
    assert.deepEqual(times, [
      [4_000, 4_000],
      [4_000, 4_000],
      [2_000, 3_000],
      [1_000, 1_000],
    ]);
  });

  it('time after the end of an attempt does not count', () => {
    const learner = learnerOf(courseOf([group('g', [leaf('a')])]));
    askAll(learner, ['start', 'exit', 'suspendAll']);
    const times = ['root', 'g', 'a'].map((id) => trackOf(learner, id)?.activityExperienced);
    assert.deepEqual(times, [1_000, 1_000, 1_000]);
  });
});

describe('SB.2.5–SB.2.8, SB.2.10, SB.2.11, SB.2.13: preconditions of sequencing requests', () => {
  const course = courseOf([leaf('a'), group('g', [leaf('b')], {})]);
  const cases: [before: string[], request: Parameters<typeof sequencingRequest>[1], outcome: string][] = [
    [['start'], { kind: 'start' }, 'SB.2.5-1'],
    [['start'], { kind: 'resumeAll' }, 'SB.2.6-1'],
    [[], { kind: 'resumeAll' }, 'SB.2.6-2'],
    [[], { kind: 'continue' }, 'SB.2.7-1'],
    [['choice b'], { kind: 'continue' }, 'SB.2.7-2'],
    [[], { kind: 'previous' }, 'SB.2.8-1'],
    [['choice b'], { kind: 'previous' }, 'SB.2.8-2'],
    [[], { kind: 'choice', target: 'x' }, 'SB.2.9-1'],
    [[], { kind: 'retry' }, 'SB.2.10-1'],
    [['start'], { kind: 'retry' }, 'SB.2.10-2'],
    [['start', 'exit'], { kind: 'retry' }, 'deliver'],
    [[], { kind: 'exit' }, 'SB.2.11-1'],
    [['start'], { kind: 'exit' }, 'SB.2.11-2'],
    [['start', 'exit'], { kind: 'exit' }, 'nothing'],
    [[], { kind: 'jump', target: 'a' }, 'SB.2.13-1'],
    [['start'], { kind: 'jump', target: 'b' }, 'deliver'],
  ];
  for (const [before, request, expected] of cases)
    it(`${[...before, request.kind].join(', ')}: ${expected}`, () => {
      const learner = learnerOf(course);
      askAll(learner, before);
      const outcome = sequencingRequest(learner.draft(), request);
      assert.equal(outcome.kind === 'refused' ? outcome.refusal.code : outcome.kind, expected);
    });

  it('jump ignores all control modes and rules except those for delivery', () => {
    const closed = {
      Rules: [rule('pre', 'hiddenFromChoice', 'always'), rule('pre', 'skip', 'always')],
      ControlMode: { Choice: false },
    };
    const learner = learnerOf(courseOf([leaf('a'), group('g', [leaf('b', closed)], closed)]));
    assert.equal(askAll(learner, ['start', 'jump b']), 'b');
    assert.equal(learner.ask('jump g'), 'DB.1.1-1');
  });
});

describe('SR.1 Select Children Process and SR.2 Randomize Children Process (SN §4.8)', () => {
  const ids = (learner: ReturnType<typeof learnerOf>) => {
    const draft = learner.draft();
    const pool = draft.course.byID.get('g') ?? draft.course.root;
    return availableChildren(draft, pool)
      .map(({ id }) => id)
      .join('');
  };
  const pool = (Randomization: object) =>
    courseOf([
      group(
        'g',
        [...'12345678'].map((id) => leaf(id)),
        { ...flow, Randomization },
      ),
      leaf('z'),
    ]);
  const orders = (course: ReturnType<typeof pool>, requests: string[]) =>
    Array.from({ length: 20 }, (_, seed) => {
      const learner = learnerOf(course, { seed });
      const first = ids(learner);
      askAll(learner, requests);
      return [first, ids(learner)];
    });

  it('selects children in manifest order, as determined by the seed', () => {
    const course = pool({ SelectionTiming: 'once', SelectCount: 3 });
    const selected = orders(course, ['start', 'choice z', 'choice g']);
    for (const [first, later] of selected) {
      assert.equal(first?.length, 3);
      assert.equal([...(first ?? '')].sort().join(''), first);
      assert.equal(later, first);
    }
    assert.ok(new Set(selected.map(([first]) => first)).size > 5);
    assert.deepEqual(orders(course, []), orders(course, []));
  });

  it('selects children again for each attempt, but not while an attempt is suspended', () => {
    const course = pool({ SelectionTiming: 'onEachNewAttempt', SelectCount: 3 });
    assert.ok(orders(course, ['start', 'choice z']).some(([first, later]) => later !== first));
    assert.ok(orders(course, ['start', 'suspendAll', 'launch']).every(([first, later]) => later === first));
  });

  it('reorders all children, or only the selected ones', () => {
    const shuffled = orders(pool({ RandomizationTiming: 'once', ReorderChildren: true }), [
      'start',
      'choice z',
    ]);
    for (const [first, later] of shuffled) {
      assert.equal([...(first ?? '')].sort().join(''), '12345678');
      assert.equal(later, first);
    }
    const both = orders(
      pool({
        SelectionTiming: 'once',
        SelectCount: 3,
        RandomizationTiming: 'onEachNewAttempt',
        ReorderChildren: true,
      }),
      ['start', 'choice z'],
    );
    for (const [first, later] of both)
      assert.equal([...(first ?? '')].sort().join(''), [...(later ?? '')].sort().join(''));
    assert.ok(both.some(([first, later]) => first !== later));
  });

  it('selects or reorders children only if both a timing and an instruction are set', () => {
    for (const settings of [
      { SelectCount: 3 },
      { ReorderChildren: true },
      { SelectionTiming: 'once' },
      { RandomizationTiming: 'once' },
    ])
      assert.ok(orders(pool(settings), ['start']).every(([first]) => first === '12345678'));
  });

  it('uses the new order', () => {
    const learner = learnerOf(pool({ RandomizationTiming: 'once', ReorderChildren: true }));
    const order = ids(learner);
    const visited = [learner.ask('start'), ...Array.from({ length: 7 }, () => learner.ask('continue'))];
    assert.equal(visited.join(''), order);
    assert.equal(learner.ask('continue'), 'z');
  });
});
