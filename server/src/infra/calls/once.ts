import { isInTransaction, runLastWork, transaction } from '../../db/transaction.ts';
import { codeOf, Problem } from '../../lib/errors.ts';
import { type Context, openState, partOfState, type TenantContext } from '../context/context.ts';
import { contextOf, openQueue, type Call as QueuedCall } from './queue.ts';
import {
  isFinal,
  type KeyedRequest,
  type Name,
  nameOf,
  type Outcome,
  readStoredOutcome,
  storeOutcomes,
} from './stored-responses.ts';

/**
 * Thrown if other requests changed the record after the work was prepared, and nothing was written. The call is repeated.
 */
export class Outdated extends Problem {
  constructor() {
    super('unavailable', 'The record is being changed by other requests. Retry the request.', {
      retryAfter: 1,
    });
  }
}

/** A call of a frequent verb: its row, and how the result becomes the answer. */
export type Submission<T> = {
  /** Runs the row together with those of other callers, and stores the answer if the call has a key. */
  submit: (ctx: TenantContext, name: Name | null) => Promise<T>;
  /** Runs the row with those of other submissions of the verb, in the transaction of `ctx`. */
  verb: Verb;
  row: unknown;
  answer: (result: unknown) => T;
};

type Verb = { runInside: (ctx: TenantContext, rows: readonly unknown[]) => Promise<unknown[]> };
type Settled<T> = PromiseSettledResult<T>;
type Keyed<Row, Result> = { row: Row; answer: (result: Result) => unknown; name: Name };

export type VerbCall<Row> = QueuedCall<TenantContext, Row>;

/**
 * A verb that is called so often that the rows of many callers share a statement and a commit. `run` gets rows of
 * several tenants, except on Citus, and leaves out those that need a statement of their own (see `openQueue`).
 * `isLast` is true if nothing follows in the transaction but storing the answers of calls with an Idempotency-Key.
 */
export function openVerb<Row, Result>(options: {
  name: string;
  isShared?: true;
  key: (row: Row) => string;
  max?: number;
  bytes?: { of: (row: Row) => number; max: number };
  run: (
    ctx: TenantContext,
    calls: readonly VerbCall<Row>[],
    isLast: boolean,
  ) => Promise<(Result | undefined)[]>;
}): <T>(row: Row, answer: (result: Result) => T) => Submission<T> {
  const { run, key, bytes, ...shared } = options;
  const plain = openQueue<TenantContext, Row, Result>({
    ...options,
    run: (calls) => {
      const ctx = contextOf(calls);
      return run(ctx, calls, !isInTransaction(ctx));
    },
  });
  const keyed = openQueue<TenantContext, Keyed<Row, Result>, Settled<unknown>>({
    ...shared,
    name: `${shared.name}_keyed`,
    key: ({ row }) => key(row),
    ...(bytes && { bytes: { of: ({ row }: Keyed<Row, Result>) => bytes.of(row), max: bytes.max } }),
    run: (calls) =>
      transaction(contextOf(calls), async (ctx) => {
        const results = await run(
          ctx,
          calls.map(({ ctx, row: { row } }) => ({ ctx, row })),
          true,
        );
        await runLastWork(ctx);
        const answers = calls.map(({ row: { answer } }, at) => {
          const result = results[at];
          return result === undefined ? undefined : refusedOr(() => answer(result));
        });
        await storeOutcomes(
          ctx,
          calls.flatMap(({ ctx: { tenantId }, row: { name } }, at) => {
            const outcome = storable(answers[at]);
            return outcome ? [{ tenantId, name, outcome }] : [];
          }),
        );
        return answers;
      }),
  });
  return <T>(row: Row, answer: (result: Result) => T): Submission<T> => ({
    submit: async (ctx, name) => {
      if (isInTransaction(ctx)) return answer((await plain.runInside(ctx, [row]))[0] as Result);
      if (name === null) return answer(await plain.add(ctx, row));
      const one = await keyed.add(ctx, { row, answer, name });
      if (one.status === 'rejected') throw one.reason;
      // The cast is safe, because this call's own `answer` returned the value.
      return one.value as T;
    },
    // The casts are safe, because rows and results stay with the verb that they came from.
    verb: plain as unknown as Verb,
    row,
    answer: answer as (result: unknown) => T,
  });
}

/** Runs calls of one verb in the transaction of `ctx`, for example for a plan. Each succeeds or is refused for itself. */
export async function submitInside<T>(
  ctx: TenantContext,
  submissions: readonly Submission<T>[],
): Promise<Settled<T>[]> {
  const rows = submissions.map(({ row }) => row);
  const results = (await submissions[0]?.verb.runInside(ctx, rows)) ?? [];
  return Promise.allSettled(submissions.map(async ({ answer }, at) => answer(results[at])));
}

/** Only a refusal concerns this call alone. Any other error undoes the whole statement. */
function refusedOr(answer: () => unknown): Settled<unknown> {
  try {
    return { status: 'fulfilled', value: answer() };
  } catch (reason) {
    if (!(reason instanceof Outdated || (reason instanceof Problem && reason.status < 500))) throw reason;
    return { status: 'rejected', reason };
  }
}

/** What is stored: null for a call that a later attempt could answer differently. */
function storable(one: Settled<unknown> | undefined): Outcome<unknown> | null {
  if (!one) return null;
  if (one.status === 'fulfilled') return { value: one.value };
  const { code, message: detail, extras } = one.reason as Problem;
  const outcome = { problem: { code, detail, extras } };
  return isFinal(outcome) ? outcome : null;
}

/** The parts of a context that belong to the transaction. */
type TransactionContext = Pick<Context, 'db' | 'state'>;

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
  return error instanceof Outdated || conflictCodes.has(codeOf(error));
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
