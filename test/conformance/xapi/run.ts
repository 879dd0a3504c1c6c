// Runs ADL's conformance test suite for learning record stores against a new service, for both versions of
// xAPI, and prints a table. The suite is a checkout outside the project, with its packages installed.
// `--version` selects a version, and `--grep` selects tests.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from '../../../server/test/support/service.ts';
import { newTenant } from '../../../server/test/support/tenant.ts';
import { runSuite } from './suite.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { version: { type: 'string' }, grep: { type: 'string' } },
});

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const suite = resolve(
  positionals[0] ?? fail('Enter the path of a checkout of adlnet/lrs-conformance-test-suite.'),
);
if (!existsSync(join(suite, 'node_modules')))
  fail(`${suite} has no packages. Run "npm install --ignore-scripts" there.`);

const service = await startService({
  env: { RATE_LIMIT: '0' },
  now: () => new Date(),
});
const tenant = await newTenant(service);
const lrs = { endpoint: `${service.baseUrl}/xapi`, user: tenant.keyId, password: tenant.key };

const versions = values.version ? [values.version] : ['1.0.3', '2.0.0'];
let failed = 0;
console.log(`engine: ${service.ctx.engine.kind}`);
for (const version of versions) {
  const { passed, failures, seconds } = await runSuite(suite, { ...lrs, version, grep: values.grep });
  for (const { title, message } of failures) console.log(`✖ ${title}\n    ${message}`);
  console.log(`xAPI ${version}: ${passed} of ${passed + failures.length} passed, in ${seconds} s`);
  failed += passed === 0 ? 1 : failures.length;
}
await service.close();
process.exit(failed === 0 ? 0 : 1);
