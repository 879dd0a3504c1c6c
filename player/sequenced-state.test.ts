import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareCourse } from '../scorm/sequencing/course.ts';
import { createState, launch, unitEnded } from '../scorm/sequencing/session.ts';
import { rule } from '../scorm/test-support/learners.ts';
import { group, leaf, treeOf } from '../scorm/test-support/trees.ts';
import { writeTreeState } from '../standards/tree-state.ts';
import type { CourseTree, RunTimeData } from '../standards/types.ts';
import {
  beginSequenced,
  type LeftUnit,
  leavesUnit,
  reduceSequenced,
  type SequencedEffect,
  type SequencedEvent,
  type SequencedState,
} from './sequenced-state.ts';

const asset = { Kind: 'asset' } as const;
const inOrder = treeOf([leaf('a'), leaf('b', undefined, asset), leaf('c')]);
const byChoice = treeOf([leaf('a'), leaf('b')], { ControlMode: { Choice: true, Flow: false } });
const stored = { 'cmi.location': '3', 'cmi.credit': 'credit', 'cmi.entry': '' };
const now = 1_000;
const noShared = { globals: [], buckets: [] };

function begin(
  Tree: CourseTree,
  Data: Record<string, RunTimeData> = {},
  more: { Mode?: 'review'; TreeState?: string } = {},
): SequencedState {
  return beginSequenced(
    { Mode: 'normal', Tree, Data, TreeState: null, Shared: noShared, CourseTitle: 'Course', ...more },
    { seed: 1, now: 0 },
  );
}

/** Performs events one after the other. Returns the last state and the effects of the last event. */
function after(state: SequencedState, ...events: SequencedEvent[]) {
  let effects: SequencedEffect[] = [];
  for (const event of events) ({ state, effects } = reduceSequenced(state, event));
  return { state, effects, kinds: effects.map(({ kind }) => kind) };
}

const started: SequencedEvent = { kind: 'started', now };
const leftBy = (unitID: string, data: RunTimeData = {}, contentRequest: string | null = null): LeftUnit => ({
  ...{ report: { unitID, data, contentRequest }, data },
});
const closed = (left: LeftUnit | null, kind: 'continue' | 'previous' | null = null): SequencedEvent => ({
  ...{ kind: 'closed', left, asked: kind && { kind }, now },
});

function shownIn(effects: SequencedEffect[]) {
  const [show] = effects.filter((effect) => effect.kind === 'show');
  return show && { unitID: show.unit.UnitID, data: show.data };
}

test('a course that is played in order starts with its first unit', () => {
  const { state, effects } = after(begin(inOrder), started);
  assert.equal(state.current?.UnitID, 'a');
  assert.equal(shownIn(effects)?.data['cmi.entry'], 'ab-initio');
});

test('if nothing starts automatically, the first available unit opens', () => {
  const { state } = after(begin(byChoice), started);
  assert.equal(state.current?.UnitID, 'a');
});

test('if no unit is available, the learner chooses', () => {
  const locked = treeOf([leaf('a', { Rules: [rule('pre', 'disabled', 'always')] })]);
  const { state, kinds } = after(begin(locked), started);
  assert.deepEqual([state.current, state.over, kinds], [null, false, ['moved']]);
});

test('without a stored sequencing state, the first unit gets all of its data', () => {
  const { effects } = after(begin(inOrder, { a: stored }), started);
  const data = shownIn(effects)?.data;
  assert.deepEqual([data?.['cmi.entry'], data?.['cmi.location']], ['resume', '3']);
});

test('a new attempt gets only system data, and a suspended attempt gets all data', () => {
  const first = after(begin(inOrder), started, { kind: 'moving' });
  const suspended = leftBy('a', { 'cmi.location': '4', 'cmi.exit': 'suspend' });
  const onB = after(first.state, closed(suspended, 'continue'));
  const back = after(onB.state, closed(leftBy('b'), 'previous'));
  assert.equal(shownIn(back.effects)?.data['cmi.location'], '4');
  const ended = after(back.state, closed(leftBy('a', { 'cmi.location': '5' }), 'continue'));
  const again = after(ended.state, closed(leftBy('b'), 'previous'));
  const { data } = shownIn(again.effects) ?? {};
  assert.deepEqual([data?.['cmi.location'], data?.['cmi.entry']], [undefined, 'ab-initio']);
});

test('a request from finished content is followed', () => {
  const { state } = after(begin(inOrder), started);
  const kindsAfter = (data: RunTimeData, contentRequest: string | null) =>
    after(state, { kind: 'finished', report: { unitID: 'a', data, contentRequest } }).kinds;
  assert.deepEqual(kindsAfter({}, 'continue'), ['moved', 'follow']);
  assert.deepEqual(kindsAfter({ 'cmi.exit': 'logout' }, null), ['moved', 'follow']);
  assert.deepEqual(kindsAfter({ 'cmi.exit': 'time-out' }, null), ['moved', 'follow']);
  assert.deepEqual(kindsAfter({ 'cmi.exit': 'suspend' }, null), ['moved']);
  const { state: moving } = after(state, { kind: 'moving' });
  const report = { unitID: 'a', data: {}, contentRequest: 'continue' };
  assert.deepEqual(after(moving, { kind: 'finished', report }).kinds, []);
});

