import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contentOf, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { openClientSite } from './client-site.ts';
import { packAicc } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;

before(async () => {
  service = await startService();
  client = await openClientSite();
  await service.importPackage('aicc', await packAicc());
});

after(async () => {
  await client?.close();
  await service?.close();
});

test('AICC: the learner leaves, continues at the bookmark, passes and returns', async () => {
  const { LaunchURL, read } = await service.enrol('aicc');
  const page = await openPage(await newContext());
  const url = `${LaunchURL}&returnURL=${client.returnURL}`;
  const content = contentOf(page);
  const was = (text: string) => content.locator('#was', { hasText: text }).waitFor();
  const saved = () => content.locator('#said', { hasText: 'saved' }).waitFor();
  const exit = async () => {
    await page.click('#exit-button');
    await page.waitForURL(client.returnURL);
  };

  await page.goto(url);
  await was('Not attempted,Ab-initio');
  await content.locator('#later').click();
  await saved();
  await exit();
  const begun = await read();
  assert.deepEqual([begun.Status, begun.Completion, begun.TotalSeconds], ['in_progress', 'incomplete', 20]);

  await page.goto(url);
  await was('Incomplete,Resume | page 2 | [1,2]');
  await content.locator('#done').click();
  await saved();
  await page.locator('#next-button[aria-disabled=false]').click();
  await content.locator('h1', { hasText: 'Carrying' }).waitFor();
  await was('Not attempted,Ab-initio');
  await content.locator('#done').click();
  await saved();
  await exit();
  const { Status, Completion, Success, Score, TotalSeconds } = await read();
  assert.deepEqual(
    [Status, Completion, Success, Score, TotalSeconds],
    ['completed', 'completed', 'passed', 90, 140],
  );
  await page.context().close();
});
