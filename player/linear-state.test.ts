import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unitOf as unit } from '../standards/test-support.ts';
import type { Standard } from '../standards/types.ts';
import { offered } from './course.ts';
import {
  beginLinear,
  firstUnit,
  type LinearEffect,
  type LinearEvent,
  type LinearState,
  neighbour,
  pageData,
  positionOf,
  reduceLinear,
} from './linear-state.ts';
import { messages } from './messages.ts';
import { playableUnits } from './units.ts';

const tree = {
  Units: [
    unit({ UnitID: 'a', Kind: 'sco', Href: 'a.html' }),
    unit({ UnitID: 'b', Kind: 'asset', Href: 'b.html' }),
    unit({ UnitID: 'hidden', Href: 'hidden.html', Visible: false }),
    unit({ UnitID: 'c', Href: 'c.html', Prerequisites: 'a' }),
  ],
  ...{ Sequencing: null, ObjectivesGlobalToSystem: true, SharedDataGlobalToSystem: true },
};
const courseOf = (Standard: Standard): LinearState =>
  beginLinear({ Standard, Tree: tree, Data: { a: { 'cmi.core.lesson_location': '3' } }, Evidence: {} });
const fresh = courseOf('scorm12');
const [a, b, , c] = playableUnits(tree);
assert.ok(a && b && c);

const atA: LinearState = { ...fresh, current: a };
const atB: LinearState = { ...fresh, current: b };
const said = {
  UnitID: 'a',
  Data: { 'cmi.core.total_time': '0000:00:10', 'cmi.core.session_time': '0000:00:05' },
};
const finish = (exit: string): LinearEvent => ({ kind: 'finished', exit, now: said });
const completed = (UnitID: string): LinearEvent => ({
  ...{ kind: 'finished', exit: 'logout' },
  now: { UnitID, Data: { 'cmi.core.lesson_status': 'completed' } },
});
const statuses = (...all: [unitID: string, status: string][]) =>
  new Map(all.map(([unitID, status]) => [unitID, { 'cmi.core.lesson_status': status }]));
const moved: LinearEffect = { kind: 'moved' };

const rows: [
  title: string,
  from: LinearState,
  event: LinearEvent,
  changes: Partial<LinearState>,
  effects?: LinearEffect[],
][] = [
  [
    'a unit opens with its data',
    { ...fresh, finished: true, shown: true },
    { kind: 'opened', unit: a },
    { current: a, finished: false, shown: false },
    [{ kind: 'show', unit: a, data: { 'cmi.core.lesson_location': '3' } }],
  ],
  ['a loaded SCO reports its own status', atA, { kind: 'loaded', unit: a, isThere: true }, { shown: true }],
  [
    'a page is saved once it has had time to use the API',
    atB,
    { kind: 'loaded', unit: b, isThere: true },
    { shown: true },
    [{ kind: 'note', delay: 2_000 }],
  ],
  [
    'a missing page is reported',
    atB,
    { kind: 'loaded', unit: b, isThere: false },
    {},
    [{ kind: 'missing', unit: b }],
  ],
  [
    'a page that loads after the learner has moved on changes nothing',
    atA,
    { kind: 'loaded', unit: b, isThere: true },
    {},
  ],
  [
    'a SCO that finishes opens the next unit',
    atA,
    finish(''),
    { finished: true },
    [moved, { kind: 'advance', to: b }],
  ],
  ['a SCO that suspends stays open', atA, finish('suspend'), { finished: true }, [moved]],
  [
    'a SCO that logs out before it is completed ends the course',
    atA,
    finish('logout'),
    { finished: true },
    [moved, { kind: 'advance', to: null }],
  ],
  [
    'a completed SCO that logs out opens the next unit that is not completed',
    atA,
    completed('a'),
    { finished: true },
    [moved, { kind: 'advance', to: b }],
  ],
  [
    'the last SCO that logs out opens a unit that was skipped',
    { ...fresh, data: statuses(['a', 'completed']), current: c },
    completed('c'),
    { finished: true },
    [moved, { kind: 'advance', to: b }],
  ],
  [
    'a SCO that logs out stays open if no other unit is left',
    { ...fresh, data: statuses(['a', 'failed'], ['b', 'completed']), current: c },
    completed('c'),
    { finished: true },
    [moved],
  ],
  ['the last SCO stays open', { ...fresh, current: c }, finish(''), { finished: true }, [moved]],
  [
    'a SCO that finishes because the learner leaves it does not open the next unit',
    { ...atA, closing: true },
    finish(''),
    {},
  ],
  [
    'a SCO that restarts inside its own frame does not open the next unit',
    { ...atA, finished: true },
    { kind: 'begun' },
    { finished: false },
    [{ kind: 'stay' }, moved],
  ],
  ['leaving a unit is recorded in the state', atA, { kind: 'closing' }, { closing: true }],
  [
    'the data of a unit is kept, and its next session starts from there',
    { ...atA, closing: true },
    { kind: 'closed', last: said },
    {
      closing: false,
      data: new Map([['a', { 'cmi.core.total_time': '0000:00:15.00', 'cmi.core.entry': '' }]]),
    },
    [{ kind: 'keep', last: said }],
  ],
  [
    'a SCO that reported nothing leaves no data',
    { ...atA, closing: true },
    { kind: 'closed', last: null },
    { closing: false },
  ],
  ['the learner leaves', atA, { kind: 'leaving' }, { leaving: true }],
  [
    'the learner marks a web course as completed',
    atB,
    { kind: 'declared' },
    { data: new Map([...fresh.data, ['b', { 'lectern.completion': 'completed' }]]) },
    [{ kind: 'note', delay: 0 }],
  ],
  ['before a unit is open, nothing can be marked as completed', fresh, { kind: 'declared' }, {}],
];

