import { encryptStored } from '../app/encrypt-stored.ts';
import { auditRotation, renewSeals } from '../domain/audit/verify.ts';
import type { Config } from '../infra/context/config.ts';
import { newKey, type WrittenKey } from '../infra/keys/key-ring.ts';
import { readRingFile, removeFromRing, rotateRing } from '../infra/keys/ring-file.ts';
import { openKeys } from '../infra/operations/open-keys.ts';
import { withDatabase } from './commands.ts';

const listed = (keys: readonly WrittenKey[]) =>
  keys.map(({ id, createdAt }, index) => ({
    KeyID: id,
    Use: index === 0 ? 'signs and verifies' : 'verifies',
    CreatedAt: createdAt,
  }));

/** Lists the keys in the ring without their values. */
export function listKeys({ signingKeys, dataDir }: Config) {
  return { Keys: listed(signingKeys ?? readRingFile(dataDir) ?? []) };
}

/** Needs only the folder, so keys can be rotated while the service runs. */
export async function rotateKeys({ signingKeys, dataDir }: Config) {
  const now = new Date();
  if (!signingKeys) return { Keys: listed(await rotateRing(dataDir, now)) };
  const { id, secret } = newKey(now);
  return {
    Entry: `${id}:${secret.toString('base64url')}`,
    Next: 'Append the entry to SIGNING_KEYS and restart all nodes. Then move it to the front and restart them again.',
  };
}

/** Needs the database, because everything encrypted with this key must first be re-encrypted with another key. */
export async function removeKey(config: Config, id: string) {
  if (config.signingKeys)
    throw new Error('The ring is in SIGNING_KEYS. Delete the entry there and restart all nodes.');
  return withDatabase(config, async (ctx) => {
    await encryptStored(ctx);
    await renewSeals(ctx);
    const keys = removeFromRing(config.dataDir, id);
    await openKeys(ctx);
    await auditRotation(ctx);
    return { Keys: listed(keys) };
  });
}
