import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newContext, openPage, press, screenOf, waitForState } from '../../server/test/support/browser.ts';
import { closeConsole, newConsolePage, openConsole } from '../../server/test/support/console.ts';
import { cleanUp, type Running, startProcess, temporaryFolder } from '../../server/test/support/process.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import {
  acceptInvitation,
  createTenant,
  createUser,
  enrol,
  goTo,
  heading,
  importCourse,
  invite,
  publish,
  signInOperator,
} from './operator-steps.ts';

// The first day of an administrator and of a learner. The service starts in an empty folder, and the operator
// sets it up and invites the administrator in the console. Only the client application uses the API.

let service: Running;
let secret: string;

const password = 'correct horse battery';

before(async () => {
  service = await startProcess({ DATA_DIR: await temporaryFolder() });
  const page = await signInOperator(service);
  await importCourse(page);
  await publish(page);
  ({ secret } = await createTenant(page));
  await page.getByRole('link', { name: 'Switch to this tenant' }).click();
  await createUser(page, { LoginID: 'ada', FirstName: 'Ada', LastName: 'Admin', isAdmin: true });
  const link = await invite(page);
  await closeConsole(page);

  const ada = await newConsolePage();
  await acceptInvitation(ada, link, password);
  await heading(ada, 'Overview');
  await closeConsole(ada);
});

after(cleanUp);

/** A call of the client application. */
async function call(method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
  const response = await fetch(service.baseUrl + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, await response.clone().text());
  return response.json();
}

async function signInAda(): Promise<Page> {
  const page = await openConsole(service);
  await page.getByLabel('Organisation').fill('Acme');
  await page.getByLabel('Login name').fill('ada');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Overview');
  return page;
}

async function importStaff(page: Page): Promise<void> {
  await goTo(page, 'Enrol');
  await page.getByText('File', { exact: true }).click();
  await page.locator('input[type=file]').setInputFiles(join(import.meta.dirname, 'files/messy-staff.csv'));
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByLabel('Show').selectOption('Refused (5)');
  await page.getByText('A total, not a user', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Apply to 496 rows' }).click();
  await page.getByRole('heading', { name: /^Finished/ }).waitFor();
}

async function enrolSales(page: Page): Promise<void> {
  await goTo(page, 'Enrol');
  await page.getByText('Group', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Group' }).fill('Sal');
  await page.getByRole('option', { name: 'Sales' }).click();
  await page.getByRole('combobox', { name: 'Courses' }).fill('spot');
  await page.getByRole('option', { name: 'Spot the phish' }).click();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: /^Apply to \d+ rows$/ }).click();
  await page.getByRole('heading', { name: /^Finished/ }).waitFor();
}

/** Finds a person with the search box, as someone who is on the phone with that person would. */
async function find(page: Page, words: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Search' }).click();
  const search = page.getByRole('dialog', { name: 'Search' });
  await search.getByRole('combobox').fill(words);
  await search.getByRole('option', { name }).first().click();
  await heading(page, name);
}

test('An administrator imports 500 people, helps one who cannot start, and reports by group', async () => {
  const page = await signInAda();
  await importStaff(page);
  await enrolSales(page);

  // The client application has ended his access too early, and he calls.
  const { Items } = await call('GET', '/enrolment/A00019');
  const path = `/enrolment/A00019/${Items[0].EnrollID}`;
  await call('PUT', path, { ExpiresAt: new Date(Date.now() - 60_000).toISOString() });
  await find(page, 'muller vic', 'Victor Müller');
  await page.getByRole('link', { name: 'Spot the phish' }).click();
  await page.getByRole('heading', { name: 'Victor Müller cannot start' }).waitFor();
  await page.getByRole('button', { name: 'Extend by 1 year' }).click();
  await page.getByRole('heading', { name: 'Victor Müller can start' }).waitFor();
  assert.equal((await call('GET', path)).Status, 'enrolled');

  await goTo(page, 'Reports');
  await page.getByRole('combobox', { name: 'Report by' }).selectOption('Group');
  const rows = page.getByRole('table', { name: 'Reports' }).getByRole('row');
  await rows.filter({ hasText: 'Sales' }).waitFor();
  await closeConsole(page);
});

/** The part of the list of courses that shows this course. */
const card = (page: Page) => page.getByRole('article', { name: 'Spot the phish' });

const continueCourse = (page: Page) => card(page).getByRole('link', { name: 'Continue' }).click();

const untilScreen = (page: Page, expected: string | null) =>
  untilMatching(
    () => screenOf(page),
    (screen) => screen === expected,
  );

test('A learner accepts an invitation on a phone, learns, leaves, and returns offline', async () => {
  const ada = await signInAda();
  await createUser(ada, { LoginID: 'lea', FirstName: 'Lea', LastName: 'Learner' });
  const link = await invite(ada);
  await enrol(ada, 'spot', 'Spot the phish');

  const context = await newContext({ width: 390, height: 844 });
  const page = await openPage(context);
  await acceptInvitation(page, link, password);
  await heading(page, 'My courses');
  await card(page).getByRole('link', { name: 'Start' }).click();
  await press(page, 'next', 'next');
  await waitForState(page, 'saved');
  const left = await screenOf(page);
  await page.click('#exit-button');
  await heading(page, 'My courses');
  await card(page).getByText('In progress', { exact: true }).waitFor();

  // She returns, and the connection fails. She continues and closes the page, which only the browser has saved.
  await continueCourse(page);
  await untilScreen(page, left);
  await context.setOffline(true);
  await press(page, 'next');
  await waitForState(page, 'onDevice');
  const offline = await screenOf(page);
  assert.notEqual(offline, left);
  await page.close();

  // Without a connection, nothing opens.
  const again = await openPage(context);
  await assert.rejects(again.goto(`${service.baseUrl}/console`), /ERR_INTERNET_DISCONNECTED/);
  await context.setOffline(false);
  await again.goto(`${service.baseUrl}/console`);
  await heading(again, 'My courses');
  await continueCourse(again);
  await untilScreen(again, offline);
  await waitForState(again, 'saved');
  await context.close();

  // Ada sees the course as started.
  await ada.reload();
  await ada.getByText('In progress', { exact: true }).first().waitFor();
  await closeConsole(ada);
});
