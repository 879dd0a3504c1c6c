// Compares a course file with the same file served by @fastify/static, in CPU time per request, in turns:
//   node scripts/run.js ../bench/course-file [--rounds 5] [--seconds 3]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUp, freePorts, temporaryFolder } from '../server/test/support/process.ts';
import { startDriver } from './load/driver.ts';
import { median } from './median.ts';
import { startTarget } from './service.ts';
import { cpuOf } from './usage.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
});
const target = await startTarget({
  ...{ name: 'postgres', engine: 'postgres', nodes: 1, root: join(import.meta.dirname, '..') },
  ...{ sizes: { tenants: 0, users: 0, enrolments: 0 }, sessions: 200, say: console.log },
});
const driver = startDriver();
const [session] = target.dataset.sessions;
const [content = ''] = target.origins.content;
const folder = await temporaryFolder();
mkdirSync(join(folder, 'scripts'));
const bytes = Buffer.from(await (await fetch(content + session?.file)).arrayBuffer());
writeFileSync(join(folder, 'scripts/course.js'), bytes);
const [port = 0] = await freePorts(1);
const plain = fork(join(import.meta.dirname, 'static-files.ts'), [folder, String(port)]);
await once(plain, 'message');

const sides = {
  course: { pid: target.nodes[0]?.child.pid ?? 0, dataset: target.dataset, origins: target.origins.content },
  static: {
    pid: plain.pid ?? 0,
    dataset: {
      ...target.dataset,
      sessions: target.dataset.sessions.map((one) => ({ ...one, file: '/scripts/course.js' })),
    },
    origins: [`http://127.0.0.1:${port}`],
  },
};
const costs: Record<string, number[]> = { course: [], static: [] };
try {
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [name, { pid, dataset, origins }] of Object.entries(sides)) {
      const before = cpuOf(pid);
      const { answered, wrong } = await driver.load({
        ...{ dataset, origins, operation: 'course file', connections: 64 },
        ...{ rate: null, byAutocannon: false, seconds: Number(values.seconds) },
      });
      if (wrong > 0) throw new Error(`${wrong} wrong responses of ${name}`);
      // The first round warms up.
      if (round > 0) costs[name]?.push(((cpuOf(pid) - before) * 1e6) / answered);
    }
  const [course, other] = [median(costs.course ?? []), median(costs.static ?? [])];
  console.log(
    `${bytes.length} bytes, CPU per file: ${course.toFixed(1)} µs, @fastify/static ${other.toFixed(1)} µs: ${(course / other).toFixed(2)} ×`,
  );
} finally {
  driver.close();
  plain.disconnect();
  await target.stop();
  await cleanUp();
}
