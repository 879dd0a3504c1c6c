import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expireEnrolments } from '../../server/src/domain/enrolments/expire.ts';
import { countAccess } from '../../server/src/domain/reports/count-access.ts';
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
  service = await startService({ now: clock.now });
});

after(() => service?.close());

const inDays = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString();

/** A tenant with an overdue enrolment, and others that end in 3 days, in 20 days, and never. */
async function withEnds() {
  clock.advance({ days: -2 });
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ FirstName: 'Ada', IsAdmin: true });
  const options = { open: {}, day: { Duration: 'P1D' } };
  const course = await newCourse(service, { Title: 'Fire safety at work' }, options);
  const enrol = async (option: string, days: number | null) => {
    const LoginID = await tenant.user({ GroupName: 'Sales' });
    const { body } = await tenant.api('POST', `/enrol/${LoginID}/${course}/${option}`);
    if (days === null) return;
    const change = { ExpiresAt: inDays(days) };
    expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${body.EnrollID}`, change), 200);
  };
  expectStatus(await tenant.api('GET', '/report/access'), 200);
  await enrol('day', null);
  clock.advance({ days: 2 });
  await expireEnrolments(service.ctx);
  for (const days of [3, 3, 20, null]) await enrol('open', days);
  await countCompletion(service.ctx);
  await countAccess(service.ctx);
  return { tenant, boss };
}

test('An administrator sees whose access has ended or ends soon, and opens these enrolments', async () => {
  const { tenant, boss } = await withEnds();
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/reports');
  await page.getByRole('link', { name: 'Access', exact: true }).click();
  await page.getByText('of 5 uncompleted enrolments is overdue').waitFor();
  const rows = page.getByRole('table', { name: 'Reports' }).getByRole('row');
  await rows.nth(1).getByText('Fire safety at work').waitFor();
  await expectAccessible(page);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const download = await saving;
  assert.equal(download.suggestedFilename(), 'access.csv');
  const [, line] = Buffer.concat(await (await download.createReadStream()).toArray())
    .toString()
    .split('\r\n');
  assert.deepEqual(line?.split(',').slice(3, 7), ['4', '2', '3', '1']);

  const enrolments = page.getByRole('table', { name: 'Enrolments' }).getByRole('row');
  for (const [link, count] of [
    ['Overdue: show 1 enrolment', 1],
    ['Ends in 7 days: show 2 enrolments', 2],
    ['Ends in 30 days: show 3 enrolments', 3],
    ['All open: show 4 enrolments', 4],
  ] as const) {
    await rows.nth(1).getByRole('link', { name: link }).click();
    await page.waitForURL(/enrolments\?.*status=/);
    await enrolments.nth(count).waitFor();
    await expectCount(enrolments, count + 1);
    await page.goBack();
  }

  await page.getByLabel('As of').fill(inDays(-1).slice(0, 10));
  await page.getByText('but not when access was going to end').waitFor();
  await expectCount(rows.getByRole('link'), 0);
  await expectAccessible(page);
  await closeConsole(page);
});

test("In a test tenant, the pages follow the tenant's clock", async () => {
  const tenant = await newTenant(service, { Status: 'test' });
  const boss = await tenant.user({ IsAdmin: true });
  const course = await newCourse(service, {}, { month: { Duration: 'P40D' } });
  expectStatus(await tenant.api('POST', `/enrol/${await tenant.user()}/${course}`), 201);
  const moved = await tenant.api('POST', '/test/clock', { Advance: 'P35D' });
  expectStatus(moved, 200);
  await countCompletion(service.ctx);
  await countAccess(service.ctx);
  const after = (days: number) =>
    new Date(Date.parse(moved.body.Now) + days * 86_400_000).toISOString().slice(0, 10);
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/reports/access');
  const rows = page.getByRole('table', { name: 'Reports' }).getByRole('row');
  const isEndingSoon = async () => {
    await page.waitForURL(/enrolments\?.*before=/);
    assert.ok(decodeURIComponent(page.url()).includes(`before=${after(8)}T00:00Z`), page.url());
    await expectCount(page.getByRole('table', { name: 'Enrolments' }).getByRole('row'), 2);
    await page.goBack();
  };
  await rows.nth(1).getByRole('link', { name: 'Ends in 7 days: show 1 enrolment' }).click();
  await isEndingSoon();

  const dayPicker = page.getByLabel('As of');
  await dayPicker.and(page.locator(`[max="${after(0)}"]`)).waitFor();
  await dayPicker.fill(after(-1));
  await page.getByText('but not when access was going to end').waitFor();
  await expectCount(rows.getByRole('link'), 0);

  await page.getByRole('link', { name: 'Completion', exact: true }).click();
  await page.getByText('0 of 1 enrolment completed').waitFor();
  await page.getByRole('link', { name: 'Show access that ends within a week' }).click();
  await isEndingSoon();

  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  await page
    .getByLabel('To', { exact: true })
    .and(page.locator(`[value="${after(0)}"]`))
    .waitFor();
  await closeConsole(page);
});

test('Without enrolments, the page says what it will show', async () => {
  const tenant = await newTenant(service);
  const boss = await tenant.user({ IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/reports/access');
  await page.getByText('this page shows how many enrolments are overdue or end soon').waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

for (const [locale, text] of [
  ['de', 'nicht abgeschlossenen Einschreibungen ist überfällig'],
  ['fr', 'inscriptions non terminées est en retard'],
] as const)
  test(`The page fits the screen in ${locale}`, async () => {
    const { tenant, boss } = await withEnds();
    const page = await newConsolePage();
    await page.addInitScript(`localStorage.setItem('lectern-language', '${locale}')`);
    await signInAs(page, service, { tenant, LoginID: boss }, '/console/reports/access?by=course_and_group');
    await page.getByText(text).waitFor();
    await expectAccessible(page);
    await closeConsole(page);
  });