for (const [title, from, event, changes, effects = []] of rows)
  test(title, () => {
    assert.deepEqual(reduceLinear(from, event), { state: { ...from, ...changes }, effects });
  });

test('a course starts where the learner left off, or with the first visible unit that is not completed', () => {
  assert.equal(firstUnit(fresh, 'b'), b);
  assert.equal(firstUnit(fresh, null), a);
  assert.equal(firstUnit(fresh, 'gone'), a);
  assert.equal(firstUnit({ ...fresh, data: statuses(['a', 'incomplete']) }, 'a'), a);
  assert.equal(firstUnit({ ...fresh, data: statuses(['a', 'passed']) }, 'a'), b);
  assert.equal(firstUnit({ ...fresh, data: statuses(['a', 'passed'], ['b', 'completed']) }, 'a'), c);
  assert.equal(
    firstUnit({ ...fresh, data: statuses(['a', 'passed'], ['b', 'completed'], ['c', 'passed']) }, 'c'),
    c,
  );
});

test('hidden units and units with unmet prerequisites are skipped', () => {
  const passed = { UnitID: 'a', Data: { 'cmi.core.lesson_status': 'passed' } };
  assert.equal(neighbour(atA, 1, null), b);
  assert.equal(neighbour(atB, 1, null), null);
  assert.equal(neighbour({ ...atB, data: new Map([['a', passed.Data]]) }, 1, null), c);
  assert.equal(neighbour({ ...fresh, current: c }, -1, null), b);
  const position = positionOf(atB, null);
  const why = messages.reasons.prerequisites;
  assert.deepEqual(position.previous, offered);
  assert.deepEqual(position.next, { may: false, why });
  assert.deepEqual(position.choice('c'), { may: false, why });
  assert.deepEqual(positionOf(atA, passed).choice('c'), offered);
  assert.equal(positionOf(atA, passed).statusOf('a'), 'passed');
});

test('the first and last unit explain why there is no previous or next one', () => {
  assert.equal(positionOf(atA, null).previous?.why, messages.reasons.firstActivity);
  assert.equal(positionOf({ ...fresh, current: c }, null).next?.why, messages.reasons.lastActivity);
});

test('opening a page completes it, except in a web course, which the learner completes', () => {
  assert.equal(pageData(fresh, 'b', 7)['lectern.completion'], 'completed');
  assert.deepEqual(pageData(courseOf('web'), 'b', 7), {
    ...{ 'lectern.completion': 'incomplete', 'lectern.seconds': '7' },
  });
});
