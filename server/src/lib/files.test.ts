import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clearScratch, scratchAge } from './files.ts';

test('files and folders that killed imports left a day ago are removed, and younger ones are kept', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'scratch-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const scratch = join(dataDir, 'scratch');
  await mkdir(join(scratch, 'old'), { recursive: true });
  await writeFile(join(scratch, 'old', 'page.html'), 'x');
  for (const name of ['old.zip', 'new.zip']) await writeFile(join(scratch, name), 'x');
  const yesterday = new Date(Date.now() - scratchAge);
  for (const name of ['old', 'old.zip']) await utimes(join(scratch, name), yesterday, yesterday);
  await clearScratch(dataDir, scratchAge);
  assert.deepEqual(await readdir(scratch), ['new.zip']);
});
