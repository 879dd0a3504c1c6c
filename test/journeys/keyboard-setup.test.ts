import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import type { TestService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';
import { packRow } from './course-packages.ts';
import { activate, choose, chooseFiles, reach, search, startWithCourse, type } from './keyboard.ts';

// Courses, keys, groups, reports and settings without a mouse.

let service: TestService;

before(async () => {
  service = await startWithCourse();
});

after(() => service?.close());

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first();

/** A tenant with two users in the group Sales, and its administrator. */
async function withSales() {
  const tenant = await newTenant(service, { Name: 'Acme' });
  for (const LoginID of ['ann', 'bo'])
    expectStatus(await tenant.api('POST', '/user', { LoginID, GroupName: 'Sales' }), 201);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

test('A course is created from a URL, and gets an enrolment option', async () => {
  const page = await consoleOf(service, 'operator', '/console/courses');
  const dialog = page.getByRole('dialog');
  await activate(page, button(page, 'Add web course by URL'), dialog);
  await type(page, dialog.getByRole('textbox', { name: 'Title' }), 'House rules');
  await type(page, dialog.getByRole('textbox', { name: 'URL' }), 'https://web.example/rules');
  await activate(page, dialog.getByRole('button', { name: 'Create draft' }), heading(page, 'House rules'));
  await dialog.waitFor({ state: 'detached' });
  await activate(page, button(page, 'Add option').first(), dialog);
  await type(page, dialog.getByRole('textbox', { name: 'DurationID' }), '30-days');
  const added = page.getByRole('row', { name: /30-days/ });
  await activate(page, dialog.getByRole('button', { name: 'Add option' }), added);
  const { EnrolOptions } = (await service.api('GET', '/course/house-rules')).body;
  assert.deepEqual(
    EnrolOptions.map(({ Duration }: { Duration: string }) => Duration),
    ['P30D'],
  );
  await closeConsole(page);
});

test('A package is imported, and published with its course', async () => {
  const page = await consoleOf(service, 'operator', '/console/courses');
  const chooser = await chooseFiles(page, button(page, 'Choose files'));
  const buffer = await readFile(await packRow());
  await chooser.setFiles({ name: 'row.zip', mimeType: 'application/zip', buffer });
  const open = page.getByRole('link', { name: 'Open course' });
  await activate(page, button(page, 'Import file'), open);
  await activate(page, open, heading(page, 'Three in a row'));
  const dialog = page.getByRole('dialog');
  await activate(page, button(page, 'Publish'), dialog);
  await activate(page, dialog.getByRole('button', { name: 'Publish' }), page.getByText('Published').first());
  // The arrow keys select another tab.
  await reach(page, page.getByRole('tab', { selected: true }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByText('Part 3', { exact: true }).first().waitFor();
  assert.equal((await service.api('GET', '/course/row')).body.Status, 'published');
  await closeConsole(page);
});

test('A group is enrolled, the end of an enrolment is changed, and its events are read', async () => {
  const { tenant, who } = await withSales();
  const page = await consoleOf(service, who, '/console/enrol?from=group');
  const dialog = page.getByRole('dialog');
  await search(page, page.getByRole('combobox', { name: 'Group' }), 'Sal', 'Sales');
  await search(page, page.getByRole('combobox', { name: 'Courses' }), 'ladd', 'Working on ladders');
  await page.keyboard.press('Escape');
  const apply = button(page, 'Apply to 2 rows');
  await activate(page, button(page, 'Show the plan'), apply);
  await activate(page, apply, page.getByRole('heading', { name: /^Finished/ }));
  const [enrolment] = (await tenant.api('GET', '/enrolment/ann')).body.Items;

  await activate(
    page,
    page.getByRole('link', { name: 'Enrolments', exact: true }).first(),
    heading(page, 'Enrolments'),
  );
  await activate(page, page.getByRole('link', { name: 'ann', exact: true }), heading(page, /ann can start/));
  await activate(page, button(page, 'Change access'), dialog);
  await reach(page, dialog.getByRole('radio', { checked: true }));
  for (let step = 0; step < 2; step++) await page.keyboard.press('ArrowDown');
  await dialog.getByRole('radio', { name: 'Access never ends', checked: true }).waitFor();
  await activate(
    page,
    dialog.getByRole('button', { name: 'Remove end date' }),
    page.getByText('Changed', { exact: true }),
  );
  const changed = await tenant.api('GET', `/enrolment/ann/${enrolment.EnrollID}`);
  assert.equal(changed.body.ExpiresAt, null);

  await activate(page, page.getByRole('link', { name: 'Log', exact: true }), heading(page, 'Events'));
  const show = button(page, 'Show').first();
  await activate(page, show, dialog);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.waitForFunction((one) => one === document.activeElement, await show.elementHandle());
  await closeConsole(page);
});

test('Enrolment keys are created, and one is opened and revoked', async () => {
  const { tenant, who } = await withSales();
  const page = await consoleOf(service, who, '/console/keys');
  const dialog = page.getByRole('dialog');
  await activate(page, button(page, 'Create keys').first(), dialog);
  await search(page, dialog.getByRole('combobox', { name: 'Course' }), 'ladd', 'Working on ladders');
  const saved = button(page, 'I have saved the key');
  await activate(page, dialog.getByRole('button', { name: 'Create 1 key' }), saved);
  const key = page.getByRole('link', { name: /^Key / });
  await activate(page, saved, key);
  const drawer = page.getByRole('dialog', { name: /^Key / });
  await activate(page, key, drawer);
  const confirmation = page.getByRole('dialog', { name: /^Revoke key/ });
  await activate(page, drawer.getByRole('button', { name: 'Revoke' }), confirmation);
  await activate(
    page,
    confirmation.getByRole('button', { name: 'Revoke' }),
    drawer.getByText('Create a new one'),
  );
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  const { Items } = (await tenant.api('GET', '/enrolment/key')).body;
  assert.deepEqual(
    Items.map(({ Status }: { Status: string }) => Status),
    ['revoked'],
  );
  await closeConsole(page);
});

test('A report is scheduled and paused, and the search opens another page', async () => {
  const { tenant, who } = await withSales();
  const page = await consoleOf(service, who, '/console/reports');
  const dialog = page.getByRole('dialog');
  const add = button(page, 'Schedule report');
  await activate(page, page.getByRole('link', { name: 'Scheduled' }), add);
  await activate(page, add, dialog);
  await type(page, dialog.getByRole('textbox', { name: 'Name' }), 'Monday report');
  // The arrow keys move between the options.
  await reach(page, dialog.getByRole('radio', { name: 'By email' }));
  await page.keyboard.press('ArrowDown');
  await dialog.getByRole('radio', { name: 'By webhook', checked: true }).waitFor();
  const row = page.getByRole('row', { name: /Monday report/ });
  await activate(page, dialog.getByRole('button', { name: 'Schedule report' }), row);
  await choose(page, button(page, 'Actions for Monday report'), 'Pause', row.getByText('Paused'));
  const [schedule] = (await tenant.api('GET', '/report/schedule')).body.Items;
  assert.deepEqual([schedule.Delivery, schedule.Status], ['webhook', 'paused']);

  await page.keyboard.press('Control+K');
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  await page.keyboard.type('brand');
  await page.getByRole('option', { name: 'Branding' }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Branding').waitFor();
  await closeConsole(page);
});

test('The branding, the language and the colours are changed', async () => {
  const { tenant, who } = await withSales();
  const page = await consoleOf(service, who, '/console/branding');
  const colour = page.getByRole('textbox', { name: 'Colour', exact: true });
  await type(page, colour, '#0057b8');
  await activate(page, button(page, 'Save'), page.getByText('Branding saved'));
  assert.equal((await tenant.api('GET', '/branding')).body.Colour, '#0057b8');
  const dark = page.locator('html[data-mantine-color-scheme=dark]');
  await choose(page, button(page, 'Ada Admin'), 'Dark', dark);
  await choose(page, button(page, 'Ada Admin'), 'Deutsch', heading(page, 'Erscheinungsbild'));
  await closeConsole(page);
});

test('The operator changes the settings of a tenant, and switches to it', async () => {
  const { tenant } = await withSales();
  const page = await consoleOf(service, 'operator', `/console/tenants/${tenant.TenantID}`);
  const dialog = page.getByRole('dialog');
  await activate(page, button(page, 'Edit'), dialog);
  const name = dialog.getByRole('textbox', { name: 'Name', exact: true });
  await reach(page, name);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Zebra Ltd');
  await activate(page, dialog.getByRole('button', { name: 'Save' }), heading(page, 'Zebra Ltd'));
  assert.equal((await service.api('GET', `/tenant/${tenant.TenantID}`)).body.Name, 'Zebra Ltd');
  await dialog.waitFor({ state: 'detached' });
  const field = page.getByLabel('Tenant', { exact: true });
  await search(page, field, 'zebra', 'Zebra Ltd');
  await page.waitForURL(new RegExp(`tenant=${tenant.TenantID}`));
  await closeConsole(page);
});
