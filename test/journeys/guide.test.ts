import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, openConsole } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(async () => {
  await service.close();
});

test("An error's link leads to its advice, on a page that is accessible in light and dark", async () => {
  const page = await openConsole(service, '/docs/errors#user_exists');
  await page.getByRole('heading', { name: 'user_exists' }).waitFor();
  assert.ok(page.url().endsWith('/docs/guide/reference/errors#user_exists'));
  await expectAccessible(page);
  await closeConsole(page);
});

test('The guide works on phones and desktops: menu, next page, copy button, no overflow', async () => {
  const page = await openConsole(service, '/docs/guide');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText('Menu', { exact: true }).click();
  await page.getByRole('link', { name: 'Quick start', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Quick start', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Copy' }).first().waitFor();
  await expectAccessible(page);
  const wider = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(await wider(), 0);
  await page.getByRole('link', { name: 'Next Concepts' }).click();
  await page.setViewportSize({ width: 1280, height: 860 });
  const menu = page.getByRole('navigation', { name: 'Guide' });
  await menu.getByRole('link', { name: 'Webhooks and events' }).click();
  await page.getByRole('heading', { name: 'Webhooks and events', level: 1 }).waitFor();
  await expectAccessible(page);
  assert.equal(await wider(), 0);
  await closeConsole(page);
});
