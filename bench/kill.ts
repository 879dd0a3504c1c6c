// Kills the service and the database server under load, and checks that no acknowledged write is lost:
//   npm run bench:kill -- [--engine pglite|postgres] [--rounds 20] [--only statements]
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.ts';
import { startCluster } from '../scripts/postgres-cluster.ts';
import { killRounds, type Options, type Result } from './kill/rounds.ts';
import { median } from './median.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    only: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error('--rounds must be a whole number of at least 1.');
if (values.engine && !['pglite', 'postgres'].includes(values.engine))
  throw new Error('--engine must be pglite or postgres.');
if (values.only && values.only !== 'statements') throw new Error('--only must be statements.');
const onlyStatements = values.only === 'statements';

await ensureBuilt();
const results: ({ killed: string } & Result)[] = [];

async function run(killed: string, options: Omit<Options, 'rounds'>): Promise<void> {
  console.log(`\n${killed}`);
  results.push({
    killed,
    ...(await killRounds({ ...options, rounds, onlyStatements, report: console.log })),
  });
  printResults();
}

function printResults(): void {
  console.log('\nAcknowledged writes that were found again after kill -9:\n');
  console.table(
    results.map(({ killed, rounds, acknowledged, lost, torn, faults, restarts }) => ({
      killed,
      rounds,
      ...acknowledged,
      lost: lost.length,
      torn: torn.length,
      faults: faults.length,
      'restart, median ms': median(restarts),
    })),
  );
}

if (values.engine !== 'postgres') await run('PGlite, the service', { databaseUrl: null });
if (values.engine !== 'pglite')
  for (const whole of [false, true]) {
    const server = await startCluster();
    console.log(`\n${server.version}`);
    try {
      if (whole) await run('PostgreSQL, the server', { databaseUrl: server.url, server });
      else await run('PostgreSQL, the service', { databaseUrl: server.url });
    } finally {
      await server.remove();
    }
  }

const wrong = results.flatMap(({ lost, torn, faults }) => [
  ...lost.map((text) => `lost: ${text}`),
  ...torn.map((text) => `torn: ${text}`),
  ...faults.map((text) => `fault: ${text}`),
]);
for (const line of wrong.slice(0, 50)) console.error(line);
process.exit(wrong.length > 0 ? 1 : 0);
