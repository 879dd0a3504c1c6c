import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultSequencing } from '../scorm/sequencing/course.ts';
import { better, rollUp, unitEvidence } from './evidence.ts';
import { resume } from './resume.ts';
import { unitOf } from './test-support.ts';
import type { CourseTree, Evidence, RunTimeData, Unit } from './types.ts';

const learner = { ID: 'ann@example.org', Name: 'Ann' };
const evidence = (values: Partial<Evidence> = {}): Evidence => ({
  ...{ Completion: 'unknown', Success: 'unknown', Score: null, Progress: 0, TotalSeconds: 0 },
  ...values,
});
const treeOf = (Units: Unit[]): CourseTree => ({
  ...{ Units, Sequencing: null, ObjectivesGlobalToSystem: true, SharedDataGlobalToSystem: true },
});

describe('SCORM 1.2 data', () => {
  const evaluated = (status: string, more: RunTimeData = {}, unit: Partial<Unit> = {}) => {
    const data = { 'cmi.core.lesson_status': status, ...more };
    const { Completion, Success, Score } = unitEvidence('scorm12', unitOf(unit), data);
    return [Completion, Success, Score];
  };
  const raw = (score: string) => ({ 'cmi.core.score.raw': score });

  it('derives completion and success from the single status', () => {
    assert.deepEqual(evaluated('passed'), ['completed', 'passed', null]);
    assert.deepEqual(evaluated('completed'), ['completed', 'unknown', null]);
    assert.deepEqual(evaluated('failed'), ['incomplete', 'failed', null]);
    assert.deepEqual(evaluated('incomplete'), ['incomplete', 'unknown', null]);
    assert.deepEqual(evaluated('browsed'), ['incomplete', 'unknown', null]);
    assert.deepEqual(evaluated('not attempted'), ['unknown', 'unknown', null]);
    assert.deepEqual(evaluated('nonsense'), ['unknown', 'unknown', null]);
  });

  it('a mastery score determines the success', () => {
    const mastery = { MasteryScore: 80 };
    assert.deepEqual(evaluated('completed', raw('80'), mastery), ['completed', 'passed', 80]);
    assert.deepEqual(evaluated('completed', raw('79.9'), mastery), ['completed', 'failed', 79.9]);
    assert.deepEqual(evaluated('passed', raw('10'), mastery), ['incomplete', 'failed', 10]);
    assert.deepEqual(evaluated('failed', raw('90'), mastery), ['completed', 'passed', 90]);
    assert.deepEqual(evaluated('incomplete', raw('90'), mastery), ['incomplete', 'unknown', 90]);
    const uncredited = { ...raw('10'), 'cmi.core.credit': 'no-credit' };
    assert.deepEqual(evaluated('passed', uncredited, mastery), ['completed', 'passed', 10]);
  });

  it('the score is scaled by min and max if these are valid', () => {
    const bounds = (min: string, max: string) => ({ 'cmi.core.score.min': min, 'cmi.core.score.max': max });
    assert.equal(evaluated('passed', { ...raw('15'), ...bounds('0', '20') })[2], 75);
    assert.equal(evaluated('passed', { ...raw('15'), ...bounds('20', '0') })[2], 15);
    assert.equal(evaluated('passed', { ...raw('150'), ...bounds('', '100') })[2], 100);
    assert.equal(evaluated('passed', raw('many'))[2], null);
    assert.equal(evaluated('passed', { ...raw('1e308'), ...bounds('-1e308', '1e308') })[2], 100);
    assert.equal(evaluated('passed', { ...raw('0'), ...bounds('-1e308', '1e308') })[2], 50);
  });
});

