// Runs a command with TEST_DATABASE_URL set to a temporary PostgreSQL server that does not wait for the disk:
//   node scripts/with-postgres.ts npm run test:postgres
import { spawnSync } from 'node:child_process';
import { startCluster } from './postgres-cluster.ts';

const [command = '', ...args] = process.argv.slice(2);
/**
 * This server can lose data in a crash, but no test crashes it. Crash tests start their own durable servers.
 */
const volatile = { fsync: 'off', full_page_writes: 'off' };
const cluster = await startCluster(undefined, volatile);
try {
  const env = { ...process.env, TEST_DATABASE_URL: cluster.url };
  process.exitCode = spawnSync(command, args, { stdio: 'inherit', env }).status ?? 1;
} finally {
  await cluster.remove();
}
