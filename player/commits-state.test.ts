import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  beginCommits,
  type CommitsEffect,
  type CommitsEvent,
  type CommitsState,
  readyOf,
  reduceCommits,
  saveStateOf,
} from './commits-state.ts';
import type { Receipt } from './contract.ts';
import type { Pending } from './pending.ts';
import type { Answer } from './transport.ts';

const receipt: Receipt = {
  ...{ Number: 1, Status: 'in_progress', Completion: 'incomplete', Success: 'unknown' },
  ...{ Score: null, Progress: 0, Ended: null },
};
const pendingOf = (number: number): Pending => ({
  entry: {
    ...{ EnrollID: 'e', Session: 's', CourseTitle: 'Course', KeptAt: 0 },
    Commit: { Number: number, UnitID: 'a', Data: {} },
  },
  ...{ results: [], attempts: 0, notBefore: 0 },
});
const [one, two] = [pendingOf(1), pendingOf(2)];
const moved = (pending: Pending, number: number): Pending => ({
  ...pending,
  entry: { ...pending.entry, Commit: { ...pending.entry.Commit, Number: number } },
});

const fresh = beginCommits({ NextCommit: 1, Receipt: receipt });
const waiting: CommitsState = { ...fresh, pending: [one, two], nextNumber: 3 };
const flying: CommitsState = { ...waiting, flight: 1, flights: 1 };
const tracked = { first: 1, newest: 2, data: {}, changedBy: new Map(), base: null };
const now = 10_000;

const announce: CommitsEffect = { kind: 'announce' };
const schedule = (delay: number): CommitsEffect => ({ kind: 'schedule', delay });
const forget = (pending: Pending): CommitsEffect => ({ kind: 'forget', entry: pending.entry });
const answered = (answer: Answer): CommitsEvent => ({ kind: 'answered', flight: 1, sent: one, answer, now });
const unreachable: Answer = { kind: 'unconfirmed', temporarilyRejected: false };
const busy: Answer = { kind: 'unconfirmed', temporarilyRejected: false, retryAfter: 20_000 };
const temporarilyRejected: Answer = { kind: 'unconfirmed', temporarilyRejected: true };

