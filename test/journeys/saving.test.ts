import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import {
  callAPI,
  contentOf,
  newContext,
  openPage,
  press,
  screenOf,
  waitForState,
} from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { packCourse, packRow } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.importPackage('phishing', await packCourse('phishing'));
  await service.importPackage('row', await packRow());
});

after(() => service?.close());

test('A commit made offline is stored on the device, announced with a message, and sent once back online', async () => {
  const { LaunchURL } = await service.enrol('phishing');
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(LaunchURL);
  await press(page, 'next');
  await waitForState(page, 'saved');

  await context.setOffline(true);
  await press(page, 'next', 'next');
  await waitForState(page, 'onDevice');
  assert.equal(await callAPI(page, 'LMSCommit', ''), 'true');
  assert.equal(await contentOf(page).locator('[data-test=unsaved]').isVisible(), false);

  await context.setOffline(false);
  await waitForState(page, 'saved');
  await page.goto(LaunchURL);
  await untilMatching(
    () => screenOf(page),
    (screen) => screen === 'mail',
  );
  await context.close();
});

test('A page of the content that was opened offline is replaced by the unit once back online', async () => {
  const { LaunchURL } = await service.enrol('phishing');
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(LaunchURL);
  await press(page, 'next');
  await waitForState(page, 'saved');

  await context.setOffline(true);
  await press(page, 'next', 'next');
  await waitForState(page, 'onDevice');
  await contentOf(page)
    .locator('body')
    .evaluate(() => location.assign('scripts/next.html'));
  await untilMatching(
    async () => page.frames().some((frame) => frame.url().startsWith('chrome-error:')),
    Boolean,
  );
  await context.setOffline(false);
  await waitForState(page, 'saved');
  await untilMatching(
    () => screenOf(page).catch(() => null),
    (screen) => screen === 'mail',
  );
  await context.close();
});

test('Commits stored offline are sent when the learner returns to the same device', async () => {
  const { LaunchURL } = await service.enrol('phishing');
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(LaunchURL);
  await press(page, 'next');
  await waitForState(page, 'saved');
  await context.setOffline(true);
  await press(page, 'next', 'next');
  await waitForState(page, 'onDevice');
  await page.close();

  await context.setOffline(false);
  const again = await openPage(context);
  await again.goto(LaunchURL);
  await untilMatching(
    () => screenOf(again),
    (screen) => screen === 'mail',
  );
  assert.equal(await again.evaluate(() => localStorage.length), 0);
  await context.close();
});

/** Clears storage, as many courses do when they start or restart. */
const clearStorage = (page: Page) =>
  contentOf(page)
    .locator('body')
    .evaluate(() => localStorage.clear());

async function openRow(context: BrowserContext, url: string): Promise<Page> {
  const page = await openPage(context);
  await page.goto(url);
  // The first part, or the second if the first is passed.
  await contentOf(page).locator('#done, h1').first().waitFor();
  return page;
}

async function pass(page: Page): Promise<void> {
  await callAPI(page, 'LMSSetValue', 'cmi.core.score.raw', '95');
  await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_status', 'passed');
  assert.equal(await callAPI(page, 'LMSCommit', ''), 'true');
  await waitForState(page, 'onDevice');
}

const keptIn = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('lectern.')).length);

const becomes = <Value>(ask: () => Promise<Value>, wanted: Value) =>
  untilMatching(ask, (value) => value === wanted);

test('A course that clears local storage does not delete any result that was shown as stored', async () => {
  const { LaunchURL, read } = await service.enrol('row');
  const context = await newContext();
  const page = await openRow(context, LaunchURL);
  await context.setOffline(true);
  await pass(page);
  await clearStorage(page);
  await becomes(() => keptIn(page), 1);
  await waitForState(page, 'onDevice');
  await page.close();
  await context.setOffline(false);
  const again = await openRow(context, LaunchURL);
  assert.equal((await read()).Score, 95);
  assert.equal(await keptIn(again), 0);
  await context.close();
});

