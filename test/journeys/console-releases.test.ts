import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { contentOf } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { packSecondRelease } from '../../server/test/support/packages.ts';
import { play, scorm12 } from '../../server/test/support/player.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';
import { packCourse, packRow } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await newTenant(service);
});

after(() => service?.close());

/** A published course with learners who have not started, who are in progress and who have completed it. */
async function courseInUse(CourseID: string): Promise<void> {
  await service.importPackage(CourseID, await packCourse('phishing'));
  for (const _ of [1, 2, 3]) await service.enrol(CourseID);
  for (const _ of [1, 2]) await play(service, (await service.enrol(CourseID)).LaunchURL);
  const { commit } = await play(service, (await service.enrol(CourseID)).LaunchURL);
  expectStatus(await commit({ Data: scorm12('passed', 90) }), 200);
}

const choose = (page: Page, file: string) => page.locator('input[type=file]').first().setInputFiles(file);
const currentOf = async (CourseID: string) => (await service.api('GET', `/course/${CourseID}`)).body.Release;

test('A new release is previewed, and set as current after a plan shows how many learners it affects', async () => {
  await courseInUse('releases');
  const page = await consoleOf(service, 'operator', '/console/courses/releases?part=releases');
  await page.getByText('You can preview it before').first().waitFor();
  await choose(page, await packRow());
  await page.getByText('Release 2 imported').waitFor();
  await page.getByText('Learners do not see it yet').waitFor();
  assert.equal(await currentOf('releases'), 1);
  await page.getByRole('row', { name: /^Release 1 Current/ }).waitFor();
  const newer = page.getByRole('region', { name: 'Release 2 is not current' });
  await newer.getByText('Learners get release 1').waitFor();
  await expectAccessible(page);

  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    newer.getByRole('button', { name: 'Preview' }).click(),
  ]);
  await tab.locator('#indicator').getByText('Preview: nothing is recorded').waitFor();
  await contentOf(tab).getByRole('heading', { name: 'Part 1' }).waitFor();
  await tab.close();

  await newer.getByRole('button', { name: 'Set as current' }).click();
  const dialog = page.getByRole('dialog');
  const effects = async (label: string) =>
    dialog.locator('.effect > div').filter({ hasText: label }).locator('dd').innerText();
  await dialog.getByText('They get release 2 on their next launch').waitFor();
  assert.deepEqual(
    [await effects('Not started'), await effects('In progress'), await effects('Completed')],
    ['3', '2', '1'],
  );
  await expectAccessible(page, true);
  await dialog.getByRole('button', { name: 'Set as current' }).click();
  await page.getByText('Release 2 is now current').waitFor();
  await page.getByRole('row', { name: /^Release 2 Current/ }).waitFor();
  await newer.waitFor({ state: 'detached' });
  assert.equal(await currentOf('releases'), 2);
  await closeConsole(page);
});

test('One file is replaced in a new release, which learners get once it is current', async () => {
  await courseInUse('typo');
  const page = await consoleOf(service, 'operator', '/console/courses/typo?part=releases');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Find a file' }).fill('INDEX');
  const row = dialog.getByRole('row', { name: /index\.html/ }).first();
  await row.waitFor();
  await expectAccessible(page, true);
  const choosing = page.waitForEvent('filechooser');
  await row.getByRole('button', { name: /^Replace/ }).click();
  const buffer = Buffer.from('no page at all');
  await (await choosing).setFiles({ name: 'wrong.html', mimeType: 'text/html', buffer });
  await dialog.getByText('wrong.html, 0 kB').waitFor();
  await dialog.getByText('only after you have set it as current').waitFor();
  await expectAccessible(page, true);
  await dialog.getByRole('button', { name: 'Create release' }).click();
  await dialog.getByRole('alert').getByText('is not an HTML page').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Files', exact: true }).click();
  const again = page.waitForEvent('filechooser');
  await row.getByRole('button', { name: /^Replace/ }).click();
  const corrected = Buffer.from(`<!doctype html><title>Phishing</title><p>Corrected</p>${' '.repeat(600)}`);
  await (await again).setFiles({ name: 'index.html', mimeType: 'text/html', buffer: corrected });
  await dialog.getByRole('button', { name: 'Create release' }).click();
  await page.getByRole('region', { name: 'Release 2 is not current' }).waitFor();
  assert.equal(await currentOf('typo'), 1);
  const files = await service.api('GET', '/course/typo/release/2/file');
  assert.ok(files.body.Items.some(({ Bytes }: { Bytes: number }) => Bytes === corrected.length));
  await closeConsole(page);
});

