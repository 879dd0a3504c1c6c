import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeXlsx } from 'hucre/xlsx';
import type { Page } from 'playwright-core';
import { workImports } from '../../server/src/domain/imports/work.ts';
import { removeUntouched } from '../../server/src/domain/privacy/erase.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;
/** Does the job's work, because the service of the tests runs no jobs. */
let working: NodeJS.Timeout;

before(async () => {
  service = await startService();
  working = setInterval(() => void workImports(service.ctx, removeUntouched).catch(() => {}), 500);
  await service.api('PUT', '/course/ladders', { Title: 'Working on ladders', URL: 'https://web.example/' });
  for (const [id, Duration] of Object.entries({ month: 'P30D', year: 'P1Y' }))
    expectStatus(await service.api('PUT', `/course/ladders/option/${id}`, { Duration }), 201);
});

after(async () => {
  clearInterval(working);
  await service?.close();
});

/** A tenant with Ann from Sales, and its administrator. */
async function withAnn() {
  const tenant = await newTenant(service);
  const ann = { LoginID: 'ann', FirstName: 'Ann', LastName: 'Lee', GroupName: 'Sales' };
  expectStatus(await tenant.api('POST', '/user', ann), 201);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  const buffer = typeof content === 'string' ? Buffer.from(content) : content;
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer });
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const says = (page: Page, text: string | RegExp) =>
  page.getByRole('status').getByText(text).waitFor({ timeout: 60_000 });

async function plan(page: Page): Promise<void> {
  await button(page, 'Show the plan').click();
  await page.getByRole('heading', { name: /^What would happen/ }).waitFor({ timeout: 60_000 });
}

async function apply(page: Page, rows: number): Promise<void> {
  await button(page, `Apply to ${rows} row${rows === 1 ? '' : 's'}`).click();
  await page.getByRole('heading', { name: /^Finished/ }).waitFor({ timeout: 60_000 });
}

const shownRows = async (page: Page) =>
  (await page.getByRole('table', { name: 'Rows', exact: true }).getByRole('row').allTextContents()).slice(1);

const user = async (tenant: TestTenant, id: string) => (await tenant.api('GET', `/user/${id}`)).body;

