import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { packFolder } from '../src/lib/pack-folder.ts';
import {
  cleanUp,
  lectern as command,
  databaseSettings,
  type Environment,
  emptyDatabaseSettings,
  freePorts,
  printedLink,
  runLectern,
  runProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { until } from './support/until.ts';

/** Node.js installations on this machine, except the pinned one. */
const otherNodes = ['/usr/bin/node', '/usr/local/bin/node'].filter((node) => existsSync(node));

let env: Environment & { DATA_DIR: string };
let folder: string;

before(async () => {
  env = await databaseSettings();
  folder = await temporaryFolder();
  await packFolder(join(import.meta.dirname, '../../courses/phishing'), join(folder, 'course.zip'));
});
after(cleanUp);

type Output = { code: number | null; stdout: string; stderr: string };

async function lectern(args: string[], more: Environment = {}): Promise<Output> {
  const run = runLectern(args, { ...env, ...more }, folder);
  const { code } = await run.exited;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

// biome-ignore lint/suspicious/noExplicitAny: records of any shape
async function answer(args: string[], more?: Environment): Promise<any> {
  const { code, stdout, stderr } = await lectern(args, more);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

async function refusal(args: string[], more?: Environment): Promise<string> {
  const { code, stdout, stderr } = await lectern(args, more);
  assert.equal(code, 1, stdout);
  assert.equal(stdout, '');
  assert.doesNotMatch(stderr, /\n\s+at /, 'the error is one sentence, without a stack trace');
  return stderr;
}

test('the help lists every command, and migrate prepares the database', async () => {
  const help = await lectern(['help']);
  assert.equal(help.code, 0, help.stderr);
  for (const command of [
    'serve',
    'console',
    'migrate',
    'import',
    'tenant create',
    'key create',
    'key revoke',
    'demo',
  ])
    assert.ok(help.stdout.includes(`lectern ${command}`), command);
  const { stdout } = await lectern(['migrate']);
  assert.match(stdout, /up to date/);
});

for (const node of otherNodes)
  test(`the command line runs on ${node}, or reports which Node.js version it needs`, async () => {
    const { major, minor } =
      /^v(?<major>\d+)\.(?<minor>\d+)/.exec(execFileSync(node, ['-v'], { encoding: 'utf8' }))?.groups ?? {};
    const run = runProcess(node, [command, 'migrate'], env, folder);
    const { code } = await run.exited;
    if (Number(major) + Number(minor) / 100 >= 22.13) assert.match(run.stdout(), /up to date/);
    else {
      assert.match(
        run.stderr(),
        /^Lectern needs Node\.js 22\.13 or newer, but this is \d+\.\d+\.\d+\. [^\n]+\n$/,
      );
      assert.equal(code, 1);
    }
  });

test('the help is shown without arguments and with --help', async () => {
  const { stdout } = await lectern(['help']);
  for (const args of [[], ['--help'], ['import', '-h']])
    assert.deepEqual(await lectern(args), { code: 0, stdout, stderr: '' });
});

test('--version prints the installed version', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
  for (const option of ['--version', '-v'])
    assert.deepEqual(await lectern([option]), { code: 0, stdout: `${version}\n`, stderr: '' });
});

test('a usage error explains in two lines what is wrong and how to show the help', async () => {
  const pointer = 'For all commands and options, run: lectern help\n';
  assert.equal(await refusal(['bluk', 'users']), `The command "bluk users" does not exist.\n${pointer}`);
  assert.equal(await refusal(['import', 'a.zip']), `--course is missing.\n${pointer}`);
  const [first, ...rest] = (await refusal(['--frobnicate'])).split('\n');
  assert.match(first ?? '', /--frobnicate/);
  assert.equal(rest.join('\n'), pointer);
});

test('bulk reports a missing file and a service that does not respond', async () => {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const options = ['--url', url, '--key', 'x'.repeat(40)];
  assert.match(
    await refusal(['bulk', 'users', 'none.csv', ...options]),
    /^The file none\.csv does not exist\.\n/,
  );
  assert.match(await refusal(['bulk', 'users', '.', ...options]), /^The file \. does not exist\.\n/);
  await writeFile(join(folder, 'users.csv'), 'LoginID\nann\n');
  const stopped = await refusal(['bulk', 'users', 'users.csv', ...options]);
  assert.ok(stopped.startsWith(`No response from a service at ${url} (connect ECONNREFUSED`), stopped);
  assert.match(stopped, /\. Start the service, or check --url\.\n$/);
  const [, , ...key] = options;
  const odd = await refusal(['bulk', 'users', 'users.csv', '--url', 'localhost:3000', ...key]);
  assert.match(odd, /^--url localhost:3000 must be a URL such as https:\/\/learn\.example\.com\.\n/);
});

test('migrate works on an empty database from any folder', async () => {
  const empty = await emptyDatabaseSettings();
  assert.deepEqual(await answer(['migrate'], empty), { Status: 'The database is up to date.' });
  assert.deepEqual(await answer(['migrate'], empty), { Status: 'The database is up to date.' });
});

const badCommands: [string[], RegExp][] = [
  [['destroy'], /command "destroy" does not exist/],
  [['key'], /command "key" does not exist/],
  [['key', 'destroy'], /command "key destroy" does not exist/],
  [['migrate', 'now'], /now/],
  [['import', 'a.zip', 'b.zip', '--course', 'c'], /b\.zip/],
  [['migrate', '--force'], /--force/],
  [['key', 'create', '--course', 'c'], /does not have the option --course/],
  [['serve', 'here'], /does not accept the argument "here"/],
  [['console', 'now'], /does not accept the argument "now"/],
  [['console', '--once'], /does not have the option --once/],
  [['key', 'revoke'], /KEYID is missing/],
];

for (const [args, expected] of badCommands)
  test(`rejects ${args.join(' ')}`, async () => {
    assert.match(await refusal(args), expected);
  });

test('the error names an invalid environment variable', async () => {
  assert.match(await refusal(['migrate'], { PORT: 'none' }), /^PORT: /);
});

test('Ctrl-C in a terminal shuts the service down cleanly', async () => {
  const [PORT, CONTENT_PORT] = (await freePorts(2)).map(String);
  // `script` runs its command in a terminal and exits with the command's status.
  const terminal = spawn('script', ['-qefc', `exec '${process.execPath}' '${command}' serve`, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, ...env, PORT, CONTENT_PORT },
  });
  const ended = once(terminal, 'close');
  let shown = '';
  terminal.stdout.on('data', (data: Buffer) => {
    shown += data;
  });
  await until('the service is ready', () => shown.includes('Lectern is ready')).catch(
    async (error: unknown) => {
      terminal.kill();
      throw error;
    },
  );
  terminal.stdin.write('\u0003');
  assert.deepEqual(await ended, [0, null], shown);
});

test('serve uses the data that the commands wrote, and runs until it receives a signal', async (t) => {
  await answer(['import', 'course.zip', '--course', 'phishing']);
  await writeFile(join(folder, 'text.zip'), 'This is not a zip archive.');
  assert.match(await refusal(['import', 'text.zip', '--course', 'none']), /zip/i);
  const operator = await answer(['key', 'create', '--operator', '--name', 'second operator']);
  const [PORT, CONTENT_PORT] = (await freePorts(2)).map(String);
  const serving = { ...env, PORT, CONTENT_PORT };
  const run = runLectern(['serve'], serving, folder);
  const baseUrl = `http://127.0.0.1:${PORT}`;
  await until('the service is ready', () => run.stdout().includes('Lectern is ready'));
  assert.equal((await fetch(`${baseUrl}/health/live`)).status, 200);
  const readAs = (secret: string, path: string) =>
    fetch(baseUrl + path, { headers: { authorization: `Bearer ${secret}` } });

  await t.test('an imported course has its title, and a failed import leaves no course', async () => {
    const read = await readAs(operator.Secret, '/course/phishing');
    assert.equal(((await read.json()) as { Title: string }).Title, 'Spot the phish');
    assert.equal((await readAs(operator.Secret, '/course/none')).status, 404);
  });

  await t.test('a newly created key works', async () => {
    assert.equal((await readAs(operator.Secret, '/tenant')).status, 200);
  });

  await t.test('an embedded database that is in use remains unchanged', async () => {
    if (env.DATABASE_URL) return;
    assert.match(await refusal(['migrate']), /is in use by process \d+\. Stop it/);
  });

  await t.test('console signs the operator in once while the service is running', async () => {
    const printed = await lectern(['console'], serving);
    assert.equal(printed.code, 0, printed.stderr);
    const { url = '', until: end = '' } = printedLink.exec(printed.stdout)?.groups ?? {};
    assert.ok(url.startsWith(`${baseUrl}/session/sign-in?token=.`), printed.stdout);
    const minutes = (Date.parse(end) - Date.now()) / 60_000;
    assert.ok(minutes > 8 && minutes <= 10, String(minutes));
    assert.equal((await fetch(url)).status, 200);
    const press = () =>
      fetch(`${baseUrl}/session/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ token: new URL(url).searchParams.get('token') ?? '' }),
      });
    const replies = await Promise.all([press(), press()]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [303, 410]);
    const cookie =
      replies
        .find(({ status }) => status === 303)
        ?.headers.get('set-cookie')
        ?.split(';')[0] ?? '';
    const read = await fetch(`${baseUrl}/tenant`, { headers: { cookie } });
    assert.equal(read.status, 200);
  });

  assert.deepEqual(await stopProcess(run), { code: 0, signal: null });
  await assert.rejects(fetch(`${baseUrl}/health/live`));
});

test('console does not create a folder if no service is running', async () => {
  const DATA_DIR = join(folder, 'nowhere');
  assert.match(
    await refusal(['console'], { DATA_DIR }),
    /nowhere is not the folder of a service\. Set DATA_DIR/,
  );
  assert.ok(!existsSync(DATA_DIR));
});

test('demo calls the API and leaves nothing behind', async () => {
  const [PORT, CONTENT_PORT] = (await freePorts(2)).map(String);
  const { code, stdout, stderr } = await lectern(['demo', '--once'], { PORT, CONTENT_PORT, TMPDIR: folder });
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  assert.match(stdout, /→ 201/);
  assert.match(stdout, /→ 409[\s\S]*multiple_enrolment_options/);
  assert.match(stdout, /Spot the phish \(SCORM 1\.2\)\n {2}http:\/\/127\.0\.0\.1:\d+\/launch\?/);
  assert.doesNotMatch(stdout, /→ 5\d\d/);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('lectern-demo')),
    [],
  );
});
