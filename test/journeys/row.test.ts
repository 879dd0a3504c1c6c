import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findings } from '../../server/test/support/axe.ts';
import { contentOf, newContext, openPage, waitForState } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { packRow, packWebPage } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.importPackage('row', await packRow());
  await service.importPackage('gap', await packRow({ withoutSecond: true }));
  await service.importPackage('page', await packWebPage());
});

after(() => service?.close());

test('Finishing a linear unit opens the next one, suspending a unit does not, and prerequisites lock units', async () => {
  const { LaunchURL, read } = await service.enrol('row');
  const page = await openPage(await newContext());
  const unit = (name: string) => page.locator('.unit').filter({ hasText: name });
  const current = page.locator('.unit[aria-current]');
  await page.goto(LaunchURL);
  await contentOf(page).getByText('ab-initio').waitFor();
  await page.locator('.unit[aria-disabled=true]').filter({ hasText: 'Part 3' }).waitFor();

  await contentOf(page).locator('#later').click();
  await page.locator('#notice').getByText('You have not completed this part yet').waitFor();
  await unit('Part 2').click();
  await current.filter({ hasText: 'Part 2' }).waitFor();
  await page.click('#previous-button');
  await contentOf(page).getByText('resume incomplete').waitFor();

  await contentOf(page).locator('#done').click();
  await current.filter({ hasText: 'Part 2' }).waitFor();
  await unit('Part 2').getByText('Completed').waitFor({ state: 'attached' });
  await page.click('#next-button');
  await current.filter({ hasText: 'Part 3' }).waitFor();
  await contentOf(page).locator('#done').click();
  await page.locator('#notice').getByText('You have finished. You can leave').waitFor();
  await page.locator('#notice-action').click();
  await page.getByText('You can close this window').waitFor();
  assert.equal((await read()).Status, 'completed');
  await page.context().close();
});

test('A locked part and a step that is not possible say why, on a phone and with the keyboard', async () => {
  const { LaunchURL } = await service.enrol('row');
  const page = await openPage(await newContext({ width: 390, height: 844, locale: 'de-DE' }));
  const reason = page.getByRole('status').filter({ hasText: /./ });
  const locked = page.locator('.unit[aria-disabled=true]').filter({ hasText: 'Part 3' });
  await page.goto(LaunchURL);
  await contentOf(page).getByText('ab-initio').waitFor();
  // Without `force`, Playwright waits until the button is enabled.
  await page.click('#previous-button', { force: true });
  await reason.getByText('Dies ist der erste Teil.').waitFor();
  assert.deepEqual(await findings(page), []);

  await contentOf(page).locator('#later').click();
  await page.locator('#notice').getByText('Sie haben diesen Teil noch nicht abgeschlossen.').waitFor();
  await page.click('#contents-button');
  await locked.click({ force: true });
  await reason.getByText('Schließen Sie zuerst die früheren Teile ab.').waitFor();
  assert.deepEqual(await findings(page, { isCovered: true }), []);
  assert.equal(await page.locator('#contents').isVisible(), true, 'the drawer stays open');
  await page.locator('.unit').filter({ hasText: 'Part 2' }).click();
  await contentOf(page).getByRole('heading', { name: 'Just to read' }).waitFor();
  assert.equal(
    await page.locator('#reason').textContent(),
    '',
    'the reason disappears when the learner moves on',
  );

  await page.locator('#next-button').focus();
  await page.keyboard.press('Enter');
  await reason.getByText('Schließen Sie zuerst die früheren Teile ab.').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'next-button');
  await page.context().close();
});

test('A missing page is reported, and its unit can be skipped', async () => {
  const { LaunchURL } = await service.enrol('gap');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await contentOf(page).locator('#done').click();
  await page.getByRole('heading', { name: '“Part 2” could not be opened' }).waitFor();
  await page.click('#next-button');
  await contentOf(page).getByRole('heading', { name: 'Part 3' }).waitFor();
  const missing = page.locator('.unit').filter({ hasText: 'Part 2' });
  await missing.getByText('Not started').waitFor();
  await page.context().close();
});

test('A web course is completed by the learner', async () => {
  const { LaunchURL, read } = await service.enrol('page');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await contentOf(page).getByRole('heading', { name: 'House rules' }).waitFor();
  assert.notEqual((await read()).Completion, 'completed');
  await page.getByRole('button', { name: 'Mark as complete' }).click();
  await waitForState(page, 'saved');
  await untilMatching(read, ({ Completion }) => Completion === 'completed');
  await page.context().close();
});
