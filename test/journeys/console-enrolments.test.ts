import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount, newContext, openPage, press, waitForState } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { packCourse } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.importPackage('phishing', await packCourse('phishing'));
  await service.api('PUT', '/course/phishing', { Title: 'Spot the phish' });
  const options = {
    month: { Name: 'One month', Duration: 'P30D', Price: { Amount: '29.00', Currency: 'EUR' } },
    year: { Name: 'One year', Duration: 'P1Y', Seats: 12 },
  };
  for (const [id, option] of Object.entries(options))
    expectStatus(await service.api('PUT', `/course/phishing/option/${id}`, option), 201);
});

after(() => service?.close());

const past = () => new Date(Date.now() - 86_400_000).toISOString();

/** A tenant with Ann, who is enrolled for a month, and its administrator. */
async function withAnn() {
  const tenant = await newTenant(service);
  await tenant.api('POST', '/user', {
    LoginID: 'ann',
    FirstName: 'Ann',
    LastName: 'Lee',
    GroupName: 'Sales',
  });
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const { body } = await tenant.api('POST', '/enrol/ann/phishing/month');
  return {
    tenant,
    who: { tenant, LoginID },
    address: `/enrolment/ann/${body.EnrollID}`,
    EnrollID: body.EnrollID,
  };
}

const read = async (tenant: TestTenant, address: string) => (await tenant.api('GET', address)).body;

