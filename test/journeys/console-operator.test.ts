import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount, press, screenOf } from '../../server/test/support/browser.ts';
import { closeConsole, openConsole } from '../../server/test/support/console.ts';
import {
  cleanUp,
  printedLink,
  type Running,
  startProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { packCourse } from './course-packages.ts';

let service: Running;

before(async () => {
  service = await startProcess({ DATA_DIR: await temporaryFolder() });
});

after(cleanUp);

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

const goTo = (page: Page, place: string) =>
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

async function signIn(): Promise<Page> {
  const { url = '' } = printedLink.exec(service.stdout())?.groups ?? {};
  const page = await openConsole(service);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, 'Overview');
  return page;
}

async function importCourse(page: Page): Promise<void> {
  const steps = page.getByRole('region', { name: 'First steps' });
  await expectCount(steps.getByRole('listitem'), 5);
  await expectAccessible(page);
  await steps.getByRole('link', { name: 'Go to courses' }).click();
  await drop(page, await packCourse('phishing'), 'Spot the phish.zip');
  const one = page.getByRole('region', { name: 'Spot the phish.zip' });
  assert.equal(await one.getByLabel('CourseID').inputValue(), 'spot-the-phish');
  await page.getByRole('button', { name: 'Import package' }).click();
  await one.getByRole('link', { name: 'Open course' }).click();
  await page.getByText('Draft: visible only to operators').waitFor();
}

async function publish(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add option' }).click();
  await dialog.getByLabel('DurationID').fill('30-days');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('30 days');
  await dialog.getByRole('button', { name: 'Add option' }).click();
  await page.getByRole('row', { name: /30-days/ }).waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Published', { exact: true }).first().waitFor();
}

/** Creates the tenant and its key. Returns the example call that the console suggests. */
async function createTenant(page: Page): Promise<{ address: string; secret: string }> {
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

async function enrolFirstLearner(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.getByRole('link', { name: 'Switch to this tenant' }).click();
  await goTo(page, 'Users');
  await page.getByRole('button', { name: 'Create user' }).first().click();
  await dialog.getByRole('textbox', { name: 'LoginID' }).fill('ann');
  await dialog.getByRole('textbox', { name: 'First name' }).fill('Ann');
  await dialog.getByRole('textbox', { name: 'Last name' }).fill('Lee');
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await heading(page, 'Ann Lee');
  await page.getByRole('button', { name: 'Enrol' }).first().click();
  await dialog.getByRole('combobox', { name: 'Course' }).fill('spot');
  await page.getByRole('option', { name: 'Spot the phish' }).click();
  await dialog.getByRole('button', { name: 'Enrol' }).click();
  await page.getByRole('heading', { name: 'Ann Lee can start' }).waitFor();
}

test('The operator starts with the printed sign-in link and sets up a learner who can start a course', async () => {
  const page = await signIn();
  await importCourse(page);
  await publish(page);
  const { address, secret } = await createTenant(page);
  const call = (path: string) =>
    fetch(new URL(path, address), { headers: { Authorization: `Bearer ${secret}` } });
  assert.deepEqual((await (await fetch(address)).json()).code, 'unauthorized');
  assert.deepEqual((await (await call(address)).json()).Items, []);
  await enrolFirstLearner(page);
  const { Items } = await (await call('/enrolment')).json();
  assert.deepEqual(
    Items.map(({ LoginID, CourseID, Status }: Record<string, unknown>) => [LoginID, CourseID, Status]),
    [['ann', 'spot-the-phish', 'enrolled']],
  );

  await goTo(page, 'Courses');
  await page.getByRole('link', { name: 'Spot the phish', exact: true }).click();
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Preview' }).click(),
  ]);
  await tab.locator('#indicator').getByText('Preview: nothing is recorded').waitFor();
  const before = await screenOf(tab);
  await press(tab, 'next');
  assert.notEqual(await screenOf(tab), before);
  await tab.close();
  assert.equal((await (await call('/enrolment')).json()).Items[0].Launches, 0);

  await page.goto(`${service.baseUrl}/console`);
  await page.getByText('every course has content, an enrolment option').waitFor();
  await page.getByRole('link', { name: 'Acme', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await page.getByRole('region', { name: 'First steps' }).count(), 0);
  await closeConsole(page);
});
