import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let service: TestService;
let acme: TestTenant;

before(async () => {
  service = await startService();
  acme = await newTenant(service, { Name: 'Acme', PasswordHash: 'sha256-hex' });
});

after(() => service?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

test('The overview of a tenant shows activity as a chart and as a table', async () => {
  const CourseID = await newCourse(service);
  expectStatus(await acme.api('POST', `/enrol/${await acme.user()}/${CourseID}`), 201);
  const LoginID = await acme.user({ IsAdmin: true });
  const page = await consoleOf(service, { tenant: acme, LoginID });
  const chart = page.getByRole('slider');
  const reported = async () => (await chart.getAttribute('aria-valuetext')) ?? '';
  await chart.focus();
  await page.keyboard.press('Home');
  assert.match(await reported(), /: 0 enrolments, 0 starts, 0 completions$/);
  await page.keyboard.press('End');
  assert.match(await reported(), /: 1 enrolment, 0 starts, 0 completions$/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show as a table' }).click();
  await page.getByRole('columnheader', { name: 'Completions' }).waitFor();
  await page.getByText('365 days', { exact: true }).click();
  await page.waitForURL(/days=365/);
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await page.getByText(/in the last 365 days$/).waitFor();
  await page.getByRole('columnheader', { name: 'Completions' }).waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

test('Issues are listed first, with links to the pages where they can be fixed', async () => {
  const tenant = await newTenant(service, { Name: 'Initech' });
  const CourseID = await newCourse(service, { Title: 'Fire safety' }, { few: { Name: 'Few', Seats: 1 } });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${await tenant.user()}/${CourseID}/few`)).body;
  assert.ok(EnrollID);
  const other = await newCourse(service, { Title: 'Phishing' });
  const LoginID = await tenant.user({ FirstName: 'Ann', LastName: 'Lee' });
  const made = await tenant.api('POST', `/enrol/${LoginID}/${other}`);
  const ExpiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
  await tenant.api('PUT', `/enrolment/${LoginID}/${made.body.EnrollID}`, { ExpiresAt });
  const page = await consoleOf(service, { tenant, LoginID: await tenant.user({ IsAdmin: true }) });
  const matters = page.getByRole('region', { name: 'Needs attention' });
  await matters.getByText('Few: 0 of 1 seat left').waitFor();
  await matters.getByText('1 enrolment ends within the next 7 days').waitFor();
  await expectAccessible(page);
  await matters.getByRole('link', { name: 'Show enrolments' }).click();
  await heading(page, 'Enrolments').waitFor();
  await page.getByRole('link', { name: 'Ann Lee' }).waitFor();
  await page.goBack();
  await matters.getByRole('link', { name: 'Open course: Fire safety' }).click();
  await heading(page, 'Fire safety').waitFor();
  await closeConsole(page);
});

test('The overview of the deployment lists courses that are not ready yet', async () => {
  await newCourse(service, { Title: 'Nobody can enrol' }, {});
  const page = await consoleOf(service, 'operator');
  const matters = page.getByRole('region', { name: 'Courses that need attention' });
  await matters.getByRole('link', { name: 'Open course: Nobody can enrol' }).click();
  await heading(page, 'Nobody can enrol').waitFor();
  await closeConsole(page);
});

test('The overview of the deployment shows its state and its biggest tenants', async () => {
  expectStatus(await acme.api('GET', '/user'), 200);
  const page = await consoleOf(service, 'operator');
  await page.getByRole('heading', { name: 'State', level: 2 }).waitFor();
  await page.getByText('There is no backup').waitFor();
  assert.equal(
    await page.getByRole('link', { name: 'What to do: There is no backup' }).getAttribute('href'),
    '/docs/guide/backup',
  );
  await page.getByText('Show all jobs').click();
  await page.getByRole('columnheader', { name: 'Last success' }).waitFor();
  await page
    .getByRole('table', { name: 'Biggest tenants' })
    .getByRole('rowheader', { name: 'Acme' })
    .waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

test('The operator pages are accessible', async () => {
  const page = await consoleOf(service, 'operator');
  for (const [path, name] of [
    ['/console', 'Overview'],
    [`/console?tenant=${acme.TenantID}`, 'Overview'],
    ['/console/tenants', 'Tenants'],
    ['/console/tenants?search=nobody', 'Tenants'],
    [`/console/tenants/${acme.TenantID}`, 'Acme'],
  ] as const) {
    await page.goto(service.baseUrl + path);
    await heading(page, name).waitFor();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page);
  }
  const dialog = page.getByRole('dialog');
  const focused = dialog.locator(':focus');
  await page.getByRole('button', { name: 'Create key' }).click();
  await focused.waitFor();
  await expectAccessible(page, true);
  await dialog.getByLabel('Name').fill('HR');
  await dialog.getByRole('button', { name: 'Select all' }).click();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Copy the secret now').waitFor();
  await focused.waitFor();
  await expectAccessible(page, true);
  await page.getByRole('button', { name: 'I have copied the secret' }).click();
  await page.goto(`${service.baseUrl}/console/tenants`);
  await page.getByRole('button', { name: 'Create tenant' }).click();
  await focused.waitFor();
  await expectAccessible(page, true);
  await closeConsole(page);
});
