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

const cases: LastMoment[] = [
  { event: 'unload', ending: 'close', framed: false, bytes: 200_000 },
  { event: 'unload', ending: 'close', framed: true, bytes: 200_000 },
  { event: 'unload', ending: 'close', framed: true, bytes: 20_000, isWithoutWorkers: true },
];

for (const [event, ending] of [
  ['unload', 'exit'],
  ['onunload', 'close'],
] as const)
  test(`results reported in ${event} arrive although the framing page forbids the event: ${ending}`, async () => {
    const tried = { event, ending, framed: true, bytes: 1_000, policy: 'unload=()' };
    assert.ok(await arrives({ service, client, browser }, tried));
  });

for (const tried of cases) {
  const { event, ending, framed, bytes, isWithoutWorkers } = tried;
  const where = framed ? 'framed by another site' : 'in its own tab';
  const how = isWithoutWorkers ? ', as a beacon' : '';
  test(`${bytes} bytes reported in ${event} arrive${how}: ${ending}, ${where}`, async () => {
    assert.ok(await arrives({ service, client, browser }, tried));
  });
}
