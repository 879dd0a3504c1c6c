// Kills the service, the database server and the object store under load, imports and backups, and checks that no
// acknowledged write is lost and no release or backup is incomplete:
//   npm run bench:kill -- [--engine pglite|postgres|store] [--rounds 20] [--only statements]
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.ts';
import { startCluster } from '../scripts/postgres-cluster.ts';
import { startStore } from '../server/test/support/store.ts';
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
if (values.engine && !['pglite', 'postgres', 'store'].includes(values.engine))
  throw new Error('--engine must be pglite, postgres or store.');
if (values.only && values.only !== 'statements') throw new Error('--only must be statements.');
const onlyStatements = values.only === 'statements';

await ensureBuilt();
const results: ({ killed: string } & Result)[] = [];

async function run(killed: string, options: Omit<Options, 'rounds'>): Promise<void> {
  console.log(`\n${killed}`);
  const common = { rounds, onlyStatements, imports: !onlyStatements, report: console.log };
  results.push({ killed, ...(await killRounds({ ...options, ...common })) });
  printResults();
}

function printResults(): void {
  console.log('\nAcknowledged writes that were found again after kill -9:\n');
  console.table(
    results.map(({ killed, rounds, acknowledged, interrupted, lost, torn, faults, restarts }) => ({
      killed,
      rounds,
      ...acknowledged,
      'imports interrupted': interrupted.imports,
      'backups interrupted': interrupted.backups,
      lost: lost.length,
      torn: torn.length,
      faults: faults.length,
      'restart, median ms': median(restarts),
    })),
  );
}

const only = (engine: string) => values.engine === undefined || values.engine === engine;
if (only('pglite')) await run('PGlite, the service', { databaseUrl: null });
if (only('postgres')) await onServer('service', 'server');
if (only('store')) await onServer('service beside a store', 'store');

async function onServer(...killed: string[]): Promise<void> {
  for (const name of killed) {
    const server = await startCluster();
    const store = name.includes('store') ? await startStore() : null;
    console.log(`\n${server.version}`);
    const victims = { server, ...(store && { store }) };
    const victim = victims[name as keyof typeof victims];
    try {
      await run(`PostgreSQL, the ${name}`, {
        databaseUrl: server.url,
        ...(victim && { victim }),
        ...(store && { env: store.env }),
      });
    } finally {
      await store?.remove();
      await server.remove();
    }
  }
}

const wrong = results.flatMap(({ lost, torn, faults }) => [
  ...lost.map((text) => `lost: ${text}`),
  ...torn.map((text) => `torn: ${text}`),
  ...faults.map((text) => `fault: ${text}`),
]);
for (const line of wrong.slice(0, 50)) console.error(line);
process.exit(wrong.length > 0 ? 1 : 0);
