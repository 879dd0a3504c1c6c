import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { syncPath } from '../../lib/files.ts';
import { keyBytes, keyIdPattern, newKey, type WrittenKey } from './key-ring.ts';

const fileName = 'signing-keys.json';

export const ringFile = (folder: string) => join(folder, fileName);

type Stored = { Format: 1; Keys: { KeyID: string; Key: string; CreatedAt: string | null }[] };

/** The keys in this folder's file; null if there is no file. */
export function readRingFile(folder: string): WrittenKey[] | null {
  const path = ringFile(folder);
  if (!existsSync(path)) return null;
  const keys = parse(readFileSync(path, 'utf8'));
  if (!keys)
    throw new Error(
      `The key ring ${path} cannot be used: it does not contain keys of ${keyBytes} bytes in a format that this version supports. ` +
        'Restore the file from a backup.',
    );
  return keys;
}

function parse(text: string): WrittenKey[] | null {
  let stored: Partial<Stored> | null;
  try {
    stored = JSON.parse(text);
  } catch {
    return null;
  }
  if (stored?.Format !== 1 || !Array.isArray(stored.Keys) || stored.Keys.length === 0) return null;
  const keys = stored.Keys.map(toKey);
  return keys.every((key) => key !== null) ? keys : null;
}

/** The file may have been edited by hand. */
function toKey(stored: Partial<Stored['Keys'][number]> | null): WrittenKey | null {
  const { KeyID, Key, CreatedAt } = stored ?? {};
  if (typeof KeyID !== 'string' || typeof Key !== 'string' || !keyIdPattern.test(KeyID)) return null;
  const secret = Buffer.from(Key, 'base64url');
  return secret.length === keyBytes ? { id: KeyID, secret, createdAt: CreatedAt ?? null } : null;
}

/** Replaces the file atomically: readers always find either the previous ring or this one, even after a crash. */
export function writeRingFile(folder: string, keys: readonly WrittenKey[]): void {
  const stored: Stored = {
    Format: 1,
    Keys: keys.map(({ id, secret, createdAt }) => ({
      KeyID: id,
      Key: secret.toString('base64url'),
      CreatedAt: createdAt,
    })),
  };
  const draftName = `${fileName}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const draft = join(folder, draftName);
  const file = openSync(draft, 'wx', 0o600);
  try {
    fchmodSync(file, 0o600);
    writeSync(file, `${JSON.stringify(stored, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // Files created by root must belong to the service's user.
  const { uid, gid } = statSync(folder);
  if (uid !== process.getuid?.() && process.getuid?.() === 0) chownSync(draft, uid, gid);
  renameSync(draft, ringFile(folder));
  syncPath(folder);
  for (const name of readdirSync(folder))
    if (name.startsWith(`${fileName}.`)) rmSync(join(folder, name), { force: true });
}

/** Running nodes check the file once a second. */
const propagationMilliseconds = 3_000;

function read(folder: string): WrittenKey[] {
  const keys = readRingFile(folder);
  if (!keys)
    throw new Error(`${ringFile(folder)} does not exist. The first start of the service creates it.`);
  return keys;
}

/**
 * Adds a new key at the end of the ring, and moves it to the beginning a little later. All nodes
 * can then verify with this key before any node signs with it. The next rotation completes an
 * interrupted one.
 */
export async function rotateRing(
  folder: string,
  now: Date,
  pauseMilliseconds = propagationMilliseconds,
): Promise<WrittenKey[]> {
  const before = read(folder);
  const next = before.find((key) => isNewer(key, before[0])) ?? newKey(now);
  if (!before.includes(next)) writeRingFile(folder, [...before, next]);
  await delay(pauseMilliseconds);
  const others = read(folder).filter(({ id }) => id !== next.id);
  const keys = [next, ...others];
  writeRingFile(folder, keys);
  return keys;
}

/** A key newer than the first one is from a rotation that was interrupted between its two steps. */
function isNewer(key: WrittenKey, first: WrittenKey | undefined): boolean {
  return key.createdAt !== null && (first?.createdAt ?? '') < key.createdAt;
}

/** Removes a key. Everything signed with this key becomes invalid. */
export function removeFromRing(folder: string, id: string): WrittenKey[] {
  const before = read(folder);
  if (!keyIdPattern.test(id) || !before.some((key) => key.id === id))
    throw new Error(`The ring has no key "${id}". List its keys with lectern keys list.`);
  if (before[0]?.id === id)
    throw new Error(`The key ${id} is the signing key. Run lectern keys rotate first.`);
  const keys = before.filter((key) => key.id !== id);
  writeRingFile(folder, keys);
  return keys;
}
