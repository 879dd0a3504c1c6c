import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { WrittenKey } from '../src/infra/keys/key-ring.ts';
import { readRingFile, ringFile, rotateRing } from '../src/infra/keys/ring-file.ts';
import { click } from './support/player.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  type Running,
  runLectern,
  runProcess,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { until } from './support/until.ts';

after(cleanUp);

const root = join(import.meta.dirname, '../..');
const textOf = (keys: readonly WrittenKey[] | null) =>
  (keys ?? []).map(({ id, secret }) => `${id} ${secret.toString('hex')}`);

/** A program that writes only the ring. It prints the ID of the current key after each rotation. */
const writer = (folder: string) => `
  const at = (path) => import(${JSON.stringify(join(root, 'server/src/infra/keys/'))} + path);
  const { newKey } = await at('key-ring.ts');
  const { readRingFile, removeFromRing, rotateRing, writeRingFile } = await at('ring-file.ts');
  const folder = ${JSON.stringify(folder)};
  if (!readRingFile(folder)) writeRingFile(folder, [newKey(new Date())]);
  for (;;) {
    const keys = await rotateRing(folder, new Date(), 1);
    process.stdout.write(keys[0].id + '\\n');
    if (keys.length > 3) removeFromRing(folder, keys.at(-1).id);
  }`;

test('the key ring survives 20 rounds of kill -9 at any point during its creation and rotations', async () => {
  let rotations = 0;
  for (let round = 0; round < 20; round++) {
    const folder = await temporaryFolder();
    const child = runProcess(process.execPath, ['--input-type=module', '--eval', writer(folder)], {});
    // Half of the rounds kill the process at its first write, and the others up to 150 ms later.
    await until('the process writes', () => readdirSync(folder).length > 0);
    if (round % 2 === 1) await delay(Math.random() * 150);
    child.child.kill('SIGKILL');
    await child.exited;
    const printed = child.stdout().split('\n').slice(0, -1);
    rotations += printed.length;
    const keys = readRingFile(folder);
    if (printed.length > 0) assert.ok(keys, 'an acknowledged ring is on disk');
    const last = printed.at(-1);
    if (last)
      assert.ok(
        keys?.some(({ id }) => id === last),
        `round ${round}: ${last}`,
      );
    if (!keys) continue;
    assert.equal(statSync(ringFile(folder)).mode & 0o777, 0o600);
    const next = await rotateRing(folder, new Date(), 1);
    for (const key of textOf(keys)) assert.ok(textOf(next).includes(key));
    assert.deepEqual(readdirSync(folder), ['signing-keys.json'], 'no temporary file is left');
  }
  console.log(
    `killed 20 times while the ring was written, after ${rotations} rotations: every ring was complete`,
  );
});

test('a service killed at any point during its first start has exactly one key ring afterwards', async () => {
  const { DATA_DIR, ...env } = await databaseSettings();
  const folder = env.DATABASE_URL ? DATA_DIR : await temporaryFolder();
  const home = { ...env, DATA_DIR: folder, BOOTSTRAP_KEY: bootstrapKey };
  let before: string[] = [];
  for (const point of ['database.new', 'signing-keys.json.', 'signing-keys.json', 'sign-in']) {
    const service = runLectern(['serve'], { ...home, PORT: '0', CONTENT_PORT: '0' });
    const isThere = () => readdirSync(folder).some((name) => name.startsWith(point));
    // On a PostgreSQL server, database.new never appears. A draft of the ring may exist too briefly to be
    // noticed.
    const isPast = () => point !== 'sign-in' && readRingFile(folder) !== null;
    // The first start creates a database, which is slow while other tests run.
    await until(
      () => `${point}\n${service.stdout()}${service.stderr()}`,
      () => isThere() || isPast(),
      180,
    );
    service.child.kill('SIGKILL');
    await service.exited;
    const now = textOf(readRingFile(folder));
    assert.deepEqual(now.slice(0, before.length), before, 'an existing ring is kept');
    before = now;
  }
  const running = await startProcess(home);
  assert.equal(textOf(readRingFile(folder)).length, 1);
  await stopProcess(running);
});

