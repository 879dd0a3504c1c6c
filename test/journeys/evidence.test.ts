import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { callAPI, contentOf, newContext, openPage, waitForState } from '../../server/test/support/browser.ts';
import { movableClock } from '../../server/test/support/clock.ts';
import { startService, type TestEnrolment, type TestService } from '../../server/test/support/service.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { packRow } from './course-packages.ts';

const clock = movableClock();
let service: TestService;

before(async () => {
  service = await startService({ now: clock.now });
  await service.importPackage('row', await packRow());
});

after(() => service?.close());

async function opened(context: BrowserContext, url: string): Promise<Page> {
  const page = await openPage(context);
  await page.goto(url);
  await contentOf(page).locator('#done').waitFor();
  return page;
}

/** A reopened course begins at the first unit that is not completed, so this goes back to the first one. */
async function reopened(context: BrowserContext, url: string): Promise<Page> {
  const page = await openPage(context);
  await page.goto(url);
  await contentOf(page).getByRole('heading', { name: 'Just to read' }).waitFor();
  await page.click('#previous-button');
  await contentOf(page).locator('#done').waitFor();
  return page;
}

const journalSize = (page: Page) => page.evaluate(() => Object.keys(localStorage).length);

async function setStatus(page: Page, status: string, score?: number): Promise<string> {
  await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_status', status);
  if (score !== undefined) await callAPI(page, 'LMSSetValue', 'cmi.core.score.raw', String(score));
  return callAPI(page, 'LMSCommit', '');
}

test('No response from a proxy empties the journal: commits are kept, shown, and sent later', async () => {
  for (const [status, contentType, body] of [
    [403, 'text/html', '<h1>Forbidden</h1>'],
    [404, 'text/html', '<h1>Not found</h1>'],
    [413, 'text/html', '<h1>413 Request Entity Too Large</h1>'],
    [401, 'application/json', '{"message":"Sign in"}'],
    [200, 'text/html', '<h1>Accept the terms of this network</h1>'],
  ] as const) {
    const { LaunchURL, read } = await service.enrol('row');
    const context = await newContext();
    const page = await opened(context, LaunchURL);
    await page.route('**/commit', (route) => route.fulfill({ status, contentType, body }));
    assert.equal(await setStatus(page, 'incomplete', 70), 'true');
    await waitForState(page, 'onDevice');
    assert.equal(await journalSize(page), 1, `after a ${status} from the proxy`);
    assert.match(await page.locator('#indicator-text').innerText(), /this device/);
    assert.equal((await read()).Score, null);
    await page.unroute('**/commit');
    await waitForState(page, 'saved');
    assert.equal(await journalSize(page), 0);
    assert.equal((await read()).Score, 70);
    await context.close();
  }
});

test('Commits rejected by a proxy are kept and sent when the course is reopened', async () => {
  const { LaunchURL, read } = await service.enrol('row');
  const context = await newContext();
  await context.route('**/commit', (route) =>
    route.fulfill({ status: 413, contentType: 'text/html', body: 'x' }),
  );
  const page = await opened(context, LaunchURL);
  await setStatus(page, 'incomplete', 70);
  await waitForState(page, 'onDevice');
  await page.close();
  const second = await openPage(context);
  await second.goto(LaunchURL);
  await second.getByRole('heading', { name: 'Some of your earlier progress could not be sent' }).waitFor();
  assert.ok((await journalSize(second)) > 0);
  await second.close();
  await context.unroute('**/commit');
  const third = await opened(context, LaunchURL);
  assert.equal((await read()).Score, 70);
  assert.equal(await journalSize(third), 0);
  await context.close();
});

test('A course finished offline on a laptop counts even if a phone has since opened it', async () => {
  const { LaunchURL, read } = await service.enrol('row');
  const laptop = await newContext();
  const phone = await newContext({ width: 390, height: 800 });
  const page = await opened(laptop, LaunchURL);
  await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_location', 'laptop');
  await callAPI(page, 'LMSCommit', '');
  await waitForState(page, 'saved');
  await laptop.setOffline(true);
  await setStatus(page, 'passed', 95);
  await waitForState(page, 'onDevice');
  assert.match(await page.locator('#indicator-text').innerText(), /^Saved on this device/);

  const other = await opened(phone, LaunchURL);
  assert.equal(await callAPI(other, 'LMSGetValue', 'cmi.core.lesson_location'), 'laptop');
  await callAPI(other, 'LMSSetValue', 'cmi.core.lesson_location', 'phone');
  assert.equal(await callAPI(other, 'LMSCommit', ''), 'true');
  assert.notEqual((await read()).Success, 'passed');

  await laptop.setOffline(false);
  await page.getByRole('heading', { name: 'This course was opened in another window' }).waitFor();
  await page.getByText('Your progress so far is saved.').waitFor();
  assert.equal(await journalSize(page), 0);
  const { Success, Score } = await read();
  assert.deepEqual([Success, Score], ['passed', 95]);
  assert.equal(await callAPI(other, 'LMSCommit', ''), 'true');
  await other.close();
  const again = await reopened(phone, LaunchURL);
  assert.equal(await callAPI(again, 'LMSGetValue', 'cmi.core.lesson_location'), 'phone');
  await Promise.all([laptop.close(), phone.close()]);
});

