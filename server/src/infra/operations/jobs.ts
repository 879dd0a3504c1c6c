import { setTimeout as delay } from 'node:timers/promises';
import { forNode, forTenant, run } from '../../db/transaction.ts';
import { nodeOf } from '../../db/worker-nodes.ts';
import { Problem } from '../../lib/errors.ts';
import { createCache } from '../context/cache.ts';
import { type Context, partOfState, type TenantContext } from '../context/context.ts';

const nodes = createCache<string[]>({
  name: 'worker_nodes',
  milliseconds: 10_000,
  max: 1,
  load: async (ctx) => {
    const [found] = await run<{ exists: boolean }>(
      ctx,
      `select to_regclass('pg_dist_node') is not null as exists`,
    );
    if (!found?.exists) return [];
    const rows = await run<{ node: string }>(
      ctx,
      `select nodename || ':' || nodeport as node from pg_dist_node
        where shouldhaveshards and isactive and noderole = 'primary' order by node`,
    );
    return rows.map(({ node }) => node);
  },
});

/**
 * Contexts for work that serves all tenants: on Citus one for each worker node, so that a node that is down or hangs
 * holds up its own tenants only.
 */
export async function perWorkerNode(ctx: Context): Promise<Context[]> {
  const found = ctx.engine.kind === 'pglite' ? [] : await nodes.get(ctx, '');
  if (found.length === 0) return [ctx];
  return found.map((node) => forNode(ctx, node));
}

/** How long a start waits for a worker node. */
const patienceMilliseconds = 5_000;

/**
 * Does the work for the tenants of each worker node. A node that is down or hangs is left for the next start, so that
 * the tenants of the others can be served.
 */
export async function onReachableNodes(
  ctx: Context,
  work: (ctx: Context) => Promise<unknown>,
): Promise<void> {
  for (const own of await perWorkerNode(ctx)) {
    if (own.workerNode === undefined) return void (await work(own));
    const late = delay(patienceMilliseconds, undefined, { ref: false }).then(() => {
      throw new Problem('unavailable', 'The worker node does not answer.');
    });
    await Promise.race([work(own), late]).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'unavailable') throw error;
      ctx.log.error({ err: error, node: own.workerNode }, 'a worker node of the database cannot be reached');
    });
  }
}

const tenants = createCache<Map<string, string[]>>({
  name: 'tenants_of_worker_nodes',
  milliseconds: 2_000,
  max: 1,
  load: async (ctx) => {
    const rows = await run<{ tenant_id: string; node: string }>(
      ctx,
      `select client.tenant_id, ${nodeOf('client.tenant_id')} as node
        from (select tenant_id from tenant union all select '') client`,
    );
    const byNode = Map.groupBy(rows, ({ node }) => node);
    return new Map([...byNode].map(([node, own]) => [node, own.map(({ tenant_id }) => tenant_id)]));
  },
});

/**
 * The parameter of `isServed`: the tenants of the context's worker node, and the deployment itself, whose TenantID is
 * empty; null for all tenants.
 */
export async function servedTenants(ctx: Context): Promise<string[] | null> {
  return ctx.workerNode === undefined ? null : ((await tenants.get(ctx, '')).get(ctx.workerNode) ?? []);
}

/** SQL: whether a statement that serves all tenants serves this one. Citus then uses only the shards of these tenants. */
export const isServed = (tenant: string, parameter: string) =>
  `(${parameter}::text[] is null or ${tenant} = any (${parameter}::text[]))`;

/** Scheduled work that one of the nodes does. It may run twice, so it must be idempotent. */
export type Job = {
  name: string;
  /** Seconds between the end of a run and the start of the next one. */
  every: number;
  /** Whether it serves all tenants. On Citus, it then runs for each worker node on its own. */
  isPerNode?: true;
  run: (ctx: Context) => Promise<void>;
};

const pollMilliseconds = 2_000;
/** Seconds until a claim on a job expires. A node renews its claim while the job runs. */
const lease = 60;
/** Seconds until a failed job is retried, if it is not due sooner. */
const retryAfter = 30;

const insertJobs = `insert into scheduled_job (name, due) select name, now() from unnest($1::text[]) as name on conflict do nothing`;
/** No job pauses for two days: one that is due later was planned while the clock was wrong. */
const claimJobs = `update scheduled_job set due = now() + make_interval(secs => $2), runs = runs + 1
  where name = any($1) and (due <= now() or due > now() + interval '2 days') returning name`;
const finishRun = `update scheduled_job set due = now() + make_interval(secs => $2), took_seconds = $4,
  succeeded_at = case when $3 then now() else succeeded_at end,
  failures = case when $3 then 0 else failures + 1 end where name = $1`;
const renewClaim = `update scheduled_job set due = now() + make_interval(secs => $2) where name = any($1)`;