describe('SCORM 2004 data', () => {
  const evaluated = (data: RunTimeData, unit: Partial<Unit> = {}) => {
    const { Completion, Success, Score, Progress } = unitEvidence('scorm2004-4th', unitOf(unit), data);
    return [Completion, Success, Score, Progress];
  };
  const threshold = { CompletedByMeasure: true, MinProgressMeasure: 0.5, ProgressWeight: 1 };

  it('the status reported by the content is used', () => {
    assert.deepEqual(evaluated({ 'cmi.completion_status': 'completed' }), [
      'completed',
      'unknown',
      null,
      100,
    ]);
    assert.deepEqual(evaluated({ 'cmi.success_status': 'passed' }), ['completed', 'passed', null, 100]);
    const scored = { 'cmi.score.scaled': '-0.5', 'cmi.progress_measure': '0.25' };
    assert.deepEqual(evaluated(scored), ['unknown', 'unknown', 0, 25]);
    assert.deepEqual(evaluated({}), ['unknown', 'unknown', null, 0]);
  });

  it('thresholds determine the status if their measures are known', () => {
    const half = { 'cmi.progress_measure': '0.5', 'cmi.completion_status': 'incomplete' };
    assert.equal(evaluated(half, { CompletionThreshold: threshold })[0], 'completed');
    const ignored = { CompletionThreshold: { ...threshold, CompletedByMeasure: false } };
    assert.equal(evaluated(half, ignored)[0], 'incomplete');
    const scored = { 'cmi.score.scaled': '0.6', 'cmi.success_status': 'passed' };
    const passing = { ObjectiveID: null, Primary: true, SatisfiedByMeasure: true, MinNormalizedMeasure: 0.7 };
    const Sequencing = { ...defaultSequencing, Objectives: [{ ...passing, Maps: [] }] };
    assert.equal(evaluated(scored, { Sequencing })[1], 'failed');
    assert.equal(evaluated({ ...scored, 'cmi.score.scaled': '' }, { Sequencing })[1], 'passed');
  });

  it('thresholds that only the page reports are ignored', () => {
    const claims = { 'cmi.scaled_passing_score': '0.1', 'cmi.completion_threshold': '0.1' };
    const data = { ...claims, 'cmi.score.scaled': '0.2', 'cmi.progress_measure': '0.2' };
    assert.deepEqual(evaluated(data).slice(0, 2), ['unknown', 'unknown']);
  });
});

describe('pages without an API', () => {
  it('a page is completed when the player reports completion', () => {
    const data = { 'lectern.completion': 'completed', 'lectern.seconds': '12' };
    const done = evidence({ Completion: 'completed', Progress: 100, TotalSeconds: 12 });
    assert.deepEqual(unitEvidence('web', unitOf(), data), done);
    assert.deepEqual(unitEvidence('scorm12', unitOf({ Kind: 'asset' }), data), done);
  });
});

describe('rollUp', () => {
  const tree = treeOf([
    unitOf({ UnitID: 'a', Children: [unitOf({ UnitID: 'b', Visible: false })] }),
    unitOf({ UnitID: 'group', Href: null, Kind: null, Children: [unitOf({ UnitID: 'c' })] }),
  ]);
  const done = evidence({ Completion: 'completed', Progress: 100, TotalSeconds: 5 });

  it('a course is complete when every unit is complete', () => {
    assert.equal(rollUp('scorm12', tree, { a: done, b: done, c: done }).Completion, 'completed');
    const partly = rollUp('scorm12', tree, { a: done, b: done });
    assert.deepEqual([partly.Completion, partly.Progress, partly.TotalSeconds], ['incomplete', 66.67, 10]);
    assert.deepEqual(rollUp('scorm12', tree, {}), evidence());
  });

  it('a course fails if one unit failed, and passes if every unit that reports success has passed', () => {
    const passed = evidence({ Success: 'passed', Score: 90 });
    const failed = evidence({ Success: 'failed', Score: 40 });
    assert.equal(rollUp('scorm12', tree, { a: done, b: passed }).Success, 'passed');
    const mixed = rollUp('scorm12', tree, { a: failed, b: passed });
    assert.deepEqual([mixed.Success, mixed.Score], ['failed', 65]);
  });

  it('the roll-up of the SCORM 2004 sequencing engine takes precedence', () => {
    const root = { Completion: 'completed', Success: 'unknown', Score: 0, Progress: null } as const;
    const passed = evidence({ Success: 'passed', Score: 90 });
    const rolled = rollUp('scorm2004-3rd', tree, { a: passed }, root);
    assert.deepEqual([rolled.Completion, rolled.Success, rolled.Score], ['completed', 'unknown', 0]);
    const single = rollUp('scorm2004-3rd', treeOf([unitOf({ UnitID: 'a' })]), { a: passed }, root);
    assert.deepEqual([single.Completion, single.Success, single.Score], ['completed', 'passed', 0]);
    assert.equal(rollUp('scorm12', tree, { a: passed }, root).Score, 90);
  });

  it('unit IDs can be names of JavaScript object properties', () => {
    const strange = treeOf([unitOf({ UnitID: 'constructor' }), unitOf({ UnitID: '__proto__' })]);
    assert.deepEqual(rollUp('scorm12', strange, {}), evidence());
  });
});

