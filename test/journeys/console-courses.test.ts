import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { contentOf } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { newTenant } from '../../server/test/support/tenant.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { packCourse, packRow } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service?.close());

const operatorOn = (path: string) => consoleOf(service, 'operator', path);

const choose = (page: Page, ...files: string[]) =>
  page.locator('input[type=file]').first().setInputFiles(files);

const importOf = (page: Page, file: string) => page.getByRole('region', { name: file, exact: true });

const counts = async () => {
  const text = `/* across tenants: a test counts all */ select (select count(*)::int from enrolment) as enrolments,
    (select count(*)::int from launch) as launches, (select count(*)::int from event) as events`;
  return (await service.ctx.engine.query({ text, values: [] })).rows[0];
};

test('The operator drops a package with an error, corrects it, adds an option, publishes the course and previews it', async () => {
  const page = await operatorOn('/console/courses');
  await page.getByRole('heading', { name: 'No courses yet' }).waitFor();
  await choose(page, await packRow({ withoutSecond: true }));
  const one = importOf(page, 'row.zip');
  await one.getByText('A new course').waitFor();
  assert.equal(await one.getByLabel('CourseID').inputValue(), 'row');
  await one.getByLabel('CourseID').fill('three in a row');
  await one.getByText('An ID cannot contain spaces').waitFor();
  await one.getByLabel('CourseID').fill('three-in-a-row');
  await page.getByRole('button', { name: 'Import file' }).click();
  await one.getByText('“Three in a row” was imported, but has errors').waitFor();
  await one.getByText('SCORM 1.2').waitFor();
  await one.getByText('Part 3', { exact: true }).waitFor();
  await one.getByText('1 error').waitFor();
  await one.getByText('part-2.html').first().waitFor();
  await page
    .getByRole('row', { name: /Three in a row/ })
    .getByText('1 error')
    .waitFor();
  const draft = await service.api('GET', '/course/three-in-a-row');
  assert.deepEqual([draft.body.Title, draft.body.Status], ['Three in a row', 'draft']);

  await one.getByRole('link', { name: 'Open course' }).click();
  await page.getByRole('heading', { level: 1, name: 'Three in a row' }).waitFor();
  await page.getByRole('link', { name: 'Show errors' }).click();
  await page.getByText('The page part-2.html of the item').waitFor();
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  assert.equal(await publish.count(), 0);
  await page.getByRole('button', { name: 'Publish anyway' }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Publish anyway' });
  assert.equal(await confirm.isDisabled(), true);
  await dialog.getByLabel('Publish even though learners cannot complete the course').check();
  assert.equal(await confirm.isDisabled(), false);
  await expectAccessible(page, true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('tab', { name: 'Releases' }).click();
  await choose(page, await packRow());
  await page.getByText('Release 2 imported').waitFor();
  await page.getByText('Draft: visible only to operators').waitFor();
  await page
    .getByRole('row', { name: /^Release 1/ })
    .getByRole('button', { name: 'Set as current' })
    .click();
  await dialog.getByText('This release has an error').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('tab', { name: 'Options' }).click();
  await page.getByRole('button', { name: 'Add option' }).click();
  await dialog.getByLabel('DurationID').fill('6-weeks');
  await dialog.getByLabel('Number').fill('6');
  await dialog.getByLabel('Unit', { exact: true }).selectOption({ label: 'Weeks' });
  await dialog.getByText('6 weeks · P6W').waitFor();
  await dialog.getByLabel('Seats').fill('25');
  await dialog.getByRole('button', { name: 'Add option' }).click();
  const row = page.getByRole('row', { name: /6-weeks/ });
  await row.getByText('25 of 25 left').waitFor();
  // The import has added the usual option.
  const { EnrolOptions } = (await service.api('GET', '/course/three-in-a-row')).body;
  assert.deepEqual(
    EnrolOptions.map((option: { Duration: string; Seats: number }) => [option.Duration, option.Seats]),
    [
      ['P1Y', null],
      ['P6W', 25],
    ],
  );

  await publish.click();
  await dialog.getByText('All tenants will immediately see the course').waitFor();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Three in a row published').waitFor();
  await untilMatching(
    async () => (await service.api('GET', '/course/three-in-a-row')).body.Status,
    (status) => status === 'published',
  );

  const before = await counts();
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Preview' }).click(),
  ]);
  await tab.locator('#indicator').getByText('Preview: nothing is recorded').waitFor();
  await contentOf(tab).locator('#done').click();
  assert.equal(await tab.evaluate(() => window.opener), null);
  await tab.close();
  assert.deepEqual(await counts(), before);
  await closeConsole(page);
});

test('A dropped file is imported, and a damaged one is rejected with its code and leaves nothing behind', async () => {
  const page = await operatorOn('/console/courses');
  const files = await page.evaluateHandle(() => {
    const dropped = new DataTransfer();
    dropped.items.add(new File(['this is no archive'], 'Broken one.zip', { type: 'application/zip' }));
    return dropped;
  });
  await page.locator('.mantine-Dropzone-root').first().dispatchEvent('drop', { dataTransfer: files });
  const one = importOf(page, 'Broken one.zip');
  assert.equal(await one.getByLabel('CourseID').inputValue(), 'broken-one');
  await page.getByRole('button', { name: 'Import file' }).click();
  await one.getByRole('alert').getByText('The file is not a zip archive', { exact: true }).waitFor();
  await one.getByText('package_not_zip').waitFor();
  assert.equal((await service.api('GET', '/course/broken-one')).status, 404);
  await one.getByRole('button', { name: 'Remove from list' }).click();
  await one.waitFor({ state: 'detached' });
  await closeConsole(page);
});

