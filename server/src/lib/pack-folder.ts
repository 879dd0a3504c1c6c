import { createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/**
 * Writes the folder as a zip whose bytes depend only on the files' names and contents. Hidden files and links are
 * skipped.
 */
export async function packFolder(folder: string, file: string): Promise<void> {
  const names = await listFiles(folder, '');
  const zip = new ZipFile();
  // The DOS fields of a zip contain local time. This date is built from local parts, so the fields are the
  // same in every time zone.
  const options = { mtime: new Date(2000, 0, 1), mode: 0o100644, forceDosTimestamp: true };
  for (const name of names.sort()) zip.addFile(join(folder, name), name, options);
  zip.end();

  // The zip gets a temporary name first, so an interrupted run leaves no partial archive under the final name.
  const partial = `${file}.${process.pid}.partial`;
  const failed = new Promise<never>((_, reject) => zip.once('error', reject));
  try {
    await Promise.race([pipeline(zip.outputStream, createWriteStream(partial)), failed]);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function listFiles(folder: string, prefix: string): Promise<string[]> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true });
  const visible = entries.filter((entry) => !entry.name.startsWith('.'));
  const lists = visible.map(async (entry) => {
    const name = prefix + entry.name;
    if (entry.isDirectory()) return listFiles(folder, `${name}/`);
    return entry.isFile() ? [name] : [];
  });
  return (await Promise.all(lists)).flat();
}
