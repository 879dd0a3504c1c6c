import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { contentOf, expectCount, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { openClientSite } from './client-site.ts';

/** Third-party packages may be in a folder next to the checkout. They are not part of the project. */
const folder = join(import.meta.dirname, '../../../shared/packages');
const options = { skip: !existsSync(folder) && 'there are no packages here' };
let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;

before(async () => {
  if (options.skip) return;
  service = await startService();
  client = await openClientSite();
});

after(async () => {
  await client?.close();
  await service?.close();
});

async function launch(name: string): Promise<{ page: Page; url: string; read: () => ReturnType<Read> }> {
  await service.importPackage(name, join(folder, `${name}.zip`));
  const { LaunchURL, read } = await service.enrol(name);
  const page = await openPage(await newContext());
  // One package loads a library from a public address for its notes. The rest of the package works without
  // the library.
  await page.route(/ajax\.googleapis\.com/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'window.$ = () => new Proxy(() => "", { get: () => () => "" });',
    }),
  );
  const url = `${LaunchURL}&returnURL=${client.returnURL}`;
  await page.goto(url);
  return { page, url, read };
}
type Read = Awaited<ReturnType<typeof service.enrol>>['read'];

async function exit(page: Page): Promise<void> {
  await page.click('#exit-button');
  await page.waitForURL(client.returnURL);
}

/** Waits for a page inside the course's own frame. */
const inside = (page: Page, name: string) =>
  untilMatching(
    () => page.frames().at(-1)?.url() ?? '',
    (url) => url.endsWith(name),
  );

for (const name of ['golf-scorm12-runtime-basic', 'golf-scorm2004-3rd-runtime-basic']) {
  test(`${name}: the learner sets a bookmark, completes the course and returns`, options, async () => {
    const { page, url, read } = await launch(name);
    const next = contentOf(page).locator('#butNext');
    await next.click();
    await next.click();
    await inside(page, '/Playing/Scoring.html');
    await exit(page);
    assert.equal((await read()).Status, 'in_progress');

    await page.goto(url);
    await inside(page, '/Playing/Scoring.html');
    while (await next.isEnabled()) await next.click();
    await contentOf(page).locator('#butExit').click();
    // SCORM 2004 content asks to leave the course itself; SCORM 1.2 content cannot.
    if (name.includes('2004')) await page.waitForURL(client.returnURL);
    else await exit(page);
    assert.equal((await read()).Completion, 'completed');
    await page.context().close();
  });
}

test('golf-scorm12-one-file-per-sco: every opened page counts', options, async () => {
  const { page, read } = await launch('golf-scorm12-one-file-per-sco');
  const step = page.locator('#step');
  for (let at = 1; at < 18; at++) {
    await step.filter({ hasText: `${at} of 18` }).waitFor();
    await page.click('#next-button');
  }
  await step.filter({ hasText: '18 of 18' }).waitFor();
  await exit(page);
  assert.equal((await read()).Status, 'completed');
  await page.context().close();
});

for (const name of ['golf-scorm2004-3rd-forced-sequential', 'golf-scorm2004-4th-post-test-rollup']) {
  test(`${name}: the order is enforced, and the position is kept`, options, async () => {
    const { page, url, read } = await launch(name);
    const current = page.locator('.unit[aria-current]');
    const next = contentOf(page).locator('#butNext');
    await next.waitFor();
    await expectCount(page.locator('.unit[aria-disabled="true"]'), 4);
    while (await next.isEnabled()) await next.click();
    await page.locator('#next-button[aria-disabled=false]').click();
    await current.filter({ hasText: 'Etiquette' }).waitFor();
    await next.click();
    await exit(page);
    assert.equal((await read()).Completion, 'incomplete');

    await page.goto(url);
    await current.filter({ hasText: 'Etiquette' }).waitFor();
    await page.locator('.unit[aria-disabled=false]').filter({ hasText: 'Playing the Game' }).waitFor();
    await page.context().close();
  });
}
