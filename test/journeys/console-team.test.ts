import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newCourse, newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;

before(async () => {
  // Nothing listens on this port, because the test only queues emails.
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' };
  service = await startService({ env: mail });
});

after(() => service?.close());

const shot = async (page: Page, name: string) => {
  const folder = process.env.SHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name.replaceAll(' ', '-')}.png`, fullPage: true });
};

/** A manager with three people, two of whom are overdue; one of these has no email address. */
async function newTeam() {
  const tenant = await newTenant(service, { Name: 'Acme', Status: 'test' });
  const boss = await tenant.user({ FirstName: 'Grace', LastName: 'Hopper' });
  const own = { ManagerLoginID: boss };
  await tenant.user({ FirstName: 'Ada', LastName: 'King', Email: 'ada@acme.example', ...own });
  await tenant.user({ FirstName: 'Bob', LastName: 'Noyce', ...own });
  await tenant.user({ FirstName: 'Eve', LastName: 'Elsewhere', Email: 'eve@acme.example' });
  const done = await tenant.user({ FirstName: 'Cleo', LastName: 'Moore', Email: 'c@acme.example', ...own });
  const CourseIDs = [await newCourse(service, { Title: 'Fire safety' })];
  const Audience = { Managers: [boss] };
  const body = { Title: 'Fire safety', CourseIDs, Audience, DueAfter: 'P3D', ValidFor: 'P1Y' };
  await tenant.api('PUT', '/requirement/fire', body);
  const [{ EnrollID }] = (await tenant.api('GET', `/enrolment/${done}`)).body.Items;
  const Override = { Success: 'passed', Completion: 'completed', Reason: 'Exam' };
  await tenant.api('PUT', `/enrolment/${done}/${EnrollID}`, { Override });
  await tenant.api('POST', '/test/clock', { Advance: 'P10D' });
  return { tenant, boss };
}

test('A manager sees who is overdue, reminds them, and reads a record', async () => {
  const { tenant, boss } = await newTeam();
  const page = await newConsolePage();
  await signInAs(page, service, { tenant, LoginID: boss });
  await page.getByRole('link', { name: 'My team' }).click();
  await page.getByRole('heading', { name: 'My team', level: 1 }).waitFor();
  const table = page.getByRole('table');
  await table.getByRole('link', { name: 'Ada King' }).waitFor();
  assert.equal(await table.getByText('Elsewhere').count(), 0);
  await expectAccessible(page);
  await table
    .getByText(/^Fire safety: Overdue, /)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Remind 2 overdue people' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 person gets one email').waitFor();
  await dialog.getByText('1 has no email address: Bob Noyce').waitFor();
  await expectAccessible(page, true);
  await dialog.getByRole('button', { name: 'Remind 1 person' }).click();
  await page.getByText('1 person is reminded').waitFor();
  await table.getByRole('link', { name: 'Cleo Moore' }).click();
  await page.getByRole('heading', { name: 'Cleo Moore', level: 1 }).waitFor();
  await page.getByRole('table', { name: 'Required training' }).getByText('Fire safety').waitFor();
  await expectAccessible(page);
  await page.goto(`${service.baseUrl}/console/team/somebody`);
  await page.getByRole('heading', { name: 'This person is not in your team', level: 1 }).waitFor();
  assert.equal(await page.getByText('POST /').count(), 0);
  await page.getByRole('main').getByRole('link', { name: 'My team' }).click();
  await table.getByRole('link', { name: 'Ada King' }).waitFor();
  const { Items } = (await tenant.api('GET', '/mail')).body;
  assert.deepEqual(
    Items.map(({ Kind, Address }: { Kind: string; Address: string }) => [Kind, Address]),
    [['reminder', 'ada@acme.example']],
  );
  await closeConsole(page);
});

test("A test tenant's clock reaches a due date that only the enrolment has", async () => {
  const tenant = await newTenant(service, { Name: 'Acme', Status: 'test' });
  const LoginID = await tenant.user({ FirstName: 'Ada' });
  const CourseID = await newCourse(service, { Title: 'First aid' });
  const DueAt = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`, { DueAt });
  const page = await newConsolePage();
  await signInAs(page, service, { tenant, LoginID });
  await page.getByText(/^Due /).waitFor();
  await tenant.api('POST', '/test/clock', { Advance: 'P10D' });
  // As when the learner comes back to the page.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByText(/^Overdue since /).waitFor();
  await page.reload();
  await page.getByText(/^Overdue since /).waitFor();
  await closeConsole(page);
});

for (const [locale, title, remind] of [
  ['de', 'Mein Team', /2 überfällige Personen erinnern/],
  ['fr', 'Mon équipe', /Relancer 2 personnes/],
] as const)
  test(`A manager's pages fit a phone in ${locale}`, async () => {
    const { tenant, boss } = await newTeam();
    const page = await newConsolePage({ width: 360, height: 740 });
    await page.addInitScript(`localStorage.setItem('lectern-language', '${locale}')`);
    await signInAs(page, service, { tenant, LoginID: boss }, '/console/team');
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await page.getByRole('button', { name: remind }).waitFor();
    await page
      .getByText(/^Fire safety ?: /)
      .first()
      .waitFor();
    await shot(page, `team ${locale}`);
    await expectAccessible(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.equal(wide, false);
    await page.getByRole('link', { name: 'Ada King' }).click();
    await page.getByRole('heading', { name: 'Ada King', level: 1 }).waitFor();
    await expectAccessible(page);
    await closeConsole(page);
  });
