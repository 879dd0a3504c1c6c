import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  answer,
  contentOf,
  newContext,
  openPage,
  press,
  screenOf,
  waitForState,
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
  await service.importPackage('phishing', await packCourse('phishing'));
});

after(async () => {
  await client?.close();
  await service?.close();
});

test('A learner passes a SCORM 1.2 course and returns with every parameter of an unencoded returnURL', async () => {
  const { LaunchURL, read } = await service.enrol('phishing');
  const page = await openPage(await newContext());
  await page.goto(`${LaunchURL}&returnURL=${client.returnURL}`);
  await press(page, 'next', 'next', 'next', 'submit', 'next', 'next');
  await answer(page, 'bcab');
  await contentOf(page).locator('[data-test=result]').waitFor();
  await waitForState(page, 'saved');
  await press(page, 'finish');
  await page.locator('#exit-button.primary').waitFor();

  await page.click('#exit-button');
  await page.waitForURL(client.returnURL);
  assert.deepEqual(client.arrivals.at(-1), '/back?a=1&b=2');
  const enrolment = await read();
  assert.equal(enrolment.Status, 'completed');
  assert.equal(enrolment.Success, 'passed');
  assert.equal(enrolment.Score, 100);
  await page.context().close();
});

test('A learner who leaves half-way through returns to the same screen', async () => {
  const { LaunchURL, read } = await service.enrol('phishing');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await press(page, 'next', 'next');
  assert.equal(await screenOf(page), 'address');
  await page.click('#exit-button');
  await page.getByText('You can close this window').waitFor();
  assert.equal((await read()).Status, 'in_progress');

  await page.goto(LaunchURL);
  await untilMatching(
    () => screenOf(page),
    (screen) => screen === 'address',
  );
  await page.context().close();
});

test('Without a returnURL the final page lists the saved results', async () => {
  const { LaunchURL } = await service.enrol('phishing');
  const page = await openPage(await newContext({ width: 375, height: 740 }));
  await page.goto(LaunchURL);
  await press(page, 'next');
  await page.click('#exit-button');
  await page.getByRole('heading', { name: 'Your progress is saved' }).waitFor();
  assert.match((await page.locator('.facts').textContent()) ?? '', /In progress/);
  await page.getByRole('button', { name: 'Open the course again' }).click();
  await untilMatching(
    () => screenOf(page),
    (screen) => screen === 'pattern',
  );
  await page.context().close();
});

test('A course in a frame on another site plays, and leaving it affects only that frame', async () => {
  const { LaunchURL, read } = await service.enrol('phishing');
  const page = await openPage(await newContext());
  await page.goto(client.framed(`${LaunchURL}&returnURL=${client.returnURL}`));
  const player = page.frameLocator('#course');
  const content = player.frameLocator('#stage iframe');
  await content.locator('[data-test=next]').click();
  await content.locator('[data-screen=pattern]:not([hidden])').waitFor();
  await player.locator('#exit-button').click();
  await player.getByRole('heading', { name: 'Back' }).waitFor();
  assert.match(page.url(), /\/framed/);
  assert.equal((await read()).Status, 'in_progress');
  await page.context().close();
});