test('a rejected request does not close the page of finished content', () => {
  const { state } = after(begin(inOrder), started);
  assert.equal(leavesUnit(state, leftBy('a', {}, '{target=nowhere}choice').report, now), false);
  assert.equal(leavesUnit(state, leftBy('a', {}, 'continue').report, now), true);
  assert.equal(leavesUnit(state, leftBy('a', {}, 'exit').report, now), true);
});

test('a learner whose request is rejected continues with the unit', () => {
  const { state } = after(begin(inOrder), started, { kind: 'moving' });
  const asked = { kind: 'choice', target: 'nowhere' } as const;
  const left = leftBy('a', { 'cmi.location': '9' });
  const { effects } = after(state, { kind: 'closed', left, asked, now });
  assert.deepEqual([shownIn(effects)?.unitID, shownIn(effects)?.data['cmi.location']], ['a', '9']);
});

test('abandoned content records no results', () => {
  const { state } = after(begin(inOrder), started);
  const left = leftBy('a', { 'cmi.completion_status': 'completed' }, 'abandonAll');
  const finished = after(state, { kind: 'finished', report: left.report }, { kind: 'moving' }, closed(left));
  const track = finished.state.sequencing.activities.find(([id]) => id === 'a')?.[1];
  assert.deepEqual([track?.objectives[0]?.completed, finished.state.over], [null, true]);
});

test('if navigation opens no unit, the learner chooses', () => {
  const section = group('section', [leaf('b')], { ControlMode: { Flow: false, Choice: true } });
  const { state } = after(begin(treeOf([leaf('a'), section])), started, { kind: 'moving' });
  const arrived = after(state, closed(leftBy('a'), 'continue'));
  assert.deepEqual([arrived.state.current, arrived.state.over, arrived.kinds], [null, false, ['moved']]);
});

test('the end of the course ends the session', () => {
  const { state } = after(begin(inOrder), started);
  const { state: over, kinds } = after(state, closed(leftBy('a', {}, 'exitAll')));
  assert.deepEqual([over.current, over.over, kinds], [null, true, ['ended']]);
});

test('leaving suspends the course or ends the attempt', () => {
  const { state } = after(begin(inOrder), started, { kind: 'leaving' });
  const left = leftBy('a', { 'cmi.location': '2' });
  const suspended = after(state, { kind: 'left', left, how: 'suspendAll', now }).state;
  assert.equal(suspended.sequencing.suspended, 'a');
  const ended = after(state, { kind: 'left', left, how: 'exitAll', now }).state;
  assert.deepEqual([ended.sequencing.suspended, ended.over], [null, true]);
});

test('a page is saved once it is shown, reported if it is missing, and ignored if it loads too late', () => {
  const { state } = after(begin(inOrder), started, closed(leftBy('a'), 'continue'));
  const unit = state.current;
  assert.ok(unit?.UnitID === 'b');
  assert.deepEqual(after(state, { kind: 'loaded', unit, isThere: true }).kinds, ['note']);
  assert.deepEqual(after(state, { kind: 'loaded', unit, isThere: false }).kinds, ['missing']);
  const [other] = state.units;
  assert.ok(other);
  assert.deepEqual(after(state, { kind: 'loaded', unit: other, isThere: true }).state, state);
});

test('a review shows the data of a unit that has ended, but a new attempt does not', () => {
  const tree = treeOf([leaf('a')]);
  const course = prepareCourse(tree, 'Course');
  const unit = {
    'cmi.success_status': 'passed',
    'cmi.suspend_data': 'answers',
    'cmi.mode': 'review',
    'cmi.entry': '',
  };
  let { state } = launch(course, createState(course, { seed: 1, now: 0 }), 1);
  const end = { unitID: 'a', data: { ...unit, 'cmi.exit': 'normal' }, request: { kind: 'exitAll' } as const };
  ({ state } = unitEnded(course, state, end, 2));
  const TreeState = writeTreeState(course, state);
  const shown = (more: object) => {
    const { effects } = after(begin(tree, { a: unit }, { TreeState, ...more }), { kind: 'started', now });
    const show = effects.find(({ kind }) => kind === 'show');
    return show && 'data' in show ? [show.data['cmi.suspend_data'], show.data['cmi.success_status']] : null;
  };
  assert.deepEqual(shown({ Mode: 'review' }), ['answers', 'passed']);
  assert.deepEqual(shown({}), [undefined, undefined]);
});