test('A file is planned, corrected, imported, invited and undone from another browser', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/enrol?from=file');
  await button(page, 'Choose file').waitFor();
  await expectAccessible(page);
  // A file as a German spreadsheet writes it: semicolons, Windows-1252, custom headers.
  const file = [
    'Login ID;First name;Nachname (neu);Group name;Must be done by;Kurs',
    'bo;Bo;Bürg;Sales;1.2.2090;working on ladders',
    'ann;Ann;Long;Sales;;',
    'cy;"Cy ""C"" ; Cole";Cole;sales;;Ladder',
    '#N/A;Di;Dent;;;',
  ].join('\r\n');
  await choose(page, 'staff.csv', Buffer.from(file, 'latin1'));
  await page.getByText('staff.csv').waitFor();
  await expectAccessible(page);
  await plan(page);
  const due = page.getByRole('combobox', { name: 'Field for the column Must be done by' });
  assert.equal(await due.inputValue(), 'DueAt');
  const lastName = page.getByRole('combobox', { name: 'Field for the column Nachname (neu)' });
  assert.equal(await lastName.inputValue(), '');
  await lastName.selectOption('LastName');
  await button(page, 'Plan again with these columns').click();
  await page.getByText('The user already exists with different values').waitFor();
  const texts = await shownRows(page);
  assert.match(texts[0] ?? '', /bo.*several enrolment options.*month, year/);
  assert.match(texts[1] ?? '', /ann.*already exists with different values.*LastName/);
  assert.match(texts[2] ?? '', /No course has the ID or the title “Ladder”/);
  assert.match(texts[3] ?? '', /LoginID is “#N\/A”/);
  await expectAccessible(page);
  await button(page, 'Enrol others').click();

  await choose(page, 'corrected.csv', 'Login ID,Surname\nbo,Bürg\ncy,Cole\n');
  const course = page.getByRole('combobox', { name: 'Courses' });
  await course.fill('ladders');
  await page.getByRole('option', { name: /Working on ladders/ }).click();
  await page.getByRole('radio', { name: 'month' }).click();
  await page.getByLabel('Access ends').fill('2090-05-04');
  await plan(page);
  await says(page, '2 rows: 2 would be created. New: 2 people and 2 enrolments.');
  await apply(page, 2);
  await says(page, '2 rows: 2 created. Created: 2 people and 2 enrolments.');
  assert.equal((await user(tenant, 'bo')).LastName, 'Bürg');
  const [enrolment] = (await tenant.api('GET', '/enrolment/cy')).body.Items;
  assert.deepEqual([enrolment.DurationID, enrolment.ExpiresAt], ['month', '2090-05-04T23:59:59.000Z']);
  await expectAccessible(page);
  await button(page, 'Invite these 2 people').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.reload();
  await says(page, '2 rows: 2 created. Created: 2 people and 2 enrolments.');
  await closeConsole(page);

  expectStatus(await tenant.api('PUT', '/user/bo', { FirstName: 'Kim' }), 200);
  const other = await consoleOf(service, who, '/console/enrol?from=file');
  await other.getByRole('link', { name: 'corrected.csv' }).click();
  await button(other, 'Undo').click();
  await other.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await says(other, '1 person removed, 2 enrolments withdrawn; something stays of 1 row.');
  await other.getByText('Changed in the meantime').waitFor();
  const rows = await shownRows(other);
  assert.match(rows[0] ?? '', /bo.*Partly removed.*Changed in the meantime/);
  assert.equal((await user(tenant, 'cy')).code, 'user_not_found');
  await expectAccessible(other);
  await closeConsole(other);
});

/** Holds the answers to a search for this text until the returned function is called. */
async function hold(page: Page, text: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(
    (url) => url.searchParams.get('Search') === text,
    async (route) => {
      await promise;
      await route.continue();
    },
  );
  return resolve;
}

test('A choice for an earlier text cannot be taken while another text is typed', async () => {
  const { who } = await withAnn();
  const page = await consoleOf(service, who, '/console/enrol?from=people');
  const people = page.getByRole('combobox', { name: 'People' });
  const release = await hold(page, 'ann');
  await people.click();
  await page.getByRole('option').nth(1).waitFor();
  await people.pressSequentially('ann');
  await people.press('ArrowDown');
  await people.press('Enter');
  assert.equal(await page.locator('.mantine-Pill-root').count(), 0);
  release();
  await page.getByRole('option', { name: 'Ann Lee' }).waitFor();
  await people.press('ArrowDown');
  await people.press('Enter');
  await page.locator('.mantine-Pill-root', { hasText: 'Ann Lee' }).waitFor();
  await closeConsole(page);
});

test('The operator cannot choose a tenant that was found for an earlier text', async () => {
  const { tenant } = await withAnn();
  const page = await consoleOf(service, 'operator', '/console/users');
  const tenants = page.getByRole('combobox', { name: 'Tenant', exact: true }).first();
  const release = await hold(page, tenant.TenantID);
  await tenants.click();
  await page.getByRole('option').first().waitFor();
  await tenants.fill(tenant.TenantID);
  await tenants.press('ArrowDown');
  await tenants.press('Enter');
  assert.equal(new URL(page.url()).searchParams.get('tenant'), null);
  release();
  await page.getByRole('option', { name: tenant.TenantID }).waitFor();
  await tenants.press('ArrowDown');
  await tenants.press('Enter');
  await page.waitForURL(`**tenant=${tenant.TenantID}**`);
  await closeConsole(page);
});

