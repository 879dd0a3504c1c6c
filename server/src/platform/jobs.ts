import { PgBoss } from 'pg-boss';
import type { Context } from './context.ts';
import type { Connection, Engine } from './db/engine.ts';
import { run, transaction } from './db/transaction.ts';
import { perEngine } from './per-engine.ts';

/** Work that one of the nodes does, once or on a schedule. It may run twice, so it must be idempotent. */
export type Job = {
  /** Also the name of its queue. */
  name: string;
  /** Seconds between runs; undefined: it runs when it is enqueued. One node runs it each time. */
  every?: number;
  run: (ctx: Context, data: Record<string, unknown>) => Promise<void>;
};

const schema = 'pgboss';
const mark = '/* across tenants: the job queue knows no tenants */ ';
const statement = (text: string, values: unknown[] = []) => ({ text: mark + text, values });

const over = (connection: Connection) => ({
  executeSql: (text: string, values?: unknown[]) =>
    connection.query<Record<string, unknown>>(statement(text, values)),
});

/**
 * pg-boss sends whole transactions as one text; here they get a connection that is rolled back if they fail.
 */
function overEngine(engine: Engine) {
  return {
    executeSql: (text: string, values?: unknown[]) => {
      const [, inner] = /^\s*BEGIN;([\s\S]*)COMMIT;\s*$/.exec(text) ?? [];
      if (inner === undefined) return over(engine).executeSql(text, values);
      return engine.transaction((connection) => over(connection).executeSql(inner, values));
    },
  };
}

function open(ctx: Context, options: { work: boolean }): PgBoss {
  const boss = new PgBoss({
    db: overEngine(ctx.engine),
    schema,
    backend: ctx.engine.kind,
    supervise: options.work,
    schedule: false,
    // PGlite has no room for more backends, and a server has its own autovacuum.
    reindex: false,
    monitorVacuum: false,
  });
  boss.on('error', (error) => ctx.log.warn({ err: error }, 'the job queue reported an error; it continues'));
  return boss;
}

/** Never started: it only writes jobs and holds no timers. */
const sender = perEngine(() => ({ boss: null as PgBoss | null }));

function senderOf(ctx: Context): PgBoss {
  const known = sender(ctx);
  known.boss ??= open(ctx, { work: false });
  return known.boss;
}

/** Creates the tables and queues. Required once before `enqueue`; nodes that start together take turns. */
export async function prepareJobs(ctx: Context, jobs: readonly Pick<Job, 'name'>[]): Promise<void> {
  const boss = open(ctx, { work: false });
  await inTurn(ctx, () => boss.start());
  try {
    const known = new Set((await boss.getQueues()).map(({ name }) => name));
    for (const { name } of jobs)
      if (!known.has(name))
        await boss.createQueue(name, {
          retryLimit: 10,
          retryDelay: 5,
          retryBackoff: true,
          retryDelayMax: 3_600,
        });
  } finally {
    await boss.stop({ graceful: false, close: false });
  }
}

/**
 * A session that looked for the schema before it waited for pg-boss's lock may still believe that there is
 * none, so nodes wait before they look. An embedded database has a single session.
 */
async function inTurn(ctx: Context, work: () => Promise<unknown>): Promise<void> {
  if (ctx.engine.kind === 'pglite') return void (await work());
  await transaction(ctx, async (inner) => {
    await run(inner, { text: `select pg_advisory_xact_lock(hashtext('lectern.jobs'))`, values: [] });
    await work();
  });
}

/** In the transaction of `ctx`, so that the job exists exactly if the change does. */
export async function enqueue(ctx: Context, name: string, data: Record<string, unknown>): Promise<void> {
  const executeSql = async (text: string, values: unknown[] = []) => ({
    rows: await run<Record<string, unknown>>(ctx, statement(text, values)),
  });
  await senderOf(ctx).send(name, data, { db: { executeSql } });
}

/** Processes jobs until stopped. Stopping waits this long for running jobs; the rest is released. */
export async function startJobs(
  ctx: Context,
  jobs: readonly Job[],
): Promise<{ stop: (milliseconds: number) => Promise<void> }> {
  await prepareJobs(ctx, jobs);
  const boss = open(ctx, { work: true });
  await boss.start();
  for (const job of jobs)
    await boss.work<Record<string, unknown>>(
      job.name,
      { pollingIntervalSeconds: 2, batchSize: 1 },
      async (taken) => {
        for (const { data } of taken) await job.run(ctx, data ?? {});
      },
    );
  const timers = jobs.flatMap((job) => (job.every ? [repeat(ctx, boss, job.name, job.every)] : []));
  return {
    stop: async (milliseconds) => {
      for (const timer of timers) clearInterval(timer);
      await boss.stop({ graceful: true, timeout: milliseconds, close: false });
    },
  };
}

/** Every node offers the run; the queue accepts one per interval. */
function repeat(ctx: Context, boss: PgBoss, name: string, seconds: number): NodeJS.Timeout {
  const offer = () => {
    boss.send(name, {}, { singletonSeconds: seconds, retryLimit: 0 }).catch((error: unknown) => {
      ctx.log.warn({ err: error, job: name }, 'could not offer a job; it will be retried');
    });
  };
  offer();
  return setInterval(offer, seconds * 1000);
}
