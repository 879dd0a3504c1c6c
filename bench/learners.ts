// Measures many concurrent learners. Each learner commits every 20 s and restarts the course once:
//   npm run bench:learners -- [--learners 2000] [--seconds 60]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUp } from '../server/test/support/process.ts';
import { startDriver } from './load/driver.ts';
import { startTarget } from './service.ts';
import { cpuOf, memoryOf, serversCpu } from './usage.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    learners: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '60' },
  },
});
const [learners, seconds] = [Number(values.learners), Number(values.seconds)];
if (!(learners >= 1 && learners <= 20_000 && seconds >= 1 && seconds <= 600))
  throw new Error('--learners must be from 1 to 20,000, and --seconds from 1 to 600.');
const root = join(import.meta.dirname, '..');
const driver = startDriver();

async function run(engine: 'pglite' | 'postgres'): Promise<void> {
  const sizes = { tenants: 0, users: 0, enrolments: 0 };
  const target = await startTarget({
    name: engine,
    engine,
    nodes: 1,
    root,
    sizes,
    sessions: learners,
    say: console.log,
  });
  try {
    const pid = target.nodes[0]?.child.pid ?? 0;
    const used = () => [cpuOf(pid), serversCpu(target.database?.folders ?? [])] as const;
    const before = used();
    const figure = await driver.learners({
      dataset: target.dataset,
      origins: target.origins,
      learners,
      seconds,
    });
    const after = used();
    const part = (index: 0 | 1) => `${(((after[index] - before[index]) / seconds) * 100).toFixed(0)} %`;
    const { commits, launches, p50, p95, p99, slowest, wrong, firstWrong } = figure;
    console.log(
      `${engine}: ${learners} learners, ${seconds} s: ${commits} commits, ${launches} launches; ` +
        `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)}, p99 ${p99.toFixed(1)}, slowest ${slowest.toFixed(0)}; ` +
        `of one core: service ${part(0)}, server ${part(1)}; ${memoryOf(pid).toFixed(0)} MB; wrong ${wrong}`,
    );
    if (firstWrong !== null) console.log(firstWrong);
    if (wrong > 0) process.exitCode = 1;
  } finally {
    await target.stop();
  }
}

try {
  if (values.engine !== 'postgres') await run('pglite');
  if (values.engine !== 'pglite') await run('postgres');
} finally {
  driver.close();
  await cleanUp();
}
