import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount } from '../../server/test/support/browser.ts';
import { movableClock } from '../../server/test/support/clock.ts';
import { closeConsole, consoleOf, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newCourse, newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;
const clock = movableClock();

before(async () => {
  const env = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' };
  service = await startService({ now: clock.now, env });
});

after(() => service?.close());

/** A tenant with five enrolments on a day 20 days ago and two today. */
async function withActivity() {
  clock.advance({ days: -20 });
  const tenant = await newTenant(service, { Name: 'Acme' });
  const fields = { FirstName: 'Ada', IsAdmin: true, Email: 'ada@acme.example' };
  const boss = await tenant.user(fields);
  const course = await newCourse(service, { Title: 'Fire safety at work' });
  const enrol = async (count: number) => {
    for (let n = 0; n < count; n++)
      await tenant.api('POST', `/enrol/${await tenant.user({ GroupName: 'Sales' })}/${course}`);
  };
  await enrol(5);
  clock.advance({ days: 20 });
  await enrol(2);
  return { tenant, boss };
}

test('An administrator reads the activity by day and week, and saves it as a file', async () => {
  const { tenant, boss } = await withActivity();
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/reports');
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.waitForURL(/reports\/activity/);
  const rows = page.getByRole('table', { name: 'All figures' }).getByRole('row');
  await expectCount(rows, 32);
  assert.ok((await rows.last().innerText()).startsWith('Total\t7\t'));
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Show by' }).selectOption('Week');
  await page.waitForURL(/unit=week/);
  await rows.nth(28).waitFor({ state: 'detached' });
  assert.ok((await rows.last().innerText()).startsWith('Total\t7\t'));
  await page.getByRole('slider').focus();
  await page.keyboard.press('Home');
  await expectAccessible(page);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  assert.match((await saving).suggestedFilename(), /^activity-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv$/);
  await page.getByRole('button', { name: /^Filters/ }).click();
  await page.getByRole('textbox', { name: 'From' }).fill('2000-01-01');
  await page.getByText('A report covers at most 1827 days.').waitFor();
  await closeConsole(page);
});

test('An administrator schedules a report, changes, pauses, runs and deletes it', async () => {
  const { tenant, boss } = await withActivity();
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/reports/schedules');
  await page.getByText('No scheduled reports yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Schedule report' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Monday report');
  await dialog.getByLabel(/^Time(?! zone)/).fill('06:30');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Schedule report' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('row', { name: /Monday report/ });
  await row.getByText('Every Monday at 6:30').waitFor();
  await row.getByText('1 recipient').waitFor();
  await expectAccessible(page);

  const menu = page.getByRole('button', { name: 'Actions for Monday report' });
  const act = async (name: string) => {
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name }).click();
  };
  await act('Edit');
  await dialog.getByRole('combobox', { name: 'Report' }).selectOption('Compliance');
  await dialog.getByRole('combobox', { name: 'One line for each' }).selectOption('Manager');
  assert.equal(await dialog.getByRole('combobox', { name: 'Course' }).count(), 0);
  await dialog.getByLabel('How often').selectOption('Every month');
  await dialog.getByLabel('Day of the month').fill('31');
  await dialog.getByRole('radio', { name: 'By webhook' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row.getByText('On day 31 of every month at 6:30').waitFor();
  await act('Pause');
  await row.getByText('Paused').waitFor();
  await act('Run now');
  await page.getByText('The report will be sent within a few seconds').waitFor();
  await act('Resume');
  await row.getByText('Paused').waitFor({ state: 'detached' });
  await act('Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No scheduled reports yet').waitFor();
  await closeConsole(page);
});

for (const locale of ['de', 'fr'])
  test(`The pages fit the screen in ${locale}`, async () => {
    const { tenant, boss } = await withActivity();
    await tenant.api('POST', '/report/schedule', {
      ...{ Name: 'Monatlicher Überblick', Report: 'activity', Every: 'month', MonthDay: 1 },
      ...{ Time: '07:00', TimeZone: 'Europe/Berlin', Delivery: 'email', Recipients: [boss] },
    });
    const page = await newConsolePage();
    await page.addInitScript(`localStorage.setItem('lectern-language', '${locale}')`);
    await signInAs(page, service, { tenant, LoginID: boss }, '/console/reports/activity');
    await page.getByRole('slider').waitFor();
    await expectAccessible(page);
    await page.goto(`${service.baseUrl}/console/reports/schedules`);
    await page.getByText('Monatlicher Überblick').waitFor();
    await expectAccessible(page);
    await closeConsole(page);
  });
