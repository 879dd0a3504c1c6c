// Runs the tests without a database, and the contract's on the embedded database (test-tiers.ts). `--postgres` runs all
// database tests on the server in TEST_DATABASE_URL, `--citus` those and test/citus/ on the coordinator there,
// `--journeys` the first journeys in Chromium, `--deploy` the recipes. `--all` leaves no test of these out. `--two-nodes`
// runs the contract's tests on two nodes with an object store.
// TEST_PROCESSES sets how many files run at the same time. The names of failed files are written to the file named
// in TEST_FAILED_FILES.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromiumPath } from '../server/test/support/chromium.ts';
import { checkResponses } from '../server/test/support/recorded-responses.ts';
import { checkMutants, checkStatements } from '../server/test/support/recorded-statements.ts';
import { checkRouting } from '../server/test/support/router-queries.ts';
import { reasonsAcrossTenants } from './across-tenants.ts';
import { reasonAgainstCitus } from './citus.ts';
import { contract, filesOf, firstJourneys } from './test-tiers.ts';
import { usesDatabaseServer } from './uses-database-server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ all: { type: 'boolean' }, postgres: { type: 'boolean' } },
    ...{ journeys: { type: 'boolean' }, deploy: { type: 'boolean' }, citus: { type: 'boolean' } },
    'two-nodes': { type: 'boolean' },
  },
});

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

if (values.citus) {
  const reason = await reasonAgainstCitus(process.env.TEST_DATABASE_URL);
  if (reason !== null) {
    console.log(`The tests on Citus did not run because ${reason}.`);
    process.exit(0);
  }
}
if (values.postgres && !process.env.TEST_DATABASE_URL)
  fail(
    'Set TEST_DATABASE_URL to a PostgreSQL 15+ server on which databases can be created, such as postgres://postgres@127.0.0.1:5432/postgres.',
  );
if ((values.journeys || values.deploy) && !existsSync(chromiumPath))
  fail(
    `The journeys need Chromium, and ${chromiumPath} does not exist. Install it (apt-get install chromium-headless-shell), or set CHROMIUM.`,
  );

const everywhere = ['{server,scorm,standards,console,player,client,scripts}/**/*.test.ts', 'test/*.test.ts'];
const patterns = values.journeys
  ? ['test/journeys/*.test.ts']
  : values.deploy
    ? ['test/deploy/*.test.ts']
    : values.citus
      ? [...everywhere, 'test/citus/*.test.ts']
      : everywhere;
const found = globSync(patterns, { exclude: ['**/node_modules/**'] }).sort();
const onServer = values.postgres || values.citus;
const every = values.all || values.citus || positionals.length > 0;
const isSlow = (file: string) => file.endsWith('.slow.test.ts');
const promises = filesOf(contract);
const early = filesOf(firstJourneys);

function isInTier(file: string): boolean {
  if (values['two-nodes']) return promises.has(file);
  if (onServer) return usesDatabaseServer(file) && (every || !isSlow(file));
  if (every) return true;
  if (values.journeys) return early.has(file);
  if (values.deploy) return !isSlow(file);
  return !isSlow(file) && (promises.has(file) || !usesDatabaseServer(file));
}
const suite = found.filter(isInTier);

/** The file with this path, or all files whose path or test titles contain the words. */
function matching(words: string): string[] {
  if (words.endsWith('.ts') && existsSync(words)) return [words];
  const title = new RegExp(`\\btest(?:\\.\\w+)?\\(\\s*['"\`].*${RegExp.escape(words)}`, 'i');
  return suite.filter((file) => file.includes(words) || title.test(readFileSync(file, 'utf8')));
}

const files = positionals.length > 0 ? [...new Set(positionals.flatMap(matching))] : suite;
if (files.length === 0) fail(`No test matches ${positionals.join(' ')}.`);
if (files === suite && suite.length < found.length)
  console.log(`${suite.length} of ${found.length} test files. With -- --all, none is left out.`);
/**
 * The folder for all temporary files. It is removed at the end, even if a test process was killed. Other
 * users may enter it, because some tests start a server that runs as another user.
 */
const scratch = mkdtempSync(join(tmpdir(), 'lectern-tests-'));
chmodSync(scratch, 0o711);
const statements = join(scratch, 'statements');
mkdirSync(statements);
const answers = join(scratch, 'answers');
mkdirSync(answers);
const env: NodeJS.ProcessEnv = {
  ...process.env,
  TMPDIR: scratch,
  TEST_STATEMENTS: statements,
  TEST_ANSWERS: answers,
  ...(values.citus ? { TEST_STATEMENT_VALUES: '1' } : {}),
  ...(values['two-nodes'] ? { TEST_TWO_NODES: '1' } : {}),
  TEST_PREPARED: join(scratch, 'prepared'),
  // With this flag, a CLI command takes 0.7 s of CPU time instead of 1.3 s.
  TEST_NODE_FLAGS: '--liftoff-only',
  NODE_COMPILE_CACHE: join(scratch, 'compiled'),
};
if (!onServer && !values.journeys) delete env.TEST_DATABASE_URL;
const prepare = [
  join(import.meta.dirname, 'prepare-tests.ts'),
  ...(env.TEST_DATABASE_URL ? [] : ['--embedded']),
];
execFileSync(process.execPath, prepare, { env, stdio: 'inherit' });
/** These files measure time or stop a server that all tests use, so nothing runs alongside them. */
const runsAlone = (file: string) => /\/(console-budget|kill-worker|hang-worker)\.test\.ts$/.test(file);
const noted = join(scratch, 'failed');
const failed: string[] = [];
/** Generous, for slow machines. */
const fileMinutes = 20;

