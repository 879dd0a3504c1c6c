import { unwatchFile, watchFile } from 'node:fs';
import type { Context } from '../context/context.ts';
import { ringFile } from '../keys/ring-file.ts';
import { openKeys } from './open-keys.ts';

/**
 * Loads a rotated ring without a restart, then calls `taken`. An unusable ring is ignored until the next
 * change.
 */
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
