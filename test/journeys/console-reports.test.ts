import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countCompletion } from '../../server/src/domain/reports/count-completion.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount } from '../../server/test/support/browser.ts';
import { movableClock } from '../../server/test/support/clock.ts';
import { closeConsole, consoleOf, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;
const clock = movableClock();

before(async () => {
  clock.advance({ days: -3 });
  service = await startService({ now: clock.now });
});

after(() => service?.close());

const day = (at: Date) => at.toISOString().slice(0, 10);

/**
 * A tenant with enrolments on two courses. After the day `past`, one more enrolment was created and
 * completed.
 */
async function withLearners() {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ FirstName: 'Ada', IsAdmin: true });
  const fire = await newCourse(service, { Title: 'Fire safety at work' });
  const data = await newCourse(service, { Title: 'Data protection' });
  const enrol = async (course: string, GroupName: string | null, change?: object) => {
    const LoginID = await tenant.user({ GroupName });
    const { body } = await tenant.api('POST', `/enrol/${LoginID}/${course}`);
    if (change) expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${body.EnrollID}`, change), 200);
    return body;
  };
  const done = { Override: { Completion: 'completed', Success: 'passed', Reason: 'seen' } };
  for (let n = 0; n < 5; n++) await enrol(fire, 'Sales', n < 3 ? done : undefined);
  for (let n = 0; n < 3; n++) await enrol(data, 'Support', n < 1 ? { Withdrawn: true } : undefined);
  const { LaunchURL } = await enrol(data, null);
  await fetch(LaunchURL, { redirect: 'manual' });
  const past = day(clock.now());
  expectStatus(await tenant.api('GET', '/report/completion'), 200);
  clock.advance({ days: 3 });
  await enrol(data, 'Support', done);
  await countCompletion(service.ctx);
  return { tenant, boss, past };
}

test('An administrator reads the report, opens the enrolments behind a figure and looks at a past day', async () => {
  const { tenant, boss, past } = await withLearners();
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/reports');
  const rows = page.getByRole('table', { name: 'Reports' }).getByRole('row');
  await page.getByText('4 of 9 enrolments completed').waitFor();
  await expectCount(rows, 4);
  await expectAccessible(page);

  await page.getByRole('combobox', { name: 'Report by' }).selectOption('Group');
  await page.waitForURL(/by=group/);
  await rows.nth(3).getByText('Support').waitFor();
  await expectAccessible(page);
  await rows.nth(2).getByRole('link', { name: 'Completed: show 3 enrolments' }).click();
  await page.waitForURL(/enrolments\?.*status=done/);
  const enrolments = page.getByRole('table', { name: 'Enrolments' }).getByRole('row');
  await enrolments.nth(3).waitFor();
  await expectCount(enrolments, 4);
  await page.goBack();

  await page.getByLabel('As of').fill(past);
  await page.getByText('3 of 8 enrolments completed').waitFor();
  await page.getByText('users who were erased later are included').waitFor();
  await expectCount(rows.getByRole('link'), 0);
  await expectAccessible(page);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const download = await saving;
  assert.equal(download.suggestedFilename(), `completion-${past}.csv`);
  const [, ...lines] = Buffer.concat(await (await download.createReadStream()).toArray())
    .toString()
    .trim()
    .split('\r\n');
  assert.deepEqual(
    lines.map((line) => line.split(',').slice(2, 4)),
    [
      ['', '1'],
      ['Sales', '5'],
      ['Support', '3'],
    ],
  );
  await closeConsole(page);
});

test('Without enrolments, the page says what it will show', async () => {
  const tenant = await newTenant(service);
  const boss = await tenant.user({ IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/reports');
  await page.getByText('No enrolments yet').waitFor();
  await expectAccessible(page);
  await page.getByLabel('As of').fill('2020-01-31');
  await page.getByText('Nothing to report').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByText('No enrolments yet').waitFor();
  await closeConsole(page);
});

for (const [locale, text] of [
  ['de', '4 von 9 Einschreibungen abgeschlossen'],
  ['fr', '4 sur 9 inscriptions terminées'],
] as const)
  test(`The page fits the screen in ${locale}`, async () => {
    const { tenant, boss } = await withLearners();
    const page = await newConsolePage();
    await page.addInitScript(`localStorage.setItem('lectern-language', '${locale}')`);
    await signInAs(page, service, { tenant, LoginID: boss }, '/console/reports?by=course_and_group');
    await page.getByText(text).waitFor();
    await expectAccessible(page);
    await closeConsole(page);
  });
