import { runLastWork, transaction } from '../../db/transaction.ts';
import { codeOf, Problem } from '../../lib/errors.ts';
import type { Context, TenantContext } from '../context/context.ts';
import { openState, partOfState } from '../context/node-state.ts';
import {
  AlreadyStored,
  isFinal,
  type KeyedRequest,
  type Name,
  nameOf,
  type Outcome,
  readStoredOutcome,
  storeOutcomes,
} from './stored-responses.ts';
import { Outdated, type Submission } from './verb.ts';

/** The parts of a context that belong to the transaction. */
export type TransactionContext = Pick<Context, 'db' | 'state'>;

/**
 * Runs in the transaction that stores its response, so it must not make network calls or do slow
 * work.
 */
export type Action<T> = (inside: TransactionContext) => Promise<T>;

/** What remains of a call after its slow work: an action in a transaction of its own, or a row of a frequent verb. */
export type Work<T> = Action<T> | Submission<T>;

/** Does slow work that is safe to repeat, and returns what remains to be done. */
export type Prepare<T> = () => Promise<Work<T>>;

const maxAttempts = 5;
/**
 * SQLSTATEs that roll back a transaction: conflicts, deadlocks, and statements after a failed statement.
 */
const conflictCodes = new Set(['23503', '23505', '25P02', '40001', '40P01']);

/** The keys that this process is currently handling. */
const runningKeys = partOfState('running_idempotency_keys', () => new Set<string>());

/**
 * Executes a call once for each key of a tenant, on any number of nodes. Its effect and its
 * response commit in one transaction. The primary key of the stored responses rejects all other
 * attempts.
 */
export async function once<T>(
  ctx: TenantContext,
  keyedRequest: KeyedRequest,
  prepare: Prepare<T>,
): Promise<{ outcome: Outcome<T>; replayed: boolean }> {
  const name = nameOf(ctx, keyedRequest);
  for (let attempt = 1; ; attempt++) {
    const stored = await readStoredOutcome<T>(ctx, name);
    if (stored) return { outcome: stored, replayed: true };
    try {
      return { outcome: await runAlone(ctx, name, prepare), replayed: false };
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
    }
  }
}

/** Executes a call without an Idempotency-Key. A row of a frequent verb is repeated if another request came first. */
export async function perform<T>(ctx: TenantContext, prepare: Prepare<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const work = await prepare();
    if (typeof work === 'function') return work(ctx);
    try {
      return await work.submit(ctx, null);
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === maxAttempts) throw new Outdated();
    }
  }
}

/** Returns the outcome's value, or throws its problem. */
export function valueOrThrow<T>(outcome: Outcome<T>): T {
  if ('value' in outcome) return outcome.value;
  const { code, detail, extras } = outcome.problem;
  throw new Problem(code, detail, extras);
}

function isConflict(error: unknown): boolean {
  return error instanceof AlreadyStored || error instanceof Outdated || conflictCodes.has(codeOf(error));
}

/**
 * Rejects a call if this process is already handling its key. Across nodes, the primary key
 * prevents a second execution.
 */
async function runAlone<T>(ctx: TenantContext, name: Name, prepare: Prepare<T>): Promise<Outcome<T>> {
  const running = runningKeys(ctx);
  if (running.has(name.keyHash)) throw inProgress();
  running.add(name.keyHash);
  try {
    const work = await prepared(prepare);
    return typeof work === 'function'
      ? await commit(ctx, name, work)
      : await outcomeOf(() => work.submit(ctx, name));
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
async function prepared<T>(prepare: Prepare<T>): Promise<Work<T>> {
  try {
    return await prepare();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return () => Promise.reject(error);
  }
}

/** Commits a call with its response. An internal error, or a response that another node stored first, undoes both. */
function commit<T>(ctx: TenantContext, name: Name, act: Action<T>): Promise<Outcome<T>> {
  return transaction(ctx, async (ctx) => {
    // State that service functions keep in memory, such as queues, must not be shared with calls outside the transaction.
    const outcome = await outcomeOf(() => act({ db: ctx.db, state: openState() }));
    // Some calls have locked the event log already, so all calls lock it before their keys.
    await runLastWork(ctx);
    if (isFinal(outcome)) await storeOutcomes(ctx, [{ tenantId: ctx.tenantId, name, outcome }]);
    return outcome;
  });
}

async function outcomeOf<T>(act: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await act() };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return { problem: { code: error.code, detail: error.message, extras: error.extras } };
  }
}
