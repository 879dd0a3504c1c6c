import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { slowdown } from '../../../../test/support/honest-client.ts';
import { packFiles } from '../../../../test/support/packages.ts';
import { play } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';

const service = await startService();
after(service.close);

const files = 10_000;

/** Measures the longest event-loop turn in CPU time, which other processes do not affect. */
function watchTurns() {
  let longest = 0;
  let isOn = true;
  let last = process.threadCpuUsage();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  const stop = () => {
    isOn = false;
    return longest;
  };
  return { stop };
}

/**
 * Imports a course with 10,000 files whose paths have 1,000 characters, the maximum for imports.
 */
async function largeCourse(course: string) {
  await service.importPackage(course, await packFiles({ 'index.html': 'x' }));
  const { rows } = await sql<{ release_id: string }>`
    select release_id from release where course_id = ${course}`.execute(service.ctx.db);
  const folder = service.ctx.files.folder(rows[0]?.release_id ?? '');
  const deep = join(folder, ...Array.from({ length: 3 }, () => 'd'.repeat(250)));
  mkdirSync(deep, { recursive: true });
  for (let n = 0; n < files; n++) writeFileSync(join(deep, String(n).padStart(5, '0') + 'F'.repeat(240)), '');
  const { file } = await play(service, (await service.enrol(course)).LaunchURL);
  return { folder, file };
}

test('reading the file names of courses with 10,000 files delays no other request, and the courses do not evict each other', async () => {
  const [one, other] = [await largeCourse('one'), await largeCourse('other')];
  const turns = watchTurns();
  assert.deepEqual(
    (await Promise.all([one.file('none'), other.file('none'), one.file('none')])).map(({ status }) => status),
    [404, 404, 404],
  );
  const longest = turns.stop() / slowdown();
  assert.ok(longest < 150, `one event-loop turn took ${longest} ms`);
  for (const { folder, file } of [one, other]) {
    const last = `${`${'D'.repeat(250)}/`.repeat(3)}09999${'f'.repeat(240)}`;
    assert.equal((await file(last)).status, 200);
    writeFileSync(join(folder, 'Later.txt'), '');
    assert.equal((await file('later.txt')).status, 404, 'the folder is not read again');
  }
});
