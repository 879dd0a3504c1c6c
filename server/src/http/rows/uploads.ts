import { open, rm, statfs } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Context } from '../../infra/context/context.ts';
import { countRejection } from '../../infra/context/counters.ts';
import { Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';

const minFreeBytes = 1024 ** 3;
const minFreeFraction = 1 / 20;

/** Keeps disk space free for the database and other programs: 1 GiB, or a twentieth of a smaller disk. */
export async function requireDiskSpace(ctx: Context, bytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(ctx.config.dataDir);
  if (bavail * bsize - bytes >= Math.min(minFreeBytes, blocks * bsize * minFreeFraction)) return;
  countRejection(ctx, 'disk');
  throw new Problem(
    'unavailable',
    'The service is running out of disk space. Retry later, or contact its operator.',
    { retryAfter: 60 },
  );
}

/** More than ten million rows. */
const maxBytes = 1024 ** 3;
/** How much arrives before the free disk space is checked again. */
const checkedBytes = 16 * 1024 ** 2;

/**
 * Receives a file completely before any of it is processed, because many clients read nothing until they have sent
 * everything. Otherwise, input and output could wait for each other forever.
 */
export async function receiveFile(ctx: Context, input: Readable, max = maxBytes): Promise<Readable> {
  const path = await ctx.files.scratch(`upload-${newId(ctx.now())}`);
  const file = await open(path, 'wx+');
  // Without a name, the file disappears with the process, however that ends.
  await rm(path);
  try {
    let [bytes, checked] = [0, 0];
    // Destroying the rest of the request would detach its connection, and the client would get no response.
    const chunks: AsyncIterable<Buffer> = input.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > max)
        throw new Problem('payload_too_large', 'The file is larger than 1 GiB. Split it into several files.');
      if (bytes - checked > checkedBytes) {
        await requireDiskSpace(ctx, 0);
        checked = bytes;
      }
      await file.appendFile(chunk);
    }
    return file.createReadStream({ start: 0 });
  } catch (error) {
    await file.close();
    throw error;
  }
}