describe('better', () => {
  it('never loses a result', () => {
    const good = evidence({
      Completion: 'completed',
      Success: 'passed',
      Score: 90,
      Progress: 100,
      TotalSeconds: 60,
    });
    const bad = evidence({
      Completion: 'incomplete',
      Success: 'failed',
      Score: 10,
      Progress: 5,
      TotalSeconds: 9,
    });
    assert.deepEqual(better(good, bad), good);
    assert.deepEqual(better(bad, good), good);
    assert.deepEqual(better(evidence(), bad), bad);
    assert.equal(better(evidence({ Score: 0 }), evidence()).Score, 0);
  });
});

describe('resume', () => {
  it('starts SCORM 1.2 from the beginning without data, and passes the manifest values to the content', () => {
    const data = resume('scorm12', unitOf({ DataFromLMS: 'x', MasteryScore: 80 }), {}, learner);
    assert.equal(data['cmi.core.entry'], 'ab-initio');
    assert.equal(data['cmi.core.student_id'], learner.ID);
    assert.equal(data['cmi.core.total_time'], '0000:00:00.00');
    assert.deepEqual([data['cmi.launch_data'], data['cmi.student_data.mastery_score']], ['x', '80']);
  });

  it('resumes SCORM 1.2 after suspend and adds the session time only once', () => {
    const stored = {
      'cmi.core.exit': 'suspend',
      'cmi.core.session_time': '00:01:30.5',
      'cmi.core.total_time': '0001:00:00',
      'cmi.suspend_data': 'here',
    };
    const data = resume('scorm12', unitOf(), stored, learner);
    assert.deepEqual([data['cmi.core.entry'], data['cmi.core.total_time']], ['resume', '0001:01:30.50']);
    assert.equal(data['cmi.suspend_data'], 'here');
    assert.ok(!('cmi.core.exit' in data) && !('cmi.core.session_time' in data));
    const again = resume('scorm12', unitOf(), data, learner);
    assert.deepEqual([again['cmi.core.entry'], again['cmi.core.total_time']], ['resume', '0001:01:30.50']);
  });

  it('resumes after a crash, but not if the unit was finished or exited', () => {
    const entry = (stored: RunTimeData) => resume('scorm12', unitOf(), stored, learner)['cmi.core.entry'];
    const crashed = { 'cmi.core.lesson_status': 'incomplete', 'cmi.core.lesson_location': 'page-3' };
    assert.equal(entry(crashed), 'resume');
    assert.equal(entry({ ...crashed, 'cmi.core.lesson_status': 'passed' }), '');
    assert.equal(entry({ ...crashed, 'cmi.core.exit': 'logout' }), '');
    assert.equal(entry({ 'cmi.core.lesson_status': 'incomplete' }), '');
  });

  it('resumes SCORM 2004 in the same way', () => {
    const stored = { 'cmi.exit': 'suspend', 'cmi.session_time': 'PT90S', 'cmi.total_time': 'PT1H' };
    const threshold = { CompletedByMeasure: true, MinProgressMeasure: 0.5, ProgressWeight: 1 };
    const data = resume('scorm2004-3rd', unitOf({ CompletionThreshold: threshold }), stored, learner);
    assert.deepEqual([data['cmi.entry'], data['cmi.total_time']], ['resume', 'PT1H1M30S']);
    assert.equal(data['cmi.completion_threshold'], '0.5');
    assert.equal(resume('scorm2004-3rd', unitOf(), { 'cmi.exit': '' }, learner)['cmi.entry'], '');
  });

  it('leaves the data of plain pages unchanged', () => {
    const stored = { 'lectern.seconds': '3' };
    assert.deepEqual(resume('web', unitOf(), stored, learner), stored);
  });
});
