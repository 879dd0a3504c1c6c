import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Waiting } from './delivery-queues.ts';
import {
  afterAttempt,
  beginEndpoint,
  type EndpointEffect,
  type EndpointEvent,
  type EndpointState,
  isIdle,
  mayBegin,
  mayRead,
  poolOf,
  reduceEndpoint,
  wantsMore,
} from './endpoint-state.ts';
import { failureWindowMilliseconds } from './results.ts';
import type { Outcome } from './send.ts';

const at = new Date('2026-01-31T09:00:00Z');
const before = (milliseconds: number) => new Date(at.getTime() - milliseconds);
const place = 5;
const later = 9;

const fresh = beginEndpoint({
  ...{
    tenant_id: 'acme',
    tenantId: 'acme',
    webhook_id: 'hook',
    url: 'https://example.com/hook',
    types: null,
    kind: 'events',
    status: 'enabled',
    created_at: at,
    updated_at: at,
  },
  ...{ description: null, disabled_reason: null, username: null, password: null },
  ...{ token_url: null, scope: null, actor: null },
  ...{ secret: '', previous_secret: null, previous_secret_until: null },
  ...{ epoch: null, transaction: null, event_id: null, owner: null, owned_until: null, wake_at: null },
  ...{ failing_since: null, enabled_at: null },
  ...{ position: place, failingSince: null, resumedAt: null, enabledAt: null },
});
const failing = { ...fresh, failures: 2, failingSince: before(30_000) };
const failedTooLong = { ...failing, failingSince: before(failureWindowMilliseconds) };
const resumed = { ...failedTooLong, endpoint: { ...fresh.endpoint, resumedAt: before(1_000) } };
const busy = { ...fresh, inProgress: 2, withoutResponse: 1 };
const broken = new Error('broken');

const rows: [
  title: string,
  from: EndpointState,
  event: EndpointEvent,
  changes: Partial<EndpointState>,
  effects?: EndpointEffect[],
][] = [
  [
    'a renewed claim updates the endpoint and reads the log',
    { ...fresh, more: false },
    { kind: 'kept', endpoint: { ...fresh.endpoint, url: 'https://example.com/new' } },
    { endpoint: { ...fresh.endpoint, url: 'https://example.com/new' }, more: true },
  ],
  [
    'nothing new starts after it is closed',
    fresh,
    { kind: 'closed' },
    { isClosed: true },
    [{ kind: 'wake' }],
  ],
  [
    'reading advances the position in memory and in the database',
    fresh,
    { kind: 'read', position: later, stored: place, more: false, lastNumber: 7 },
    { position: later, endpoint: { ...fresh.endpoint, position: place }, more: false, lastNumber: 7 },
  ],
  ['a delivery starts', fresh, { kind: 'begun' }, { inProgress: 1 }],
  [
    'a hanging delivery releases its slot in the healthy pool',
    { ...fresh, inProgress: 1 },
    { kind: 'late', pool: 'healthy' },
    { withoutResponse: 1 },
    [{ kind: 'release-slot', pool: 'healthy' }],
  ],
  [
    'a hanging delivery keeps its slot in the failing pool',
    failing,
    { kind: 'late', pool: 'failing' },
    { withoutResponse: 1 },
  ],
  [
    'a delivery ends and releases its slot',
    busy,
    { kind: 'ended', pool: 'healthy', wasLate: false, error: null },
    { inProgress: 1 },
    [{ kind: 'release-slot', pool: 'healthy' }],
  ],
  [
    'a late delivery has already released its slot',
    busy,
    { kind: 'ended', pool: 'healthy', wasLate: true, error: null },
    { inProgress: 1, withoutResponse: 0 },
  ],
  [
    'a late delivery in the failing pool releases its slot now',
    busy,
    { kind: 'ended', pool: 'failing', wasLate: true, error: null },
    { inProgress: 1, withoutResponse: 0 },
    [{ kind: 'release-slot', pool: 'failing' }],
  ],
  [
    'an internal error stops deliveries to the endpoint',
    busy,
    { kind: 'ended', pool: 'healthy', wasLate: false, error: broken },
    { inProgress: 1, failure: broken, isClosed: true },
    [{ kind: 'release-slot', pool: 'healthy' }],
  ],
  ['a healthy endpoint responds', fresh, { kind: 'answered', delivered: true, at }, {}],
  [
    'the first failure is recorded',
    fresh,
    { kind: 'answered', delivered: false, at },
    { failures: 1, failingSince: at },
    [{ kind: 'record-health', failingSince: at }],
  ],
  ['later failures are only counted', failing, { kind: 'answered', delivered: false, at }, { failures: 3 }],
  [
    'a success after a short failure is recorded',
    failing,
    { kind: 'answered', delivered: true, at },
    { failures: 0, failingSince: null },
    [{ kind: 'record-health', failingSince: null }],
  ],
  [
    'a success after a long failure also sends the retries immediately',
    { ...failing, failingSince: before(60_001) },
    { kind: 'answered', delivered: true, at },
    { failures: 0, failingSince: null },
    [{ kind: 'makeAllDue' }, { kind: 'record-health', failingSince: null }],
  ],
  [
    'an endpoint that has failed for 72 hours is disabled',
    failedTooLong,
    { kind: 'answered', delivered: false, at },
    { failures: 3, isClosed: true },
    [{ kind: 'disable', failingSince: before(failureWindowMilliseconds) }],
  ],
  [
    'the time during which its tenant was suspended does not count',
    resumed,
    { kind: 'answered', delivered: false, at },
    { failures: 3 },
  ],
];

