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
import { syncPath } from '../files/durable.ts';
import { keyBytes, keyIdPattern, type WrittenKey } from './key-ring.ts';

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
