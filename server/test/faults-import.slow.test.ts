import assert from 'node:assert/strict';
import { readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { openContext } from '../src/app/open-context.ts';
import { findDamage, findUnusedFolders } from '../src/domain/catalogue/find-damage.ts';
import { readConfig } from '../src/infra/context/config.ts';
import { openLog } from '../src/lib/log.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  injected,
  startProcess,
  stopProcess,
} from './support/process.ts';

after(cleanUp);

async function importCourse(baseUrl: string, courseId: string): Promise<number> {
  const put = (path: string, type: string, body: BodyInit) =>
    fetch(baseUrl + path, {
      method: 'PUT',
      headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': type },
      body,
    });
  await put(`/course/${courseId}`, 'application/json', JSON.stringify({ Title: courseId }));
  const zip = new Uint8Array(await readFile(await packCourse('phishing')));
  return (await put(`/course/${courseId}/package`, 'application/zip', zip)).status;
}

test('if an import is killed before its release is recorded, its folder is kept, and reported after a day', async () => {
  const home = await databaseSettings();
  const packages = join(home.DATA_DIR, 'packages');
  const first = await startProcess(home);
  assert.equal(await importCourse(first.baseUrl, 'whole'), 201);
  await stopProcess(first);
  const [used = ''] = await readdir(packages);
  const doomed = await startProcess({ ...home, ...injected('die after rename') });
  await assert.rejects(importCourse(doomed.baseUrl, 'killed'));
  assert.deepEqual(await doomed.exited, { code: null, signal: 'SIGKILL' });
  const unused = (await readdir(packages)).filter((name) => name !== used);
  assert.equal(unused.length, 1);
  const folder = join(packages, unused[0] ?? '');

  const ctx = await openContext(readConfig({ ...home, LOG_LEVEL: 'silent' }), openLog('silent'));
  try {
    assert.deepEqual(await findUnusedFolders(ctx), [], 'it could belong to an import in progress');
    const old = new Date(Date.now() - 25 * 3_600_000);
    for (const path of [folder, join(packages, used)]) await utimes(path, old, old);
    assert.deepEqual(await findUnusedFolders(ctx), [folder]);
    assert.deepEqual(await findDamage(ctx), []);
    assert.ok((await stat(folder)).isDirectory());
  } finally {
    await ctx.engine.close();
  }
});
