import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KnownHead, verifyAudit } from '../domain/audit/verify.ts';
import type { Config } from '../infra/context/config.ts';
import { ringFile } from '../infra/keys/ring-file.ts';
import { withDatabase } from './commands.ts';

/** Reads the chains that an earlier verification printed. */
async function readKnown(file: string): Promise<KnownHead[]> {
  const { Chains }: { Chains?: KnownHead[] } = JSON.parse(await readFile(file, 'utf8'));
  if (!Array.isArray(Chains)) throw new Error(`${file} is not the output of lectern audit verify.`);
  return Chains;
}

/** Verifies the configured database, or a backup of an embedded database. */
export async function verifyCommand(config: Config, input: { backup: string | null; since: string | null }) {
  const known = input.since === null ? [] : await readKnown(input.since);
  const verify = (place: Config) =>
    withDatabase(place, (ctx) => verifyAudit(ctx, { known }), { migrates: input.backup !== null });
  return input.backup === null ? verify(config) : onCopy(config, input.backup, verify);
}

/** Opening a database writes to it, so a backup is copied first. */
async function onCopy<T>(config: Config, backup: string, work: (place: Config) => Promise<T>): Promise<T> {
  const database = join(backup, 'database');
  if (!existsSync(database))
    throw new Error(
      existsSync(join(backup, 'database.dump'))
        ? 'The backup is from a PostgreSQL server. Restore it into an empty database and verify that database.'
        : `${backup} is not a backup of an embedded database.`,
    );
  const dataDir = await mkdtemp(join(tmpdir(), 'lectern-audit-'));
  try {
    await cp(database, join(dataDir, 'database'), { recursive: true });
    const ring = [config.dataDir, backup].map(ringFile).find((file) => existsSync(file));
    if (ring !== undefined) await cp(ring, ringFile(dataDir));
    return await work({ ...config, databaseUrl: null, dataDir });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
