import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newCourse, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let service: TestService;
let acme: TestTenant;
let administrator: string;
let ann: string;

before(async () => {
  service = await startService();
  acme = await newTenant(service, { Name: 'Acme Ltd' });
  administrator = await acme.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  ann = await acme.user({ FirstName: 'Änn', LastName: 'Árbor', Email: 'ann@acme.example' });
  const CourseID = await newCourse(service, { Title: 'Ladder safety' });
  await acme.api('POST', `/enrol/${ann}/${CourseID}`);
});

after(() => service?.close());

const phone = { width: 390, height: 844 };

test('Ctrl+K finds a person by words in any order, and the keyboard opens the results', async () => {
  const page = await consoleOf(service, { tenant: acme, LoginID: administrator }, '/console/users');
  const dialog = page.getByRole('dialog', { name: 'Search' });
  const input = dialog.getByRole('combobox', { name: 'People, courses, enrolments and pages' });
  /** Waits for the field before typing, as a person would. */
  const openSearch = async () => {
    await page.keyboard.press('Control+K');
    await input.waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  };
  await openSearch();
  await expectAccessible(page, true);
  await input.focus();
  await page.keyboard.type('arbor ann');
  const person = dialog.getByRole('option', { name: 'Änn Árbor' }).first();
  await person.waitFor();
  await dialog.getByRole('option', { name: 'Ladder safety' }).waitFor();
  await dialog.getByRole('status').getByText('2 results').waitFor({ state: 'attached' });
  await expectAccessible(page, true);
  const active = await input.getAttribute('aria-activedescendant');
  assert.equal(await person.getAttribute('id'), active, 'Enter opens the first result');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Ladder safety' }).waitFor();
  assert.match(page.url(), new RegExp(`/console/enrolments/${ann}/`));

  await openSearch();
  await page.keyboard.type('webh');
  await dialog.getByRole('status').getByText('1 result').waitFor({ state: 'attached' });
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();

  await openSearch();
  await page.keyboard.type('xyzzy');
  await dialog.getByText('No results').first().waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await closeConsole(page);
});

test('An operator finds tenants and pages', async () => {
  const page = await consoleOf(service, 'operator');
  await page.getByRole('button', { name: 'Search' }).click();
  const dialog = page.getByRole('dialog', { name: 'Search' });
  await dialog.getByRole('combobox').fill('acme');
  await dialog.getByRole('option', { name: 'Acme Ltd' }).click();
  await page.getByRole('heading', { level: 1, name: 'Acme Ltd' }).waitFor();
  await closeConsole(page);
});

test('On a phone, filters are behind a button, and the search fits', async () => {
  const page = await consoleOf(service, { tenant: acme, LoginID: administrator }, '/console/enrolments');
  await page.setViewportSize(phone);
  const status = page.getByLabel('Status', { exact: true });
  await page.getByRole('button', { name: 'Filters' }).waitFor();
  assert.equal(await status.isVisible(), false);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Filters' }).click();
  await status.selectOption('Completed');
  await page.getByRole('button', { name: 'Filters (1)' }).waitFor();
  await page.getByText('Nothing found').or(page.getByText('No enrolments')).first().waitFor();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('dialog').getByRole('combobox').fill('ann');
  await page.getByRole('option', { name: 'Änn Árbor' }).first().waitFor();
  await expectAccessible(page, true);
  await closeConsole(page);
});

test('Open invitations are listed, revoked and sent again', async () => {
  await acme.api('POST', '/invitation', { LoginID: ann });
  const page = await consoleOf(service, { tenant: acme, LoginID: administrator }, '/console/invitations');
  const row = page.getByRole('row', { name: /Änn Árbor/ });
  await row.getByText('Pending').waitFor();
  await expectAccessible(page);
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke invitation' }).click();
  await page.getByText('No invitations with this status').waitFor();
  await page.getByLabel('Status').selectOption('Revoked');
  await row.getByRole('button', { name: 'Invite again: Änn Árbor' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByText('You won’t be able to see it again.').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByLabel('Status').selectOption('Pending');
  await row.waitFor();
  const { body } = await acme.api('GET', '/invitation?Status=pending');
  assert.equal(body.Items.length, 1);
  await page.setViewportSize(phone);
  await expectAccessible(page);
  await closeConsole(page);
});
