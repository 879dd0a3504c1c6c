import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askAll, learnerOf, rule } from '../test-support/learners.ts';
import { courseOf, group, leaf } from '../test-support/trees.ts';
import { launch, request, unitEnded } from './session.ts';
import { terminationRequest } from './termination.ts';

const flow = { ControlMode: { Flow: true } };
const always = (action: string) => ({ ...flow, Rules: [rule('post', action, 'always')] });

describe('TB.2.2 Sequencing Post Condition Rules Subprocess', () => {
  /** The action that applies after unit b, and the unit that the learner's Continue then delivers. */
  const cases: [action: string, outcome: string][] = [
    ['retry', 'b'],
    ['previous', 'a'],
    ['continue', 'c'],
    ['exitParent', 'd'],
    ['exitAll', 'ended'],
    ['retryAll', 'a'],
  ];
  for (const [action, outcome] of cases)
    it(`${action} replaces the learner's request`, () => {
      const units = [group('g', [leaf('a'), leaf('b', always(action)), leaf('c')]), leaf('d')];
      assert.equal(askAll(learnerOf(courseOf(units)), ['start', 'continue', 'continue']), outcome);
    });

  it('does not apply to a suspended activity', () => {
    const learner = learnerOf(courseOf([leaf('a', always('retry')), leaf('b')]));
    learner.ask('start');
    assert.equal(learner.finish({ 'cmi.exit': 'suspend' }, 'continue'), 'b');
  });

  it('applies only rules that are definitely true', () => {
    const maybe = {
      ...flow,
      Rules: [rule('post', 'retry', 'not satisfied')],
      Delivery: { ObjectiveSetByContent: true },
    };
    assert.equal(askAll(learnerOf(courseOf([leaf('a', maybe), leaf('b')])), ['start', 'continue']), 'b');
  });

  it("applies the parent's rules after exitParent, up to the end of the session", () => {
    const units = [group('g', [leaf('a', always('exitParent')), leaf('b')], always('retry')), leaf('c')];
    assert.equal(askAll(learnerOf(courseOf(units)), ['start', 'continue']), 'a');
    const upwards = [group('g', [leaf('a', always('exitParent'))], always('exitParent')), leaf('c')];
    assert.equal(askAll(learnerOf(courseOf(upwards)), ['start', 'continue']), 'ended');
    assert.equal(askAll(learnerOf(courseOf(upwards, always('retry'))), ['start', 'continue']), 'a');
  });
});

describe('TB.2.1 Sequencing Exit Action Rules Subprocess', () => {
  const exits = { ...flow, Rules: [rule('exit', 'exit', 'always')] };

  it('ends the outermost ancestor whose rule applies', () => {
    const units = [group('g', [group('h', [leaf('a'), leaf('b')], exits), leaf('c')], exits), leaf('d')];
    assert.equal(askAll(learnerOf(courseOf(units)), ['start', 'continue']), 'd');
    const inner = [group('g', [group('h', [leaf('a'), leaf('b')], exits), leaf('c')]), leaf('d')];
    assert.equal(askAll(learnerOf(courseOf(inner)), ['start', 'continue']), 'c');
  });

  it("applies the post-condition rules of that ancestor, not the leaf's", () => {
    const after = { ...flow, Rules: [rule('exit', 'exit', 'always'), rule('post', 'retry', 'always')] };
    const units = [group('g', [leaf('a', always('continue')), leaf('b')], after), leaf('c')];
    assert.equal(askAll(learnerOf(courseOf(units)), ['start', 'continue']), 'a');
  });
});

