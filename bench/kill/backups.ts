import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Environment,
  runLectern,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import type { Ledger } from './ledger.ts';

/** Backs up a service on a server, and verifies each backup that is said to be complete. */
export async function openBackups(env: Environment, ledger: Ledger) {
  const parent = await temporaryFolder();
  let number = 0;
  /** `end` waits for the backup that was started, or kills it, and returns what is wrong with it. */
  return () => {
    const folder = join(parent, `backup-${++number}`);
    const backup = runLectern(['backup', folder], env);
    return {
      end: async (kills: boolean): Promise<string[]> => {
        if (kills) await stopProcess(backup, 'SIGKILL');
        const { code } = await backup.exited;
        if (code !== 0) ledger.interrupted.backups += 1;
        if (code !== 0 && existsSync(folder)) return [`a backup that failed left ${folder}`];
        if (!existsSync(folder)) return code === 0 ? [`${folder} does not exist`] : [];
        const verify = runLectern(['backup', 'verify', folder], env);
        const verified = await verify.exited;
        if (verified.code !== 0) return [`backup ${number}: ${verify.stdout()}${verify.stderr()}`];
        ledger.acknowledged.backups += 1;
        await rm(join(parent, `backup-${number - 1}`), { recursive: true, force: true });
        return [];
      },
    };
  };
}
