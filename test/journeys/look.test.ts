import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findings } from '../../server/test/support/axe.ts';
import { contentOf, newContext, openPage, press } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { packCourse, packRow } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.importPackage('row', await packRow());
  await service.importPackage('phishing', await packCourse('phishing'));
});

after(() => service?.close());

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 320]) {
    test(`The player is accessible, ${colorScheme}, ${width} px wide`, async () => {
      const { LaunchURL } = await service.enrol('row');
      const page = await openPage(await newContext({ width, height: 640 }));
      await page.emulateMedia({ colorScheme });
      await page.goto(LaunchURL);
      await contentOf(page).locator('#later').click();
      await page.locator('#notice').waitFor();
      assert.deepEqual(await findings(page), []);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px wider than the screen`);
      if (width === 320) {
        await page.click('#contents-button');
        await page.locator('#contents').waitFor();
        assert.deepEqual(await findings(page, { isCovered: true }), []);
        await page.keyboard.press('Escape');
        assert.equal(await page.evaluate(() => document.activeElement?.id), 'contents-button');
      }
      await page.click('#exit-button');
      await page.getByText('You can close this window').waitFor();
      assert.deepEqual(await findings(page), []);
      await page.context().close();
    });
  }
}

test('The keyboard reaches all controls in reading order, and the course in one step', async () => {
  const { LaunchURL } = await service.enrol('row');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await contentOf(page).locator('#done').waitFor();
  await page.locator('body').focus();
  const order: string[] = [];
  for (let step = 0; step < 7; step++) {
    await page.keyboard.press('Tab');
    order.push(await page.evaluate(() => document.activeElement?.id ?? ''));
  }
  const expected = [
    'skip',
    'contents-button',
    'screen-button',
    'previous-button',
    'next-button',
    'exit-button',
    'contents-close',
  ];
  assert.deepEqual(order, expected);
  await page.locator('#skip').focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'IFRAME');
  await page.context().close();
});

test('The course is shown on the whole screen and back, but phones have no button for it', async () => {
  const { LaunchURL } = await service.enrol('row');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await contentOf(page).locator('#done').waitFor();
  const button = page.getByRole('button', { name: 'Full screen' });
  for (const isFull of [true, false]) {
    await button.click();
    await page.locator(`#screen-button[aria-pressed="${isFull}"]`).waitFor();
    assert.equal(await page.evaluate(() => document.fullscreenElement !== null), isFull);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await button.waitFor({ state: 'hidden' });
  await page.context().close();
});

test('A course with one unit fills the page, without a contents list or navigation', async () => {
  const { LaunchURL } = await service.enrol('phishing');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await press(page, 'next');
  assert.equal(await page.locator('#contents').isVisible(), false);
  assert.equal(await page.locator('#steps').isVisible(), false);
  await page.context().close();
});
