import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../platform/context.ts';

export type Damage = { courseId: string; release: number; releaseId: string; found: string };

/** Checks that the releases' folders still contain what was imported, and logs those that do not. */
export async function findDamage(ctx: Context): Promise<Damage[]> {
  const releases = await ctx.db
    .selectFrom('release')
    .select(['release_id', 'course_id', 'number', 'files', 'bytes'])
    .orderBy('release_id')
    .execute();
  const damaged: Damage[] = [];
  for (const { release_id: releaseId, course_id: courseId, number, files, bytes } of releases) {
    const held = await measure(ctx.files.folder(releaseId));
    if (held?.files === files && held.bytes === bytes) continue;
    const found = held
      ? `${held.files} of ${files} files with ${held.bytes} of ${bytes} bytes`
      : 'folder missing';
    damaged.push({ courseId, release: number, releaseId, found });
    ctx.log.error(
      { course: courseId, release: number, folder: ctx.files.folder(releaseId), found },
      'files of a release are damaged; restore them from a backup, or import the package again',
    );
  }
  return damaged;
}

async function measure(folder: string): Promise<{ files: number; bytes: number } | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
  if (!entries) return null;
  let [files, bytes] = [0, 0];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    files++;
    bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return { files, bytes };
}
