import type { Claimed } from './claim.ts';
import type { Waiting } from './delivery-queues.ts';
import { failureWindowMilliseconds, maxPauseMilliseconds, nextAttempt } from './results.ts';
import type { Outcome } from './send.ts';

/** Endpoints whose last delivery failed share a separate limit, so they never delay healthy ones. */
export type ConcurrencyPool = 'healthy' | 'failing';

/** A node's state for an endpoint to which it delivers. */
export type EndpointState = {
  endpoint: Claimed;
  /** The position up to which the log was read. `endpoint.position` is the position in the database. */
  position: number;
  /** Number of the last delivery read. */
  lastNumber: number;
  /** Whether the log may contain more events. */
  more: boolean;
  inProgress: number;
  /** Deliveries in progress that have had no response for a second. */
  withoutResponse: number;
  /** Consecutive failures. */
  failures: number;
  failingSince: Date | null;
  /** Set when no more deliveries may be started. */
  isClosed: boolean;
  failure: unknown;
};

export type EndpointEvent =
  | { kind: 'kept'; endpoint: Claimed }
  /** The node is draining, the claim was lost, or the work has ended. */
  | { kind: 'closed' }
  | { kind: 'read'; position: number; stored: number; more: boolean; lastNumber: number }
  | { kind: 'begun' }
  /** A delivery has had no response for a second. */
  | { kind: 'late'; pool: ConcurrencyPool }
  | { kind: 'answered'; delivered: boolean; at: Date }
  | { kind: 'ended'; pool: ConcurrencyPool; wasLate: boolean; error: unknown };

export type EndpointEffect =
  | { kind: 'release-slot'; pool: ConcurrencyPool }
  /** Waiting retries are sent now. */
  | { kind: 'makeAllDue' }
  | { kind: 'record-health'; failingSince: Date | null }
  | { kind: 'disable'; failingSince: Date }
  | { kind: 'wake' };

export type Step = { state: EndpointState; effects: EndpointEffect[] };

/** The log is read again when fewer deliveries than this are pending. Until then, further events stay in the log. */
export const maxWaiting = 10_000;
/** An endpoint that has had nothing to do for this long is released. */
const maxIdleMilliseconds = 10_000;
/** When an endpoint recovers after failing for this long, its retries are sent immediately. */
const earlyRetryAfter = 60_000;

export function beginEndpoint(endpoint: Claimed): EndpointState {
  const { position, failingSince } = endpoint;
  const counts = { lastNumber: 0, inProgress: 0, withoutResponse: 0, failures: failingSince ? 1 : 0 };
  return { endpoint, position, ...counts, more: true, failingSince, isClosed: false, failure: null };
}

export function reduceEndpoint(state: EndpointState, event: EndpointEvent): Step {
  const to = (changes: Partial<EndpointState>, ...effects: EndpointEffect[]): Step => ({
    state: { ...state, ...changes },
    effects,
  });
  switch (event.kind) {
    case 'kept':
      return to({ endpoint: event.endpoint, more: true });
    case 'closed':
      return to({ isClosed: true }, { kind: 'wake' });
    case 'read': {
      const { stored, position, lastNumber, more } = event;
      return to({ endpoint: { ...state.endpoint, position: stored }, position, lastNumber, more });
    }
    case 'begun':
      return to({ inProgress: state.inProgress + 1 });
    case 'late': {
      // A hanging endpoint releases its slot to healthy ones.
      const changes = { withoutResponse: state.withoutResponse + 1 };
      return event.pool === 'healthy' ? to(changes, { kind: 'release-slot', pool: 'healthy' }) : to(changes);
    }
    case 'answered':
      return answered(state, event);
    case 'ended': {
      const { pool, wasLate, error } = event;
      const failure = state.failure ?? error;
      const withoutResponse = state.withoutResponse - (wasLate ? 1 : 0);
      const changes = { inProgress: state.inProgress - 1, withoutResponse, failure };
      const isGiven = wasLate && pool === 'healthy';
      const effects: EndpointEffect[] = isGiven ? [] : [{ kind: 'release-slot', pool }];
      return to({ ...changes, isClosed: state.isClosed || failure !== null }, ...effects);
    }
  }
}

/** The effect of a delivery's result on the endpoint as a whole. */
function answered(state: EndpointState, { delivered, at }: { delivered: boolean; at: Date }): Step {
  const { failingSince } = state;
  if (delivered) {
    const healthy = { ...state, failures: 0, failingSince: null };
    if (!failingSince) return { state: healthy, effects: [] };
    const isLong = at.getTime() - failingSince.getTime() > earlyRetryAfter;
    const makeAllDue: EndpointEffect[] = isLong ? [{ kind: 'makeAllDue' }] : [];
    return { state: healthy, effects: [...makeAllDue, { kind: 'record-health', failingSince: null }] };
  }
  const failing = { ...state, failures: state.failures + 1, failingSince: failingSince ?? at };
  if (!failingSince) return { state: failing, effects: [{ kind: 'record-health', failingSince: at }] };
  const counted = at.getTime() - latest(failingSince, state.endpoint.resumedAt).getTime();
  if (counted < failureWindowMilliseconds) return { state: failing, effects: [] };
  return { state: { ...failing, isClosed: true }, effects: [{ kind: 'disable', failingSince }] };
}

export const poolOf = ({ failures, withoutResponse }: EndpointState): ConcurrencyPool =>
  failures === 0 && withoutResponse === 0 ? 'healthy' : 'failing';

/** The more consecutive failures, the fewer concurrent deliveries. */
export const mayBegin = ({ isClosed, inProgress, failures }: EndpointState, concurrency: number): boolean =>
  !isClosed && inProgress < Math.max(1, Math.floor(concurrency / 2 ** failures));

export const mayRead = ({ isClosed, more }: EndpointState, waiting: number): boolean =>
  !isClosed && more && waiting < maxWaiting;

/** Whether to end the pause and read the log now. */
export const wantsMore = ({ inProgress, more }: EndpointState, waiting: number): boolean =>
  inProgress === 0 || (more && waiting < maxWaiting / 10);

export function isIdle({ inProgress, more }: EndpointState, wakeAt: Date | null, now: Date): boolean {
  if (inProgress > 0 || more) return false;
  return !wakeAt || wakeAt.getTime() - now.getTime() > maxIdleMilliseconds;
}

/**
 * Returns the delivery after another attempt. If `next` is null, the delivery has ended. If the endpoint
 * keeps the order, a delivery without a definite response never ends; instead, the endpoint is eventually
 * disabled.
 */
export function afterAttempt(
  waiting: Waiting,
  outcome: Outcome,
  times: { at: Date; now: Date; resumedAt: Date | null; keepsOrder?: boolean },
): Waiting & { first: Date } {
  const attempts = waiting.attempts + 1;
  const first = waiting.first ?? times.at;
  const since = latest(first, times.resumedAt);
  const { delivered, isRefused, retryAfter } = outcome;
  if (delivered || isRefused) return { ...waiting, attempts, first, next: null };
  const next = nextAttempt({ attempts, first: since, now: times.now, retryAfter });
  const late = times.keepsOrder ? new Date(times.now.getTime() + maxPauseMilliseconds) : null;
  return { ...waiting, attempts, first, next: next ?? late };
}

const latest = (at: Date, resumedAt: Date | null): Date => (resumedAt && resumedAt > at ? resumedAt : at);
