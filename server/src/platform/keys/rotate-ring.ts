import { setTimeout as delay } from 'node:timers/promises';
import { keyIdPattern, newKey, type WrittenKey } from './key-ring.ts';
import { readRingFile, ringFile, writeRingFile } from './ring-file.ts';

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
