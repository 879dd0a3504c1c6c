// Measures on PostgreSQL whether performance drops as data grows:
//   npm run bench:growth -- [--rows 1000000] [--rounds 5]
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUp } from '../server/test/support/process.ts';
import { benchEnrolments, benchUsers, type Sizes } from './fill.ts';
import { httpLimit, type LimitSource, serverLimit } from './limit.ts';
import { startDriver } from './load/driver.ts';
import { median } from './median.ts';
import { operations } from './operations.ts';
import { type Measured, measureRound } from './round.ts';
import { startTarget, type Target } from './service.ts';
import { summarize } from './table.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const [rows, rounds, seconds] = [Number(values.rows), Number(values.rounds), Number(values.seconds)];
if (!(Number.isInteger(rows) && rows >= benchEnrolments && rows <= 100_000_000))
  throw new Error(`--rows, the number of enrolments, must be from ${benchEnrolments} to 100,000,000.`);

/**
 * An enrolment and its event take 0.9 kB with their indexes. The write-ahead log and sorting need the same
 * amount again.
 */
const neededBytes = rows * 1_800 + 1e9;
const { bavail, bsize } = statfsSync(tmpdir());
if (bavail * bsize < neededBytes)
  throw new Error(`${rows} enrolments need ${Math.round(neededBytes / 1e9)} GB of disk in ${tmpdir()}.`);

const small: Sizes = { tenants: 0, users: benchUsers, enrolments: benchEnrolments };
// The proportions are those of 1,000 tenants, 1,000,000 users and 10,000,000 enrolments.
const big: Sizes = {
  tenants: Math.max(1, Math.round(rows / 10_000)),
  users: benchUsers + rows / 10,
  enrolments: rows,
};

const pages = [
  '/enrolment',
  '/enrolment?Status=enrolled',
  '/enrolment?CourseID=r0',
  '/enrolment?GroupName=group%203',
  '/enrolment?ChangedAfter=2020-01-01T00:00:00Z',
  '/enrolment/u17',
  '/user',
  '/user?GroupName=group%203',
  '/user?Email=u77@mail.example',
  '/user?Search=learner%201999',
  '/catalogue/course',
  '/events',
];

/** The milliseconds it takes to read each of these pages of 50 items, one after the other. */
async function pageTimes({ origins, dataset }: Target): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const page of pages) {
    const taken: number[] = [];
    for (let time = 0; time < 21; time++) {
      const began = performance.now();
      const reply = await fetch(origins.api[0] + page, {
        headers: { authorization: `Bearer ${dataset.key}` },
      });
      await reply.text();
      if (!reply.ok) throw new Error(`${page} returned ${reply.status}`);
      taken.push(performance.now() - began);
    }
    times.set(page, median(taken.slice(1)));
  }
  return times;
}

const driver = startDriver();
const http = await httpLimit(driver);
const targets: Target[] = [];
const measured: Measured[] = [];
const limits = new Map<Target, LimitSource>();
try {
  for (const [name, sizes] of [
    ['small', small],
    ['big', big],
  ] as const)
    targets.push(
      await startTarget({
        name,
        engine: 'postgres',
        nodes: 1,
        root: join(import.meta.dirname, '..'),
        sizes,
        sessions: 500,
        say: console.log,
      }),
    );
  for (const target of targets) limits.set(target, serverLimit(target.database?.url ?? ''));
  for (let round = 0; round < rounds; round++)
    for (const target of targets)
      measured.push(
        ...(await measureRound({
          target,
          limit: limits.get(target) ?? serverLimit(target.database?.url ?? ''),
          http,
          driver,
          shapes: [{ nodes: 1, connections: 64, open: false }],
          operations: [...operations],
          seconds,
          byAutocannon: false,
        })),
      );
  const summary = summarize(measured);
  console.log(`\n${benchEnrolments} and ${rows} enrolments, medians of ${rounds} rounds of ${seconds} s:\n`);
  console.log('| operation | small, per s | big, per s | big / small |\n|---|---|---|---|');
  for (const { name } of operations) {
    const of = (target: string) =>
      summary.find((row) => row.target === target && row.operation === name)?.perSecond ?? 0;
    const [a, b] = [of('small'), of('big')];
    console.log(`| ${name} | ${Math.round(a)} | ${Math.round(b)} | ${(b / a).toFixed(2)} |`);
  }
  const [one, other] = targets;
  if (!one || !other) throw new Error('The growth benchmark needs two targets.');
  const [smallTimes, bigTimes] = [await pageTimes(one), await pageTimes(other)];
  console.log('\n| page of 50 | small, ms | big, ms |\n|---|---|---|');
  for (const page of pages)
    console.log(`| ${page} | ${smallTimes.get(page)?.toFixed(1)} | ${bigTimes.get(page)?.toFixed(1)} |`);
} finally {
  http.close();
  driver.close();
  for (const target of targets) await target.stop();
  await cleanUp();
}
