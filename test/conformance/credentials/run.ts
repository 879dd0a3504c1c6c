// Runs a W3C suite for credentials against the code that signs and verifies certificates. The suite is a checkout
// outside the project, with its packages installed. `--grep` selects tests. `--node` is the Node.js that runs the suite:
// the one for EdDSA clones an object with a URL, which Node.js rejects since 22.10.
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openAdapter } from './adapter.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string' }, node: { type: 'string', default: process.execPath } },
});
const [path] = positionals;
if (path === undefined || !existsSync(join(path, 'node_modules'))) {
  console.error(
    'Enter the path of a checkout of a W3C suite in which "npm install --ignore-scripts" has run.',
  );
  process.exit(1);
}
const suite = resolve(path);

/** Contexts of the suites' credentials, of which ours have none. */
const { default: dataIntegrity } = await import(
  createRequire(join(suite, 'package.json')).resolve('@digitalbazaar/data-integrity-context')
);
const adapter = await openAdapter({
  [dataIntegrity.constants.CONTEXT_URL]: dataIntegrity.CONTEXT,
  'https://www.w3.org/ns/credentials/examples/v2': {
    '@context': { '@vocab': 'https://www.w3.org/ns/credentials/examples#' },
  },
});
const endpoint = (path: string) => [
  { id: adapter.did, endpoint: adapter.url + path, tags: ['vc2.0', 'eddsa-rdfc-2022'] },
];
const implementation = {
  ...{ name: 'Lectern', implementation: 'Lectern' },
  issuers: endpoint('/credentials/issue'),
  verifiers: endpoint('/credentials/verify'),
  vpVerifiers: endpoint('/presentations/verify'),
};
writeFileSync(
  join(suite, 'localConfig.cjs'),
  `module.exports = ${JSON.stringify({ settings: { enableInteropTests: false }, implementations: [implementation] })};\n`,
);

type Report = { stats: { passes: number }; failures: { fullTitle: string; err: { message?: string } }[] };

const mocha = ['tests/', '--reporter', 'json', '--timeout', '30000', '--preserve-symlinks', '--exit'];
const output = await new Promise<string>((resolve) => {
  execFile(
    values.node,
    [
      join(suite, 'node_modules/mocha/bin/mocha.js'),
      ...mocha,
      ...(values.grep ? ['--grep', values.grep] : []),
    ],
    { cwd: suite, maxBuffer: 100_000_000 },
    // The exit code is the number of failures.
    (_error, stdout, stderr) => {
      if (!stdout.includes('"stats"')) console.error(stderr.slice(-4000));
      resolve(stdout);
    },
  );
});
adapter.close();

const start = output.indexOf('{\n  "stats"');
if (start < 0) {
  console.error('The suite ended early.');
  process.exit(1);
}
const { stats, failures } = JSON.parse(output.slice(start)) as Report;
for (const { fullTitle, err } of failures) console.log(`✖ ${fullTitle}\n    ${err.message}`);
console.log(`${stats.passes} of ${stats.passes + failures.length} passed`);
process.exit(failures.length === 0 && stats.passes > 0 ? 0 : 1);
