import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount } from '../../server/test/support/browser.ts';
import { openConsole } from '../../server/test/support/console.ts';
import { printedLink, type Running } from '../../server/test/support/process.ts';
import { packCourse } from './course-packages.ts';

// The operator's steps from the first start to a tenant with a published course.

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

export const goTo = (page: Page, place: string) =>
  page.getByRole('navigation').getByRole('link', { name: place, exact: true }).click();

/** Drops the file on the page, as from a folder on the desktop. */
async function drop(page: Page, path: string, name: string): Promise<void> {
  const bytes = await readFile(path, 'base64');
  const dataTransfer = await page.evaluateHandle(
    ({ bytes, name }) => {
      const dropped = new DataTransfer();
      const content = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
      dropped.items.add(new File([content], name, { type: 'application/zip' }));
      return dropped;
    },
    { bytes, name },
  );
  await page.locator('.mantine-Dropzone-root').first().dispatchEvent('drop', { dataTransfer });
}

/** Signs in with the link that the first start printed. */
export async function signInOperator(service: Running): Promise<Page> {
  const { url = '' } = printedLink.exec(service.stdout())?.groups ?? {};
  const page = await openConsole(service);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, 'Overview');
  return page;
}

export async function importCourse(page: Page): Promise<void> {
  const steps = page.getByRole('region', { name: 'First steps' });
  await expectCount(steps.getByRole('listitem'), 5);
  await expectAccessible(page);
  await steps.getByRole('link', { name: 'Go to courses' }).click();
  await drop(page, await packCourse('phishing'), 'Spot the phish.zip');
  const one = page.getByRole('region', { name: 'Spot the phish.zip' });
  assert.equal(await one.getByLabel('CourseID').inputValue(), 'spot-the-phish');
  await page.getByRole('button', { name: 'Import file' }).click();
  await one.getByText('The course is a draft with an enrolment option').waitFor();
}

/** Publishes the imported course with the option that the import suggested. */
export async function publish(page: Page): Promise<void> {
  const one = page.getByRole('region', { name: 'Spot the phish.zip' });
  await page.getByRole('button', { name: 'Publish 1 course' }).click();
  await one.getByText('Published', { exact: true }).waitFor();
  await one.getByRole('link', { name: 'Open course' }).click();
  await page.getByRole('row', { name: /1-year/ }).waitFor();
  await page.getByText('Published', { exact: true }).first().waitFor();
}

/** Creates the tenant and its key. Returns the example call that the console suggests. */
export async function createTenant(page: Page): Promise<{ address: string; secret: string }> {
  const dialog = page.getByRole('dialog');
  await goTo(page, 'Overview');
  await page.getByRole('link', { name: 'Create tenant' }).click();
  await page.getByRole('button', { name: 'Create tenant' }).first().click();
  await dialog.getByRole('textbox', { name: 'TenantID' }).fill('acme');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Acme');
  await dialog.getByRole('button', { name: 'Create tenant' }).click();
  await heading(page, 'Acme');
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await dialog.getByRole('button', { name: 'Select all' }).click();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const line = await page.locator('pre').innerText();
  const [, address = '', secret = ''] = /^curl '(\S+)' -H 'Authorization: Bearer (\S+)'$/.exec(line) ?? [];
  await page.getByRole('button', { name: 'I have copied the secret' }).click();
  await page.getByRole('row', { name: /Shop Everything/ }).waitFor();
  return { address, secret };
}

/** Creates a user in the list of users, and ends on the user's page. */
export async function createUser(
  page: Page,
  { LoginID, FirstName, LastName, isAdmin = false }: Person,
): Promise<void> {
  const dialog = page.getByRole('dialog');
  await goTo(page, 'People');
  await page.getByRole('button', { name: 'Create user' }).first().click();
  await dialog.getByRole('textbox', { name: 'LoginID' }).fill(LoginID);
  await dialog.getByRole('textbox', { name: 'First name' }).fill(FirstName);
  await dialog.getByRole('textbox', { name: 'Last name' }).fill(LastName);
  if (isAdmin) await dialog.getByRole('switch', { name: 'Administrator' }).click();
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await heading(page, `${FirstName} ${LastName}`);
}

type Person = { LoginID: string; FirstName: string; LastName: string; isAdmin?: boolean };

/** On a user's page: enrols the user in the course. */
export async function enrol(page: Page, search: string, title: string): Promise<void> {
  await page.getByRole('main').getByRole('link', { name: 'Enrol' }).first().click();
  await page.getByRole('combobox', { name: 'Courses' }).fill(search);
  await page.getByRole('option', { name: title }).click();
  await page.getByRole('button', { name: 'Enrol', exact: true }).click();
  await page.getByRole('heading', { name: 'can start' }).waitFor();
}

/** On a user's page: creates an invitation. Returns the link, as the dialog shows it. */
export async function invite(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Invite or reset password' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByRole('dialog').locator('code').innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  return link;
}

/** The invited person opens the link and sets a password. */
export async function acceptInvitation(page: Page, link: string, password: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
}
