import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { packCourse } from '../../test/journeys/course-packages.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  type Environment,
  runLectern,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { isCluster } from './support/server-database.ts';
import { until } from './support/until.ts';

const root = join(import.meta.dirname, '../..');
const umask = process.umask(0o022);
after(async () => {
  process.umask(umask);
  await cleanUp();
});

/** A folder that every user can enter, such as /var/lib. */
async function openFolder(): Promise<string> {
  const folder = await temporaryFolder();
  chmodSync(folder, 0o755);
  return folder;
}

function filesIn(path: string): string[] {
  if (!lstatSync(path).isDirectory()) return [path];
  return [path, ...readdirSync(path).flatMap((name) => filesIn(join(path, name)))];
}

const modeOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0;

/** Files that the group or others can access, by path and mode. */
const wideIn = (folder: string) =>
  filesIn(folder)
    .filter((path) => (modeOf(path) & 0o077) !== 0)
    .map((path) => `${path} ${(modeOf(path) & 0o777).toString(8)}`);

const headers = { authorization: `Bearer ${bootstrapKey}`, tenant: 'acme' };

async function call(baseUrl: string, method: string, path: string, body: unknown) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, await response.text());
}

/** What a process has open in the folder of temporary files: mode and path, which Linux marks if it was deleted. */
function temporaryFilesOf(pid: number | undefined): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    const file = statSync(join(folder, name), { throwIfNoEntry: false });
    const path = file?.isFile() ? readlinkSync(join(folder, name)) : '';
    return path.includes('/scratch/') ? [`${((file?.mode ?? 0) & 0o777).toString(8)} ${path}`] : [];
  });
}

/** Starts a bulk call whose input never ends, so that its temporary file remains open. */
function beginBulk(baseUrl: string) {
  const bulk = request(`${baseUrl}/user/bulk`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
  });
  bulk.on('error', () => {});
  bulk.write('{"LoginID":"ann"}\n{"LoginID":"b');
  return bulk;
}

/** Reads as the user `nobody`, who has no access to the service. */
function readAsNobody(path: string) {
  return spawnSync('cat', [path], { uid: 65534, gid: 65534, encoding: 'utf8', env: { LC_ALL: 'C' } });
}

test('files written by a service with umask 022 are readable only by its owner', async () => {
  const from = await databaseSettings();
  const DATA_DIR = join(await openFolder(), 'new', 'data');
  const env: Environment = { ...from, DATA_DIR, BOOTSTRAP_KEY: bootstrapKey };
  const running = await startProcess(env);
  await call(running.baseUrl, 'POST', '/tenant', { TenantID: 'acme' });
  await call(running.baseUrl, 'PUT', '/course/phishing', { Title: 'Phishing' });
  const { openAsBlob } = await import('node:fs');
  const imported = await fetch(`${running.baseUrl}/course/phishing/package`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/zip' },
    body: await openAsBlob(await packCourse('phishing')),
  });
  assert.equal(imported.status, 201, await imported.text());
  const bulk = beginBulk(running.baseUrl);
  const found = () => temporaryFilesOf(running.child.pid);
  await until('the bulk input is on the disk, without a name', () => /\(deleted\)$/.test(found()[0] ?? ''));
  assert.match(found()[0] ?? '', /^600 /);

  const files = filesIn(DATA_DIR);
  assert.ok(files.length > (env.DATABASE_URL ? 10 : 900), `only ${files.length} files were written`);
  assert.deepEqual(wideIn(DATA_DIR), []);
  const secrets = files.filter((path) => /signing-keys|pg_wal\/0|index\.html/.test(path));
  assert.ok(secrets.length >= (env.DATABASE_URL ? 2 : 3), secrets.join());
  for (const path of secrets) {
    const { status, stdout, stderr } = readAsNobody(path);
    assert.equal(status, 1, path);
    assert.equal(stdout, '');
    assert.match(stderr, /Permission denied/);
  }
  bulk.destroy();
  await stopProcess(running);
});

test('backups and files written by the command line are readable only by their owner, even with umask 022', {
  skip:
    (await isCluster(process.env.TEST_DATABASE_URL)) && 'a Citus cluster cannot be backed up by the command',
}, async () => {
  const env = await databaseSettings();
  const made = join(await openFolder(), 'backup');
  for (const args of [
    ['tenant', 'create', 'acme'],
    ['backup', made],
  ]) {
    const run = runLectern(args, env);
    assert.equal((await run.exited).code, 0, run.stderr());
  }
  assert.deepEqual(wideIn(made), []);
  assert.deepEqual(wideIn(env.DATA_DIR), []);
  assert.equal(readAsNobody(join(made, 'backup.json')).status, 1);
});

test('at start-up, the service restricts a folder that other users can read, including its contents, and logs this', async () => {
  const { DATA_DIR: from, ...env } = await databaseSettings();
  const DATA_DIR = join(await openFolder(), 'data');
  cpSync(from, DATA_DIR, { recursive: true });
  const old = join(DATA_DIR, 'packages', 'release', 'sco');
  mkdirSync(old, { recursive: true });
  for (const path of filesIn(DATA_DIR)) chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
  const running = await startProcess({ ...env, DATA_DIR });
  assert.deepEqual(wideIn(DATA_DIR), []);
  assert.match(running.stdout(), /was accessible to other users.*|"mode":"0755"/);
  await stopProcess(running);

  // Later, someone makes two folders accessible again.
  chmodSync(join(DATA_DIR, 'packages'), 0o755);
  chmodSync(old, 0o755);
  const again = await startProcess({ ...env, DATA_DIR });
  assert.deepEqual(wideIn(DATA_DIR), []);
  await stopProcess(again);
});

test('the service does not start if it cannot restrict a folder, and gives the reason', async () => {
  const folder = join(await openFolder(), 'data');
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const script = `const { restrictDataFolder } = await import(${JSON.stringify(join(root, 'server/src/lib/owner-only.ts'))});
    process.seteuid(65534);
    restrictDataFolder(${JSON.stringify(folder)}, console);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /DATA_DIR: other users can open ".*" \(mode 0777\), and it cannot be made private: EPERM\. Run chmod 700/,
  );
});
