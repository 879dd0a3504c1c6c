import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { play, scorm12 } from './support/player.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  type Environment,
  freePorts,
  type Running,
  runLectern,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { emptyServerDatabase, isCluster } from './support/server-database.ts';

const ring = 'signing-keys.json';
const serverUrl = process.env.TEST_DATABASE_URL;
after(cleanUp);

async function lectern(args: string[], env: Environment, cwd?: string) {
  const run = runLectern(args, env, cwd);
  const { code } = await run.exited;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

async function done(args: string[], env: Environment) {
  const { code, stdout, stderr } = await lectern(args, env);
  assert.equal(code, 0, stderr);
  // The log comes first, one line per entry. The result begins with a line that contains only `{`.
  return JSON.parse(stdout.slice(stdout.search(/^\{$/m)));
}

async function refused(args: string[], env: Environment, reason: RegExp): Promise<void> {
  const { code, stderr } = await lectern(args, env);
  assert.equal(code, 1);
  assert.match(stderr, reason);
  assert.doesNotMatch(stderr, /\n\s+at /, 'the error is one sentence, without a stack trace');
}

function client(baseUrl: string) {
  return async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${bootstrapKey}`,
      tenant: 'acme',
      'content-type': 'application/json',
    };
    const response = await fetch(baseUrl + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${method} ${path}: ${await response.clone().text()}`);
    return response.json();
  };
}

type Api = ReturnType<typeof client>;
const typesAfter = async (api: Api, cursor: string): Promise<string[]> =>
  (await api('GET', `/events?Cursor=${encodeURIComponent(cursor)}`)).Items.map(
    (event: { Type: string }) => event.Type,
  );

/** A database whose only views are those of an extension is empty. */
async function createView(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('create extension pg_stat_statements');
  await client.end();
}

async function elsewhere(): Promise<{ env: Environment; drop: () => Promise<void> }> {
  const [port, contentPort] = await freePorts(2);
  const database = serverUrl ? await emptyServerDatabase(serverUrl) : null;
  if (database) await createView(database.url);
  const env = {
    DATA_DIR: join(await temporaryFolder(), 'data'),
    PORT: String(port),
    CONTENT_PORT: String(contentPort),
    BASE_URL: `http://localhost:${port}`,
    CONTENT_URL: `http://localhost:${contentPort}`,
    ...(database ? { DATABASE_URL: database.url } : {}),
  };
  return { env, drop: async () => database?.drop() };
}

