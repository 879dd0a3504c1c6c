import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packFolder } from '../../src/platform/pack-folder.ts';

/** The course phishing with a page of a later day, which says so. */
export async function packSecondRelease(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-'));
  await cp(join(import.meta.dirname, '../../courses/phishing'), join(folder, 'course'), { recursive: true });
  const page = join(folder, 'course/index.html');
  await writeFile(page, `${await readFile(page, 'utf8')}<!-- second release -->`);
  await packFolder(join(folder, 'course'), join(folder, 'course.zip'));
  return join(folder, 'course.zip');
}
