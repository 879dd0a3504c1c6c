import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;
let who: { tenant: Awaited<ReturnType<typeof newTenant>>; LoginID: string };

before(async () => {
  service = await startService();
  await service.api('PUT', '/course/ladders', { Title: 'Working on ladders', URL: 'https://web.example/' });
  await service.api('PUT', '/course/ladders/option/month', { Duration: 'P30D' });
  for (let n = 10; n < 70; n++) {
    const course = { Title: `Course ${n}`, URL: 'https://web.example/' };
    expectStatus(await service.api('PUT', `/course/course-${n}`, course), 201);
    expectStatus(await service.api('PUT', `/course/course-${n}/option/month`, { Duration: 'P30D' }), 201);
    expectStatus(await service.api('POST', '/tenant', { TenantID: `listed-${n}`, Name: `Listed ${n}` }), 201);
  }
  const tenant = await newTenant(service, { Name: 'Acme' });
  const users = Array.from({ length: 59 }, (_, n) => ({
    LoginID: `staff-${String(99 - n)}`,
    FirstName: ['Anna', 'Bo', 'Cyrille', 'Désirée'][n % 4],
    LastName: ['Arbor', 'Brandt', 'Müller-Lüdenscheidt'][n % 3],
    GroupName: n % 2 ? 'Sales' : 'Warehouse north',
    Email: `staff-${99 - n}@department.example`,
  }));
  const ndjson = { 'content-type': 'application/x-ndjson' };
  const rows = (list: object[]) => list.map((row) => JSON.stringify(row)).join('\n');
  expectStatus(await tenant.api('POST', '/user/bulk', rows(users), ndjson), 200);
  const invited = users.map(({ LoginID }) => ({ LoginID }));
  expectStatus(await tenant.api('POST', '/invitation/bulk', rows(invited), ndjson), 200);
  const keys = { CourseIDs: ['ladders'], DurationIDs: ['month'], Quantity: 60 };
  expectStatus(await tenant.api('POST', '/enrolment/key', keys), 201);
  const enrolments = users.map(({ LoginID }) => ({ LoginID, CourseID: 'ladders' }));
  expectStatus(await tenant.api('POST', '/enrol/bulk', rows(enrolments), ndjson), 200);
  who = { tenant, LoginID: await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true }) };
});

after(() => service?.close());

const firstCells = (page: Page) => page.locator('tbody tr td:first-child').allInnerTexts();
const header = (page: Page, name: string) => page.getByRole('columnheader', { name });
const look = process.env.LOOK;
const phone = { width: 390, height: 844 };

test('A list says how many rows there are for its filters', async () => {
  const page = await consoleOf(service, who, '/console/users');
  await page.getByText('50 of 60 rows').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('60 rows', { exact: true }).waitFor();
  await page.goto(`${service.baseUrl}/console/users?group=Sales`);
  await page.getByText('29 rows', { exact: true }).waitFor();
  for (const [path, text] of [
    ['enrolments', '50 of 59 rows'],
    ['courses', '50 of 61 rows'],
    ['keys', '50 of 60 rows'],
    ['invitations', '50 of 59 rows'],
  ]) {
    await page.goto(`${service.baseUrl}/console/${path}`);
    await page.getByText(text ?? '').waitFor();
  }
  await page.goto(`${service.baseUrl}/console/enrolments`);
  await page.route(/\/enrolment\?.*Count=true/, async (route) => {
    const response = await route.fetch();
    const body = { ...(await response.json()), Count: { Records: 10_000, More: true } };
    await route.fulfill({ response, json: body });
  });
  await page.reload();
  await page.getByText('50 of at least 10,000 rows').waitFor();
  await closeConsole(page);
});

test('Each of 50 rows shows the name of its user and its buttons, however quickly the names arrive', async () => {
  const page = await consoleOf(service, who, '/console/invitations');
  for (let visit = 0; visit < 5; visit++) {
    await page.getByText('50 of 59 rows').waitFor();
    await expectCount(page.getByRole('link', { name: /^(Anna|Bo|Cyrille|Désirée) / }), 50);
    await expectCount(page.getByRole('button', { name: 'Revoke' }), 50);
    await page.reload();
  }
  await closeConsole(page);
});

test('The operator sees how many courses and tenants match', async () => {
  const page = await consoleOf(service, 'operator', '/console/courses');
  await page.getByText('50 of 61 rows').waitFor();
  await page.goto(`${service.baseUrl}/console/tenants?search=listed`);
  await page.getByText('50 of 60 rows').waitFor();
  await closeConsole(page);
});