test('a backup can be restored under a new origin, and learners continue where they left off', async () => {
  const env = await databaseSettings();
  const original = await startProcess(env);
  const api = client(original.baseUrl);
  await api('POST', '/tenant', { TenantID: 'acme' });
  await api('PUT', '/course/phishing', { Title: 'Phishing' });
  const origin = { ...env, PORT: '0', CONTENT_PORT: '0' };
  const zip = await packCourse('phishing');
  const { body: imported } = await importWith(original, zip);
  assert.equal(imported.Standard, 'scorm12');
  await api('PUT', '/course/phishing/option/month', { Duration: 'P30D' });
  for (const LoginID of ['ann', 'ben']) await api('POST', '/user', { LoginID, Password: 'x' });
  const enrolled = await api('POST', '/enrol/ann/phishing');
  await api('POST', '/enrol/ben/phishing');
  const half = {
    ...scorm12('incomplete', 40),
    'cmi.core.lesson_location': 'page 7',
    'cmi.suspend_data': 'half',
    'cmi.core.exit': 'suspend',
  };
  await (await play(original, enrolled.LaunchURL)).commit({ Data: half, Exit: true });
  const before = await api('GET', `/enrolment/ann/${enrolled.EnrollID}`);
  const cursor = (await api('GET', '/events')).NextCursor;

  const folder = join(await temporaryFolder(), 'backup');
  if (await isCluster(serverUrl)) {
    await refused(['backup', folder], origin, /cannot back up a Citus cluster/);
    assert.deepEqual(await readdir(dirname(folder)), []);
    return;
  }
  if (!serverUrl) {
    await refused(['backup', folder], env, /in use by process/);
    assert.deepEqual(await readdir(dirname(folder)), []);
    await stopProcess(original);
  }
  const made = await done(['backup', folder], origin);
  assert.deepEqual([made.Releases, made.Linked, made.ReleasesWithoutFiles], [1, 0, []]);
  const verified = await done(['backup', 'verify', folder], origin);
  assert.deepEqual(
    [verified.Verified, verified.Tenants, verified.Releases, verified.ReadyStatus],
    [true, 1, 1, 200],
  );
  assert.equal((await done(['audit', 'verify', folder], origin)).Intact, true);

  // The second backup copies only what has changed since the first.
  const second = join(dirname(folder), 'second');
  assert.equal((await done(['backup', second], origin)).Linked, 1);
  const [release = ''] = await readdir(join(folder, 'packages'));
  const inodes = await Promise.all(
    [folder, second].map(async (place) => (await stat(join(place, 'packages', release, 'index.html'))).ino),
  );
  assert.equal(inodes[0], inodes[1]);

  // A backup without the ring or the course files could not be restored.
  const elsewhereFolder = await temporaryFolder();
  const third = join(elsewhereFolder, 'third');
  if (serverUrl)
    await refused(
      ['backup', third],
      { ...origin, DATA_DIR: undefined },
      /signing-keys\.json does not exist\. Set DATA_DIR to the service's folder/,
    );
  const hidden = join(elsewhereFolder, 'hidden');
  await rename(join(env.DATA_DIR, 'packages', release), hidden);
  await refused(['backup', third], origin, /does not contain all files of phishing release 1\. Set DATA_DIR/);
  const partial = await done(['backup', third, '--allow-missing'], origin);
  assert.deepEqual(partial.ReleasesWithoutFiles, ['phishing release 1']);
  const unproved = await lectern(['backup', 'verify', third], origin);
  assert.equal(unproved.code, 1);
  assert.equal(JSON.parse(unproved.stdout.slice(unproved.stdout.search(/^\{$/m))).Verified, false);
  await rename(hidden, join(env.DATA_DIR, 'packages', release));
  assert.equal((await stat(folder)).mode & 0o077, 0, 'only its owner may read it');
  await refused(['backup', folder], origin, /is not empty/);
  assert.equal(made.KeyRing, ring);
  assert.equal((await stat(join(folder, ring))).mode & 0o777, 0o600);
  const apart = join(await temporaryFolder(), ring);
  await rename(join(folder, ring), apart);
  const { env: nowhere, drop: dropNowhere } = await elsewhere();
  await refused(
    ['restore', folder],
    nowhere,
    /signing-keys\.json is missing\. Put the file back, or set SIGNING_KEYS/,
  );
  assert.equal(existsSync(String(nowhere.DATA_DIR)), false, 'no other file was changed');
  await dropNowhere();
  await rename(apart, join(folder, ring));

  // The original keeps running and issues a cursor that is unknown to the copy.
  const lost = serverUrl ? original : await startProcess(env);
  await client(lost.baseUrl)('POST', '/user', { LoginID: 'lost' });
  const lostCursor = (await client(lost.baseUrl)('GET', '/events')).NextCursor;
  await stopProcess(lost);

  const { env: other, drop } = await elsewhere();
  const restored = await done(['restore', folder], other);
  assert.deepEqual(restored.ReleasesWithoutFiles, []);
  await refused(['restore', folder], other, /empty/);
  assert.deepEqual(
    await readFile(join(String(other.DATA_DIR), ring)),
    await readFile(join(env.DATA_DIR, ring)),
  );
  const copy = await startProcess(other);
  try {
    const baseUrl = String(other.BASE_URL);
    const contentUrl = String(other.CONTENT_URL);
    const now = client(baseUrl);
    const record = await now('GET', `/enrolment/ann/${enrolled.EnrollID}`);
    assert.ok(record.LaunchURL.startsWith(`${baseUrl}/launch?`));
    const oldLink = new URL(enrolled.LaunchURL);
    assert.equal(
      record.LaunchURL,
      `${baseUrl}${oldLink.pathname}${oldLink.search}`,
      'an old link works once its host is replaced',
    );
    assert.deepEqual({ ...record, LaunchURL: before.LaunchURL }, before);

    const resumed = await play({ contentUrl }, `${baseUrl}${oldLink.pathname}${oldLink.search}`);
    const [data] = Object.values(resumed.session.Data);
    assert.equal(data?.['cmi.core.lesson_location'], 'page 7');
    assert.equal(data?.['cmi.suspend_data'], 'half');
    assert.equal(data?.['cmi.core.entry'], 'resume');
    assert.equal((await resumed.file('index.html')).status, 200);
    const finished = await resumed.commit({ Data: scorm12('passed', 90), Exit: true });
    assert.equal(finished.body.Status, 'completed');
    assert.equal((await now('GET', `/enrolment/ann/${enrolled.EnrollID}`)).Score, 90);
    const types = await typesAfter(now, cursor);
    assert.ok(types.includes('enrolment.completed') && !types.includes('user.created'), types.join());
    await assert.rejects(typesAfter(now, lostCursor), /Cursor is ahead of the log/);
    assert.equal((await now('POST', '/user/check/ann', { Password: 'x' })).Result, 1);
  } finally {
    await stopProcess(copy);
    await drop();
  }
});

async function importWith(running: Running, zip: string) {
  const { openAsBlob } = await import('node:fs');
  const response = await fetch(`${running.baseUrl}/course/phishing/package`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/zip' },
    body: await openAsBlob(zip),
  });
  return { body: await response.json() };
}

test('a backup that is invalid or from the other engine is rejected before anything changes', async () => {
  const folder = await temporaryFolder();
  const DATA_DIR = join(folder, 'data');
  await mkdir(join(folder, 'empty'));
  await refused(['restore', join(folder, 'empty')], { DATA_DIR }, /is not a backup/);
  await refused(['backup', join(folder, 'new')], { DATA_DIR }, /no database/);
  await refused(['backup'], { DATA_DIR }, /FOLDER is missing/);
  const DATABASE_URL = 'postgres://nobody:s3cret@127.0.0.1:9/none';
  const { stderr, code } = await lectern(['backup', join(folder, 'new')], { DATA_DIR, DATABASE_URL });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^The database does not respond \(.*\)\. Start it, or check DATABASE_URL\.|pg_dump cannot be run/,
  );
  assert.doesNotMatch(stderr, /s3cret/);
  await refused(
    ['backup', join(folder, 'new')],
    { DATA_DIR, DATABASE_URL, PATH: '/nowhere' },
    /Install the PostgreSQL client programs/,
  );
  assert.deepEqual(await readdir(folder), ['empty']);
});
