import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

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
  const input = dialog.getByRole('combobox', { name: 'People, courses, enrolments, keys and pages' });
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

test('The search finds the enrolments of several people, an EnrollID, enrolment keys and API keys', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const CourseID = await newCourse(service, { Title: 'Fire safety' });
  const enrolled = new Map<string, { LoginID: string; EnrollID: string }>();
  for (const FirstName of ['Kim', 'Kira']) {
    const login = await tenant.user({ FirstName, LastName: 'Berg' });
    const { body } = await tenant.api('POST', `/enrol/${login}/${CourseID}`);
    enrolled.set(FirstName, body);
  }
  const keys = { CourseIDs: [CourseID], DurationIDs: ['standard'], Quantity: 3, PurchaseOrder: 'PO 2031/7' };
  const made = await tenant.api('POST', '/enrolment/key', keys);
  expectStatus(made, 201);
  const [{ Key, KeyStart }] = made.body.Items;
  const page = await consoleOf(service, { tenant, LoginID }, '/console/users');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(decodeURIComponent(request.url())));
  const dialog = page.getByRole('dialog', { name: 'Search' });
  const input = dialog.getByRole('combobox');
  const search = async (text: string) => {
    await page.keyboard.press('Control+K');
    await input.fill(text);
  };
  await search('berg ki');
  for (const name of ['Kim', 'Kira'])
    await dialog.getByRole('option', { name: `Fire safety ${name} Berg` }).waitFor();
  await expectAccessible(page, true);

  const { EnrollID = '' } = enrolled.get('Kira') ?? {};
  await input.fill(EnrollID);
  await dialog.getByRole('option', { name: 'Fire safety Kira Berg · Not started' }).click();
  await page.getByRole('heading', { level: 1, name: 'Fire safety' }).waitFor();
  assert.match(page.url(), new RegExp(`/${EnrollID}`));

  await search('PO 2031/7');
  await dialog.getByRole('option', { name: '3 enrolment keys with this purchase order' }).click();
  await page.getByText('3 rows', { exact: true }).waitFor();
  await page.getByRole('link', { name: `Key ${KeyStart}…` }).waitFor();

  sent.length = 0;
  await search(` ${Key.toLowerCase()} `);
  const found = dialog.getByRole('option', { name: `Key ${KeyStart}… Available · PO 2031/7` });
  await found.waitFor();
  assert.equal(await dialog.getByRole('option').count(), 1);
  await found.click();
  await page.getByRole('dialog', { name: `Key ${KeyStart}…` }).waitFor();
  assert.ok(!page.url().includes(Key), 'The page’s URL does not contain the key.');
  const withKey = sent.filter((url) => url.toUpperCase().includes(Key));
  assert.deepEqual(
    withKey.filter((url) => !url.includes('/enrolment/key/')),
    [],
    'No other call receives the key.',
  );
  await page.keyboard.press('Escape');

  await search('test');
  await dialog.getByRole('option', { name: 'test', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  // A word of 20 letters is not a key.
  await search('internationalisations');
  await dialog.getByText('No results').first().waitFor();
  await input.fill('internationalisation');
  await dialog.getByText('No results').first().waitFor();
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
