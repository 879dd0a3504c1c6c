import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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
import { packCourse } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;

before(async () => {
  service = await startService();
  client = await openClientSite();
  await service.importPackage('fire-safety', await packCourse('fire-safety'));
});

after(async () => {
  await client?.close();
  await service?.close();
});

test('Sequencing enforces the order, remembers the state when the learner leaves, and rolls up to the course', async () => {
  const { LaunchURL, read } = await service.enrol('fire-safety');
  const page = await openPage(await newContext());
  const launch = `${LaunchURL}&returnURL=${client.returnURL}`;
  const current = page.locator('.unit[aria-current]');
  await page.goto(launch);
  await contentOf(page).locator('[data-test=next]').waitFor();
  const locked = page.locator('.unit[aria-disabled="true"]');
  await expectCount(locked, 3);
  await locked.first().click({ force: true });
  await page.locator('#reason').getByText('The conditions for this part are not met yet.').waitFor();

  for (const lesson of ['Getting out', 'Extinguishers', 'What would you do?']) {
    await press(page, 'next', 'next', 'finish');
    await current.filter({ hasText: lesson }).waitFor();
  }
  await press(page, 'next');
  await answer(page, 'bc');
  await page.click('#exit-button');
  await page.waitForURL(client.returnURL);
  const left = await read();
  assert.equal(left.Completion, 'incomplete');
  assert.equal(left.Progress, 75);

  await page.goto(launch);
  await untilMatching(
    () => screenOf(page),
    (screen) => screen === 'quiz-3',
  );
  await answer(page, 'ab', 3);
  await press(page, 'finish');
  await page.waitForURL(client.returnURL);
  const done = await read();
  assert.equal(done.Completion, 'completed');
  assert.equal(done.Success, 'passed');
  assert.equal(done.Score, 100);
  await page.context().close();
});

test('If the page disappears during a lesson, the course resumes in that lesson', async () => {
  const { LaunchURL } = await service.enrol('fire-safety');
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(LaunchURL);
  await press(page, 'next', 'next', 'finish');
  await page.locator('.unit[aria-current]').filter({ hasText: 'Getting out' }).waitFor();
  await press(page, 'next');
  assert.equal(await screenOf(page), 'route');
  await page.close();

  const again = await openPage(context);
  await again.goto(LaunchURL);
  await again.locator('.unit[aria-current]').filter({ hasText: 'Getting out' }).waitFor();
  await untilMatching(
    () => screenOf(again),
    (screen) => screen === 'route',
  );
  await context.close();
});

test('The contents list leads back to a finished lesson with all of its data', async () => {
  const { LaunchURL } = await service.enrol('fire-safety');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await press(page, 'next', 'next', 'finish');
  await page.locator('.unit[aria-current]').filter({ hasText: 'Getting out' }).waitFor();
  await page.locator('.unit').filter({ hasText: 'How fires start' }).click();
  await untilMatching(
    () => screenOf(page),
    (screen) => screen === 'habits',
  );
  await page.context().close();
});

test('Passing one lesson does not pass the course', async () => {
  const { LaunchURL, read } = await service.enrol('fire-safety');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await press(page, 'next', 'next', 'finish');
  await page.locator('.unit[aria-current]').filter({ hasText: 'Getting out' }).waitFor();
  await page.click('#exit-button');
  await page.getByText('You can close this window').waitFor();
  const { Success, Score } = await read();
  assert.deepEqual({ Success, Score }, { Success: 'unknown', Score: null });
  await page.context().close();
});
