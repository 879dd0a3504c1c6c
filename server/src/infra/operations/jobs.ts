import { run } from '../../db/transaction.ts';
import type { Context } from '../context/context.ts';
import { perWorkerNode } from './node-tenants.ts';

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
const claimJobs = `update scheduled_job set due = now() + make_interval(secs => $2), runs = runs + 1
  where name = any($1) and due <= now() returning name`;
const finishRun = `update scheduled_job set due = now() + make_interval(secs => $2), took_seconds = $4,
  succeeded_at = case when $3 then now() else succeeded_at end,
  failures = case when $3 then 0 else failures + 1 end where name = $1`;
const renewClaim = `update scheduled_job set due = now() + make_interval(secs => $2) where name = any($1)`;

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
    await run(ctx, { text: insertJobs, values: [added.map(({ name }) => name)] });
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
    await run(ctx, { name: 'finish_job', text: finishRun, values: [job.name, next, hasSucceeded, seconds] });
  };
  const poll = async () => {
    await add();
    if (running.size > 0)
      await run(ctx, { name: 'keep_jobs', text: renewClaim, values: [[...running.keys()], lease] });
    const idle = [...byName.keys()].filter((name) => !running.has(name));
    const taken = await run<{ name: string }>(ctx, {
      name: 'take_jobs',
      text: claimJobs,
      values: [idle, lease],
    });
    for (const { name } of taken) {
      const job = byName.get(name);
      if (job) running.set(name, work(job).catch(warn));
    }
  };
  const warn = (error: unknown) =>
    ctx.log.warn({ err: error }, 'the search for due jobs failed; it will be retried');
  let looking = Promise.resolve();
  const begin = () => {
    looking = poll()
      .catch(warn)
      .then(() => {
        if (!stopped) timer = setTimeout(begin, pollMilliseconds).unref();
      });
  };
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  begin();
  return {
    stop: async (milliseconds) => {
      stopped = true;
      clearTimeout(timer);
      await looking;
      await Promise.race([
        Promise.all(running.values()),
        new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
      ]);
    },
  };
}
