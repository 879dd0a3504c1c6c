import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newContext, openPage, press, screenOf, waitForState } from '../../server/test/support/browser.ts';
import { closeConsole, newConsolePage } from '../../server/test/support/console.ts';
import { cleanUp, type Running, startProcess, temporaryFolder } from '../../server/test/support/process.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { createTenant, goTo, heading, importCourse, publish, signInOperator } from './operator-steps.ts';

// The first day of an administrator and of a learner. The service starts in an empty folder, and the operator
// sets it up in the console.

let service: Running;
let secret: string;

before(async () => {
  service = await startProcess({ DATA_DIR: await temporaryFolder() });
  const page = await signInOperator(service);
  await importCourse(page);
  await publish(page);
  ({ secret } = await createTenant(page));
  await closeConsole(page);
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

async function acceptInvitation(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('New password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
}

async function importStaff(page: Page): Promise<void> {
  await goTo(page, 'Bulk import');
  await page.locator('input[type=file]').setInputFiles(join(import.meta.dirname, 'files/messy-staff.csv'));
  await page.getByRole('button', { name: 'Plan the import' }).click();
  await page.getByText('A total, not a user', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Create 496 users' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
}

async function enrolSales(page: Page): Promise<void> {
  await goTo(page, 'Enrolments');
  await page.getByRole('link', { name: 'Enrol a group' }).click();
  await page.getByRole('combobox', { name: 'Group' }).fill('Sal');
  await page.getByRole('option', { name: 'Sales' }).click();
  const course = page.getByRole('combobox', { name: 'Course' });
  await course.fill('spot');
  await page.getByRole('option', { name: 'Spot the phish' }).click();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: /^Apply to \d+ people$/ }).click();
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
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
  await call('POST', '/user', { LoginID: 'ada', FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const { InvitationURL: invitation } = await call('POST', '/invitation', { LoginID: 'ada' });
  const page = await newConsolePage();
  await acceptInvitation(page, invitation);
  await heading(page, 'Overview');
  await importStaff(page);
  await enrolSales(page);

  // Access has ended too early, and he calls.
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

test('A learner accepts an invitation on a phone, learns, leaves, and returns offline', async () => {
  await call('POST', '/user', { LoginID: 'lea', FirstName: 'Lea', LastName: 'Learner' });
  const enrolment = await call('POST', '/enrol/lea/spot-the-phish');
  const { InvitationURL: invitation } = await call('POST', '/invitation', { LoginID: 'lea' });
  const context = await newContext({ width: 390, height: 844 });
  const page = await openPage(context);
  await acceptInvitation(page, invitation);
  await heading(page, 'My courses');
  const start = () => page.getByRole('link', { name: /Spot the phish|Start|Continue/ }).first();
  await start().click();
  await press(page, 'next', 'next');
  await waitForState(page, 'saved');
  const left = await screenOf(page);
  await page.click('#exit-button');
  await page.waitForURL(/\/console/);
  await page
    .getByRole('article', { name: 'Spot the phish' })
    .getByText(/^\d+%$/)
    .waitFor();

  await start().click();
  await untilMatching(
    () => screenOf(page),
    (screen) => screen === left,
  );
  await context.setOffline(true);
  await press(page, 'next');
  await waitForState(page, 'onDevice');
  const offline = await screenOf(page);
  await page.close();
  await context.setOffline(false);

  const again = await openPage(context);
  await again.goto(enrolment.LaunchURL);
  await untilMatching(
    () => screenOf(again),
    (screen) => screen === offline,
  );
  await waitForState(again, 'saved');
  assert.equal((await call('GET', `/enrolment/lea/${enrolment.EnrollID}`)).Status, 'in_progress');
  await context.close();
});
