import assert from 'node:assert/strict';
import { rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { findDamage } from '../src/domain/catalogue/find-damage.ts';
import { play } from './support/player.ts';
import { startService } from './support/service.ts';

const service = await startService();
after(service.close);

test('intact files in damaged packages are served, missing files are rejected and logged, and nothing crashes', async () => {
  const { ctx } = service;
  for (const course of ['whole', 'gone', 'cut', 'less'])
    await service.importPackage(course, await packCourse('phishing'));
  assert.deepEqual(await findDamage(ctx), []);
  const rows = await ctx.db.selectFrom('release').select(['course_id', 'release_id']).execute();
  const folder = (course: string) =>
    ctx.files.folder(rows.find(({ course_id }) => course_id === course)?.release_id ?? '');
  const open = async (course: string) => play(service, (await service.enrol(course)).LaunchURL);
  const plays = {
    whole: await open('whole'),
    gone: await open('gone'),
    cut: await open('cut'),
    less: await open('less'),
  };

  await rename(folder('gone'), `${folder('gone')}.away`);
  await truncate(join(folder('cut'), 'scripts/course.js'), 100);
  await rm(join(folder('less'), 'scripts/course.js'));

  const answer = async (course: keyof typeof plays) => {
    const response = await plays[course].file('scripts/course.js');
    const text = await response.text();
    return { status: response.status, wait: response.headers.get('retry-after'), bytes: text.length };
  };
  assert.equal((await answer('whole')).status, 200);
  assert.deepEqual({ ...(await answer('gone')), bytes: 0 }, { status: 503, wait: '60', bytes: 0 });
  assert.deepEqual(await answer('cut'), { status: 200, wait: null, bytes: 100 });
  assert.equal((await answer('less')).status, 404);
  const damage = await findDamage(ctx);
  assert.deepEqual(damage.map(({ courseId }) => courseId).sort(), ['cut', 'gone', 'less']);
  assert.equal((await service.api('GET', '/health/ready', undefined)).status, 200);

  await rename(`${folder('gone')}.away`, folder('gone'));
  assert.equal(
    (await answer('gone')).status,
    200,
    'files are served again as soon as the folder is restored',
  );
  console.log('damaged packages: 3 of 3 found and named, 0 crashes, other courses still served');
});