test('A messy staff list of 500 people is imported, and the plan lists what is wrong with it', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/enrol?from=file');
  await page.locator('input[type=file]').setInputFiles(join(import.meta.dirname, 'files/messy-staff.csv'));
  await plan(page);
  await says(page, '501 rows: 496 would be created and 5 would be refused. New: 496 people.');
  await page.getByLabel('Show').selectOption('Refused (5)');
  await page.getByText('“no email yet” is not an email address').waitFor();
  const texts = await shownRows(page);
  const expected = [
    /^Line 156.*A00151.*“no email yet”/,
    /^Line 157.*A00152.*not an email address/,
    /^Line 268.*Bob.*differs from “bob” in line 267/,
    /^Line 407.*A00400.*already in line 406/,
    /^Line 508.*Total: 500.*looks like a total/,
  ];
  for (const [at, pattern] of expected.entries()) assert.match(texts[at] ?? '', pattern);
  await apply(page, 496);
  await says(page, '501 rows: 496 created and 5 refused. Created: 496 people.');
  const { LastName } = await user(tenant, 'A00201');
  assert.equal(LastName, LastName.trim());
  assert.equal((await user(tenant, 'A00011')).Email, null);
  await closeConsole(page);
});

test('The visible sheet of a workbook is read: merged cells, days, leading zeros and errors', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/enrol?from=file');
  const rows = [
    ['Mitarbeitende'],
    ['Personalnummer', 'Vorname', 'Abteilung', 'Kurs', 'Option', 'Gültig bis'],
    ['01234', 'Ida', 'Lager', 'ladders', 'month', new Date('2090-05-04T00:00:00Z')],
    ['01235', 'Jo', null, 'ladders', 'month', new Date('2090-05-04T13:30:00Z')],
    ['01236', '#REF!', null, null, null, null],
  ];
  const hidden = { name: 'alt', hidden: true, rows: [['LoginID'], ['wrong']] };
  const merges = [{ startRow: 2, endRow: 3, startCol: 2, endCol: 2 }];
  const content = await writeXlsx({ sheets: [hidden, { name: 'Personal', rows, merges }] });
  await choose(page, 'personal.xlsx', Buffer.from(content));
  await plan(page);
  await says(page, '3 rows: 2 would be created and 1 would be refused. New: 2 people and 2 enrolments.');
  await apply(page, 2);
  assert.equal((await user(tenant, '01235')).GroupName, 'Lager');
  for (const id of ['01234', '01235'])
    assert.equal(
      (await tenant.api('GET', `/enrolment/${id}`)).body.Items[0].ExpiresAt,
      '2090-05-04T23:59:59.000Z',
    );
  assert.equal((await user(tenant, 'wrong')).code, 'user_not_found');
  await closeConsole(page);
});

test('A name that differs only in case is questioned before anything is created', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/enrol?from=file');
  await choose(page, 'staff.csv', 'LoginID,GroupName\nbob,sales\nANN,Sales\n');
  await plan(page);
  await page.getByText('The group “sales” differs from “Sales” only in case or spaces.').first().waitFor();
  await button(page, 'Nothing to apply').waitFor();
  await page.getByRole('radio', { name: 'They mean the existing ones' }).check();
  await apply(page, 2);
  await says(page, '2 rows: 1 created and 1 unchanged. Created: 1 person.');
  assert.equal((await user(tenant, 'bob')).GroupName, 'Sales');
  assert.equal((await user(tenant, 'ANN')).code, 'user_not_found');
  await closeConsole(page);
});

test('An invalid file is rejected with advice', async () => {
  const { who } = await withAnn();
  const page = await consoleOf(service, who, '/console/enrol?from=file');
  for (const [name, content, advice] of [
    ['staff.xlsx', 'PK\u0003\u0004 a workbook', /./],
    ['empty.csv', 'LoginID,FirstName\n\n', /no rows below its column names/],
    ['other.csv', 'Name,Colour\nAnn,red\n', /No column is recognised as LoginID/],
  ] as const) {
    await choose(page, name, content);
    await button(page, 'Show the plan').click();
    await page.getByRole('alert').getByText(advice).first().waitFor();
    await button(page, 'Choose another file').click();
  }
  await closeConsole(page);
});