test('An earlier release becomes current again by keyboard', async () => {
  await service.importPackage('back', await packCourse('phishing'));
  await service.importPackage('back', await packSecondRelease());
  const page = await consoleOf(service, 'operator', '/console/courses/back?part=releases');
  const first = page.getByRole('row', { name: /^Release 1/ });
  await first.getByRole('button', { name: 'Set as current' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Not started').waitFor();
  await dialog.getByRole('button', { name: 'Set as current' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^Release 1 Current/ }).waitFor();
  assert.equal(await currentOf('back'), 1);
  await closeConsole(page);
});

test('Without a plan, the release cannot be set as current', async () => {
  await service.importPackage('failing', await packCourse('phishing'));
  await service.importPackage('failing', await packSecondRelease());
  const page = await consoleOf(service, 'operator', '/console/courses/failing?part=releases');
  await page.route('**/release/1?Plan=true', (route) => route.fulfill({ status: 503, body: '{}' }));
  await page
    .getByRole('row', { name: /^Release 1/ })
    .getByRole('button', { name: 'Set as current' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('alert').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Set as current' }).isDisabled(), true);
  await closeConsole(page);
});

test('A release for an existing course is a preview in the list of courses too', async () => {
  await courseInUse('phishing');
  const page = await consoleOf(service, 'operator', '/console/courses');
  await choose(page, await packCourse('phishing'));
  const one = page.getByRole('region', { name: 'phishing.zip', exact: true });
  await one.getByText('which learners do not see until you set it as current').waitFor();
  await page.getByRole('button', { name: 'Import file' }).click();
  await one.getByText('Release 2 imported').waitFor();
  await one.getByText('Learners do not see it yet').waitFor();
  await one.getByRole('button', { name: 'Preview Release 2' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Publish/ }).count(), 0);
  assert.equal(await currentOf('phishing'), 1);
  await closeConsole(page);
});

test('Several packages become courses with an option, and those that can be completed are published together', async () => {
  const page = await consoleOf(service, 'operator', '/console/courses');
  const files = [await packCourse('fire-safety'), await packRow(), await packRow({ withoutSecond: true })];
  await page.locator('input[type=file]').first().setInputFiles(files);
  const form = page.getByRole('group', { name: 'For each new course' });
  assert.equal(await form.getByLabel('Number').inputValue(), '1');
  await form.getByText('1 year · P1Y').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Import 3 files' }).click();
  const faulty = page.getByRole('region', { name: 'row.zip (row-2)' });
  await faulty.getByText('was imported, but has errors').waitFor();
  assert.equal(await faulty.getByRole('checkbox').count(), 0);
  const publishing = page.getByRole('region', { name: 'Publish the new courses' });
  await publishing.getByText('One course is left out because learners cannot complete it').waitFor();
  await expectAccessible(page);
  const first = page.getByRole('checkbox', { name: /^Publish “Fire safety/ });
  await first.uncheck();
  await publishing.getByRole('button', { name: 'Publish 1 course' }).waitFor();
  await first.check();
  await publishing.getByRole('button', { name: 'Publish 2 courses' }).click();
  await publishing.getByText('2 courses published').waitFor();
  assert.equal(await page.getByText('The course is a draft with an enrolment option.').count(), 0);
  assert.equal(await publishing.evaluate((one) => document.activeElement === one), true);
  const courses: { CourseID: string; Status: string; EnrolOptions: object[] }[] = (
    await service.api('GET', '/course')
  ).body.Items.filter(({ CourseID }: { CourseID: string }) => /^(fire|row)/.test(CourseID));
  assert.deepEqual(
    courses.map(({ CourseID, Status, EnrolOptions }) => [CourseID, Status, EnrolOptions.length]),
    [
      ['fire-safety', 'published', 1],
      ['row', 'published', 1],
      ['row-2', 'draft', 1],
    ],
  );
  const option = (await service.api('GET', '/course/row')).body.EnrolOptions[0];
  const { DurationID, Name, Duration, StartsOn } = option;
  assert.deepEqual([DurationID, Name, Duration, StartsOn], ['1-year', '1 year', 'P1Y', 'enrolment']);
  await closeConsole(page);
});

test('The chosen option and tenants apply to each new course, which can be published later', async () => {
  const tenant = await newTenant(service, { Name: 'Umbrella' });
  const page = await consoleOf(service, 'operator', '/console/courses');
  const zip = { mimeType: 'application/zip', buffer: Buffer.from('no archive') };
  const input = page.locator('input[type=file]').first();
  await input.setInputFiles([{ name: 'broken.zip', ...zip }]);
  await input.setInputFiles(await packRow({ named: 'Step' }));
  const one = page.getByRole('region', { name: 'row.zip', exact: true });
  await one.getByLabel('CourseID').fill('umbrella');
  const form = page.getByRole('group', { name: 'For each new course' });
  await form.getByLabel('Number').fill('90');
  await form.getByLabel('Unit').selectOption({ label: 'Days' });
  await form.getByLabel('From the first start of the course').check();
  await form.getByLabel('Only these tenants').check();
  await form.getByRole('combobox', { name: 'Tenants' }).click();
  await page.getByRole('option', { name: /Umbrella/ }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Import 2 files' }).click();
  await page.getByText('package_not_zip').waitFor();
  await page.getByRole('button', { name: 'Publish 1 course' }).waitFor();
  const { body } = await service.api('GET', '/course/umbrella');
  const [{ DurationID, Duration, StartsOn }] = body.EnrolOptions;
  assert.deepEqual(
    [body.Status, body.Tenants, DurationID, Duration, StartsOn],
    ['draft', [tenant.TenantID], '90-days', 'P90D', 'launch'],
  );
  assert.equal((await service.api('GET', '/course/broken')).status, 404);
  await closeConsole(page);
});
