// Runs ADL's conformance test suite for learning record stores against a new service, for both versions of
// xAPI, and prints a table. The suite is a checkout outside the project, with its packages installed.
// `--version` selects a version, and `--grep` selects tests. With `--nodes`, the service is the recipe for two nodes.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrapKey } from '../../../server/test/support/process.ts';
import { startService } from '../../../server/test/support/service.ts';
import { newTenant } from '../../../server/test/support/tenant.ts';
import { startTwoNodes } from '../../deploy/two-nodes.ts';
import { runSuite } from './suite.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { version: { type: 'string' }, grep: { type: 'string' }, nodes: { type: 'boolean' } },
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

type Service = {
  engine: string;
  endpoint: string;
  user: string;
  password: string;
  close: () => Promise<void>;
};

async function startAlone(): Promise<Service> {
  const service = await startService({ env: { RATE_LIMIT: '0' }, now: () => new Date() });
  const { keyId: user, key: password } = await newTenant(service);
  const { kind } = service.ctx.engine;
  return { engine: kind, endpoint: `${service.baseUrl}/xapi`, user, password, close: service.close };
}

async function startBalanced(): Promise<Service> {
  const { baseUrl, close } = await startTwoNodes({ RATE_LIMIT: '0' });
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' };
    const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`POST ${path} returned ${response.status}`);
    return response.json();
  };
  await post('/tenant', { TenantID: 'xapi' });
  const { KeyID: user, Secret: password } = await post('/tenant/xapi/key', { Name: 'suite' });
  return { engine: 'postgres, two nodes', endpoint: `${baseUrl}/xapi`, user, password, close };
}

const { engine, close, ...lrs } = await (values.nodes ? startBalanced() : startAlone());

const versions = values.version ? [values.version] : ['1.0.3', '2.0.0'];
let failed = 0;
console.log(`engine: ${engine}`);
for (const version of versions) {
  const { passed, failures, seconds } = await runSuite(suite, { ...lrs, version, grep: values.grep });
  for (const { title, message } of failures) console.log(`✖ ${title}\n    ${message}`);
  console.log(`xAPI ${version}: ${passed} of ${passed + failures.length} passed, in ${seconds} s`);
  failed += passed === 0 ? 1 : failures.length;
}
await close();
process.exit(failed === 0 ? 0 : 1);
