import type { Config } from '../config.ts';
import type { Database } from '../db/dialect.ts';
import { run, transaction } from '../db/transaction.ts';
import type { Log } from '../operations/log.ts';
import {
  fingerprint,
  type KeyRing,
  keyBytes,
  legacyId,
  newKey,
  openRing,
  type RingKey,
  type WrittenKey,
} from './key-ring.ts';
import { readRingFile, ringFile, writeRingFile } from './ring-file.ts';

type KeyContext = {
  readonly config: Pick<Config, 'dataDir' | 'signingKeys'>;
  readonly db: Database;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly now: () => Date;
};

/** The information about the ring's keys that the database stores. It contains no secrets. */
type KeyName = { id: string; fingerprint: string };
type UsedRing = { signs: KeyName; marks: KeyName };

const usedName = 'key_ring';
const legacyName = 'signing_key';

const nameOf = (key: RingKey): KeyName => ({ id: key.id, fingerprint: fingerprint(key) });

function has(keys: readonly RingKey[], { id, fingerprint: expected }: KeyName): RingKey | undefined {
  return keys.find((key) => key.id === id && fingerprint(key) === expected);
}

/**
 * Opens this node's ring and checks that it is the one used with the database. If the database is
 * empty, a ring is created. A key that an earlier version kept in the database moves to the ring.
 * Nodes that start together take turns.
 */
export function openKeys(ctx: KeyContext): Promise<KeyRing> {
  return transaction(ctx, async (ctx) => {
    await run(ctx, { text: 'lock table setting in share row exclusive mode', values: [] });
    const settings = await ctx.db
      .selectFrom('setting')
      .selectAll()
      .where('name', 'in', [usedName, legacyName])
      .execute();
    const settingOf = (name: string) => settings.find((setting) => setting.name === name)?.value ?? null;
    const text = settingOf(usedName);
    const used: UsedRing | null = text === null ? null : JSON.parse(text);
    const legacy = settingOf(legacyName);
    const written = adoptLegacyKey(ctx, readOrMake(ctx, used, legacy), legacy);
    const keys = openRing(written);
    if (used && !has(keys, used.signs)) throw new Error(otherRing(ctx, used.signs.id, keys[0].id));
    const ring = { keys, hashKey: hashKeyOf(ctx, keys, used, legacy !== null) };
    await remember(ctx, { signs: nameOf(keys[0]), marks: nameOf(ring.hashKey) }, text);
    if (legacy !== null) await ctx.db.deleteFrom('setting').where('name', '=', legacyName).execute();
    return ring;
  });
}

const auditedName = 'key_ring_audited';

/** Calls `record` once for each change of the signing key, in a transaction, on the first node that notices the change. */
export function recordRotation<C extends KeyContext>(
  ctx: C,
  record: (ctx: C, keyId: string) => Promise<void>,
): Promise<void> {
  return transaction(ctx, async (ctx) => {
    const used = await ctx.db
      .selectFrom('setting')
      .select('value')
      .where('name', '=', usedName)
      .forUpdate()
      .executeTakeFirst();
    if (!used) return;
    const { signs }: UsedRing = JSON.parse(used.value);
    const audited = await ctx.db
      .selectFrom('setting')
      .select('value')
      .where('name', '=', auditedName)
      .executeTakeFirst();
    if (audited?.value === signs.id) return;
    await ctx.db
      .insertInto('setting')
      .values({ name: auditedName, value: signs.id })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: signs.id }))
      .execute();
    if (audited) await record(ctx, signs.id);
  });
}

function readOrMake(ctx: KeyContext, used: UsedRing | null, legacy: string | null): readonly WrittenKey[] {
  const { signingKeys, dataDir } = ctx.config;
  const known = signingKeys ?? readRingFile(dataDir);
  if (known) return known;
  if (used)
    throw new Error(
      `The database was last used with the signing key ${used.signs.id}, but ${ringFile(dataDir)} does not exist. ` +
        'Copy the file from another node or a backup, or set SIGNING_KEYS.',
    );
  const keys = [newKey(ctx.now()), ...(legacy === null ? [] : [legacyOf(legacy)])];
  writeRingFile(dataDir, keys);
  ctx.log.info({ file: ringFile(dataDir), key: keys[0]?.id }, 'created the key ring');
  return keys;
}

function legacyOf(value: string): WrittenKey {
  return { id: legacyId, secret: Buffer.from(value, 'base64url').subarray(0, keyBytes), createdAt: null };
}

/** Adds the key from the database to the ring, and writes it to disk before removing it from the database. */
function adoptLegacyKey(
  ctx: KeyContext,
  written: readonly WrittenKey[],
  value: string | null,
): readonly WrittenKey[] {
  if (value === null) return written;
  const legacy = legacyOf(value);
  const own = written.find(({ id }) => id === legacyId);
  if (own?.secret.equals(legacy.secret)) return written;
  if (own)
    throw new Error(
      `The database contains a signing key (row ${legacyName} of the table setting) that differs from the ring's key "${legacyId}". ` +
        'Delete the row if no launch link depends on it.',
    );
  if (ctx.config.signingKeys)
    throw new Error(
      `The database contains the signing key of an earlier version. Append it to SIGNING_KEYS as ${legacyId}:VALUE; ` +
        `VALUE is in row ${legacyName} of the table setting.`,
    );
  const keys = [...written, legacy];
  writeRingFile(ctx.config.dataDir, keys);
  ctx.log.info({}, 'moved the signing key from the database to the key ring');
  return keys;
}

function otherRing({ config }: KeyContext, used: string, first: string): string {
  const [what, how] = config.signingKeys
    ? ['SIGNING_KEYS', 'Give all nodes the same SIGNING_KEYS.']
    : [ringFile(config.dataDir), 'Copy the file from the node that has this key, or set SIGNING_KEYS.'];
  return `The database was last used with the signing key ${used}, which ${what} (first key: ${first}) does not have. ${how}`;
}

function hashKeyOf(
  ctx: KeyContext,
  keys: KeyRing['keys'],
  used: UsedRing | null,
  isLegacy: boolean,
): RingKey {
  const oldest = isLegacy ? keys.find(({ id }) => id === legacyId) : undefined;
  const known = used ? has(keys, used.marks) : oldest;
  if (used && !known)
    ctx.log.warn(
      { key: used.marks.id },
      'a key was removed from the ring: receipts of earlier erasures and stored responses can no longer be found',
    );
  return known ?? keys[0];
}

async function remember(ctx: KeyContext, ring: UsedRing, before: string | null): Promise<void> {
  const value = JSON.stringify(ring);
  if (value === before) return;
  await ctx.db
    .insertInto('setting')
    .values({ name: usedName, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
