import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { check } from '../../bench/kill/check.ts';
import { type Client, openClient } from '../../bench/kill/client.ts';
import { checkServer } from '../../bench/kill/consistency.ts';
import { emptyLedger } from '../../bench/kill/ledger.ts';
import { runLearners } from '../../bench/kill/load.ts';
import { prepareTarget } from '../../bench/kill/rounds.ts';
import { startCluster } from '../../scripts/postgres-cluster.ts';
import {
  bootstrapKey,
  cleanUp,
  freePorts,
  type Running,
  runProcess,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { until } from '../../server/test/support/until.ts';
import { packCourse } from '../journeys/course-packages.ts';
import { composeSettings, recipe, startStore } from './recipe-settings.ts';

/** `.ci/run full` kills more often. */
const kills = Number(process.env.NODE_KILLS ?? 2);
const closing: (() => unknown)[] = [];
after(async () => {
  await cleanUp();
  for (const close of closing.reverse()) await close();
});

type Ports = { site: number; courses: number; api: number; content: number; operations: number };

/** The recipe with this machine's ports, without certificates. */
async function startCaddy({ site, courses, api, content, operations }: Ports): Promise<void> {
  const folder = await temporaryFolder();
  const file = join(folder, 'Caddyfile');
  const local = recipe('Caddyfile-nodes')
    .replace('{$DOMAIN:lectern.example}', `http://127.0.0.1:${site}`)
    .replace('*.{$COURSES_DOMAIN:courses.example}', `http://127.0.0.1:${courses}`)
    .replace(/^\ttls .*\n/m, '')
    .replaceAll('}:3000', `}:${api}`)
    .replaceAll('}:3001', `}:${content}`)
    .replace('health_port 3002', `health_port ${operations}`);
  writeFileSync(file, `{\n\tadmin off\n}\n${local}`);
  const env = { NODE_1: '127.0.0.1', NODE_2: '127.0.0.2', HOME: folder };
  runProcess('caddy', ['run', '--adapter', 'caddyfile', '--config', file], env);
}

/** The pages of the course, as a learner's browser gets them through the balancer. */
async function playCourse(client: Client, baseUrl: string, key: string, loginId: string): Promise<string> {
  await client.call('POST', `${baseUrl}/user`, { LoginID: loginId }, key);
  const { body } = await client.call('POST', `${baseUrl}/enrol/${loginId}/phishing`, {}, key);
  const { location } = await client.call('GET', body.LaunchURL);
  const { body: session } = await client.call('POST', `${location}/session`);
  const file = await client.call('GET', `${new URL(location ?? '').origin}${session.ContentPath}index.html`);
  assert.equal(file.status, 200);
  return file.body;
}

test('with the recipe, two nodes with an object store lose no acknowledged write and no course when one is killed', async () => {
  const database = await startCluster();
  closing.push(database.remove);
  const [site = 0, courses = 0, api = 0, content = 0, operations = 0] = await freePorts(5);
  const store = await startStore();
  closing.push(store.close);
  const settings = composeSettings('compose-nodes.yaml', {
    ...{ DOMAIN: 'x', COURSES_DOMAIN: 'x', POSTGRES_PASSWORD: 'x', BOOTSTRAP_KEY: bootstrapKey },
    ...{ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
    SIGNING_KEYS: `node-test:${randomBytes(32).toString('base64url')}`,
    BASE_URL: `http://127.0.0.1:${site}`,
    CONTENT_URL: `http://127.0.0.1:${courses}`,
    DATABASE_URL: database.url,
    STORAGE_URL: `s3://lectern/courses?endpoint=${store.endpoint}&region=us-east-1`,
    OPERATIONS_PORT: String(operations),
  });
  const start = async (number: number, DATA_DIR: string): Promise<Running> =>
    startProcess({
      ...settings,
      ...{ DATA_DIR, HOST: `127.0.0.${number}`, PORT: String(api), CONTENT_PORT: String(content) },
    });
  const folders = [await temporaryFolder(), await temporaryFolder()] as const;
  const nodes = [await start(1, folders[0]), await start(2, folders[1])];
  await startCaddy({ site, courses, api, content, operations });
  const client = openClient(64);
  closing.push(client.close);
  const baseUrl = `http://127.0.0.1:${site}`;
  const answers = async () => (await client.call('GET', `${baseUrl}/openapi.json`).catch(() => null))?.status;
  await until('the balancer has a node', async () => (await answers()) === 200);

  const target = await prepareTarget(client, baseUrl);
  await client.call('PUT', `${baseUrl}/course/phishing`, { Title: 'Phishing' }, bootstrapKey);
  const imported = await fetch(`http://127.0.0.1:${api}/course/phishing/package`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/zip' },
    body: new Uint8Array(readFileSync(await packCourse('phishing'))),
  });
  assert.equal(imported.status, 201, await imported.text());
  await client.call('PUT', `${baseUrl}/course/phishing/option/standard`, {}, bootstrapKey);
  const page = await playCourse(client, baseUrl, target.key, 'before');

  const ledger = emptyLedger();
  for (let kill = 0; kill < kills; kill++) {
    let isOver = false;
    const load = runLearners(target, ledger, { client, concurrency: 16, over: () => isOver });
    const { commits } = ledger.acknowledged;
    await until('writes are acknowledged', () => ledger.acknowledged.commits > commits + 50);
    // The first one that dies is the one that imported the course.
    const victim = nodes[kill % 2] as Running;
    await stopProcess(victim, 'SIGKILL');
    const dead = ledger.acknowledged.commits;
    await until('the other node continues', () => ledger.acknowledged.commits > dead + 50);
    if (kill < 2) assert.equal(await playCourse(client, baseUrl, target.key, `during-${kill}`), page);
    nodes[kill % 2] = await start((kill % 2) + 1, folders[kill % 2] as string);
    isOver = true;
    assert.deepEqual(await load, []);
    assert.deepEqual(await check(client, target, ledger, { all: kill === kills - 1 }), {
      lost: [],
      torn: [],
    });
  }
  assert.deepEqual(await checkServer(database.url), []);
  console.log(`${kills} nodes killed, ${JSON.stringify(ledger.acknowledged)} acknowledged, none lost`);
});
