import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closeBrowser, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { packWebPage } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.importPackage('page', await packWebPage());
});

after(async () => {
  await closeBrowser();
  await service?.close();
});

for (const [language, exit] of [
  ['fr', 'Quitter'],
  ['de-AT', 'Beenden'],
  ['ja', 'Exit'],
] as const)
  test(`the player of a course in ${language} says "${exit}"`, async () => {
    assert.equal((await service.api('PUT', '/course/page', { Language: language })).status, 200);
    const { body } = await service.api('POST', '/course/page/preview');
    const context = await newContext();
    const page = await openPage(context);
    await page.goto(body.PreviewURL);
    await page.getByRole('button', { name: exit, exact: true }).waitFor();
    await context.close();
  });
