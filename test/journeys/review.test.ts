import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findings } from '../../server/test/support/axe.ts';
import {
  answer,
  callAPI,
  contentOf,
  newContext,
  openPage,
  press,
} from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus } from '../../server/test/support/tenant.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { openClientSite } from './client-site.ts';
import { packCourse, packEverything12 } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;

before(async () => {
  service = await startService();
  client = await openClientSite();
  await service.importPackage('everything', await packEverything12());
  await service.importPackage('fire-safety', await packCourse('fire-safety'));
});

after(async () => {
  await client?.close();
  await service?.close();
});

/** An enrolment with one attempt, after which the learner may review the course. */
async function enrolOnce(course: string) {
  const enrolled = await service.enrol(course);
  const rules = { Attempts: { Limit: 1, After: 'finished', Review: true } };
  const path = `/enrolment/${enrolled.LoginID}/${enrolled.EnrollID}`;
  expectStatus(await service.api('PUT', path, rules), 200);
  return enrolled;
}

test('A learner with no attempts left reviews a SCORM 1.2 course on a phone, and the result does not change', async () => {
  const { LaunchURL, read } = await enrolOnce('everything');
  const page = await openPage(await newContext({ width: 390, height: 844 }));
  await page.goto(LaunchURL);
  await contentOf(page).locator('#answer').click();
  await untilMatching(read, ({ Success }) => Success === 'failed');
  const before = await read();

  await page.goto(`${LaunchURL}&returnURL=${client.returnURL}`);
  await page.getByText('The only attempt at this course has been used.').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.getByRole('link', { name: 'Look at the course again without changing your result' }).click();
  await page.locator('#indicator').getByText('Review: your result stays as it is').waitFor();
  for (const [element, value] of [
    ['cmi.core.lesson_mode', 'review'],
    ['cmi.core.credit', 'no-credit'],
    ['cmi.core.lesson_status', 'failed'],
    ['cmi.core.lesson_location', 'page 3'],
    ['cmi.suspend_data', 'half'],
  ])
    assert.equal(await contentOf(page).locator(`[data-element="${element}"]`).textContent(), value, element);
  assert.deepEqual(await findings(page), []);
  await contentOf(page).locator('#pass').click();
  await page.click('#exit-button');
  await page.waitForURL(client.returnURL);
  assert.deepEqual(await read(), before);
  await page.context().close();
});

test('A learner who has completed a SCORM 2004 course reviews it', async () => {
  const { LaunchURL, read } = await enrolOnce('fire-safety');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  for (const lesson of ['Getting out', 'Extinguishers', 'What would you do?']) {
    await press(page, 'next', 'next', 'finish');
    await page.locator('.unit[aria-current]').filter({ hasText: lesson }).waitFor();
  }
  await press(page, 'next');
  await answer(page, 'bcab');
  await press(page, 'finish');
  await untilMatching(read, ({ Completion, Success }) => Completion === 'completed' && Success === 'passed');
  // The course ends itself, with another commit.
  await page.getByRole('heading', { name: 'You passed' }).waitFor();
  const before = await read();

  await page.goto(LaunchURL);
  await page.getByRole('link', { name: /Look at the course again/ }).click();
  await page.locator('#indicator').getByText('Review: your result stays as it is').waitFor();
  await untilMatching(
    () => callAPI(page, 'GetValue', 'cmi.mode'),
    (mode) => mode === 'review',
  );
  assert.equal(await callAPI(page, 'GetValue', 'cmi.credit'), 'no-credit');
  await page.locator('.unit').filter({ hasText: 'Extinguishers' }).click();
  await page.locator('.unit[aria-current]').filter({ hasText: 'Extinguishers' }).waitFor();
  await page.click('#exit-button');
  await page.getByRole('heading', { name: 'You have reviewed the course' }).waitFor();
  assert.deepEqual(await read(), before);
  await page.context().close();
});