test('Results stored by an earlier page survive a course that clears local storage at the start', async () => {
  const { LaunchURL, read } = await service.enrol('row');
  const context = await newContext();
  await context.addInitScript(() => {
    Reflect.deleteProperty(window, 'SharedWorker');
    navigator.sendBeacon = () => true;
  });
  await context.route('**/commit', (route) => route.fulfill({ status: 403, body: 'Blocked' }));
  const page = await openRow(context, LaunchURL);
  await pass(page);
  await page.close();
  const cleaner = await openRow(context, LaunchURL);
  const before = await keptIn(cleaner);
  await clearStorage(cleaner);
  await becomes(() => keptIn(cleaner), before);
  await cleaner.close();
  await context.unroute('**/commit');
  const last = await openRow(context, LaunchURL);
  assert.equal((await read()).Score, 95);
  assert.equal(await keptIn(last), 0);
  await context.close();
});

test('Results that local storage loses and no longer accepts are shown as not stored, and the next page still sends them', async () => {
  const { LaunchURL, read } = await service.enrol('row');
  const context = await newContext();
  const page = await openRow(context, LaunchURL);
  await context.setOffline(true);
  await pass(page);
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await clearStorage(page);
  await waitForState(page, 'unsaved');
  await page.close();
  await context.setOffline(false);
  await openRow(context, LaunchURL);
  assert.equal((await read()).Score, 95);
  await context.close();
});

test('Nothing is shown as saved unless the server or the device has stored it', async () => {
  const { LaunchURL } = await service.enrol('row');
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(LaunchURL);
  await contentOf(page).locator('#done').waitFor();
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  assert.equal(await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_location', 'a'), 'true');
  assert.equal(await callAPI(page, 'LMSCommit', ''), 'true');
  await context.setOffline(true);
  await page.waitForFunction(() => !navigator.onLine);
  await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_location', 'b');
  assert.equal(await callAPI(page, 'LMSCommit', ''), 'false');
  assert.equal(await callAPI(page, 'LMSGetLastError'), '101');
  await waitForState(page, 'unsaved');
  await context.close();
});

test('Closing the tab right after SetValue loses nothing, not even 63,000 characters', async () => {
  for (const length of [40, 63_000]) {
    const { LaunchURL } = await service.enrol('row');
    const context = await newContext();
    const page = await openPage(context);
    await page.goto(LaunchURL);
    await contentOf(page).locator('#done').waitFor();
    await callAPI(page, 'LMSSetValue', 'cmi.suspend_data', 'x'.repeat(length));
    await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_location', 'the last word');
    await page.close({ runBeforeUnload: true });
    await untilMatching(
      () => context.pages().length,
      (open) => open === 0,
    );

    const again = await openPage(context);
    await again.goto(LaunchURL);
    // A unit that reports no status counts as completed when it ends, so the course continues with the second one.
    await again.locator('.unit').filter({ hasText: 'Part 1' }).click();
    await contentOf(again).locator('#done').waitFor();
    assert.equal(await callAPI(again, 'LMSGetValue', 'cmi.core.lesson_location'), 'the last word');
    assert.equal((await callAPI(again, 'LMSGetValue', 'cmi.suspend_data')).length, length);
    await context.close();
  }
});

test('The newer of two tabs wins, and the older tab says so and can take over', async () => {
  const { LaunchURL } = await service.enrol('phishing');
  const context = await newContext();
  const older = await openPage(context);
  await older.goto(LaunchURL);
  await press(older, 'next');
  await waitForState(older, 'saved');
  const newer = await openPage(context);
  await newer.goto(LaunchURL);
  await untilMatching(
    () => screenOf(newer),
    (screen) => screen === 'pattern',
  );

  assert.equal(await callAPI(older, 'LMSSetValue', 'cmi.core.lesson_location', 'stale'), 'true');
  assert.equal(await callAPI(older, 'LMSCommit', ''), 'false');
  await older.getByRole('heading', { name: 'This course was opened in another window' }).waitFor();
  await press(newer, 'next');
  await waitForState(newer, 'saved');

  await older.getByRole('button', { name: 'Take over here' }).click();
  await untilMatching(
    () => screenOf(older),
    (screen) => screen === 'address',
  );
  await context.close();
});
