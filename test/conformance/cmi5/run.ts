// Runs the LMS suite of ADL's CATAPULT in Chromium against a new service, and lists the tests that failed.
// The suite is in the folder `lts` of a checkout outside the project. Its npm packages must be installed and
// its course packages built. `--grep` selects tests by title.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from '../../../server/test/support/service.ts';
import { newTenant } from '../../../server/test/support/tenant.ts';
import { openBridge } from './bridge.ts';
import { openLearners } from './learners.ts';
import { runSuite } from './suite.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string' } },
});

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const suite = resolve(
  positionals[0] ?? fail('Enter the path of the folder lts in a checkout of adlnet/CATAPULT.'),
);
if (!existsSync(join(suite, 'node_modules')))
  fail(`${suite} has no packages. Run "npm ci --ignore-scripts" there.`);
if (!existsSync(join(suite, 'pkg/dist')))
  fail(
    `${suite} has no course packages. Run "NODE_OPTIONS=--openssl-legacy-provider npx webpack" in its folder pkg.`,
  );

const service = await startService({
  env: { RATE_LIMIT: '0' },
  now: () => new Date(),
});
const tenant = await newTenant(service);
const bridge = await openBridge(openLearners(service, tenant));
const folder = await mkdtemp(join(tmpdir(), 'lectern-catapult-'));
console.log(`engine: ${service.ctx.engine.kind}`);
const { passed, failures, seconds } = await runSuite(suite, {
  folder,
  grep: values.grep,
  env: {
    BRIDGE_URL: bridge.url,
    LRS_ENDPOINT: `${service.baseUrl}/xapi`,
    LRS_KEY: tenant.keyId,
    LRS_SECRET: tenant.key,
  },
});
for (const { title, message } of failures) console.log(`✖ ${title}\n    ${message}`);
console.log(`cmi5, LMS: ${passed} of ${passed + failures.length} passed, in ${seconds} s`);
bridge.close();
await service.close();
await rm(folder, { recursive: true, force: true });
process.exit(failures.length === 0 && passed > 0 ? 0 : 1);