for (const [title, from, event, changes, effects = []] of rows)
  test(title, () => {
    assert.deepEqual(reduceEndpoint(from, event), { state: { ...from, ...changes }, effects });
  });

test('failing and hanging endpoints share a separate limit', () => {
  assert.equal(poolOf(fresh), 'healthy');
  assert.equal(poolOf({ ...fresh, failures: 1 }), 'failing');
  assert.equal(poolOf({ ...fresh, withoutResponse: 1 }), 'failing');
});

test('each consecutive failure halves the number of concurrent deliveries, down to one', () => {
  const concurrency = (failures: number) => {
    const counts = Array.from({ length: 17 }, (_, inProgress) => inProgress);
    return counts.find((inProgress) => !mayBegin({ ...fresh, failures, inProgress }, 16));
  };
  assert.deepEqual([0, 1, 2, 3, 4, 5, 50].map(concurrency), [16, 8, 4, 2, 1, 1, 1]);
  assert.equal(mayBegin({ ...fresh, isClosed: true }, 16), false);
});

test('the log is read if it may contain more events and few deliveries are pending', () => {
  assert.equal(mayRead(fresh, 9_999), true);
  assert.equal(mayRead(fresh, 10_000), false);
  assert.equal(mayRead({ ...fresh, more: false }, 0), false);
  assert.equal(mayRead({ ...fresh, isClosed: true }, 0), false);
  assert.equal(wantsMore(busy, 999), true);
  assert.equal(wantsMore(busy, 1_000), false);
  assert.equal(wantsMore(fresh, 1_000), true);
});

test('an endpoint is released if nothing is due within ten seconds', () => {
  const rested = { ...fresh, more: false };
  assert.equal(isIdle(rested, null, at), true);
  assert.equal(isIdle(rested, new Date(at.getTime() + 10_001), at), true);
  assert.equal(isIdle(rested, new Date(at.getTime() + 10_000), at), false);
  assert.equal(isIdle({ ...rested, inProgress: 1 }, null, at), false);
  assert.equal(isIdle(fresh, null, at), false);
});

test('attempts are counted, and retries are scheduled for up to 72 hours', () => {
  const waiting: Waiting = {
    ...{ deliveryId: 'd', number: 1, eventId: 'e', lane: 'l' },
    ...{ isReplay: false, attempts: 0, first: null, next: null },
  };
  const refused: Outcome = {
    ...{ delivered: false, status: 500, body: null, error: null, milliseconds: 1, retryAfter: null },
  };
  const times = { at, now: at, resumedAt: null };
  const first = afterAttempt(waiting, refused, times);
  assert.deepEqual([first.attempts, first.first], [1, at]);
  const seconds = ((first.next?.getTime() ?? 0) - at.getTime()) / 1_000;
  assert.ok(seconds >= 5 && seconds <= 6, `the last retry is after ${seconds} s`);
  const old = { ...waiting, attempts: 9, first: before(failureWindowMilliseconds) };
  assert.equal(afterAttempt(old, refused, times).next, null);
  assert.notEqual(afterAttempt(old, refused, { ...times, resumedAt: before(1_000) }).next, null);
  const delivered = afterAttempt(old, { ...refused, delivered: true }, times);
  assert.deepEqual([delivered.attempts, delivered.next], [10, null]);
});
