import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { arrives, openStage } from './last-moment.ts';

/** How often to try each case. What a browser sends while it closes a page may depend on chance. */
const tries = Number(process.env.CLOSING_TRIES ?? 1);
const sizes = (process.env.CLOSING_SIZES ?? '1000,20000,33000,50000,60000,100000,200000').split(',');

let stage: Awaited<ReturnType<typeof openStage>>;

before(async () => {
  stage = await openStage();
});

after(() => stage?.close());

for (const framed of [true, false])
  for (const ending of ['close', 'navigate'] as const)
    for (const event of ['unload', 'pagehide', 'visibilitychange'] as const)
      for (const bytes of sizes.map(Number)) {
        const where = framed ? 'framed by another site' : 'in its own tab';
        test(`${bytes} bytes reported in ${event} arrive: ${ending}, ${where}`, async () => {
          let arrived = 0;
          for (let n = 0; n < tries; n++) {
            if (await arrives(stage, { event, ending, framed, bytes })) arrived++;
          }
          assert.equal(arrived, tries);
        });
      }
