// Sends 100,000 generated requests to all operations, or to those whose path begins with PATH, and measures the heap:
//   npm run fuzz -- [REQUESTS] [SEED] [PATH]
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

const [requests = '100000', seed = String(randomInt(2 ** 31)), path = '/'] = process.argv.slice(2);
console.log(`${requests} requests to ${path} from seed ${seed}`);
const { status } = spawnSync(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--expose-gc',
    '--test',
    '--test-isolation=none',
    '--test-reporter=spec',
    'server/test/properties.slow.test.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, FUZZ_REQUESTS: requests, FUZZ_SEED: seed, FUZZ_PATH: path } },
);
process.exit(status ?? 1);
