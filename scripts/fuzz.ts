// Sends 100,000 generated requests (or as many as the argument says) to every operation, and measures the heap.
import { spawnSync } from 'node:child_process';

const [requests = '100000'] = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--expose-gc',
    '--test',
    '--test-isolation=none',
    '--test-reporter=spec',
    'test/properties.test.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, FUZZ_REQUESTS: requests } },
);
process.exit(status ?? 1);
