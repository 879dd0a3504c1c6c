import { coalesce } from './batch.ts';
import type { Context, TenantContext } from './context.ts';
import { sharedTransaction, transaction } from './db/transaction.ts';
import { codeOf } from './error-code.ts';
import { Problem } from './errors.ts';
import { perEngine } from './per-engine.ts';
import {
  AlreadyStored,
  type Asked,
  type Name,
  nameOf,
  type Outcome,
  recall,
  store,
} from './stored-answers.ts';

/** What of a context belongs to the transaction. */
export type Inside = Pick<Context, 'db' | 'engine'>;

/** Runs in the transaction that stores its answer: no network, nothing slow. */
export type Act<T> = (inside: Inside) => Promise<T>;

export type Call<T> = {
  /** Does what is slow and harmless to repeat, and answers what remains to be done. */
  prepare: () => Promise<Act<T>>;
  /** Calls with the same name share a transaction. Only for verbs that have written nothing when they refuse. */
  shares: string | null;
};

type Entry = { name: Name; act: Act<unknown>; shares: string | null };

const mostAttempts = 5;
/** PostgreSQL undoes a transaction that others got in the way of: conflicts, deadlocks, and what failed after one. */
const raced = new Set(['23503', '23505', '25P02', '40001', '40P01']);

/** The keys that this process is working on. */
const runningKeys = perEngine(() => new Set<string>());

/**
 * Does `call` once for each key of a tenant, on any number of nodes: its effect and its answer commit in one transaction,
 * and the primary key of the stored answers lets only one of them commit.
 */
export async function once<T>(
  ctx: TenantContext,
  asked: Asked,
  call: Call<T>,
): Promise<{ outcome: Outcome<T>; replayed: boolean }> {
  const name = nameOf(ctx, asked);
  for (let attempt = 1; ; attempt++) {
    const stored = await recall<T>(ctx, name);
    if (stored) return { outcome: stored, replayed: true };
    try {
      return { outcome: await alone(ctx, name, call), replayed: false };
    } catch (error) {
      if (attempt === mostAttempts || !isRaced(error)) throw error;
    }
  }
}

/** Throws the problem that an outcome stands for. */
export function answered<T>(outcome: Outcome<T>): T {
  if ('value' in outcome) return outcome.value;
  const { code, detail, extras } = outcome.problem;
  throw new Problem(code, detail, extras);
}

function isRaced(error: unknown): boolean {
  return error instanceof AlreadyStored || raced.has(codeOf(error));
}

/** In this process one at a time; other nodes meet at the primary key. */
async function alone<T>(ctx: TenantContext, name: Name, call: Call<T>): Promise<Outcome<T>> {
  const running = runningKeys(ctx);
  if (running.has(name.keyHash)) throw inProgress();
  running.add(name.keyHash);
  try {
    const entry = { name, act: await prepared(call), shares: call.shares };
    const outcome = call.shares === null ? (await commit(ctx, [entry]))[0] : await commitShared(ctx, entry);
    // An entry has the outcome of its own act.
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

/** A refusal is an answer too: it is stored like one. */
async function prepared<T>(call: Call<T>): Promise<Act<T>> {
  try {
    return await call.prepare();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return () => Promise.reject(error);
  }
}

const commitShared = coalesce<TenantContext, Entry, Outcome<unknown>>({
  group: (ctx, { shares }) => `${ctx.tenantId}\0${shares}`,
  run: commit,
});

/** All or none of them: what failed on our side, or was stored by another node meanwhile, undoes the others too. */
function commit(ctx: TenantContext, entries: Entry[]): Promise<Outcome<unknown>[]> {
  const begin = entries.length > 1 ? sharedTransaction : transaction;
  return begin(ctx, async (ctx) => {
    // What verbs keep per engine, such as their queues, is not shared with calls outside of the transaction.
    const inside = { db: ctx.db, engine: { ...ctx.engine } };
    const settled = await Promise.allSettled(entries.map(({ act }) => outcomeOf(act, inside)));
    const outcomes = settled.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
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

async function outcomeOf(act: Act<unknown>, inside: Inside): Promise<Outcome<unknown>> {
  try {
    return { value: await act(inside) };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return { problem: { code: error.code, detail: error.message, extras: error.extras } };
  }
}

/** What a later try could change is not kept. */
function isFinal(outcome: Outcome<unknown>): boolean {
  return 'value' in outcome || outcome.problem.extras.retryAfter === undefined;
}
