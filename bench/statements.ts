// Measures the learning record store on PostgreSQL with many statements in one tenant:
//   npm run bench:statements -- [--statements 10000000] [--rounds 3] [--seconds 2]
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUp } from '../server/test/support/process.ts';
import { onDatabase } from './database.ts';
import { fillStatements } from './fill-statements.ts';
import { httpLimit, serverLimit } from './limit.ts';
import { startDriver } from './load/driver.ts';
import { type Measured, measureRound } from './round.ts';
import { startTarget, type Target } from './service.ts';
import { statementOperations } from './statement-operations.ts';
import { printTable, summarize } from './table.ts';

const { values } = parseArgs({
  options: {
    statements: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
  },
});
const [statements, rounds, seconds] = [
  Number(values.statements),
  Number(values.rounds),
  Number(values.seconds),
];
if (!(Number.isInteger(statements) && statements >= 100_000 && statements <= 50_000_000))
  throw new Error('--statements must be from 100,000 to 50,000,000.');

/** A statement takes 1.7 kB with its indexes. The write-ahead log and sorting need space, too. */
const neededBytes = statements * 3_000 + 2e9;
const { bavail, bsize } = statfsSync(tmpdir());
if (bavail * bsize < neededBytes)
  throw new Error(
    `${statements} statements need ${Math.round(neededBytes / 1e9)} GB of disk in ${tmpdir()}.`,
  );

const agent = (n: number) =>
  JSON.stringify({ account: { homePage: 'https://hr.example', name: `u${n % 1_000}` } });
const question = (n: number) => `https://courses.example/questions/${n % 500}`;
const quiz = (n: number) => `https://courses.example/quizzes/${n % 50}`;

/** The filters of `GET /xapi/statements`, each with values that differ from request to request. */
const filters: Record<string, (n: number) => Record<string, string>> = {
  agent: (n) => ({ agent: agent(n) }),
  activity: (n) => ({ activity: question(n) }),
  'activity, oldest first': (n) => ({ activity: question(n), ascending: 'true' }),
  'activity, related activities': (n) => ({ activity: quiz(n), related_activities: 'true' }),
  'agent and activity': (n) => ({ agent: agent(n), activity: question(n) }),
  'agent and activity without a common statement': (n) => ({ agent: agent(n), activity: question(n + 1) }),
  registration: (n) => ({
    registration: `01930000-0000-7000-8000-${(n % 10_000).toString(16).padStart(12, '0')}`,
  }),
  verb: () => ({ verb: 'http://adlnet.gov/expapi/verbs/answered' }),
  'no filter': () => ({}),
};

async function printReads({ origins, dataset }: Target): Promise<void> {
  const headers = { authorization: `Bearer ${dataset.key}`, 'x-experience-api-version': '1.0.3' };
  console.log('\n| GET /xapi/statements?limit=50 by | p50 (ms) | p95 (ms) | max (ms) |\n|---|---|---|---|');
  for (const [name, queryOf] of Object.entries(filters)) {
    const taken: number[] = [];
    for (let time = 0; time < 200; time++) {
      const query = new URLSearchParams({ ...queryOf(time * 7_919), limit: '50' });
      const began = performance.now();
      const reply = await fetch(`${origins.api[0]}/xapi/statements?${query}`, { headers });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${name} returned ${reply.status}: ${text}`);
      taken.push(performance.now() - began);
      const isEmpty = JSON.parse(text).statements.length === 0;
      if (isEmpty !== name.endsWith('without a common statement'))
        throw new Error(`${name} returned ${text.slice(0, 200)}`);
    }
    taken.sort((one, other) => one - other);
    const figures = [taken[100], taken[190], taken[199]].map((value) => value?.toFixed(1));
    console.log(`| ${name} | ${figures.join(' | ')} |`);
  }
}

const driver = startDriver();
const http = await httpLimit(driver);
const measured: Measured[] = [];
let target: Target | null = null;
try {
  target = await startTarget({
    name: `${statements} statements`,
    engine: 'postgres',
    nodes: 1,
    root: join(import.meta.dirname, '..'),
    sizes: { tenants: 0, users: 0, enrolments: 0 },
    sessions: 1,
    say: console.log,
  });
  const url = target.database?.url ?? '';
  const began = performance.now();
  await onDatabase(url, (client) => fillStatements(client, statements, console.log));
  console.log(`filled in ${Math.round((performance.now() - began) / 1_000)} s`);
  await printReads(target);
  const limit = serverLimit(url);
  for (let round = 0; round < rounds; round++)
    measured.push(
      ...(await measureRound({
        ...{ target, limit, http, driver, seconds, byAutocannon: false },
        shapes: [{ nodes: 1, connections: 64, open: false }],
        operations: [...statementOperations],
      })),
    );
  await limit.close();
  printTable(summarize(measured), rounds, seconds);
} finally {
  http.close();
  driver.close();
  await target?.stop();
  await cleanUp();
}
