import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../../test/support/test-database.ts';
import { kyselyForEngine } from '../../db/transaction.ts';
import { openLog } from '../../lib/log.ts';
import { keyedHash, newKey, parseKeys, signToken, verifyToken, type WrittenKey } from '../keys/key-ring.ts';
import { readRingFile, ringFile, writeRingFile } from '../keys/ring-file.ts';
import { openKeys } from './open-keys.ts';

const { engine, db } = await openTestDatabase();
const folders: string[] = [];
after(async () => {
  await engine.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const log = openLog('silent');
const now = () => new Date();

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-keys-'));
  folders.push(folder);
  return folder;
}

const asText = ({ id, secret }: WrittenKey) => `${id}:${secret.toString('base64url')}`;

/** A node with this folder, or with these keys in its environment. */
function node(dataDir: string, ...keys: WrittenKey[]) {
  const signingKeys = keys.length > 0 ? parseKeys(keys.map(asText).join()) : null;
  return openKeys({ config: { dataDir, signingKeys }, db: kyselyForEngine(engine), log, now });
}

async function forget(): Promise<void> {
  await db.deleteFrom('setting').where('name', 'in', ['key_ring', 'signing_key']).execute();
}

async function settings(): Promise<string> {
  return JSON.stringify(await db.selectFrom('setting').selectAll().execute());
}

test('the first start creates a ring that only its owner can read and that is not in the database', async () => {
  await forget();
  const folder = newFolder();
  const [one, two] = await Promise.all([node(folder), node(folder)]);
  assert.equal(one.keys[0].id, two.keys[0].id, 'nodes that share the folder share the ring');
  assert.equal(statSync(ringFile(folder)).mode & 0o777, 0o600);
  const [key] = readRingFile(folder) ?? [];
  assert.ok(key && (await settings()).includes(key.id));
  assert.ok(!(await settings()).includes(key.secret.toString('base64url')));
  assert.ok(!(await settings()).includes(key.secret.toString('hex')));
});

test("a node does not start if its ring differs from the database's", async () => {
  await forget();
  const folder = newFolder();
  const { keys } = await node(folder);
  const other = newFolder();
  await assert.rejects(node(other), {
    message: `The database was last used with the signing key ${keys[0].id}, but ${ringFile(other)} does not exist. Set DATA_DIR to the service's folder, copy the file from another node or a backup, or set SIGNING_KEYS.`,
  });
  assert.equal(readRingFile(other), null, 'no second ring was created');
  writeRingFile(other, [newKey(now())]);
  await assert.rejects(node(other), /which .*signing-keys.json .* does not have. Copy the file/);
  await assert.rejects(node(folder, newKey(now())), /Give all nodes the same SIGNING_KEYS/);
  await assert.rejects(
    node(folder, { ...newKey(now()), id: keys[0].id }),
    /does not have/,
    'the same ID with another key',
  );
});

test('when two nodes with separate folders start together, one creates the ring and the other is rejected', async () => {
  await forget();
  const [one, other] = [newFolder(), newFolder()];
  const starts = await Promise.allSettled([node(one), node(other)]);
  assert.deepEqual(starts.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal([one, other].filter((folder) => readRingFile(folder) !== null).length, 1);
});

test('a ring can be rotated node by node: both keys verify on every node, and keyed hashes do not change', async () => {
  await forget();
  const folder = newFolder();
  const [old, young] = [newKey(now()), newKey(now())];
  const before = await node(folder, old);
  const token = signToken(before, 'ticket', 'x');
  const prepared = await node(folder, old, young);
  const rotated = await node(folder, young, old);
  await node(folder, old, young);
  for (const ring of [prepared, rotated]) {
    assert.equal(verifyToken(ring, 'ticket', token), 'x');
    assert.equal(verifyToken(ring, 'ticket', signToken(rotated, 'ticket', 'y')), 'y');
    assert.equal(keyedHash(ring, 'erasure', 'ann'), keyedHash(before, 'erasure', 'ann'));
  }
  const again = await node(folder, young, old);
  assert.equal(keyedHash(again, 'erasure', 'ann'), keyedHash(before, 'erasure', 'ann'));
  const removed = await node(folder, young);
  assert.equal(verifyToken(removed, 'ticket', token), null);
  assert.notEqual(keyedHash(removed, 'erasure', 'ann'), keyedHash(before, 'erasure', 'ann'));
  await assert.rejects(
    node(folder, old),
    /used with the signing key/,
    'a node that still has the previous ring',
  );
});

test('the service does not start with an unreadable ring, gives the reason, and leaves the file unchanged', async () => {
  await forget();
  const folder = newFolder();
  const key = newKey(now()).secret.toString('base64url');
  const broken = [
    '',
    '{',
    'null',
    '[]',
    '{"Format":1,"Keys":[]}',
    '{"Format":2,"Keys":[{"KeyID":"a","Key":""}]}',
    '{"Format":1,"Keys":[null]}',
    `{"Format":1,"Keys":[{"KeyID":"a.b","Key":"${key}"}]}`,
    `{"Format":1,"Keys":[{"KeyID":"a","Key":"${key.slice(2)}"}]}`,
  ];
  for (const text of broken) {
    writeFileSync(ringFile(folder), text);
    await assert.rejects(node(folder), /signing-keys.json cannot be used: .* Restore the file from a backup/);
    assert.equal(readFileSync(ringFile(folder), 'utf8'), text);
  }
});

test('unusable SIGNING_KEYS are rejected, and the error does not show them', () => {
  const [one, two] = [newKey(now()), newKey(now())];
  const good = `${asText(one)}, ${asText(two)}=`;
  assert.deepEqual(
    parseKeys(good).map(({ secret }) => secret.toString('hex')),
    [one, two].map(({ secret }) => secret.toString('hex')),
  );
  const bad = [
    asText(one).slice(0, -1),
    `${asText(one)},`,
    one.secret.toString('base64url'),
    `a b:${one.secret.toString('base64url')}`,
    `${asText(one)},${asText({ ...two, id: one.id })}`,
  ];
  for (const text of bad)
    assert.throws(
      () => parseKeys(text),
      ({ message }: Error) => !message.includes(one.secret.toString('base64url').slice(0, 8)),
    );
});
