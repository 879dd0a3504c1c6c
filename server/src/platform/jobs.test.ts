import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { transaction } from './db/transaction.ts';
import { enqueue, type Job, prepareJobs, startJobs } from './jobs.ts';

let service: TestService;

before(async () => {
  service = await startService();
});
after(() => service.close());

test('a job exists exactly when the transaction commits, and one of the nodes does it', async () => {
  const { ctx } = service;
  const done: unknown[] = [];
  const job: Job = { name: 'test.once', run: async (_ctx, data) => void done.push(data.Name) };
  await prepareJobs(ctx, [job]);
  await transaction(ctx, (ctx) => enqueue(ctx, job.name, { Name: 'committed' }));
  const undone = transaction(ctx, async (ctx) => {
    await enqueue(ctx, job.name, { Name: 'rolled back' });
    throw new Error('no');
  });
  await assert.rejects(undone);
  const nodes = [await startJobs(ctx, [job]), await startJobs(ctx, [job])];
  await until('the job is done', () => done.length > 0);
  await transaction(ctx, (ctx) => enqueue(ctx, job.name, { Name: 'last' }));
  await until('the last job is done', () => done.includes('last'));
  assert.deepEqual(done, ['committed', 'last']);
  await Promise.all(nodes.map((node) => node.stop(1_000)));
});

test('a job that fails is done again', async () => {
  const { ctx } = service;
  let tries = 0;
  const job: Job = {
    name: 'test.again',
    run: async () => {
      if (++tries === 1) throw new Error('not yet');
    },
  };
  const node = await startJobs(ctx, [job]);
  await enqueue(ctx, job.name, {});
  await until('it is tried again', () => tries === 2, 60);
  await node.stop(1_000);
});

test('what is done by the clock is done by one node each time', async () => {
  const { ctx } = service;
  let runs = 0;
  const job: Job = { name: 'test.clock', every: 3_600, run: async () => void runs++ };
  const nodes = await Promise.all([startJobs(ctx, [job]), startJobs(ctx, [job])]);
  await until('it runs', () => runs === 1);
  await Promise.all(nodes.map((node) => node.stop(1_000)));
  assert.equal(runs, 1);
});
