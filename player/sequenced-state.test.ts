import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unitOf as unit } from '../standards/test-support.ts';
import {
  beginSequenced,
  type Decision,
  reduceSequenced,
  type SequencedEffect,
  type SequencedEvent,
  type SequencedState,
} from './sequenced-state.ts';
import { playableUnits } from './units.ts';

const tree = {
  Units: [
    unit({ UnitID: 'a', Kind: 'sco', Href: 'a.html' }),
    unit({ UnitID: 'b', Kind: 'asset', Href: 'b.html' }),
  ],
  ...{ Sequencing: null, ObjectivesGlobalToSystem: true, SharedDataGlobalToSystem: true },
};
const data = { a: { 'cmi.location': '3', 'cmi.credit': 'credit' } };
const fresh = beginSequenced({ Tree: tree, Data: data, TreeState: '{}' });
const [a, b] = playableUnits(tree);
assert.ok(a && b);

const atA: SequencedState = { ...fresh, current: a };
const atB: SequencedState = { ...fresh, current: b };
const moving: SequencedState = { ...atA, moving: true };
const last = {
  UnitID: 'a',
  Data: { 'cmi.location': '4', 'cmi.total_time': 'PT10S', 'cmi.session_time': 'PT5S' },
};
const moved: SequencedEffect = { kind: 'moved' };
const resumedData = { ...data.a, 'cmi.entry': 'resume' };
const newData = { 'cmi.credit': 'credit', 'cmi.entry': 'ab-initio' };

const decided = (from: typeof a | null, more: Partial<Decision>): SequencedEvent => ({
  ...{ kind: 'decided', from, request: 'continue', delivered: null, ended: false, active: null },
  ...more,
});

type Row = [
  title: string,
  from: SequencedState,
  event: SequencedEvent,
  changes: Partial<SequencedState>,
  effects?: SequencedEffect[],
];

const rows: Row[] = [
  [
    'the navigation request of a finishing SCO is followed',
    atA,
    { kind: 'finished', exit: '', request: 'continue' },
    { finished: true },
    [moved, { kind: 'follow', request: 'continue' }],
  ],
  ...['logout', 'time-out'].map(
    (exit): Row => [
      `${exit} leaves the course`,
      atA,
      { kind: 'finished', exit, request: null },
      { finished: true },
      [moved, { kind: 'follow', request: 'exitAll' }],
    ],
  ),
  [
    'a SCO without a request may unlock others',
    atA,
    { kind: 'finished', exit: '', request: null },
    { finished: true },
    [moved, { kind: 'follow', request: null }],
  ],
  [
    'a SCO that finishes because the learner leaves it is not followed',
    moving,
    { kind: 'finished', exit: '', request: 'continue' },
    {},
  ],
  ['only one move happens at a time', atA, { kind: 'moving' }, { moving: true }],
  [
    'the data of a unit is kept, and its next session starts from there',
    moving,
    { kind: 'closed', last },
    {
      last,
      data: new Map([['a', { 'cmi.location': '4', 'cmi.total_time': 'PT0H0M15S', 'cmi.entry': 'resume' }]]),
    },
  ],
  ['a unit that reported nothing leaves no data', moving, { kind: 'closed', last: null }, {}],
  [
    'a new attempt gets only data from the system',
    moving,
    decided(null, { delivered: { id: 'a' } }),
    { moving: false, current: a },
    [{ kind: 'show', unit: a, data: newData }],
  ],
  [
    'a resumed unit gets all of its data',
    moving,
    decided(null, { delivered: { id: 'a', deliveryWasResumed: true } }),
    { moving: false },
    [{ kind: 'show', unit: a, data: resumedData }],
  ],
  [
    'without state from earlier sessions, every unit gets all of its data at first',
    { ...moving, known: false, futile: new Set(['previous']) },
    decided(null, { delivered: { id: 'a' } }),
    { moving: false, known: true, futile: new Set() },
    [{ kind: 'show', unit: a, data: resumedData }],
  ],
  [
    'an ended course has no current unit',
    moving,
    decided(a, { ended: true }),
    { moving: false, current: null, over: true },
    [{ kind: 'ended' }],
  ],
  [
    'a unit stays open if its navigation request was rejected before the learner left it',
    moving,
    decided(a, { active: 'a' }),
    { moving: false },
    [{ kind: 'show', unit: a, data: resumedData }],
  ],
  [
    'a navigation request without a target is not offered again',
    moving,
    decided(a, { active: null }),
    { moving: false, current: null, finished: true, futile: new Set(['continue']) },
    [moved],
  ],
  ['a loaded SCO reports its own status', atA, { kind: 'loaded', unit: a, isThere: true }, { shown: true }],
  [
    'a page without an API is saved as soon as it is shown',
    atB,
    { kind: 'loaded', unit: b, isThere: true },
    { shown: true },
    [{ kind: 'save-now' }],
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
  ['the learner leaves', atA, { kind: 'leaving' }, { moving: true, leaving: true }],
  ['the learner has left', atA, { kind: 'left' }, { over: true, current: null }],
];

for (const [title, from, event, changes, effects = []] of rows)
  test(title, () => {
    assert.deepEqual(reduceSequenced(from, event), { state: { ...from, ...changes }, effects });
  });