const rows: [
  title: string,
  from: CommitsState,
  event: CommitsEvent,
  changes: Partial<CommitsState>,
  effects?: CommitsEffect[],
][] = [
  [
    'a stored snapshot takes the next number',
    fresh,
    { kind: 'staged', unitID: 'a', text: '{}', pending: [one] },
    {
      ...{ staged: new Map([['a', '{}']]), pending: [one], nextNumber: 2 },
      changes: new Map([['a', { first: 1, newest: 1, data: {}, changedBy: new Map(), base: null }]]),
    },
    [announce],
  ],
  ['a snapshot is sent after a short delay', waiting, { kind: 'save', delay: 2_750 }, {}, [schedule(2_750)]],
  ['after a failure, the retry sends it', { ...waiting, failures: 1 }, { kind: 'save', delay: 0 }, {}],
  [
    'a closing page sends everything immediately',
    waiting,
    { kind: 'leave' },
    { leaving: true, sentLeaving: [one.entry, two.entry] },
    [
      { kind: 'send-leaving', commit: one.entry.Commit },
      { kind: 'send-leaving', commit: two.entry.Commit },
    ],
  ],
  [
    'a closing page sends each commit once',
    { ...waiting, leaving: true, sentLeaving: [one.entry] },
    { kind: 'save', delay: 0 },
    { sentLeaving: [one.entry, two.entry] },
    [{ kind: 'send-leaving', commit: two.entry.Commit }],
  ],
  [
    'a page that is shown again may resend its commits',
    { ...waiting, leaving: true, sentLeaving: [one.entry] },
    { kind: 'stay' },
    { leaving: false, sentLeaving: [] },
    [schedule(0)],
  ],
  ['nothing is sent if nothing is due', fresh, { kind: 'due', now }, {}],
  [
    'the oldest commit is sent first',
    waiting,
    { kind: 'due', now },
    { flight: 1, flights: 1 },
    [{ kind: 'send', flight: 1, sent: one, commit: one.entry.Commit }],
  ],
  [
    "a preview's commits include its results so far",
    { ...waiting, reached: 'sealed' },
    { kind: 'due', now },
    { flight: 1, flights: 1 },
    [{ kind: 'send', flight: 1, sent: one, commit: { ...one.entry.Commit, Preview: 'sealed' } }],
  ],
  ['only one commit is in flight at a time', flying, { kind: 'due', now }, {}],
  [
    'a rejected commit does not delay the next one',
    { ...waiting, pending: [{ ...one, notBefore: now + 1 }, two] },
    { kind: 'due', now },
    { flight: 1, flights: 1 },
    [{ kind: 'send', flight: 1, sent: two, commit: two.entry.Commit }],
  ],
  [
    'if all commits were rejected, the player waits for the earliest retry',
    { ...waiting, pending: [{ ...one, notBefore: now + 3_000 }] },
    { kind: 'due', now },
    {},
    [schedule(3_000)],
  ],
  [
    'Retry-After is respected, up to a minute',
    { ...waiting, notBefore: now + 90_000 },
    { kind: 'due', now },
    {},
    [schedule(60_000)],
  ],
  ['a slow connection is announced', flying, { kind: 'slow' }, { slow: true }, [announce]],
  [
    'a receipt removes its commit, and the next one is sent',
    flying,
    answered({ kind: 'receipt', receipt }),
    { flight: null, pending: [two] },
    [{ kind: 'report-receipt', receipt }, forget(one), announce, schedule(0)],
  ],
  [
    'after the last receipt, nothing is left to send',
    { ...flying, pending: [one], slow: true, failures: 2 },
    answered({ kind: 'receipt', receipt: { ...receipt, Preview: 'sealed' } }),
    { flight: null, pending: [], slow: false, failures: 0, reached: 'sealed' },
    [{ kind: 'report-receipt', receipt: { ...receipt, Preview: 'sealed' } }, forget(one), announce],
  ],
  [
    'an ended session stops the page, and pending commits are still sent',
    flying,
    answered({ kind: 'receipt', receipt: { ...receipt, Ended: 'access_expired' } }),
    { flight: null, pending: [two], stop: { ended: 'access_expired' } },
    [
      { kind: 'report-receipt', receipt: { ...receipt, Ended: 'access_expired' } },
      { kind: 'report-stopped', stop: { ended: 'access_expired' } },
      ...[forget(one), announce, schedule(0)],
    ],
  ],
  [
    'the end of the session is reported once',
    { ...flying, pending: [one], stop: { ended: 'access_expired' } },
    answered({ kind: 'receipt', receipt: { ...receipt, Ended: 'session_superseded' } }),
    { flight: null, pending: [] },
    [{ kind: 'report-receipt', receipt: { ...receipt, Ended: 'session_superseded' } }, forget(one), announce],
  ],
  [
    'a final rejection takes precedence over the end of the session',
    { ...flying, pending: [one], stop: { ended: 'access_expired' } },
    answered({ kind: 'rejected', code: 'session_exited' }),
    { flight: null, pending: [], stop: { refused: 'session_exited' } },
    [{ kind: 'report-stopped', stop: { refused: 'session_exited' } }, forget(one), announce],
  ],
  [
    'without a connection, the commit is retried after a second',
    flying,
    answered(unreachable),
    { flight: null, failures: 1, notBefore: now },
    [announce, schedule(1_000)],
  ],
  [
    'further retries back off, up to a minute',
    { ...flying, failures: 6 },
    answered(unreachable),
    { flight: null, failures: 7, notBefore: now },
    [announce, schedule(60_000)],
  ],
  [
    'Retry-After applies to all commits',
    flying,
    answered(busy),
    { flight: null, failures: 1, notBefore: now + 20_000 },
    [announce, schedule(1_000)],
  ],
  [
    'a rejected commit waits without delaying others',
    flying,
    answered(temporarilyRejected),
    { flight: null, notBefore: now, pending: [{ ...one, attempts: 1, notBefore: now + 1_000 }, two] },
    [announce, schedule(0)],
  ],
  [
    'commits that are too far ahead are renumbered together',
    { ...flying, pending: [{ ...one, attempts: 2, notBefore: 5 }, two] },
    answered({ kind: 'ahead', expected: 7 }),
    { flight: null, pending: [moved(one, 7), moved(two, 8)], nextNumber: 9 },
    [{ kind: 'renumber', entries: [one.entry, two.entry], by: 6 }, announce, schedule(0)],
  ],
  [
    'a receipt confirms the data, and the next commit has only the changes',
    { ...flying, changes: new Map([['a', tracked]]) },
    answered({ kind: 'receipt', receipt }),
    { flight: null, pending: [two], changes: new Map([['a', { ...tracked, base: 1 }]]) },
    [{ kind: 'report-receipt', receipt }, forget(one), announce, schedule(0)],
  ],
  [
    'a receipt that says that the data was not stored confirms no data',
    { ...flying, changes: new Map([['a', tracked]]) },
    answered({ kind: 'receipt', receipt: { ...receipt, Warning: 'data_not_stored' } }),
    { flight: null, pending: [two], unstored: new Set(['a']) },
    [
      { kind: 'report-receipt', receipt: { ...receipt, Warning: 'data_not_stored' } },
      ...[forget(one), announce, schedule(0)],
    ],
  ],
  [
    'if the service does not have the base, the commit is sent again with all data',
    { ...flying, changes: new Map([['a', { ...tracked, base: 1 }]]) },
    answered({ kind: 'unknown-base' }),
    { flight: null, changes: new Map() },
    [announce, schedule(0)],
  ],
  [
    'the response to an aborted request changes nothing',
    { ...flying, flight: 2, flights: 2 },
    answered({ kind: 'receipt', receipt }),
    {},
  ],
  [
    'a blocking call by the content aborts the request in flight',
    flying,
    { kind: 'blocking' },
    { flight: null },
    [{ kind: 'abort' }],
  ],
  [
    "a receipt that arrives during the content's call is not announced yet",
    waiting,
    { kind: 'answered-blocking', sent: one, answer: { kind: 'receipt', receipt }, now },
    { pending: [two] },
    [{ kind: 'report-receipt', receipt }, forget(one)],
  ],
  ['pending commits are sent as usual', waiting, { kind: 'unblocked' }, {}, [schedule(0)]],
  ['no commit is pending', fresh, { kind: 'unblocked' }, {}],
  [
    'a restored connection is used immediately',
    { ...waiting, failures: 5 },
    { kind: 'online' },
    { failures: 0 },
    [announce, schedule(0)],
  ],
  ["changes to the page's environment are announced", waiting, { kind: 'changed' }, {}, [announce]],
];

