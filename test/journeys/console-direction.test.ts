import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { closeConsole, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { fill } from '../../server/test/support/filled-tenant.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { type Receiver, startReceiver } from '../../server/test/support/webhooks.ts';

let service: TestService;
let receiver: Receiver;
let tenant: TestTenant;
let names: Record<string, string>;

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  receiver = await startReceiver();
  tenant = await newTenant(service, { Name: 'Acme' });
  names = await fill(service, receiver.url, tenant);
});

after(async () => {
  await service?.close();
  await receiver?.kill();
});

/** The console as it would appear in Arabic or Hebrew, on a phone. */
async function openFromRight(): Promise<Page> {
  const page = await newConsolePage({ width: 390, height: 844 });
  await page.addInitScript(() => {
    document.addEventListener('readystatechange', () => document.documentElement.setAttribute('dir', 'rtl'));
  });
  return page;
}

const overflowing = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

async function checkPage(page: Page, path: string): Promise<void> {
  await page.goto(service.baseUrl + path);
  await page.getByRole('heading').first().waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await overflowing(page), 0, path);
}

test('In a right-to-left layout the console is mirrored, and the test would detect overflow', async () => {
  const page = await openFromRight();
  await checkPage(page, '/console');
  const brand = await page.locator('header .brand').boundingBox();
  assert.ok(brand && brand.x > 195, JSON.stringify(brand));
  await page.evaluate(() => {
    const wide = document.createElement('div');
    wide.textContent = 'wide';
    wide.style.inlineSize = '500px';
    document.getElementById('main')?.append(wide);
  });
  assert.ok((await overflowing(page)) > 0);
  await closeConsole(page);
});

test('In a right-to-left layout no page of the console overflows on a phone', async () => {
  const { LoginID = '', CourseID = '', EnrollID = '', WebhookID = '' } = names;
  const [login, course] = [LoginID, CourseID].map(encodeURIComponent);
  const page = await openFromRight();
  await signInAs(page, service, 'operator');
  for (const path of [
    '',
    '/courses',
    `/courses/${course}`,
    `/courses/${course}?part=releases`,
    `/courses/${course}?part=details`,
    '/tenants',
    `/tenants/${tenant.TenantID}`,
  ])
    await checkPage(page, `/console${path}`);
  for (const path of [
    '',
    '/enrolments',
    `/enrolments/${login}/${EnrollID}`,
    '/users',
    `/users/${login}`,
    '/keys',
    '/bulk',
    '/events',
    '/webhooks',
    `/webhooks/${WebhookID}`,
    '/api-keys',
  ])
    await checkPage(page, `/console${path}?tenant=${tenant.TenantID}`);
  await checkPage(page, '/docs');
  await page.goto(`${service.baseUrl}/console`);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await page.getByRole('link', { name: 'Tenants and keys' }).waitFor();
  assert.equal(await overflowing(page), 0, 'the menu');
  await closeConsole(page);
});

test('A learner sees their courses in a right-to-left layout', async () => {
  const page = await openFromRight();
  await signInAs(page, service, { tenant, LoginID: names.LoginID ?? '' });
  await checkPage(page, '/console');
  await page.getByRole('link', { name: 'Continue' }).waitFor();
  await closeConsole(page);
});