describe('TB.2.3 Termination Request Process', () => {
  const units = [group('g', [leaf('a'), leaf('b')]), leaf('c')];
  const tracks = (learner: ReturnType<typeof learnerOf>) =>
    learner.state.activities.map(
      ([id, { active, suspended }]) => `${id}${active ? ' active' : ''}${suspended ? ' suspended' : ''}`,
    );

  it('exit keeps the leaf as the current activity, so that Continue still works', () => {
    const learner = learnerOf(courseOf(units));
    assert.equal(askAll(learner, ['start', 'exit']), 'nothing');
    assert.equal(learner.state.current, 'a');
    assert.deepEqual(tracks(learner), ['root active', 'g active', 'a']);
    assert.equal(learner.ask('continue'), 'b');
  });

  it('exitAll ends all attempts', () => {
    const learner = learnerOf(courseOf(units));
    assert.equal(askAll(learner, ['start', 'exitAll']), 'ended');
    assert.deepEqual(tracks(learner), ['root', 'g', 'a']);
    assert.equal(learner.ask('launch'), 'a');
  });

  it('suspendAll suspends the open activity and its ancestors, which can then be resumed', () => {
    const learner = learnerOf(courseOf(units));
    assert.equal(askAll(learner, ['start', 'continue', 'suspendAll']), 'ended');
    assert.deepEqual(tracks(learner), ['root suspended', 'g suspended', 'a', 'b suspended']);
    assert.equal(learner.ask('launch'), 'b resumed');
    assert.deepEqual(tracks(learner), ['root active', 'g active', 'a', 'b active']);
    assert.equal(new Map(learner.state.activities).get('g')?.attempts, 1);
  });

  it('suspendAll suspends the parent if nothing is open', () => {
    const learner = learnerOf(courseOf(units));
    askAll(learner, ['start', 'exit', 'suspendAll']);
    assert.equal(learner.state.suspended, 'g');
    assert.equal(learner.ask('launch'), 'a');
  });

  it('suspendAll suspends the current activity itself if its attempt was suspended', () => {
    const learner = learnerOf(courseOf(units));
    learner.ask('start');
    assert.equal(learner.finish({ 'cmi.exit': 'suspend' }, 'exit'), 'nothing');
    assert.equal(learner.ask('suspendAll'), 'ended');
    assert.equal(learner.state.suspended, 'a');
    assert.equal(learner.ask('launch'), 'a resumed');
  });

  it('a course with a single unit ends with that unit, and can be retried as a whole', () => {
    const again = {
      ...flow,
      Rules: [rule('post', 'retry', 'not satisfied')],
      Delivery: { ObjectiveSetByContent: true },
    };
    const learner = learnerOf(
      courseOf([leaf('a', { Delivery: { ObjectiveSetByContent: true } })], always('exitAll')),
    );
    assert.equal(askAll(learner, ['start', 'exit']), 'nothing');
    const retried = learnerOf(courseOf([leaf('a', always('exitParent'))], again));
    retried.ask('start');
    assert.equal(retried.finish({ 'cmi.success_status': 'failed' }, 'exit'), 'a');
    assert.equal(retried.finish({ 'cmi.success_status': 'passed' }, 'exit'), 'ended');
  });

  it('retrying the root resets the objectives and data that last for one attempt (SN §3.10.4)', () => {
    const bucket = { SharedData: [{ TargetID: 'x', Read: true, Write: true }] };
    const outcome = (SharedDataGlobalToSystem: boolean, leave: string) => {
      const tree = courseOf([leaf('a', {}, bucket)], flow, { SharedDataGlobalToSystem });
      let { state } = request(tree, learnerOf(tree).state, { kind: 'start' }, 1);
      const end = { unitID: 'a', data: {}, buckets: new Map([['x', 'kept']]), contentRequest: leave };
      ({ state } = unitEnded(tree, state, end, 2));
      ({ state } = launch(tree, state, 3));
      return new Map(state.buckets).get('x');
    };
    assert.equal(outcome(true, 'exitAll'), 'kept');
    assert.equal(outcome(false, 'exitAll'), undefined);
    assert.equal(outcome(false, 'suspendAll'), 'kept');
  });

  it('abandon ends the attempt without results, and abandonAll also ends the session', () => {
    const learner = learnerOf(courseOf(units));
    learner.ask('start');
    assert.equal(learner.finish({ 'cmi.success_status': 'passed' }, 'abandon'), 'nothing');
    assert.equal(new Map(learner.state.activities).get('a')?.objectives[0]?.satisfied, null);
    assert.equal(learner.ask('continue'), 'b');
    assert.equal(learner.finish({ 'cmi.success_status': 'passed' }, 'abandonAll'), 'ended');
    assert.equal(new Map(learner.state.activities).get('b')?.objectives[0]?.satisfied, null);
    assert.deepEqual(tracks(learner), ['root', 'g', 'a', 'b']);
  });

  const codes: [before: string[], request: Parameters<typeof terminationRequest>[1], code: string][] = [
    [[], 'exit', 'TB.2.3-1'],
    [['start', 'exit'], 'exit', 'TB.2.3-2'],
    [['start', 'exit'], 'abandon', 'TB.2.3-2'],
    [['start'], 'exitParent', 'TB.2.3-7'],
  ];
  for (const [before, request, code] of codes)
    it(`${[...before, request].join(', ')}: ${code}`, () => {
      const learner = learnerOf(courseOf(units));
      askAll(learner, before);
      const outcome = terminationRequest(learner.draft(), request);
      assert.equal(outcome.kind === 'refused' ? outcome.refusal.code : outcome.kind, code);
    });
});