async function call(running: Running, method: string, path: string, body?: object) {
  const response = await fetch(running.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${bootstrapKey}`,
      // Without a tenant, /audit returns the deployment's trail.
      ...(path.startsWith('/audit') ? {} : { tenant: 'acme' }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  assert.ok(response.ok, `${method} ${path}: ${await response.clone().text()}`);
  return response.json();
}

async function keys(env: Record<string, string | undefined>, ...args: string[]) {
  const run = runLectern(['keys', ...args], env);
  const { code } = await run.exited;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

test('lectern keys rotate works while a service is running, and the service signs with the new key within seconds', async () => {
  const env = await databaseSettings();
  const running = await startProcess(env);
  await call(running, 'POST', '/tenant', { TenantID: 'acme' });
  await call(running, 'PUT', '/course/web', { Title: 'Web', URL: 'https://web.example/' });
  await call(running, 'PUT', '/course/web/option/standard', {});
  await call(running, 'POST', '/user', { LoginID: 'ann' });
  const old = await call(running, 'POST', '/enrol/ann/web');
  const listed = JSON.parse((await keys(env, 'list')).stdout).Keys;
  const rotated = await keys(env, 'rotate');
  assert.equal(rotated.code, 0, rotated.stderr);
  const [first, second] = JSON.parse(rotated.stdout).Keys;
  assert.equal(second.KeyID, listed[0].KeyID);
  for (const { secret } of readRingFile(env.DATA_DIR) ?? [])
    assert.ok(!rotated.stdout.includes(secret.toString('base64url')), 'keys are never shown');

  const renewed = async () => (await call(running, 'GET', `/enrolment/ann/${old.EnrollID}`)).LaunchURL;
  await until('the node signs with the new key', async () => (await renewed()).includes(`.${first.KeyID}.`));
  assert.equal((await click(old.LaunchURL)).status, 303, 'links issued before the rotation are valid');
  assert.equal((await click(await renewed())).status, 303);

  const trail = async () => (await call(running, 'GET', '/audit?Action=signing_keys.rotated')).Items;
  await until('the rotation is in the audit trail', async () => (await trail()).length > 0);
  assert.deepEqual(
    (await trail()).map(({ Data }: { Data: object }) => Data),
    [{ KeyID: first.KeyID }],
  );

  assert.match(
    (await keys(env, 'remove', first.KeyID)).stderr,
    env.DATABASE_URL ? /is the signing key/ : /in use by/,
  );
  await stopProcess(running);
  assert.match(
    (await keys(env, 'remove', first.KeyID)).stderr,
    /is the signing key. Run lectern keys rotate first/,
  );
  assert.match((await keys(env, 'remove', 'unknown')).stderr, /has no key "unknown"/);
  const removed = await keys(env, 'remove', second.KeyID);
  assert.equal(removed.code, 0, removed.stderr);
  const again = await startProcess({
    ...env,
    PORT: running.env.PORT,
    CONTENT_PORT: running.env.CONTENT_PORT,
  });
  assert.equal((await click(old.LaunchURL)).status, 404, 'links signed with the removed key are invalid');
  await stopProcess(again);
});

test('with SIGNING_KEYS, lectern keys rotate prints the entry to add and writes no file', async () => {
  const folder = await temporaryFolder();
  const SIGNING_KEYS = `one:${Buffer.alloc(32, 1).toString('base64url')}`;
  const env = { DATA_DIR: folder, SIGNING_KEYS };
  const { Entry } = JSON.parse((await keys(env, 'rotate')).stdout);
  const both = { ...env, SIGNING_KEYS: `${Entry},${SIGNING_KEYS}` };
  const ids = JSON.parse((await keys(both, 'list')).stdout).Keys.map((key: { KeyID: string }) => key.KeyID);
  assert.deepEqual(ids, [Entry.split(':')[0], 'one']);
  assert.deepEqual(readdirSync(folder), []);
});