test('A cancelled import leaves nothing behind, and leaving the page during an import asks for confirmation', async () => {
  const page = await operatorOn('/console/courses');
  await page.route('**/package', () => {});
  await choose(page, await packCourse('phishing'));
  const one = importOf(page, 'phishing.zip');
  await page.getByRole('button', { name: 'Import file' }).click();
  await one.getByRole('progressbar', { name: 'Uploading phishing.zip' }).waitFor({ state: 'attached' });
  const status = async () => (await service.api('GET', '/course/phishing')).status;
  await untilMatching(status, (now) => now === 200);
  await page.getByRole('link', { name: 'Tenants and keys' }).click();
  await page.getByRole('dialog').getByText('A package is being uploaded').waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  await one.getByRole('button', { name: 'Cancel' }).click();
  await one.getByText('Cancelled. Nothing was imported.').waitFor();
  await untilMatching(status, (now) => now === 404);
  await closeConsole(page);
});

test('Only changed details are saved, leaving asks for confirmation, and a course in use cannot be deleted', async () => {
  await newTenant(service, { Name: 'Acme' });
  await service.api('PUT', '/course/in-use', { Title: 'In use', URL: 'https://web.example/' });
  await service.enrol('in-use');
  const page = await operatorOn('/console/courses/in-use?part=details');
  await page.getByLabel('Description').fill('For everybody');
  await page.getByLabel('Activity of the content vendor').fill('urn:li:lyndaCourse:123');
  await page.getByLabel('Only these tenants').check();
  await page.getByRole('combobox', { name: 'Tenants' }).click();
  await page.getByRole('option', { name: 'test', exact: true }).click();
  await page.getByRole('link', { name: 'Courses' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('have not been saved').waitFor();
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Course saved').waitFor();
  const { Title, Description, Tenants, ActivityID } = (await service.api('GET', '/course/in-use')).body;
  assert.deepEqual([Title, Description, Tenants], ['In use', 'For everybody', ['test']]);
  assert.equal(ActivityID, 'urn:li:lyndaCourse:123');
  await page.getByRole('button', { name: 'Delete course' }).click();
  await dialog.getByRole('button', { name: 'Delete course' }).click();
  await dialog.getByRole('alert').getByText('The course has enrolments').waitFor();
  await closeConsole(page);
});

test('A web course is created from its URL, and an existing CourseID is not overwritten', async () => {
  await service.api('PUT', '/course/taken', { Title: 'Taken', URL: 'https://web.example/' });
  const page = await operatorOn('/console/courses');
  await page.getByRole('button', { name: 'Add web course by URL' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('House rules');
  await dialog.getByLabel('URL').fill('https://web.example/rules');
  await dialog.getByRole('textbox', { name: 'CourseID' }).fill('taken');
  await dialog.getByRole('button', { name: 'Create draft' }).click();
  await dialog.getByText('This CourseID is taken').waitFor();
  assert.equal((await service.api('GET', '/course/taken')).body.Title, 'Taken');
  await dialog.getByRole('textbox', { name: 'CourseID' }).fill('house-rules');
  await dialog.getByRole('button', { name: 'Create draft' }).click();
  await page.getByRole('heading', { level: 1, name: 'House rules' }).waitFor();
  const { Status, URL } = (await service.api('GET', '/course/house-rules')).body;
  assert.deepEqual([Status, URL], ['draft', 'https://web.example/rules']);
  await closeConsole(page);
});

test('An administrator sees the courses that are offered to them but cannot change them', async () => {
  const tenant = await newTenant(service);
  const { TenantID } = tenant;
  const content = { URL: 'https://web.example/' };
  await service.api('PUT', '/course/offered', { Title: 'Offered', Tenants: [TenantID], ...content });
  await service.api('PUT', '/course/offered/option/standard', { Name: 'Half a year', Duration: 'P6M' });
  await service.api('PUT', '/course/others', { Title: 'For others', Tenants: ['test'], ...content });
  await service.api('PUT', '/course/hidden', { Title: 'Hidden', Status: 'draft', ...content });
  const LoginID = await tenant.user({ IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID }, '/console/courses');
  await page.getByRole('link', { name: 'Offered', exact: true }).waitFor();
  for (const text of ['For others', 'Hidden', 'Drop packages or files here', 'Add web course by URL'])
    assert.equal(await page.getByText(text).count(), 0, text);
  const enrol = page.getByRole('link', { name: 'Enrol a learner on Offered' });
  assert.match((await enrol.getAttribute('href')) ?? '', /\/console\/enrol\?course=offered$/);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Offered', exact: true }).click();
  await page.getByText('Half a year').waitFor();
  await page.getByRole('button', { name: 'Preview' }).waitFor();
  for (const name of ['Publish', 'Add option', 'Delete course'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
  // The certificate is the tenant's own, so it can be changed.
  await page.getByRole('button', { name: 'Save' }).waitFor();
  await expectAccessible(page);
  await page.goto(`${service.baseUrl}/console/courses/others`);
  await page.getByRole('heading', { name: 'This course is not offered to you' }).waitFor();
  await closeConsole(page);
});
