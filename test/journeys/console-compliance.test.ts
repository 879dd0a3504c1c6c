import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;

before(async () => {
  service = await startService();
});

after(() => service?.close());

test('Each figure of the compliance reports leads to exactly its rows', async () => {
  const tenant = await newTenant(service);
  const boss = await tenant.user({ IsAdmin: true, Enabled: true });
  const lead = await tenant.user({ Groups: ['Leads'] });
  for (const fields of [
    { Groups: ['Nurses', 'Night'], ManagerLoginID: lead, Attributes: { Site: 'Leeds' } },
    { Groups: ['Nurses'], ManagerLoginID: lead, Attributes: { Job: 'Nurse' } },
  ])
    await tenant.user(fields);
  const rule = { CourseIDs: [await newCourse(service)], Audience: {} };
  expectStatus(
    await tenant.api('PUT', '/requirement/old', { ...rule, Title: 'Old', DueOn: '2020-01-01' }),
    201,
  );
  const young = { ...rule, Title: 'New', DueAfter: 'P1Y', Audience: { Groups: ['Nurses', 'Leads'] } };
  expectStatus(await tenant.api('PUT', '/requirement/new', young), 201);
  const page = await consoleOf(
    service,
    { tenant, LoginID: boss },
    '/console/reports/compliance?by=attribute',
  );
  await page.getByText('Choose an attribute').waitFor();
  await expectCount(page.getByRole('table'), 0);
  assert.deepEqual(
    await page
      .locator('datalist option')
      .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value)),
    ['Job', 'Site'],
  );
  for (const query of [
    '',
    'by=group',
    'by=manager',
    'by=attribute&attribute=Site',
    'by=group&requirement=new',
  ]) {
    await page.goto(`${service.baseUrl}/console/reports/compliance?${query}`);
    const links = page.getByRole('table', { name: 'Compliance' }).getByRole('link', { name: /: show/ });
    await page.getByRole('row').filter({ hasText: 'Total' }).waitFor();
    const figures = await links.evaluateAll((all) =>
      all.map((one) => ({ href: (one as HTMLAnchorElement).href, count: one.textContent })),
    );
    assert.ok(figures.length >= 6, query);
    for (const { href, count } of figures) {
      await page.goto(href);
      const shown = page.locator('.list-head').getByText(/\d/);
      await expectCount(page.getByRole('button', { name: 'Clear filters' }), 1);
      assert.equal(/\d+/.exec(await shown.innerText())?.[0], count, href);
    }
  }
  await closeConsole(page);
});

test('People are called by their names, in requirements, their plans, reasons and reminders', async () => {
  const tenant = await newTenant(service);
  const boss = await tenant.user({ IsAdmin: true, Enabled: true });
  const lead = await tenant.user({ FirstName: 'Grace', LastName: 'Hopper' });
  const ada = await tenant.user({ FirstName: 'Ada', LastName: 'King', ManagerLoginID: lead });
  const rule = {
    Title: 'Fire safety',
    CourseIDs: [await newCourse(service)],
    Audience: { Managers: [lead] },
  };
  expectStatus(await tenant.api('PUT', '/requirement/fire', { ...rule, DueAfter: 'P1Y' }), 201);
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/requirements');
  const failed: string[] = [];
  page.on('response', (response) => response.status() >= 400 && failed.push(response.url()));
  await page.getByText('Team of Grace Hopper').waitFor();
  await page.getByRole('link', { name: 'Fire safety' }).click();
  await page.getByText('On a fixed day').click();
  await page.getByLabel('Due on').fill('2020-01-31');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  const planned = page.getByRole('table', { name: 'What saving changes' }).getByRole('row').nth(1);
  await planned.getByRole('link', { name: 'Ada King' }).waitFor();
  await planned.getByText(ada, { exact: true }).waitFor();
  await planned.getByText('Overdue').waitFor();
  await page.getByText('1 person is overdue immediately').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Requirement saved').waitFor();

  await page.goto(`${service.baseUrl}/console/users/${ada}`);
  await page.getByRole('button', { name: 'Why? Ada King: Fire safety' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ada King: Fire safety' });
  await dialog.getByText('Teams of these managers: Grace Hopper').waitFor();
  await page.keyboard.press('Escape');

  await page.goto(`${service.baseUrl}/console/requirements/people`);
  await page.getByRole('button', { name: 'Remind', exact: true }).click();
  await page.getByRole('dialog').getByText('1 person is left out:').waitFor();
  await page.getByText(/: Ada King$/).waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${service.baseUrl}/console/requirements/edit`);
  await page.getByRole('textbox', { name: 'Title' }).fill('First aid');
  await page.getByRole('combobox', { name: 'Courses' }).click();
  await page.getByRole('listbox').getByRole('option').first().click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByText(/It concerns \d+ more people/).waitFor();
  assert.deepEqual(failed, []);
  await closeConsole(page);
});
