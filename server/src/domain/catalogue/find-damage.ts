import { readdir, stat } from 'node:fs/promises';
import { keepSetting } from '../../db/setting.ts';
import type { Context } from '../../infra/context/context.ts';
import type { ListedFile } from '../../infra/storage/package-files.ts';

export type Damage = { courseId: string; release: number; releaseId: string; found: string };

/** Read for the metric `lectern_releases_damaged`. */
const damagedSetting = 'damaged_releases';

/** Checks that the releases' folders still contain the imported files, and logs the folders that do not. */
export async function findDamage(ctx: Context): Promise<Damage[]> {
  const releases = await ctx.db
    .selectFrom('release')
    .select(['release_id', 'course_id', 'number', 'files', 'bytes'])
    .where('files', '>', 0)
    .orderBy('release_id')
    .execute();
  const damaged: Damage[] = [];
  for (const { release_id: releaseId, course_id: courseId, number, files, bytes } of releases) {
    const held = sizeOf(await ctx.files.list(releaseId));
    if (held?.files === files && held.bytes === bytes) continue;
    const found = held
      ? `${held.files} of ${files} files with ${held.bytes} of ${bytes} bytes`
      : 'files missing';
    damaged.push({ courseId, release: number, releaseId, found });
    ctx.log.error(
      { course: courseId, release: number, release_id: releaseId, place: ctx.files.place, found },
      'files of a release are damaged; restore them from a backup, or import the package again',
    );
  }
  await keepSetting(ctx, damagedSetting, String(damaged.length));
  return damaged;
}

function sizeOf(files: readonly ListedFile[] | null): { files: number; bytes: number } | null {
  return files && { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const day = 86_400_000;

/**
 * Logs folders that belong to no release. A process that is killed while it imports or deletes a
 * course may leave them behind. They are not removed, because a newer backup of the database may
 * contain their releases.
 */
export async function findUnusedFolders(ctx: Context): Promise<string[]> {
  const names = await readdir(ctx.files.folder('.')).catch(() => []);
  const rows = await ctx.db.selectFrom('release').select('release_id').execute();
  const used = new Set(rows.map(({ release_id }) => release_id));
  const unused: string[] = [];
  for (const name of names) {
    if (used.has(name)) continue;
    const folder = ctx.files.folder(name);
    const found = await stat(folder).catch(() => null);
    // A recent folder may belong to an import in progress.
    if (!found || ctx.now().getTime() - found.mtimeMs < day) continue;
    unused.push(folder);
    ctx.log.warn(
      { folder },
      'a folder does not belong to any release; delete it, unless you are going to restore a newer backup of the database',
    );
  }
  return unused;
}
