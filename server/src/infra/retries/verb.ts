import { isInTransaction, runLastWork, transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import type { TenantContext } from '../context/context.ts';
import { contextOf, openQueue, type Call as QueuedCall } from '../load/queue.ts';
import { isFinal, type Name, type Outcome, storeOutcomes } from './stored-responses.ts';

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

/** `name` is that of the Idempotency-Key, if the call has one. */
type Entry<Row, Result> = { row: Row; answer: (result: Result) => unknown; name: Name | null };
type Settled = PromiseSettledResult<unknown>;
type Queue = ReturnType<typeof openQueue<TenantContext, Entry<never, never>, Settled>>;

/** A call of a frequent verb: its row, and how the result becomes the answer. */
export type Submission<T> = {
  /** Runs the row together with those of other callers, and stores the answer if the call has a key. */
  submit: (ctx: TenantContext, name: Name | null) => Promise<T>;
  queue: Queue;
  entry: Entry<never, never>;
};

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
  const { name, isShared, key, max, bytes, run } = options;

  async function runEntries(calls: readonly QueuedCall<TenantContext, Entry<Row, Result>>[]) {
    const { ctx } = calls[0] as (typeof calls)[0];
    const isInside = isInTransaction(ctx);
    const isKeyed = !isInside && calls.some(({ row }) => row.name !== null);
    const own = contextOf(calls);
    const settle = async (ctx: TenantContext) => {
      const rows = calls.map(({ ctx, row: { row } }) => ({ ctx: isInside ? own : ctx, row }));
      const results = await run(ctx, rows, !isInside);
      return calls.map(({ row: { answer } }, at): Settled | undefined => {
        const result = results[at];
        return result === undefined ? undefined : settled(() => answer(result), isKeyed);
      });
    };
    if (!isKeyed) return settle(own);
    return transaction(own, async (ctx) => {
      const answers = await settle(ctx);
      await runLastWork(ctx);
      await storeOutcomes(
        ctx,
        calls.flatMap(({ ctx: { tenantId }, row: { name } }, at) => {
          const outcome = outcomeOf(answers[at]);
          return name && outcome ? [{ tenantId, name, outcome }] : [];
        }),
      );
      return answers;
    });
  }

  const queue = openQueue<TenantContext, Entry<Row, Result>, Settled>({
    name,
    ...(isShared && { isShared }),
    key: ({ row }) => key(row),
    ...(max !== undefined && { max }),
    ...(bytes && { bytes: { of: ({ row }) => bytes.of(row), max: bytes.max } }),
    run: runEntries,
  });

  return <T>(row: Row, answer: (result: Result) => T): Submission<T> => ({
    submit: async (ctx, name) => {
      const entry = { row, answer, name };
      const [one] = isInTransaction(ctx)
        ? await queue.runInside(ctx, [entry])
        : [await queue.add(ctx, entry)];
      return unwrapped<T>(one as Settled);
    },
    // The casts are safe, because this queue only gets entries of this verb.
    queue: queue as unknown as Queue,
    entry: { row, answer, name: null } as unknown as Entry<never, never>,
  });
}

/** Runs calls of one verb in the transaction of `ctx`, for example for a plan. Each succeeds or is refused for itself. */
export async function submitInside<T>(
  ctx: TenantContext,
  submissions: readonly Submission<T>[],
): Promise<PromiseSettledResult<T>[]> {
  const entries = submissions.map(({ entry }) => entry);
  // The cast is safe, because each entry's `answer` returns a `T`.
  return ((await submissions[0]?.queue.runInside(ctx, entries)) ?? []) as PromiseSettledResult<T>[];
}

function unwrapped<T>(one: Settled): T {
  if (one.status === 'rejected') throw one.reason;
  // The cast is safe, because the entry's own `answer` returned the value.
  return one.value as T;
}

/** If answers are stored, only a refusal concerns this call alone. Any other error undoes the whole statement. */
function settled(answer: () => unknown, isKeyed: boolean): Settled {
  try {
    return { status: 'fulfilled', value: answer() };
  } catch (reason) {
    const isRefusal = reason instanceof Outdated || (reason instanceof Problem && reason.status < 500);
    if (isKeyed && !isRefusal) throw reason;
    return { status: 'rejected', reason };
  }
}

/** What is stored: null for a call that a later attempt could answer differently. */
function outcomeOf(one: Settled | undefined): Outcome<unknown> | null {
  if (!one) return null;
  if (one.status === 'fulfilled') return { value: one.value };
  const { code, message: detail, extras } = one.reason as Problem;
  const outcome = { problem: { code, detail, extras } };
  return isFinal(outcome) ? outcome : null;
}
