import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { findings } from '../../server/test/support/axe.ts';
import {
  answer,
  contentOf,
  expectCount,
  newContext,
  openPage,
  press,
  screenOf,
} from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { openClientSite } from './client-site.ts';
import { packCourse, packWebPage } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;

before(async () => {
  service = await startService();
  client = await openClientSite();
  await service.importPackage('phishing', await packCourse('phishing'));
  await service.importPackage('fire-safety', await packCourse('fire-safety'));
  await service.importPackage('page', await packWebPage());
  await service.api('PUT', '/course/phishing', { Status: 'draft' });
});

after(async () => {
  await client?.close();
  await service?.close();
});

const tables = ['enrolment', 'launch', 'attempt', 'attempt_unit', 'run_time_commit', 'event'];

async function counts(): Promise<Record<string, unknown>> {
  const parts = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const text = `/* across tenants: a test counts all */ select ${parts.join(', ')}`;
  const { rows } = await service.ctx.engine.query<Record<string, unknown>>({ text, values: [] });
  return rows[0] ?? {};
}

/** Plays a preview of the course, and checks that it leaves no trace anywhere. */
async function previewing(
  course: string,
  options: { width?: number; height?: number },
  use: (page: Page, address: string, context: BrowserContext) => Promise<void>,
): Promise<void> {
  const before = await counts();
  const { status, body } = await service.api('POST', `/course/${course}/preview`);
  assert.equal(status, 201);
  const context = await newContext(options);
  const page = await openPage(context);
  const kept = async () => {
    const look = await context.newPage();
    await look.goto(body.PreviewURL);
    const keys = await look.evaluate(() => Object.keys(localStorage));
    await look.close();
    return keys;
  };
  await use(page, body.PreviewURL, context);
  assert.deepEqual(await kept(), []);
  assert.deepEqual(await counts(), before);
  await context.close();
}

const sign = (page: Page) => page.locator('#indicator').getByText('Preview: nothing is recorded');

async function storedKeys(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage));
}

test('The operator previews a draft SCORM 1.2 course and passes it', async () => {
  await previewing('phishing', {}, async (page, address) => {
    await page.goto(address);
    await sign(page).waitFor();
    await press(page, 'next', 'next', 'next', 'submit', 'next', 'next');
    await answer(page, 'bcab');
    await contentOf(page).locator('[data-test=result]').waitFor();
    assert.deepEqual(await storedKeys(page), []);
    await sign(page).waitFor();
    assert.deepEqual(await findings(page), []);
    await press(page, 'finish');
    await page.locator('#exit-button.primary').waitFor();
    await page.click('#exit-button');
    await page.getByRole('heading', { name: 'This was a preview' }).waitFor();
    await page.getByText('Nothing was recorded').waitFor();
    assert.match((await page.locator('.facts').textContent()) ?? '', /Completed.*Passed.*100%/);
    assert.deepEqual(await findings(page), []);

    await page.getByRole('button', { name: 'Preview again' }).click();
    await sign(page).waitFor();
    await untilMatching(
      () => screenOf(page),
      (screen) => screen !== null && screen !== 'result',
    );
  });
});

test('The operator previews a SCORM 2004 course in order and returns to the page where the preview was opened', async () => {
  await previewing('fire-safety', {}, async (page, address) => {
    const current = page.locator('.unit[aria-current]');
    await page.goto(`${address}&returnURL=${client.returnURL}`);
    await contentOf(page).locator('[data-test=next]').waitFor();
    await expectCount(page.locator('.unit[aria-disabled="true"]'), 3);
    for (const lesson of ['Getting out', 'Extinguishers', 'What would you do?']) {
      await press(page, 'next', 'next', 'finish');
      await current.filter({ hasText: lesson }).waitFor();
      await sign(page).waitFor();
    }
    // Returns to the first lesson. Its data is kept while the preview is open.
    await page.locator('.unit').filter({ hasText: 'How fires start' }).click();
    await untilMatching(
      () => screenOf(page),
      (screen) => screen === 'habits',
    );
    await untilMatching(
      () => page.locator('#progress').evaluate((bar) => (bar as HTMLProgressElement).value),
      (value) => value === 75,
    );
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(await storedKeys(page), []);
    await page.click('#exit-button');
    await page.waitForURL(client.returnURL);
  });
});

test('Two previews play side by side, and a real launch alongside them saves as usual', async () => {
  await service.api('PUT', '/course/phishing', { Status: 'published' });
  const { LaunchURL, read } = await service.enrol('phishing');
  const { body } = await service.api('POST', '/course/phishing/preview');
  const context = await newContext();
  const pages: Page[] = [];
  for (const address of [body.PreviewURL, body.PreviewURL, LaunchURL]) {
    const page = await openPage(context);
    await page.goto(address);
    pages.push(page);
  }
  for (const page of pages) await press(page, 'next', 'next');
  const [one, other, real] = pages as [Page, Page, Page];
  for (const page of [one, other]) await sign(page).waitFor();
  await real.locator('#indicator').getByText('Saved', { exact: true }).waitFor();
  await real.click('#exit-button');
  await real.getByRole('heading', { name: 'Your progress is saved' }).waitFor();
  const { Status, Launches } = await read();
  assert.deepEqual([Status, Launches], ['in_progress', 1]);
  await context.close();
});

test('Without a connection the content still gets responses, and the page does not claim to save', async () => {
  await service.api('PUT', '/course/phishing', { Status: 'draft' });
  await previewing('phishing', {}, async (page, address, context) => {
    await page.goto(address);
    await press(page, 'next');
    await context.setOffline(true);
    await press(page, 'next');
    await page.locator('#indicator').getByText('Preview: no connection').waitFor();
    assert.deepEqual(await storedKeys(page), []);
    await context.setOffline(false);
    await sign(page).waitFor();
    assert.equal(await screenOf(page), 'address');
  });
});

test('A preview fits a small screen, is labelled as a preview, and is accessible', async () => {
  for (const course of ['fire-safety', 'page']) {
    await previewing(course, { width: 320, height: 640 }, async (page, address) => {
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.goto(address);
      await contentOf(page).locator('h1').first().waitFor();
      await sign(page).waitFor();
      const box = await page.locator('#indicator-text').boundingBox();
      assert.ok(box && box.width > 40 && box.height > 8, JSON.stringify(box));
      const title = await page.locator('#course-title').boundingBox();
      assert.ok(title && title.width > 40, JSON.stringify(title));
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px wider than the screen`);
      assert.deepEqual(await findings(page), []);
      await page.click('#exit-button');
      await page.getByRole('heading', { name: 'This was a preview' }).waitFor();
      assert.deepEqual(await findings(page), []);
    });
  }
});
