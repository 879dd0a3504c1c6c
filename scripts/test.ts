// Runs the tests: `npm test` on the embedded database, `--postgres` on the server named by TEST_DATABASE_URL,
// `--journeys` in Chromium. Whatever cannot run fails.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ensureConsole } from './build-console.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'boolean' }, journeys: { type: 'boolean' } },
});

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

if (values.postgres && !process.env.TEST_DATABASE_URL)
  fail(
    'Set TEST_DATABASE_URL to a PostgreSQL 15+ server on which databases can be created, such as postgres://postgres@127.0.0.1:5432/postgres.',
  );
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (values.journeys && !existsSync(chromium))
  fail(
    `The journeys need Chromium, and ${chromium} does not exist. Install it (apt-get install chromium), or set CHROMIUM.`,
  );

const patterns = values.journeys
  ? ['test/journeys/*.test.ts']
  : ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/*.test.ts', 'client/test/*.test.ts'];
const files = positionals.length > 0 ? positionals : globSync(patterns).sort();
if (files.length === 0) fail('No test was found.');
await ensureConsole();
const env = { ...process.env };
if (!values.postgres && !values.journeys) delete env.TEST_DATABASE_URL;
const concurrency = values.journeys ? 1 : 2;
const { status } = spawnSync(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--test',
    `--test-concurrency=${concurrency}`,
    '--test-timeout=600000',
    '--test-reporter=spec',
    ...files,
  ],
  { stdio: 'inherit', env },
);
process.exit(status ?? 1);
