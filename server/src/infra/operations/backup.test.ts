import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { backUp } from './backup.ts';

test('a backup is written to a folder with an unpredictable name and leaves other files unchanged', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'lectern-backup-'));
  t.after(() => rm(root, { recursive: true }));
  const dataDir = join(root, 'data');
  await mkdir(join(dataDir, 'database'), { recursive: true });
  const [shared, planted] = [join(root, 'shared'), join(root, 'shared', 'monday.partial')];
  await mkdir(planted, { recursive: true, mode: 0o777 });
  await writeFile(join(planted, 'theirs'), '');
  const folder = join(shared, 'monday');
  const readKnown = async () => ({ ring: null, releases: [], inStore: 0 });
  const back = (folder: string) =>
    backUp(
      { databaseUrl: null, dataDir, signingKeys: null },
      { folder, now: new Date(), allowsMissing: false, readKnown },
    );
  await back(folder);
  assert.deepEqual((await readdir(shared)).sort(), ['monday', 'monday.partial']);
  assert.deepEqual(await readdir(planted), ['theirs']);
  assert.equal((await stat(folder)).mode & 0o077, 0);
  await rm(join(dataDir, 'database'), { recursive: true });
  await assert.rejects(back(join(shared, 'tuesday')));
  assert.deepEqual((await readdir(shared)).sort(), ['monday', 'monday.partial']);
});
