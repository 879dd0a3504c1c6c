import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { calls, observed, serve } from '../../../test/support/nodes.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { newCourse } from '../../../test/support/tenant.ts';

const service = await startService();
const written: number[] = [];
const node = await serve(
  observed(service.ctx, (statement) => {
    const { values } = statement;
    if (calls(statement, 'write_progress')) written.push(`${values[1]}${values[3]}`.length);
  }),
);
after(async () => {
  await node.close();
  await service.close();
});

test('concurrent large commits are written in batches of 1 MiB', async () => {
  const course = await newCourse(service);
  const Data = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`cmi.interactions.${n}.id`, 'x'.repeat(60_000)]),
  );
  const sessions = [];
  for (let learner = 0; learner < 12; learner++)
    sessions.push((await play(service, (await service.enrol(course)).LaunchURL)).session);
  const responses = await Promise.all(
    sessions.map(({ Session, Tree }) =>
      node.content.inject({
        method: 'POST',
        url: `/play/${Session}/commit`,
        payload: { Number: 1, UnitID: Tree.Units[0]?.UnitID, Data },
      }),
    ),
  );
  assert.deepEqual(new Set(responses.map(({ statusCode }) => statusCode)), new Set([200]));
  assert.ok(Math.max(...written) < 1.1 * 1024 ** 2, `bytes per statement: ${written}`);
  assert.ok(written.length < 12, 'commits still share statements');
});
