import { unwatchFile, watchFile } from 'node:fs';
import { keepSetting, readSetting } from '../../db/setting.ts';
import { type Database, takeTurn, transaction } from '../../db/transaction.ts';
import type { Log } from '../../lib/log.ts';
import type { Config } from '../context/config.ts';
import type { Context } from '../context/context.ts';
import {
  fingerprint,
  type KeyRing,
  newKey,
  openRing,
  type RingKey,
  type WrittenKey,
} from '../keys/key-ring.ts';
import { readRingFile, ringFile, writeRingFile } from '../keys/ring-file.ts';

type KeyContext = {
  readonly config: Pick<Config, 'dataDir' | 'signingKeys'>;
  readonly db: Database;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly now: () => Date;
};

/** The information about the ring's keys that the database stores. It contains no secrets. */
type KeyName = { id: string; fingerprint: string };
export type UsedRing = { signs: KeyName; marks: KeyName };

const usedName = 'key_ring';

const nameOf = (key: RingKey): KeyName => ({ id: key.id, fingerprint: fingerprint(key) });

function has(keys: readonly RingKey[], { id, fingerprint: expected }: KeyName): RingKey | undefined {
  return keys.find((key) => key.id === id && fingerprint(key) === expected);
}

/**
 * Opens this node's ring and checks that it is the one used with the database. If the database is
 * empty, a ring is created.
 * Nodes that start together take turns.
 */
export function openKeys(ctx: KeyContext): Promise<KeyRing> {
  return transaction(ctx, async (ctx) => {
    await takeTurn(ctx);
    const used = await readUsedRing(ctx);
    const keys = openRing(readRing(ctx.config, used) ?? makeRing(ctx));
    const ring = { keys, hashKey: hashKeyOf(ctx, keys, used) };
    await remember(ctx, { signs: nameOf(keys[0]), marks: nameOf(ring.hashKey) }, used);
    return ring;
  });
}

/** The ring with which the database was last used; null if none has been used yet. */
export async function readUsedRing(ctx: Pick<KeyContext, 'db'>): Promise<UsedRing | null> {
  const used = await readSetting(ctx, usedName);
  return used === undefined ? null : JSON.parse(used);
}

/** The keys of this node's ring; null if there are none yet. Throws if the database was used with other keys. */
export function readRing(config: KeyContext['config'], used: UsedRing | null): readonly WrittenKey[] | null {
  const { signingKeys, dataDir } = config;
  const known = signingKeys ?? readRingFile(dataDir);
  if (!known && !used) return null;
  if (!known)
    throw new Error(
      `The database was last used with the signing key ${used?.signs.id}, but ${ringFile(dataDir)} does not exist. ` +
        "Set DATA_DIR to the service's folder, copy the file from another node or a backup, or set SIGNING_KEYS.",
    );
  const keys = openRing(known);
  if (used && !has(keys, used.signs)) throw new Error(otherRing({ config }, used.signs.id, keys[0].id));
  return known;
}

const auditedName = 'key_ring_audited';

/** Calls `record` once for each change of the signing key, in a transaction, on the first node that notices the change. */
export function recordRotation<C extends KeyContext>(
  ctx: C,
  record: (ctx: C, keyId: string) => Promise<void>,
): Promise<void> {
  return transaction(ctx, async (ctx) => {
    await takeTurn(ctx);
    const used = await readUsedRing(ctx);
    if (!used) return;
    const { signs } = used;
    const audited = await readSetting(ctx, auditedName);
    if (audited === signs.id) return;
    await keepSetting(ctx, auditedName, signs.id);
    if (audited !== undefined) await record(ctx, signs.id);
  });
}

function makeRing(ctx: KeyContext): readonly WrittenKey[] {
  const { dataDir } = ctx.config;
  const keys = [newKey(ctx.now())];
  writeRingFile(dataDir, keys);
  ctx.log.info({ file: ringFile(dataDir), key: keys[0]?.id }, 'created the key ring');
  return keys;
}

function otherRing({ config }: Pick<KeyContext, 'config'>, used: string, first: string): string {
  const [what, how] = config.signingKeys
    ? ['SIGNING_KEYS', 'Give all nodes the same SIGNING_KEYS.']
    : [ringFile(config.dataDir), 'Copy the file from the node that has this key, or set SIGNING_KEYS.'];
  return `The database was last used with the signing key ${used}, which ${what} (first key: ${first}) does not have. ${how}`;
}

function hashKeyOf(ctx: KeyContext, keys: KeyRing['keys'], used: UsedRing | null): RingKey {
  const known = used && has(keys, used.marks);
  if (used && !known)
    ctx.log.warn(
      { key: used.marks.id },
      'a key was removed from the ring: receipts of earlier erasures and stored responses can no longer be found',
    );
  return known ?? keys[0];
}

async function remember(ctx: KeyContext, ring: UsedRing, before: UsedRing | null): Promise<void> {
  const value = JSON.stringify(ring);
  if (!before || value !== JSON.stringify(before)) await keepSetting(ctx, usedName, value);
}

/** Loads a rotated ring without a restart, then calls `taken`. An unusable ring is ignored until the next change. */
export function watchKeyRing(ctx: Context, taken: () => Promise<void>): () => void {
  if (ctx.config.signingKeys) return () => {};
  const file = ringFile(ctx.config.dataDir);
  const reload = async () => {
    try {
      Object.assign(ctx.keys, await openKeys(ctx));
      await taken();
      ctx.log.info({ keys: ctx.keys.keys.map(({ id }) => id) }, 'loaded the changed key ring');
    } catch (error) {
      ctx.log.error({ err: error }, 'the changed key ring cannot be used; the previous one remains in use');
    }
  };
  let last = Promise.resolve();
  const changed = () => {
    last = last.then(reload);
  };
  watchFile(file, { interval: 1_000 }, changed);
  return () => unwatchFile(file, changed);
}