for (const [title, from, event, changes, effects = []] of rows)
  test(title, () => {
    assert.deepEqual(reduceCommits(from, event), { state: { ...from, ...changes }, effects });
  });

test('the learner sees what is saved and what could be lost', () => {
  const device = { onLine: true, holds: () => true };
  const shown = (state: CommitsState, more: Partial<typeof device> = {}) =>
    saveStateOf(state, { ...device, ...more });
  assert.equal(shown(fresh, { onLine: false }), 'saved');
  assert.equal(shown(flying), 'saving');
  assert.equal(shown(flying, { onLine: false }), 'onDevice');
  assert.equal(shown({ ...flying, slow: true }), 'onDevice');
  assert.equal(shown({ ...waiting, failures: 1 }, { holds: () => false }), 'unsaved');
  assert.equal(shown({ ...waiting, pending: [{ ...one, attempts: 1 }] }), 'onDevice');
});

test('a blocking call sends every commit that is ready to be sent', () => {
  assert.equal(readyOf(waiting, now), one);
  assert.equal(readyOf(fresh, now), null);
  assert.equal(readyOf({ ...waiting, notBefore: now + 1 }, now), null);
  assert.equal(readyOf({ ...waiting, pending: [{ ...one, notBefore: now + 1 }] }, now), null);
});
