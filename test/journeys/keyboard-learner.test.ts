import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contentOf, waitForState } from '../../server/test/support/browser.ts';
import { closeConsole, newConsolePage } from '../../server/test/support/console.ts';
import { hashOf } from '../../server/test/support/passkeys.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';
import { packRow } from './course-packages.ts';
import { activate, reach, type } from './keyboard.ts';

// A learner without a mouse: from the sign-in page to the end of a course.

let service: Awaited<ReturnType<typeof startService>>;
const password = 'correct horse battery';

before(async () => {
  service = await startService();
  await service.importPackage('row', await packRow());
  expectStatus(await service.api('PUT', '/course/row', { Status: 'published' }), 200);
  expectStatus(await service.api('PUT', '/course/row/option/standard', {}), 201);
});

after(() => service?.close());

test('A learner signs in, redeems a key, takes the course in the player, and returns to the console', async () => {
  const tenant = await newTenant(service, { Name: 'Acme Ltd' });
  const LoginID = await tenant.user({ FirstName: 'Lee', LastName: 'Learner' });
  const set = await tenant.api('PUT', `/user/password/${LoginID}`, { Password: hashOf(password) });
  expectStatus(set, 204);
  const keys = { CourseIDs: ['row'], DurationIDs: ['standard'] };
  const [{ Key }] = (await tenant.api('POST', '/enrolment/key', keys)).body.Items;

  const page = await newConsolePage();
  await page.goto(`${service.baseUrl}/console`);
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 });
  await type(page, page.getByRole('textbox', { name: 'Organisation' }), 'acme ltd');
  await type(page, page.getByRole('textbox', { name: 'Login name' }), LoginID);
  await type(page, page.getByLabel('Password', { exact: true }), password);
  await page.keyboard.press('Enter');
  await heading('My courses').waitFor();

  await activate(page, page.getByRole('link', { name: 'Redeem a key' }), heading('Redeem a key'));
  await type(page, page.getByRole('textbox', { name: 'Enrolment key' }), Key.toLowerCase());
  await page.keyboard.press('Enter');
  const redeem = page.getByRole('button', { name: 'Redeem key' });
  await redeem.waitFor();
  await activate(page, redeem, heading('My courses'));

  await reach(page, page.getByRole('link', { name: 'Start' }));
  await page.keyboard.press('Enter');
  await contentOf(page).locator('#done').waitFor();
  const unit = page.locator('.unit[aria-current]');
  const first = await unit.innerText();
  await reach(page, page.locator('#skip'));
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'IFRAME');
  const done = contentOf(page).locator('#done:focus');
  for (let tabs = 0; tabs < 10 && (await done.count()) === 0; tabs++) await page.keyboard.press('Tab');
  assert.equal(await done.count(), 1);
  await page.keyboard.press('Enter');
  // The next part opens automatically.
  await page.waitForFunction(
    (before) => (document.querySelector('.unit[aria-current]') as HTMLElement).innerText !== before,
    first,
  );
  await contentOf(page).locator('#done').waitFor();
  await waitForState(page, 'saved');
  await reach(page, page.locator('#exit-button'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await heading('My courses').waitFor();
  const [enrolment] = (await tenant.api('GET', `/enrolment/${LoginID}`)).body.Items;
  assert.notEqual(enrolment.Status, 'enrolled');
  await closeConsole(page);
});
