import { readFile } from 'node:fs/promises';
import { type KnownHead, verifyAudit } from '../domain/audit/verify.ts';
import type { Config } from '../infra/context/config.ts';
import { withDatabase } from './commands.ts';
import { onRestored } from './restored-copy.ts';

/** Reads the chains that an earlier verification printed. */
async function readKnown(file: string): Promise<KnownHead[]> {
  const { Chains }: { Chains?: KnownHead[] } = JSON.parse(await readFile(file, 'utf8'));
  if (!Array.isArray(Chains)) throw new Error(`${file} is not the output of lectern audit verify.`);
  return Chains;
}

/** Verifies the configured database, or a temporary copy of a backup. */
export async function verifyCommand(config: Config, input: { backup: string | null; since: string | null }) {
  const known = input.since === null ? [] : await readKnown(input.since);
  const verify = (place: Config) => withDatabase(place, (ctx) => verifyAudit(ctx, { known }));
  return input.backup === null
    ? withDatabase(config, (ctx) => verifyAudit(ctx, { known }), { migrates: false })
    : onRestored(config, input.backup, verify);
}