/** Passes a unit and then fails it, while offline. */
async function passAndFailOffline(context: BrowserContext, url: string): Promise<Page> {
  const page = await opened(context, url);
  await context.setOffline(true);
  await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_location', 'the end');
  assert.equal(await setStatus(page, 'passed', 90), 'true');
  await waitForState(page, 'onDevice');
  await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_location', 'begun again');
  assert.equal(await setStatus(page, 'failed', 10), 'true');
  await waitForState(page, 'onDevice');
  return page;
}

async function expectPassAndBookmark(context: BrowserContext, page: Page, enrolment: TestEnrolment) {
  const { Success, Score } = await enrolment.read();
  assert.deepEqual([Success, Score], ['passed', 90]);
  assert.equal(await journalSize(page), 0);
  const again = await reopened(context, enrolment.LaunchURL);
  assert.equal(await callAPI(again, 'LMSGetValue', 'cmi.core.lesson_location'), 'begun again');
}

test('A unit passed and then failed offline counts as passed and resumes at the newest bookmark', async () => {
  const enrolment = await service.enrol('row');
  const context = await newContext();
  const page = await passAndFailOffline(context, enrolment.LaunchURL);
  assert.equal(await journalSize(page), 2);
  await context.setOffline(false);
  await waitForState(page, 'saved');
  await expectPassAndBookmark(context, page, enrolment);
  await context.close();
});

test('A unit passed and then failed offline counts as passed even after the tab is closed', async () => {
  const enrolment = await service.enrol('row');
  const context = await newContext();
  const page = await passAndFailOffline(context, enrolment.LaunchURL);
  await page.close();
  await context.setOffline(false);
  const next = await reopened(context, enrolment.LaunchURL);
  await expectPassAndBookmark(context, next, enrolment);
  await context.close();
});

test('When access expires, the open page saves, explains why and closes', async () => {
  const { LaunchURL, read, LoginID, EnrollID } = await service.enrol('row');
  const ExpiresAt = new Date(clock.now().getTime() + 3_600_000).toISOString();
  await service.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { ExpiresAt });
  const context = await newContext();
  const back = 'https://portal.example/courses';
  const page = await opened(context, `${LaunchURL}&returnURL=${encodeURIComponent(back)}`);
  await setStatus(page, 'incomplete', 40);
  await waitForState(page, 'saved');
  clock.advance({ hours: 2 });
  await callAPI(page, 'LMSSetValue', 'cmi.core.score.raw', '60');
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByRole('heading', { name: 'Your access to this course has expired' }).waitFor();
  await page.getByText('Your progress so far is saved.').waitFor();
  await untilMatching(
    async () => (await read()).Score,
    (score) => score === 60,
  );
  assert.equal(await journalSize(page), 0);
  await page.route(back, (route) => route.fulfill({ body: 'portal' }));
  await page.getByRole('button', { name: 'Go back' }).click();
  await page.waitForURL(back);
  await context.close();
});

test('Permanently rejected results leave the device only after the learner has been informed', async () => {
  const { LoginID, EnrollID, LaunchURL, read } = await service.enrol('row');
  const other = await service.enrol('row');
  const context = await newContext();
  const page = await opened(context, LaunchURL);
  await context.setOffline(true);
  await setStatus(page, 'passed', 90);
  await waitForState(page, 'onDevice');
  // Withdraws the enrolment before the tab closes, because the tab's last commit can arrive although the
  // browser is offline.
  await service.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Withdrawn: true });
  await page.close();
  await context.setOffline(false);
  const next = await openPage(context);
  await next.goto(other.LaunchURL);
  await next.getByText('Your enrolment was withdrawn.').waitFor();
  assert.ok((await journalSize(next)) > 0);
  await next.getByRole('button', { name: 'Continue' }).click();
  await contentOf(next).locator('#done').waitFor();
  assert.equal(await journalSize(next), 0);
  assert.equal((await read()).Success, 'unknown');
  const { Items } = (await service.api('GET', `/enrolment/${LoginID}/${EnrollID}/timeline`)).body;
  const refused = Items.find((entry: { Refused: string | null }) => entry.Refused !== null);
  assert.deepEqual([refused.Refused, refused.Data.Score], ['enrolment_withdrawn', 90]);
  await context.close();
});

test('A page whose commit numbers are thousands ahead after a long time offline continues with the expected number', async () => {
  const { LaunchURL, read } = await service.enrol('row');
  const context = await newContext();
  const page = await openPage(context);
  await page.route('**/session', async (route) => {
    const response = await route.fetch();
    const session = await response.json();
    await route.fulfill({ response, json: { ...session, NextCommit: 5_000 } });
  });
  await page.goto(LaunchURL);
  await contentOf(page).locator('#done').waitFor();
  assert.equal(await setStatus(page, 'incomplete', 50), 'true');
  await waitForState(page, 'saved');
  assert.equal(await setStatus(page, 'incomplete', 55), 'true');
  await waitForState(page, 'saved');
  assert.equal((await read()).Score, 55);
  assert.equal(await journalSize(page), 0);
  await context.close();
});
