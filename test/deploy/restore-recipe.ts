import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { type Cluster, startCluster } from '../../scripts/postgres-cluster.ts';
import { play, scorm12 } from '../../server/test/support/player.ts';
import {
  bootstrapKey,
  cleanUp,
  type Environment,
  freePorts,
  type Running,
  runLectern,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { startStore } from '../../server/test/support/store.ts';
import { packCourse } from '../journeys/course-packages.ts';
import { composeSettings } from './recipe-settings.ts';

let cluster: Cluster | null = null;
const closing: (() => unknown)[] = [];
after(async () => {
  await cleanUp();
  for (const close of closing.reverse()) await close();
  await cluster?.remove();
});

async function command(args: string[], env: Environment) {
  const run = runLectern(args, env);
  const { code } = await run.exited;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

/** The JSON that a command prints after the lines of its log. */
async function result(args: string[], env: Environment) {
  const { code, stdout, stderr } = await command(args, env);
  assert.equal(code, 0, `lectern ${args.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout.slice(stdout.search(/^\{$/m)));
}

async function refused(args: string[], env: Environment, reason: RegExp): Promise<void> {
  const { code, stdout, stderr } = await command(args, env);
  assert.equal(code, 1, stdout);
  assert.match(`${stdout}${stderr}`, reason);
}

async function call(
  url: string,
  method: string,
  path: string,
  { key, body }: { key: string; body?: unknown },
) {
  const isZip = body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': isZip ? 'application/zip' : 'application/json',
    },
    ...(body === undefined ? {} : { body: isZip ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}

/** A deployment on this machine: its settings, its nodes, and how all of its data is lost. */
type Deployment = { settings: Environment; nodes: Environment[]; destroy: () => Promise<void> };

const connected = async (url: string, work: (client: pg.Client) => Promise<unknown>) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
};

/** An empty database that belongs to a role of its own, as the guide asks for. */
async function createDatabase(name: string): Promise<{ url: string; recreate: () => Promise<void> }> {
  cluster ??= await startCluster();
  const { url: server } = cluster;
  await connected(server, (client) => client.query(`create role ${name} login createdb`));
  const create = () => connected(server, (client) => client.query(`create database ${name} owner ${name}`));
  await create();
  const own = new URL(server);
  Object.assign(own, { username: name, pathname: `/${name}` });
  const recreate = async () => {
    await connected(server, (client) => client.query(`drop database ${name}`));
    await create();
  };
  return { url: own.href, recreate };
}

async function addresses(): Promise<Record<string, string>> {
  const [port, contentPort, operations] = await freePorts(3);
  return {
    ...{ PORT: String(port), CONTENT_PORT: String(contentPort), OPERATIONS_PORT: String(operations) },
    ...{ BASE_URL: `http://127.0.0.1:${port}`, CONTENT_URL: `http://127.0.0.1:${contentPort}` },
  };
}

/** The settings in the guide's block for systemd, on this machine. */
async function systemd(usesServer: boolean): Promise<Deployment> {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/deployment.md'), 'utf8');
  const [, text = ''] = /cat > \/etc\/lectern\.env <<END\n([\s\S]*?)\nEND/.exec(guide) ?? [];
  const written = Object.fromEntries(text.split('\n').map((line) => line.split(/=(.*)/).slice(0, 2)));
  for (const name of ['DATA_DIR', 'BASE_URL', 'DATABASE_URL', 'OPERATIONS_PORT'])
    assert.ok(written[name], name);
  const DATA_DIR = join(await temporaryFolder(), 'lectern');
  const database = usesServer ? await createDatabase('systemd') : null;
  const settings = { ...written, ...(await addresses()), DATA_DIR, DATABASE_URL: database?.url };
  const destroy = async () => {
    await rm(DATA_DIR, { recursive: true });
    await database?.recreate();
  };
  return { settings, nodes: [settings], destroy };
}

const variables = {
  ...{ DOMAIN: 'x', COURSES_DOMAIN: 'x', POSTGRES_PASSWORD: 'x', BOOTSTRAP_KEY: bootstrapKey },
  ...{ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
};

async function compose(): Promise<Deployment> {
  const database = await createDatabase('compose');
  const DATA_DIR = await temporaryFolder();
  const here = { ...(await addresses()), DATABASE_URL: database.url, TMPDIR: await temporaryFolder() };
  // The image sets DATA_DIR, and its ports are the service's.
  const settings = { ...here, ...composeSettings('compose.yaml', { ...variables, ...here }), DATA_DIR };
  const destroy = async () => {
    await rm(DATA_DIR, { recursive: true });
    await database.recreate();
  };
  return { settings, nodes: [settings], destroy };
}

async function twoNodes(): Promise<Deployment> {
  const database = await createDatabase('nodes');
  const store = await startStore();
  closing.push(store.remove);
  const folders = [await temporaryFolder(), await temporaryFolder()];
  const first = await addresses();
  const values = {
    ...{ ...variables, ...first, DATABASE_URL: database.url },
    SIGNING_KEYS: `restored:${randomBytes(32).toString('base64url')}`,
    STORAGE_URL: store.env.STORAGE_URL,
  };
  const settings = { ...first, ...composeSettings('compose-nodes.yaml', values) };
  const { PORT, CONTENT_PORT, OPERATIONS_PORT } = await addresses();
  const nodes = [
    { ...settings, DATA_DIR: folders[0] },
    { ...settings, PORT, CONTENT_PORT, OPERATIONS_PORT, DATA_DIR: folders[1] },
  ];
  const destroy = async () => {
    for (const folder of folders) await rm(String(folder), { recursive: true });
    await database.recreate();
  };
  return { settings: { ...settings, DATA_DIR: folders[0] }, nodes, destroy };
}

type Written = { key: string; link: string; path: string; record: { LastAccessedAt: string } };

/** What a customer has by the end of the first day: a key, a course, and a learner in the middle of it. */
async function use({ baseUrl, contentUrl }: Running, operatorKey: string): Promise<Written> {
  const operator = (method: string, path: string, body: unknown) =>
    call(baseUrl, method, path, { key: operatorKey, body });
  await operator('POST', '/tenant', { TenantID: 'shop' });
  const { Secret: key } = await operator('POST', '/tenant/shop/key', { Name: 'shop' });
  await operator('PUT', '/course/phishing', { Title: 'Spot the phish' });
  await operator('PUT', '/course/phishing/package', readFileSync(await packCourse('phishing')));
  await operator('PUT', '/course/phishing/option/standard', {});
  await call(baseUrl, 'POST', '/user', { key, body: { LoginID: 'ann' } });
  const { EnrollID, LaunchURL } = await call(baseUrl, 'POST', '/enrol/ann/phishing', { key, body: {} });
  const { commit } = await play({ contentUrl }, LaunchURL);
  const Data = { ...scorm12('incomplete', 40), 'cmi.core.lesson_location': 'page 7' };
  assert.equal((await commit({ Data, Exit: true })).status, 200);
  const path = `/enrolment/ann/${EnrollID}`;
  return { key, link: LaunchURL, path, record: await call(baseUrl, 'GET', path, { key }) };
}

/** The key, the record and the link are those from before, and the learner continues. */
async function checkRestored({ baseUrl, contentUrl, env }: Running, written: Written): Promise<void> {
  const { key, link, path, record } = written;
  assert.equal((await fetch(`http://127.0.0.1:${env.OPERATIONS_PORT}/health/ready`)).status, 200);
  const { pathname, search } = new URL(link);
  const { session, file } = await play({ contentUrl }, baseUrl + pathname + search);
  assert.equal(Object.values(session.Data)[0]?.['cmi.core.lesson_location'], 'page 7');
  const found = await call(baseUrl, 'GET', path, { key });
  assert.deepEqual({ ...found, Launches: 1, LastAccessedAt: record.LastAccessedAt }, record);
  const source = join(import.meta.dirname, '../../courses/phishing/index.html');
  assert.equal(await (await file('index.html')).text(), readFileSync(source, 'utf8'));
}

/** Starts the nodes one after another, because the first one migrates the database. */
async function startAll(nodes: readonly Environment[]): Promise<Running[]> {
  const running: Running[] = [];
  for (const node of nodes) running.push(await startProcess(node));
  return running;
}

/** The operator's key: the one in the settings, or the one that the first start printed. */
function operatorKeyOf(running: Running): string {
  if (running.env.BOOTSTRAP_KEY) return running.env.BOOTSTRAP_KEY;
  const [, printed = ''] = /The operator's key, shown only once:\n\n {2}(\S+)\n/.exec(running.stdout()) ?? [];
  assert.ok(printed);
  return printed;
}

const recipes = {
  'lectern.service': () => systemd(true),
  'lectern.service with the embedded database': () => systemd(false),
  'compose.yaml': compose,
  'compose-nodes.yaml': twoNodes,
};

export const testRestore = (name: keyof typeof recipes) =>
  test(`${name}: a deployment is backed up, destroyed and restored, and keys, records and links still work`, async () => {
    const { settings, nodes, destroy } = await recipes[name]();
    const isEmbedded = settings.DATABASE_URL === undefined;
    const folder = join(await temporaryFolder(), 'backup');
    if (name === 'lectern.service') {
      assert.equal((await result(['check'], settings)).OK, true);
      await refused(['backup', folder], settings, /has no tables of Lectern, so there is nothing to back up/);
    }
    const before = await startAll(nodes);
    const written = await use(before[0] as Running, operatorKeyOf(before[0] as Running));

    if (isEmbedded) {
      await refused(['backup', folder], settings, /in use by process \d+/);
      for (const node of before) await stopProcess(node);
    }
    const backup = await result(['backup', folder], settings);
    const isStored = settings.STORAGE_URL !== undefined;
    assert.deepEqual([backup.Releases, backup.ReleasesInStore], isStored ? [0, 1] : [1, 0]);
    assert.equal((await result(['backup', 'verify', folder], settings)).Verified, true);

    for (const node of before) await stopProcess(node);
    await destroy();
    const restored = await result(['restore', folder], settings);
    assert.deepEqual(restored.ReleasesWithoutFiles, []);
    await refused(['restore', folder], settings, /can only be restored into an empty/);
    if (isStored) {
      // The store could still be in use by the original.
      assert.match((await command(['check'], settings)).stdout, /lectern storage claim/);
      await result(['storage', 'claim'], settings);
    }
    const copies = await startAll(nodes);
    for (const node of copies) await checkRestored(node, written);
    for (const node of copies) await stopProcess(node);
  });
