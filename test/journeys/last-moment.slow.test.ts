import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startService } from '../../server/test/support/service.ts';
import { openClientSite } from './client-site.ts';
import { packSilent } from './course-packages.ts';
import { arrives, type LastMoment, launchUnchanged } from './last-moment.ts';

let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;
let browser: Browser;

before(async () => {
  service = await startService();
  client = await openClientSite();
  browser = await launchUnchanged();
  await service.importPackage('silent', await packSilent());
});

after(async () => {
  await browser?.close();
  await client?.close();
  await service?.close();
});

/** How often each case is tried. */
const tries = Number(process.env.TRIES ?? 1);

for (const framed of [false, true])
  for (const ending of ['close', 'navigate'] as const)
    for (const event of ['unload', 'pagehide', 'visibilitychange'] as const)
      test(`all results reported in ${event} arrive: ${ending}, ${framed ? 'framed by another site' : 'in its own tab'}`, async (t) => {
        const missing: string[] = [];
        for (const kB of [1, 20, 33, 50, 60, 100, 200]) {
          const tried: LastMoment = { event, ending, framed, bytes: kB * 1_000 };
          let arrived = 0;
          for (let n = 0; n < tries; n++) if (await arrives({ service, client, browser }, tried)) arrived++;
          t.diagnostic(`${kB} kB: ${arrived} of ${tries}`);
          if (arrived < tries) missing.push(`${kB} kB: ${arrived} of ${tries}`);
        }
        assert.deepEqual(missing, []);
      });
