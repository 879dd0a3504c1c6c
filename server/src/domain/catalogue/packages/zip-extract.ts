import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { ZipFile } from 'yauzl';
import type { CheckedEntry } from './zip-entries.ts';
import { rejectName } from './zip-names.ts';

const parallelFiles = 8;

/** Writes the entries into `folder` and syncs files and folders, so that rows referring to them can be committed. */
export async function extractEntries(zip: ZipFile, entries: CheckedEntry[], folder: string): Promise<void> {
  const folders = new Set([folder]);
  for (const { path } of entries) {
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent))
      folders.add(join(folder, parent));
  }
  for (const path of folders) await mkdir(path, { recursive: true });

  const queue = entries.values();
  let failed = false;
  const work = async () => {
    for (const entry of queue) {
      if (failed) return;
      await extractEntry(zip, entry, folder).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: parallelFiles }, work));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;

  for (const path of folders) await syncFolder(path);
}

/** Stops writing once the declared size is exceeded. Size and checksum must match the header. */
async function extractEntry(zip: ZipFile, { entry, path }: CheckedEntry, folder: string): Promise<void> {
  const file = await open(join(folder, path), 'wx', 0o644);
  try {
    const content = await zip.openReadStreamPromise(entry, {});
    let size = 0;
    let checksum = 0;
    for await (const chunk of inflated(content, path)) {
      size += chunk.length;
      if (size > entry.uncompressedSize) throw rejectName(path, 'is larger than its header says');
      checksum = crc32(chunk, checksum);
      await file.writeFile(chunk);
    }
    if (size !== entry.uncompressedSize) throw rejectName(path, 'is smaller than its header says');
    if (checksum !== entry.crc32) throw rejectName(path, 'is damaged: its checksum does not match');
    await file.sync();
  } finally {
    await file.close();
  }
}

async function* inflated(content: Readable, path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of content) yield chunk;
  } catch (error) {
    if (!isDataError(error)) throw error;
    throw rejectName(path, 'is damaged: it cannot be unpacked');
  }
}

/** zlib's errors about the data (`Z_DATA_ERROR`, `Z_BUF_ERROR`, …), as opposed to disk errors. */
function isDataError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
