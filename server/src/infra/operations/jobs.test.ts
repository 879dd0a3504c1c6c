import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../../test/support/service.ts';
import { unique } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { run } from '../../db/transaction.ts';
import { clockProblem, readClock } from './clock.ts';
import { hasten, type Job, startJobs } from './jobs.ts';

let service: TestService;

before(async () => {
  service = await startService();
});
after(() => service.close());

async function dueIn(name: string): Promise<number> {
  const text = 'select extract(epoch from due - now())::float8 as seconds from scheduled_job where name = $1';
  const [row] = await run<{ seconds: number }>(service.ctx, text, [name]);
  return row?.seconds ?? Number.NaN;
}

async function makeDue(name: string): Promise<void> {
  await run(service.ctx, 'update scheduled_job set due = now() where name = $1', [name]);
}

test('one node runs a due job, which runs again after its interval', async () => {
  let runs = 0;
  const job: Job = { name: unique('clock'), every: 3_600, run: async () => void runs++ };
  const nodes = await Promise.all([startJobs(service.ctx, [job]), startJobs(service.ctx, [job])]);
  await until('the job runs', () => runs === 1);
  await until('the next run is in an hour', async () => (await dueIn(job.name)) > 3_500);
  await makeDue(job.name);
  await until('the job runs again', () => runs > 1);
  await Promise.all(nodes.map((node) => node.stop(1_000)));
  assert.equal(runs, 2);
});

test('a job that was planned while the clock was years ahead runs once the clock is right again', async () => {
  let runs = 0;
  const job: Job = { name: unique('ahead'), every: 86_400, run: async () => void runs++ };
  const text = `insert into scheduled_job (name, due, succeeded_at) values ($1, now() + interval '3 years', now() + interval '3 years')`;
  await run(service.ctx, text, [job.name]);
  assert.match(
    clockProblem(await readClock(service.ctx.engine)) ?? '',
    /^The clock is 109\d days behind the end of the last job in the database/,
  );
  const node = await startJobs(service.ctx, [job]);
  await until('the job runs', () => runs === 1);
  await node.stop(1_000);
  assert.equal(clockProblem(await readClock(service.ctx.engine)), null);
});

test('a clock that differs from the one of the server by more than half a minute is a problem', () => {
  assert.equal(clockProblem({ ahead: -29, behindLastJob: 0 }), null);
  assert.match(clockProblem({ ahead: -31, behindLastJob: 0 }) ?? '', /differs by 31\.0 s from the database/);
});

test('a failed job is retried after half a minute', async () => {
  const job: Job = {
    name: unique('fails'),
    every: 86_400,
    run: async () => {
      throw new Error('not yet');
    },
  };
  const node = await startJobs(service.ctx, [job]);
  await until('the job failed', async () => (await dueIn(job.name)) <= 30);
  await node.stop(1_000);
});

test('a job whose node crashed is run by another node', async () => {
  let runs = 0;
  const never = new Promise<void>(() => {});
  const job: Job = {
    name: unique('dies'),
    every: 3_600,
    run: () => (runs++ === 0 ? never : Promise.resolve()),
  };
  const first = await startJobs(service.ctx, [job]);
  await until('the job runs', () => runs === 1);
  await first.stop(1);
  assert.ok((await dueIn(job.name)) <= 60, 'a node claims a job for a minute at a time');
  await makeDue(job.name);
  const second = await startJobs(service.ctx, [job]);
  await until('the other node runs it', () => runs === 2);
  await second.stop(1_000);
});

test('a node keeps its claim on a job while the job runs', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const job: Job = {
    name: unique('long'),
    every: 3_600,
    run: () => {
      started.resolve();
      return finish.promise;
    },
  };
  const node = await startJobs(service.ctx, [job]);
  await started.promise;
  await makeDue(job.name);
  await until('the claim is renewed', async () => (await dueIn(job.name)) > 50);
  const stopping = node.stop(10_000);
  finish.resolve();
  await stopping;
  assert.ok((await dueIn(job.name)) > 3_500, 'stopping waits for the running job');
});

test('a job that a request has left work for runs immediately, unless it is already running', async () => {
  let runs = 0;
  let finish = () => {};
  const job: Job = {
    name: unique('hastened'),
    every: 20,
    run: () => {
      runs++;
      return runs < 2 ? Promise.resolve() : new Promise((resolve) => (finish = resolve));
    },
  };
  const node = await startJobs(service.ctx, [job]);
  await until('the next run is in 20 seconds', async () => runs === 1 && (await dueIn(job.name)) > 10);
  await hasten(service.ctx, job.name);
  await until('the job runs again', () => runs === 2);
  await hasten(service.ctx, job.name);
  assert.ok((await dueIn(job.name)) > 40);
  finish();
  await node.stop(1_000);
  assert.equal(runs, 2);
});
