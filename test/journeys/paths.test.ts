import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import {
  answer,
  contentOf,
  newContext,
  openPage,
  press,
  waitForState,
} from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { openClientSite } from './client-site.ts';
import { packCourse } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;

before(async () => {
  service = await startService();
  client = await openClientSite();
  for (const name of ['fire-safety', 'phishing'] as const)
    await service.importPackage(name, await packCourse(name));
  await service.api('PUT', '/course/house-rules', { Title: 'House rules', URL: `${client.returnURL}` });
  await service.api('PUT', '/course/first-aid', { Title: 'First aid', URL: `${client.returnURL}` });
  await service.api('PUT', '/course/fire-safety', { Title: 'Fire safety at work' });
  await service.api('PUT', '/course/phishing', { Title: 'Spot the phish' });
  for (const id of ['house-rules', 'fire-safety', 'phishing'])
    await service.api('PUT', `/course/${id}/option/standard`, {});
  await service.api('PUT', '/course/first-aid/option/standard', { Seats: 0 });
  const Steps = [
    { CourseIDs: ['fire-safety'] },
    { CourseIDs: ['phishing', 'house-rules', 'first-aid'], Need: 2 },
  ];
  await service.api('PUT', '/course/induction/path', { Title: 'Induction', Ordered: true, Steps });
});

after(async () => {
  await client?.close();
  await service?.close();
});

const stateOf = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ hasText: title }).last().locator('.say').innerText();

async function takeFireSafety(page: Page): Promise<void> {
  for (const lesson of ['Getting out', 'Extinguishers', 'What would you do?']) {
    await press(page, 'next', 'next', 'finish');
    await page.locator('.unit[aria-current]').filter({ hasText: lesson }).waitFor();
  }
  await press(page, 'next');
  await answer(page, 'bcab');
  await press(page, 'finish');
}

test('A learner takes a path course by course, with any two of three, and completes it', async () => {
  const { LaunchURL, read } = await service.enrol('induction');
  const page = await openPage(await newContext());
  await page.goto(`${LaunchURL}&returnURL=${encodeURIComponent(client.returnURL)}`);
  await page.getByRole('heading', { level: 1, name: 'Induction' }).waitFor();
  await page.getByText('0 of 3 courses completed').waitFor();
  assert.equal(await stateOf(page, 'Spot the phish'), 'Closed');
  await expectAccessible(page);

  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await takeFireSafety(page);
  await page.getByText('1 of 3 courses completed').waitFor();
  assert.equal(await stateOf(page, 'Fire safety at work'), 'Completed');
  await page.getByText('All seats of this course are taken').waitFor();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Start: Spot the phish' }).click();
  await press(page, 'next', 'next');
  await page.click('#exit-button');
  await page.getByRole('link', { name: 'Continue: Spot the phish' }).click();
  await press(page, 'next', 'submit', 'next', 'next');
  await answer(page, 'bcab');
  await contentOf(page).locator('[data-test=result]').waitFor();
  await press(page, 'finish');
  await page.click('#exit-button');
  await page.getByText('2 of 3 courses completed').waitFor();

  await page.getByRole('link', { name: 'Start: House rules' }).click();
  await page.getByRole('button', { name: 'Mark as complete' }).click();
  await waitForState(page, 'saved');
  await page.click('#exit-button');
  await page.getByText('You have completed this path.').waitFor();
  await expectAccessible(page);
  const done = await read();
  assert.equal(done.Outcome, 'passed');
  assert.equal(done.Score, 100);
  assert.equal(done.Progress, 100);
  await page.getByRole('link', { name: 'Go back' }).click();
  await page.waitForURL(client.returnURL);
  await page.context().close();
});

test('The page of a path speaks the language of the learner', async () => {
  const { LaunchURL } = await service.enrol('induction');
  for (const [locale, text] of [
    ['de-DE', 'Öffnet sich, sobald Schritt 1 erledigt ist.'],
    ['fr-FR', 'S’ouvre lorsque l’étape 1 est terminée.'],
  ] as const) {
    const context = await newContext({ locale });
    const page = await openPage(context);
    await page.goto(LaunchURL);
    await page.getByText(text).first().waitFor();
    await expectAccessible(page);
    await context.close();
  }
});