/** Goes from the list of users to Ann's enrolment by searching for her last name. */
async function find(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('textbox', { name: 'Name, email or LoginID' }).fill('lee');
  await page.getByRole('link', { name: 'Ann Lee' }).click();
  await page.getByRole('link', { name: 'Spot the phish' }).click();
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();

test('An administrator finds out why a learner cannot start and extends access, and the learner plays the course', async () => {
  const { tenant, who, address } = await withAnn();
  await tenant.api('PUT', address, { ExpiresAt: past() });
  const page = await consoleOf(service, who);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await find(page);
  await heading(page, 'Ann Lee cannot start');
  const rules = page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
  assert.match((await rules.first().textContent()) ?? '', /Access has expired/);
  await expectCount(rules, 1);
  await page.getByText('All other 7 conditions are met').waitFor();

  await page.getByRole('button', { name: 'Extend by 30 days' }).click();
  await heading(page, 'Ann Lee can start');
  const extended = await read(tenant, address);
  assert.equal(extended.Status, 'enrolled');
  assert.ok(new Date(extended.ExpiresAt).getTime() > Date.now() + 29 * 86_400_000);
  await page.getByRole('button', { name: 'Copy launch link' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, extended.LaunchURL);

  const learner = await openPage(await newContext());
  await learner.goto(link);
  await press(learner, 'next', 'next');
  await waitForState(learner, 'saved');
  await learner.click('#exit-button');
  await learner.getByText('You can close this window').waitFor();
  await learner.context().close();

  await page.reload();
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await timeline.getByText('Launch 1', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Everything');
  await timeline
    .getByText(/^Commit \d+ of launch 1 saved$/)
    .first()
    .waitFor();
  const reported = await timeline.getByRole('listitem').allTextContents();
  const place = (text: string) => reported.findIndex((entry) => entry.startsWith(text));
  assert.ok(place('Launch 1') < place('Enrolment extended'), 'the newest entry comes first');
  assert.equal(place('Enrolled'), reported.length - 1);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Events');
  await timeline.getByText('Course started').waitFor();
  assert.equal(await timeline.getByText('Launch 1', { exact: true }).count(), 0);
  await closeConsole(page);
});

test('A disabled account and a withdrawn enrolment are shown immediately, with a remedy next to them', async () => {
  const { tenant, who, address, EnrollID } = await withAnn();
  await tenant.api('PUT', '/user/ann', { Enabled: false });
  await tenant.api('PUT', address, { Withdrawn: true });
  const page = await consoleOf(service, who, `/console/enrolments/ann/${EnrollID}`);
  await heading(page, 'Ann Lee cannot start');
  const rules = page.getByRole('list', { name: 'Rules' });
  await rules.getByText('Not passed: The account is disabled', { exact: true }).waitFor();
  await rules.getByText('Not passed: The enrolment is withdrawn', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Enable account' }).click();
  await rules.getByText('Not passed: The account is disabled').waitFor({ state: 'detached' });
  await heading(page, 'Ann Lee cannot start');
  await page.getByRole('button', { name: 'Undo withdrawal' }).click();
  await heading(page, 'Ann Lee can start');
  assert.equal((await read(tenant, '/user/ann')).Enabled, true);
  assert.equal((await read(tenant, address)).Status, 'enrolled');

  await page.getByRole('button', { name: 'Change access' }).click();
  await page.getByRole('radio', { name: 'Withdraw', exact: true }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await heading(page, 'Ann Lee cannot start');
  assert.equal((await read(tenant, address)).Status, 'withdrawn');
  await closeConsole(page);
});

test('A learner is enrolled with a chosen option; an existing enrolment is extended or renewed', async () => {
  const { tenant, who, address, EnrollID } = await withAnn();
  await tenant.user({ FirstName: 'Bo', LastName: 'Berg' });
  const page = await consoleOf(service, who, '/console/enrol?course=phishing');
  await page.getByRole('combobox', { name: 'People' }).fill('berg');
  await page.getByRole('option', { name: 'Bo Berg' }).click();
  await page.getByRole('radio', { name: 'One month' }).waitFor();
  await page.getByText('€29.00').waitFor();
  await page.getByText('1 year · 12 seats left').waitFor();
  await page.getByRole('radio', { name: 'One year' }).click();
  await page.getByRole('button', { name: 'Enrol', exact: true }).click();
  await heading(page, 'Bo Berg can start');
  await page.locator('h1:focus').waitFor();
  const made = (await tenant.api('GET', '/enrolment?Order=newest')).body.Items[0];
  assert.equal(made.DurationID, 'year');

  await page.goto(`${service.baseUrl}/console/enrol?course=phishing&login=ann`);
  await page.getByRole('radio', { name: 'One month' }).click();
  await page.getByRole('button', { name: 'Enrol', exact: true }).click();
  await page
    .getByRole('alert')
    .getByText(/already enrolled/i)
    .first()
    .waitFor();
  await page.getByRole('checkbox', { name: 'Extend the access' }).check();
  await page.getByRole('button', { name: 'Enrol', exact: true }).click();
  await heading(page, 'Ann Lee can start');
  const extended = await read(tenant, address);
  assert.ok(new Date(extended.ExpiresAt).getTime() > Date.now() + 59 * 86_400_000);

  await page.getByRole('button', { name: 'Change access' }).click();
  const dialog = page.getByRole('dialog', { name: 'Access of Ann Lee' });
  await dialog.getByRole('textbox', { name: 'Last day' }).fill('2090-05-04');
  await dialog.getByRole('button', { name: 'Change end date' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.match((await read(tenant, address)).ExpiresAt, /^2090-05-0/);
  await page.getByRole('button', { name: 'Change access' }).click();
  await dialog.getByRole('radio', { name: 'Start over' }).check();
  await dialog.getByRole('button', { name: 'Start over' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await tenant.api('GET', '/enrolment/ann')).body.Items.length, 2);
  await page.goto(`${service.baseUrl}/console/enrolments/ann/${EnrollID}`);
  await page.getByText('Ann Lee has a newer enrolment on this course').waitFor();
  await closeConsole(page);
});

test('A result is overridden with a reason, and the override is later removed', async () => {
  const { tenant, who, address, EnrollID } = await withAnn();
  const page = await consoleOf(service, who, `/console/enrolments/ann/${EnrollID}`);
  await page.getByRole('button', { name: 'Override result' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Completion' }).selectOption('Completed');
  await dialog.getByRole('textbox', { name: 'Score' }).fill('85');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Passed elsewhere');
  await dialog.getByRole('button', { name: 'Override', exact: true }).click();
  await page.getByText('This result was overridden').waitFor();
  await page.getByText('Recorded: Unknown').first().waitFor();
  const decided = await read(tenant, address);
  assert.deepEqual([decided.Status, decided.Score, decided.Success], ['completed', 85, 'unknown']);
  await page.getByRole('button', { name: 'Remove override' }).click();
  await page.getByText('Override removed').waitFor();
  assert.equal((await read(tenant, address)).Override, null);
  await closeConsole(page);
});

test('The list is filtered by its URL and can be saved as CSV', async () => {
  const { tenant, who, address } = await withAnn();
  await tenant.user({ GroupName: 'Stock' });
  const page = await consoleOf(service, who, '/console/enrolments?status=expired');
  await heading(page, 'No enrolments found');
  await tenant.api('PUT', address, { ExpiresAt: past() });
  await page.reload();
  await page.getByRole('link', { name: 'Ann Lee' }).waitFor();
  await page.getByRole('combobox', { name: 'Group' }).click();
  await page.getByRole('option', { name: 'Stock' }).click();
  await heading(page, 'No enrolments found');
  assert.equal(new URL(page.url()).searchParams.get('group'), 'Stock');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const file = await saving;
  assert.equal(file.suggestedFilename(), 'enrolments.csv');
  const stream = await file.createReadStream();
  const csv = Buffer.concat(await stream.toArray()).toString();
  assert.match(csv, /^.*Enrolment ID,Login,Course ID,Enrolment option,First name,/);
  assert.equal(csv.trim().split('\n').length, 2);
  await closeConsole(page);
});

test('Words of a name find the enrolments of a person, together with the other filters', async () => {
  const { tenant, who } = await withAnn();
  const person = { LoginID: 'vic', FirstName: 'Víctor', LastName: 'Müller', GroupName: 'Sales' };
  expectStatus(await tenant.api('POST', '/user', person), 201);
  expectStatus(await tenant.api('POST', '/enrol/vic/phishing/year'), 201);
  const page = await consoleOf(service, who, '/console/enrolments');
  const learner = page.getByRole('link', { name: 'Víctor Müller' });
  const ann = page.getByRole('link', { name: 'Ann Lee' });
  await learner.waitFor();
  await ann.waitFor();
  const search = page.getByRole('textbox', { name: 'Name, email or LoginID' });
  await search.fill('muller vic');
  await ann.waitFor({ state: 'detached' });
  await learner.waitFor();
  assert.match(page.url(), /search=muller/);
  await page.reload();
  await learner.waitFor();
  assert.equal(await search.inputValue(), 'muller vic');
  await expectCount(ann, 0);
  await expectAccessible(page);
  await page.getByLabel('Status', { exact: true }).selectOption('Completed');
  await page.getByText('No enrolments found').waitFor();
  await page.getByLabel('Status', { exact: true }).selectOption('Not started');
  await learner.waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await ann.waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await search.fill('lee');
  await learner.waitFor({ state: 'detached' });
  await ann.click();
  await heading(page, 'Spot the phish');
  await closeConsole(page);
});