const addressOf = (file: string) => pathToFileURL(resolve(file)).href;
const opensBrowser = (file: string) => /\btest\/(journeys|deploy)\//.test(file);

/**
 * Each process loads the sources and opens a database once, and then runs one file after another until none
 * is left. Each file is a suite. It starts when the last hook of the previous suite has ended.
 */
function queue(files: readonly string[], processes: number): string[] {
  const taken = mkdtempSync(join(scratch, 'taken-'));
  const suites = files.map((file, index) => [file, addressOf(file), join(taken, String(index))]);
  // Hooks that a suite's imports register apply only to that suite. The browser's hooks check every journey,
  // so they are imported before all suites.
  const first = files.some(opensBrowser) ? `import '${addressOf('server/test/support/browser.ts')}';` : '';
  const source = `
    import { mkdirSync } from 'node:fs';
    import { after, describe } from 'node:test';
    import { closeDatabases, reuseDatabases } from '${addressOf('server/test/support/reused-databases.ts')}';
    ${first}
    reuseDatabases();
    after(closeDatabases);
    // A file that fails while it loads leaves its service open, which would keep the process running.
    after(() => setTimeout(() => process.exit(), 30_000).unref());
    const take = (claim) => {
      try {
        mkdirSync(claim);
        return true;
      } catch (error) {
        if (error.code === 'EEXIST') return false;
        throw error;
      }
    };
    for (const [name, address, claim] of ${JSON.stringify(suites)})
      if (take(claim))
        await new Promise((ended) => {
          const timeout = ${fileMinutes * 60_000};
          describe(name, { timeout }, () => import(address).finally(() => after(ended)));
        });`;
  return Array.from({ length: Math.min(processes, files.length) }, (_, number) => {
    const path = join(taken, `process-${number + 1}.test.mjs`);
    writeFileSync(path, source);
    return path;
  });
}

/**
 * One thread for garbage collection is enough, because tests keep all processors busy anyway. This saves 11 %
 * of CPU time.
 */
const collector = ['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

async function run(some: readonly string[], concurrency: number): Promise<number> {
  if (some.length === 0) return 0;
  const runner = spawn(
    process.execPath,
    [
      ...collector,
      '--test',
      `--test-concurrency=${concurrency}`,
      // This limit applies to a whole process.
      '--test-timeout=3600000',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${new URL('./failed-files.ts', import.meta.url)}`,
      `--test-reporter-destination=${noted}`,
      ...queue(some, concurrency),
    ],
    { stdio: 'inherit', env },
  );
  const [status] = (await once(runner, 'exit')) as [number | null];
  failed.push(...readFileSync(noted, 'utf8').split('\n').filter(Boolean));
  return status ?? 1;
}

const together = files.filter((file) => !runsAlone(file));
/** By default one more than the number of processors, because many tests wait for a timeout or another process. */
const processes = Number(process.env.TEST_PROCESSES ?? availableParallelism() + 1);
const status = Math.max(await run(together, processes), await run(files.filter(runsAlone), 1));
const { counts, reasons, wrong } = checkStatements(statements);
const { statements: mutated, mutants, accepted } = checkMutants(statements);
const unknown = reasons.filter((why) => !reasonsAcrossTenants.includes(why));
console.log(
  `Statements that reached the database: ${JSON.stringify(counts)}, with rows of several tenants: ${wrong.length}`,
);
console.log(
  `Of ${mutants} mutants of ${mutated} statements, each without a tenant condition, the guard accepted ${accepted.length}`,
);
for (const mutant of accepted) console.error(`The tenant guard accepts ${mutant}`);
for (const text of wrong) console.error(`A statement touched rows of several tenants:\n${text}`);
for (const why of unknown)
  console.error(`scripts/across-tenants.ts does not list a reason to span tenants: ${why}`);
const routing = values.citus ? await checkRouting(statements, process.env.TEST_DATABASE_URL ?? '') : null;
const misrouted = routing?.wrong ?? [];
if (routing)
  console.log(`Statements planned on Citus: ${JSON.stringify({ ...routing, wrong: misrouted.length })}`);
for (const text of misrouted) console.error(`A statement of one tenant ${text}`);
const { undeclared, unseen } = checkResponses(answers);
if (files === suite && every && unseen.length > 0)
  console.log(`Declared error codes that no test received: ${unseen.join(', ')}`);
for (const answer of undeclared) console.error(`A route returned an undeclared response: ${answer}`);
rmSync(scratch, { recursive: true, force: true });
const isProved = wrong.length + unknown.length + accepted.length + undeclared.length + misrouted.length === 0;
// Failed files are not listed if statements or responses are wrong. Running the files again would not fix
// that.
if (process.env.TEST_FAILED_FILES && isProved)
  writeFileSync(process.env.TEST_FAILED_FILES, [...new Set(failed)].join('\n'));
process.exit(status || (isProved ? 0 : 1));