const hastenJob = `update scheduled_job set due = now()
  where (name = $1 or starts_with(name, $1 || ' ')) and due < now() + make_interval(secs => $2)`;

const lookers = partOfState('job_lookers', () => new Set<() => void>());

/** Runs a job now, unless it is running, because a request has left work for it. */
export async function hasten(ctx: Context, name: string): Promise<void> {
  await run(ctx, hastenJob, [name, lease / 2]);
  for (const look of lookers(ctx)) look();
}

/** Runs due jobs until stopped. Stopping waits for running jobs, up to a time limit. */
export async function startJobs(
  ctx: Context,
  jobs: readonly Job[],
): Promise<{ stop: (milliseconds: number) => Promise<void> }> {
  const byName = new Map<string, Job>();
  const running = new Map<string, Promise<void>>();
  const add = async () => {
    const nodes = await perWorkerNode(ctx);
    const added = jobs
      .flatMap((job) =>
        (job.isPerNode ? nodes : [ctx]).map((own) => ({
          ...job,
          name: own.workerNode === undefined ? job.name : `${job.name} ${own.workerNode}`,
          run: () => job.run(own),
        })),
      )
      .filter(({ name }) => !byName.has(name));
    if (added.length === 0) return;
    await run(ctx, insertJobs, [added.map(({ name }) => name)]);
    for (const job of added) byName.set(job.name, job);
  };
  await add();

  const work = async (job: Job) => {
    const began = performance.now();
    let hasSucceeded = false;
    try {
      await job.run(ctx);
      hasSucceeded = true;
    } catch (error) {
      ctx.log.warn({ err: error, job: job.name }, 'a job failed; it will be retried');
    }
    running.delete(job.name);
    const next = hasSucceeded ? job.every : Math.min(job.every, retryAfter);
    const seconds = (performance.now() - began) / 1_000;
    await run(ctx, finishRun, [job.name, next, hasSucceeded, seconds]);
  };
  const poll = async () => {
    await add();
    if (running.size > 0) await run(ctx, renewClaim, [[...running.keys()], lease]);
    const idle = [...byName.keys()].filter((name) => !running.has(name));
    const taken = await run<{ name: string }>(ctx, claimJobs, [idle, lease]);
    for (const { name } of taken) {
      const job = byName.get(name);
      if (job) running.set(name, work(job).catch(warn));
    }
  };
  const warn = (error: unknown) =>
    ctx.log.warn({ err: error }, 'the search for due jobs failed; it will be retried');
  let looking = Promise.resolve();
  let isHastened = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = undefined;
    isHastened = false;
    looking = poll()
      .catch(warn)
      .then(() => {
        if (!stopped) timer = setTimeout(begin, isHastened ? 0 : pollMilliseconds).unref();
      });
  };
  const look = () => {
    isHastened = true;
    if (timer === undefined) return;
    clearTimeout(timer);
    begin();
  };
  begin();
  lookers(ctx).add(look);
  return {
    stop: async (milliseconds) => {
      stopped = true;
      lookers(ctx).delete(look);
      clearTimeout(timer);
      await looking;
      await Promise.race([
        Promise.all(running.values()),
        new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
      ]);
    },
  };
}

/** After this time, a run ends with the current round, so that its failures are reported. */
const maxRunMilliseconds = 20_000;

type Turns = {
  /** Of the statement. */
  name: string;
  /** SQL: the tenants that have work, without those in `$1`, if `isServed` with `$2`. `values` begin at `$3`. */
  text: string;
  values?: () => readonly unknown[];
  /** Does one batch. False leaves the tenant for the next run, for example because another node is at work. */
  work: (ctx: TenantContext) => Promise<unknown>;
};

/**
 * Job: works for all tenants. In each round, each of them gets one batch, so that none holds up the others. A tenant
 * whose batch fails is left for the next run, and the job fails at the end.
 */
export async function serveInTurns(ctx: Context, { name, text, values, work }: Turns): Promise<void> {
  const skipped = new Map<string, unknown>();
  const end = performance.now() + maxRunMilliseconds;
  while (!ctx.load.draining && performance.now() < end) {
    const given = [[...skipped.keys()], await servedTenants(ctx), ...(values?.() ?? [])];
    const tenants = await run<{ tenant_id: string }>(ctx, text, given);
    if (tenants.length === 0) break;
    for (const { tenant_id } of tenants)
      try {
        if ((await work(forTenant(ctx, tenant_id))) === false) skipped.set(tenant_id, null);
      } catch (error) {
        skipped.set(tenant_id, error);
      }
  }
  const failures = [...skipped.values()].filter((error) => error !== null);
  if (failures.length > 0)
    throw new AggregateError(failures, `The work for ${failures.length} tenants failed (${name}).`);
}
