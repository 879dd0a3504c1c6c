import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { packOwnWindow } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.importPackage('own-window', await packOwnWindow());
});

after(() => service?.close());

test('a cmi5 unit opens in its own window, from which it cannot navigate the player', async () => {
  const { LaunchURL } = await service.enrol('own-window');
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(LaunchURL);
  const button = page.getByRole('button', { name: 'Open window' });
  const [unit] = await Promise.all([context.waitForEvent('page'), button.click()]);
  await unit.getByRole('heading', { name: 'A window of its own' }).waitFor();
  assert.match(unit.url(), /[?&]endpoint=/);
  assert.equal(await unit.evaluate(() => window.opener), null);

  // The player notices when the window is closed.
  assert.equal(await page.locator('#notice').isVisible(), false);
  await unit.close();
  await page.locator('#notice').waitFor();
  await context.close();
});