test('The header of a column sorts the list, with the keyboard too', async () => {
  const page = await consoleOf(service, who, '/console/users');
  const created = header(page, 'Created');
  const isSorted = async (order: string) => {
    await page.locator(`th[aria-sort=${order}]`).waitFor();
    assert.equal(await created.getAttribute('aria-sort'), order);
  };
  await isSorted('none');
  assert.equal(await header(page, 'Email').getAttribute('aria-sort'), null);
  const [usual] = await firstCells(page);
  await created.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await isSorted('descending');
  await page.getByRole('row').filter({ hasText: 'Ada Admin' }).waitFor();
  // The header keeps the focus, although the list was loaded again.
  await page.waitForFunction(() => document.activeElement?.classList.contains('sort'));
  await page.keyboard.press('Enter');
  await isSorted('ascending');
  await page.locator('tbody tr:first-child').getByText('staff-99').first().waitFor();
  await page.keyboard.press('Space');
  await isSorted('none');
  await page.waitForFunction((text) => document.querySelector('tbody td')?.textContent !== text, '');
  await page
    .getByRole('row')
    .filter({ hasText: usual?.split('\n').at(-1) ?? '' })
    .first()
    .waitFor();
  assert.ok(!page.url().includes('order='));
  await expectAccessible(page);
  // A search has its own order.
  await page.goto(`${service.baseUrl}/console/users?search=anna&order=newest`);
  await header(page, 'Created').waitFor();
  assert.equal(await header(page, 'Created').getByRole('button').count(), 0);

  await page.goto(`${service.baseUrl}/console/enrolments`);
  const enrolled = header(page, 'Enrolled');
  await page.locator('th[aria-sort=descending]').waitFor();
  await enrolled.getByRole('button').click();
  await page.locator('th[aria-sort=ascending]').waitFor();
  await page.goto(`${service.baseUrl}/console/enrolments?before=2999-01-01`);
  await page.locator('th[aria-sort=ascending]').waitFor();
  assert.equal(await header(page, 'Access ends').getAttribute('aria-sort'), 'ascending');
  await closeConsole(page);
});

test('Enrolments are sorted by status and by end of access, and the list says what is left out', async () => {
  const tenant = await newTenant(service);
  for (const LoginID of ['ann', 'bo', 'cy'])
    expectStatus(await tenant.api('POST', '/user', { LoginID, FirstName: LoginID }), 201);
  const made: Record<string, string> = {};
  for (const [LoginID, body] of [
    ['ann', { ExpiresAt: '2090-01-01T00:00:00Z' }],
    ['bo', {}],
    ['cy', { ExpiresAt: '2080-01-01T00:00:00Z' }],
  ] as const) {
    const reply = await tenant.api('POST', `/enrol/${LoginID}/ladders/month`, body);
    expectStatus(reply, 201);
    made[LoginID] = reply.body.EnrollID;
  }
  expectStatus(await tenant.api('PUT', `/enrolment/bo/${made.bo}`, { Withdrawn: true }), 200);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID }, '/console/enrolments');
  const shown = async (...expected: string[]) => {
    const names = page.locator('tbody tr td:first-child a');
    await page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('tbody tr td:first-child a')].map((one) => one.textContent).join() ===
        wanted,
      expected.join(),
    );
    assert.equal(await names.count(), expected.length);
  };
  await shown('cy', 'bo', 'ann');
  const click = async (name: string, order: string) => {
    await header(page, name).getByRole('button').click();
    await page.locator(`th[aria-sort=${order}]`).filter({ hasText: name }).waitFor();
  };
  await click('Status', 'ascending');
  await shown('ann', 'cy', 'bo');
  await click('Status', 'descending');
  await shown('bo', 'cy', 'ann');
  await click('Access ends', 'ascending');
  await shown('cy', 'ann');
  await page.getByText('only current enrolments that have an end date are listed').waitFor();
  await expectAccessible(page);
  await page.reload();
  await shown('cy', 'ann');
  await click('Enrolled', 'descending');
  await shown('cy', 'bo', 'ann');
  await page.setViewportSize(phone);
  await page.getByRole('combobox', { name: 'Order' }).selectOption('By status: completed first');
  await shown('ann', 'cy', 'bo');
  await closeConsole(page);
});

test('On a phone, rows are sorted and selected above the cards', async () => {
  const page = await newConsolePage(phone);
  await signInAs(page, service, who, '/console/users');
  await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
  await page.getByText('50 users selected').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Newest first');
  await page.locator('tbody tr:first-child').getByText('Ada Admin').first().waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

const names = {
  en: { enrol: 'Enrol 50 users', access: 'Change access', plan: 'Show the plan' },
  de: { enrol: '50 Benutzer einschreiben', access: 'Zugang ändern', plan: 'Plan zeigen' },
  fr: { enrol: 'Inscrire 50 utilisateurs', access: 'Modifier l’accès', plan: 'Afficher le plan' },
};

for (const language of ['en', 'de', 'fr'] as const)
  test(`Lists with a selection, their forms and plans fit on all screens (${language})`, async () => {
    const page = await newConsolePage({ width: 1280, height: 800 });
    await page.addInitScript((text) => localStorage.setItem('lectern-language', text), language);
    const check = async (name: string) => {
      for (const [size, width, height] of [
        ['desktop', 1280, 800],
        ['phone', phone.width, phone.height],
      ] as const)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height });
          await page.emulateMedia({ colorScheme });
          await page.waitForTimeout(look ? 400 : 0);
          await page.waitForFunction(() => document.documentElement.scrollWidth === window.innerWidth);
          if (look) await page.screenshot({ path: `${look}/${language}-${name}-${size}-${colorScheme}.png` });
          if (colorScheme === 'dark' && size === 'phone') await expectAccessible(page);
        }
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: 'light' });
    };
    const text = names[language];
    await signInAs(page, service, who, '/console/users');
    await page.locator('thead input[type=checkbox]').check();
    await page.getByText('60').filter({ visible: true }).first().waitFor();
    await check('users');
    await page.getByRole('button', { name: text.enrol }).click();
    await page.getByRole('button', { name: text.plan }).waitFor();
    await check('enrol');
    await page.goto(`${service.baseUrl}/console/enrolments`);
    await page.locator('thead input[type=checkbox]').check();
    await page.getByText('59').filter({ visible: true }).first().waitFor();
    await check('enrolments');
    await page.getByRole('button', { name: text.access }).click();
    await page.getByRole('dialog').getByText('50').first().waitFor();
    await check('access');
    await closeConsole(page);
  });
