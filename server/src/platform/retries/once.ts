import type { Context, TenantContext } from '../context.ts';
import { runLastWork, sharedTransaction, transaction } from '../db/transaction.ts';
import { codeOf } from '../error-code.ts';
import { Problem } from '../errors.ts';
import { coalesce } from '../load/coalesce.ts';
import { openState, partOfState } from '../node-state.ts';
import {
  AlreadyStored,
  type KeyedRequest,
  type Name,
  nameOf,
  type Outcome,
  readStoredOutcome,
  store,
} from './stored-responses.ts';

/** The parts of a context that belong to the transaction. */
export type TransactionContext = Pick<Context, 'db' | 'state'>;

/**
 * Runs in the transaction that stores its response, so it must not make network calls or do slow
 * work.
 */
export type Action<T> = (inside: TransactionContext) => Promise<T>;

export type Call<T> = {
  /** Does slow work that is safe to repeat, and returns what remains to be done. */
  prepare: () => Promise<Action<T>>;
  /** Calls with the same value share a transaction. Only for operations that write nothing if they fail. */
  shares: string | null;
};

type Entry = {
  name: Name;
  act: Action<unknown>;
  shares: string | null;
  /** Null until its transaction has committed. */
  outcome: Outcome<unknown> | null;
};

const maxAttempts = 5;
/**
 * SQLSTATEs that roll back a transaction: conflicts, deadlocks, and statements after a failed statement.
 */
const conflictCodes = new Set(['23503', '23505', '25P02', '40001', '40P01']);

/** The keys that this process is currently handling. */
const runningKeys = partOfState('running_idempotency_keys', () => new Set<string>());

/**
 * Executes `call` once for each key of a tenant, on any number of nodes. Its effect and its
 * response commit in one transaction. The primary key of the stored responses rejects all other
 * attempts.
 */
export async function once<T>(
  ctx: TenantContext,
  keyedRequest: KeyedRequest,
  call: Call<T>,
): Promise<{ outcome: Outcome<T>; replayed: boolean }> {
  const name = nameOf(ctx, keyedRequest);
  for (let attempt = 1; ; attempt++) {
    const stored = await readStoredOutcome<T>(ctx, name);
    if (stored) return { outcome: stored, replayed: true };
    try {
      return { outcome: await runAlone(ctx, name, call), replayed: false };
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
    }
  }
}

/** Returns the outcome's value, or throws its problem. */
export function valueOrThrow<T>(outcome: Outcome<T>): T {
  if ('value' in outcome) return outcome.value;
  const { code, detail, extras } = outcome.problem;
  throw new Problem(code, detail, extras);
}

/**
 * Thrown if other requests changed the record after the work was prepared. The transaction is
 * rolled back, and the call prepares the work again.
 */
export class Outdated extends Problem {
  constructor() {
    super('unavailable', 'The record is being changed by other requests. Retry the request.', {
      retryAfter: 1,
    });
  }
}

/** Thrown inside a shared transaction by a call that has written nothing and has to wait for the next transaction. */
export class Postponed extends Error {}

function isConflict(error: unknown): boolean {
  return error instanceof AlreadyStored || error instanceof Outdated || conflictCodes.has(codeOf(error));
}

/**
 * Rejects a call if this process is already handling its key. Across nodes, the primary key
 * prevents a second execution.
 */
async function runAlone<T>(ctx: TenantContext, name: Name, call: Call<T>): Promise<Outcome<T>> {
  const running = runningKeys(ctx);
  if (running.has(name.keyHash)) throw inProgress();
  running.add(name.keyHash);
  try {
    const entry: Entry = { name, act: await prepared(call), shares: call.shares, outcome: null };
    const outcome =
      call.shares === null ? (await commitAll(ctx, [entry]))[0] : await commitShared(ctx, entry);
    // The cast is safe, because each entry gets the outcome of its own execution.
    return outcome as Outcome<T>;
  } finally {
    running.delete(name.keyHash);
  }
}

function inProgress(): Problem {
  return new Problem(
    'in_progress',
    'The request with this Idempotency-Key is still in progress. Send it again shortly.',
    { retryAfter: 1 },
  );
}

/** A rejection is stored like any other response. */
async function prepared<T>(call: Call<T>): Promise<Action<T>> {
  try {
    return await call.prepare();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return () => Promise.reject(error);
  }
}

const commitShared = coalesce<TenantContext, Entry, Outcome<unknown>>({
  name: 'idempotent_calls',
  group: (ctx, { shares }) => `${ctx.tenantId}\0${shares}`,
  run: commitAll,
});

/** Postponed calls run in further transactions. If one of these fails, calls that have committed do not run again. */
async function commitAll(ctx: TenantContext, entries: Entry[]): Promise<Outcome<unknown>[]> {
  for (;;) {
    const left = entries.filter(({ outcome }) => outcome === null);
    if (left.length === 0) return entries.flatMap(({ outcome }) => outcome ?? []);
    const outcomes = await commit(ctx, left);
    for (const [at, entry] of left.entries()) entry.outcome = outcomes[at] ?? null;
  }
}

/**
 * Commits all calls or none. An internal error in one call, or a response that another node stored
 * first, rolls back all of them. A postponed call has no outcome.
 */
function commit(ctx: TenantContext, entries: Entry[]): Promise<(Outcome<unknown> | null)[]> {
  const begin = entries.length > 1 ? sharedTransaction : transaction;
  return begin(ctx, async (ctx) => {
    // State that service functions keep in memory, such as queues, must not be shared with calls outside the transaction.
    const inside = { db: ctx.db, state: openState() };
    const settled = await Promise.allSettled(entries.map(({ act }) => outcomeOf(act, inside)));
    const outcomes = settled.map((one) => {
      if (one.status === 'fulfilled') return one.value;
      if (one.reason instanceof Postponed) return null;
      throw one.reason;
    });
    // Some calls have locked the event log already, so all calls lock it before their keys.
    await runLastWork(ctx);
    await store(
      ctx,
      entries.flatMap(({ name }, at) => {
        const outcome = outcomes[at];
        return outcome && isFinal(outcome) ? [{ name, outcome }] : [];
      }),
    );
    return outcomes;
  });
}

async function outcomeOf(act: Action<unknown>, inside: TransactionContext): Promise<Outcome<unknown>> {
  try {
    return { value: await act(inside) };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return { problem: { code: error.code, detail: error.message, extras: error.extras } };
  }
}

/** Outcomes that a later attempt could change are not stored. */
function isFinal(outcome: Outcome<unknown>): boolean {
  return 'value' in outcome || outcome.problem.extras.retryAfter === undefined;
}
