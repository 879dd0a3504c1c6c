import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeXlsx } from 'hucre/xlsx';
import type { Page } from 'playwright-core';
import { expectCount } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.api('PUT', '/course/ladders', { Title: 'Working on ladders', URL: 'https://web.example/' });
  for (const [id, Duration] of Object.entries({ month: 'P30D', year: 'P1Y' }))
    expectStatus(await service.api('PUT', `/course/ladders/option/${id}`, { Duration }), 201);
});

after(() => service?.close());

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

/** The number of rows for each outcome, as shown on the page: `1 Rejected`. */
async function counted(page: Page): Promise<string[]> {
  const tiles = page.getByRole('list', { name: 'Rows by outcome' }).getByRole('listitem');
  const texts = await tiles.evaluateAll((items) =>
    items.map((item) => [...item.querySelectorAll('p')].slice(0, 2).map(({ textContent }) => textContent)),
  );
  return texts.map(([title, count]) => `${count} ${title}`);
}

async function saved(page: Page, button: string): Promise<string> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const stream = await (await saving).createReadStream();
  return Buffer.concat(await stream.toArray())
    .toString()
    .replace('\uFEFF', '');
}

const plan = async (page: Page, heading = 'What would happen') => {
  await page.getByRole('button', { name: 'Plan the import' }).click();
  await page.getByRole('heading', { name: heading }).waitFor();
  await page.getByRole('button', { name: /^(Create|Update|Apply) \d/ }).waitFor({ timeout: 120_000 });
};

const user = async (tenant: TestTenant, id: string) => (await tenant.api('GET', `/user/${id}`)).body;

test('Users: the plan shows rejected rows, the file is corrected, and the users are created', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/bulk');
  // A file as a German spreadsheet writes it: semicolons, Windows-1252, custom headers.
  const file = [
    'Login ID;First name;Nachname (neu);Group name;Cost centre',
    'bo;Bo;Bürg;Sales;1',
    'ann;Ann;Lee;Sales;2',
    '',
    'ann;Ann;Long;Sales;2',
    ';Nobody;Known;Sales;3',
    'cy;"Cy ""C"" ; Cole";Cole;Stock;4;5',
    'di;Di;Dent;;6',
  ].join('\r\n');
  await choose(page, 'staff.csv', Buffer.from(file, 'latin1'));
  await page.getByText('not UTF-8: read as Windows-1252').waitFor();
  await page.getByText('6 rows').waitFor();
  await page.getByRole('cell', { name: 'Bürg' }).waitFor();
  const lastName = page.getByRole('combobox', { name: 'Field for the column Nachname (neu)' });
  assert.equal(await lastName.inputValue(), '');
  await lastName.selectOption('LastName');
  // Sends Ann's second row too, because the service should reject it.
  await page.getByRole('checkbox', { name: 'Leave out rows with common mistakes' }).uncheck();
  await plan(page);
  assert.deepEqual(await counted(page), ['2 To be created', '1 Unchanged', '1 Different', '2 Rejected']);
  assert.equal((await user(tenant, 'bo')).code, 'user_not_found');

  const rows = page.getByRole('table', { name: '3 rows skipped' }).getByRole('row');
  const texts = (await rows.allTextContents()).slice(1);
  assert.deepEqual(
    texts.map((text) => text.match(/^Line \d+/)?.[0]),
    ['Line 5', 'Line 6', 'Line 7'],
  );
  assert.match(texts[0] ?? '', /ann.*LastName.*The user already exists with different values/);
  assert.match(texts[1] ?? '', /LoginID.*A value is invalid/);
  assert.match(texts[2] ?? '', /The row cannot be read.*5 cells, but the header has 4/);
  await page.getByRole('combobox', { name: 'Reason' }).selectOption('A value is invalid (1)');
  await expectCount(rows, 2);
  await page.getByRole('textbox', { name: 'Line, LoginID or field' }).fill('ann');
  await page.getByText('No row matches these filters.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  const refused = (await saved(page, 'Save 3 rows as CSV')).trim().split('\r\n');
  assert.equal(
    refused[0],
    'Login ID,First name,Nachname (neu),Group name,Cost centre,Line,Field,Reason,Detail',
  );
  assert.match(
    refused[1] ?? '',
    /^ann,Ann,Long,Sales,2,5,LastName,The user already exists with different values,/,
  );

  await page.getByRole('button', { name: 'Choose another file' }).click();
  const corrected = [
    refused[0],
    refused[1]?.replace('Long', 'Lee'),
    refused[2]?.replace(/^,/, 'no,'),
    'cy,"Cy ""C"" , Cole",Cole,Stock,4',
    'bo,Bo,Bürg,Sales,1',
  ].join('\n');
  await choose(page, 'corrected.csv', corrected);
  await lastName.selectOption('LastName');
  await plan(page);
  assert.deepEqual(await counted(page), ['3 To be created', '1 Unchanged', '0 Different', '0 Rejected']);
  await page.getByRole('button', { name: 'Create 3 users' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  assert.deepEqual(await counted(page), ['3 Created', '1 Unchanged', '0 Different', '0 Rejected']);
  assert.equal((await user(tenant, 'bo')).LastName, 'Bürg');
  assert.equal((await user(tenant, 'cy')).FirstName, 'Cy "C" , Cole');
  await page.getByRole('link', { name: 'Show users' }).click();
  await page.getByRole('link', { name: 'Bo Bürg' }).waitFor();
  await closeConsole(page);
});

test('A row whose LoginID differs only in case from an existing user is left out', async () => {
  const { tenant, who } = await withAnn();
  await tenant.api('POST', '/user', { LoginID: 'bob' });
  const page = await consoleOf(service, who, '/console/bulk');
  await choose(page, 'staff.csv', 'LoginID,FirstName\nBob,Bob\ndora,Dora\n');
  await plan(page);
  assert.deepEqual(await counted(page), ['1 To be created', '0 Unchanged', '0 Different', '1 Rejected']);
  await page.getByText('The user “bob” already exists.').waitFor();
  await page.getByRole('button', { name: 'Create 1 user' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  assert.deepEqual(await counted(page), ['1 Created', '0 Unchanged', '0 Different', '1 Rejected']);
  assert.equal((await tenant.api('GET', '/user/Bob')).status, 404);
  assert.equal((await tenant.api('GET', '/user/dora')).status, 200);
  await closeConsole(page);
});

test('A messy staff list of 500 people is imported, and the plan lists what is wrong with it', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/bulk');
  const file = join(import.meta.dirname, 'files/messy-staff.csv');
  await page.locator('input[type=file]').setInputFiles(file);
  // A title and a date precede the column names. All columns except the start date are recognised.
  await page.getByText('The column names are on line 5; the lines above are not imported.').waitFor();
  await page.getByText('501 rows').waitFor();
  await page.getByText('1 column is not imported.').waitFor();
  await plan(page);
  assert.deepEqual(await counted(page), ['496 To be created', '0 Unchanged', '0 Different', '5 Rejected']);
  const rows = page.getByRole('table', { name: '5 rows skipped' }).getByRole('row');
  const texts = (await rows.allTextContents()).slice(1);
  const expected = [
    /^Line 156.*A00151.*Email.*Invalid email address.*“no email yet”/,
    /^Line 157.*A00152.*Email.*Invalid email address.* at example\.com”/,
    /^Line 268.*Bob.*LoginID.*another spelling.*“Bob \/ bob”.*line 267/,
    /^Line 407.*A00400.*LoginID.*Repeated in the file.*line 406/,
    /^Line 508.*Total: 500.*A total, not a user/,
  ];
  for (const pattern of expected)
    assert.ok(
      texts.some((text) => pattern.test(text)),
      `${pattern}: ${texts}`,
    );
  assert.equal((await user(tenant, 'A00050')).code, 'user_not_found');

  await page.getByRole('button', { name: 'Create 496 users' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor({ timeout: 60_000 });
  assert.equal((await user(tenant, 'A00050')).LoginID, 'A00050');
  const { LastName, Email } = await user(tenant, 'A00201');
  assert.equal(LastName, LastName.trim());
  assert.match(Email, /^[^@]+@example\.com$/);
  assert.equal((await user(tenant, 'A00011')).Email, null);
  assert.equal((await user(tenant, 'Total: 500')).code, 'user_not_found');
  assert.equal((await user(tenant, 'Bob')).code, 'user_not_found');
  await closeConsole(page);
});

test('An Excel workbook is imported like a CSV file', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/bulk');
  const rows = [['Mitarbeitende'], [], ['Personalnummer', 'Vorname', 'Nachname', 'Abteilung']];
  // This file is so large that a library would use a worker, which the page's content security policy
  // forbids.
  const people = Array.from({ length: 20_000 }, (_, at) => [100_000 + at, `Vorname ${at}`, 'Berg', 'Lager']);
  const content = await writeXlsx({ sheets: [{ name: 'Personal', rows: [...rows, ...people.slice(0, 3)] }] });
  const large = await writeXlsx({ sheets: [{ name: 'Personal', rows: [...rows, ...people] }] });
  await choose(page, 'gross.xlsx', Buffer.from(large));
  await page.getByText('20,000 rows').waitFor();
  await page.getByRole('button', { name: 'Choose another file' }).click();
  await choose(page, 'personal.xlsx', Buffer.from(content));
  await page.getByText('The column names are on line 3').waitFor();
  await plan(page);
  await page.getByRole('button', { name: 'Create 3 users' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  assert.deepEqual((await user(tenant, '100002')).GroupName, 'Lager');
  await closeConsole(page);
});

test('Users: existing users are updated, and no users are created unless requested', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/bulk');
  const file = [
    'LoginID,FirstName,LastName,GroupName',
    'ann,,Long,Stock',
    'bo,Bo,Burg,Stock',
    'ann,Ann,Long,',
  ];
  await choose(page, 'staff.csv', file.join('\n'));
  const keep = page.getByRole('radio', { name: 'Keep as they are' });
  await keep.waitFor();
  assert.equal(await keep.isChecked(), true);
  await page.getByRole('checkbox', { name: 'Leave out rows with common mistakes' }).uncheck();
  await plan(page);
  assert.deepEqual(await counted(page), ['1 To be created', '0 Unchanged', '2 Different', '0 Rejected']);
  const rows = page.getByRole('table', { name: '2 rows skipped' }).getByRole('row');
  const advice = 'import the file again and choose to update existing users.';
  assert.ok((await rows.allTextContents())[1]?.endsWith(advice));
  assert.equal((await page.content()).includes('PUT /user'), false);
  assert.match(await saved(page, 'Save 2 rows as CSV'), new RegExp(advice));

  await page.getByRole('button', { name: 'Back to columns' }).click();
  await page.getByRole('radio', { name: 'Update with the values in the file' }).check();
  await plan(page);
  assert.deepEqual(await counted(page), ['1 To be created', '1 To be updated', '1 Unchanged', '0 Rejected']);
  await page.getByText('Changed fields: LastName (1) and GroupName (1)').waitFor();
  await page.getByRole('button', { name: 'Create 1 and update 1' }).waitFor();
  assert.equal((await user(tenant, 'ann')).LastName, 'Lee');

  await page.getByRole('button', { name: 'Back to columns' }).click();
  await page.getByRole('checkbox', { name: 'Create users who do not exist yet' }).uncheck();
  await plan(page);
  assert.deepEqual(await counted(page), ['0 To be created', '1 To be updated', '1 Unchanged', '1 Rejected']);
  await page.getByText('Check the LoginID, or create this user first.').waitFor();
  await page.getByRole('button', { name: 'Update 1 user' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  assert.deepEqual(await counted(page), ['0 Created', '1 Updated', '1 Unchanged', '1 Rejected']);
  const ann = await user(tenant, 'ann');
  assert.deepEqual([ann.FirstName, ann.LastName, ann.GroupName], ['Ann', 'Long', 'Stock']);
  assert.equal((await user(tenant, 'bo')).code, 'user_not_found');
  const [header, first] = (await saved(page, 'Save all results as CSV')).split('\r\n');
  assert.ok(header?.endsWith(',Changed'), header);
  assert.equal(first, '2,updated,200,ann,,,,,,,"LastName, GroupName"');

  // The file can set IfExists for each row.
  await page.getByRole('button', { name: 'Import another file' }).click();
  const rowsOf = [{ LoginID: 'ann', FirstName: 'Anna', IfExists: 'update' }, { LoginID: 'cy' }];
  await choose(page, 'staff.jsonl', rowsOf.map((row) => JSON.stringify(row)).join('\n'));
  await page.getByText('Set for each row in the file: IfExists').waitFor();
  assert.equal(await keep.count(), 0);
  await page.getByRole('checkbox', { name: 'Create users who do not exist yet' }).check();
  await plan(page);
  await page.getByRole('button', { name: 'Create 1 and update 1' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  assert.equal((await user(tenant, 'ann')).FirstName, 'Anna');
  await closeConsole(page);
});

test('Enrolments: JSON Lines are planned and applied, and the saved results contain no launch link', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/bulk?of=enrolments');
  const rows = [
    { LoginID: 'ann', CourseID: 'ladders', DurationID: 'month', Metadata: { colour: 'red' } },
    { LoginID: 'nobody', CourseID: 'ladders', DurationID: 'month' },
    { LoginID: 'ann', CourseID: 'ladders' },
  ];
  await choose(page, 'enrolments.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
  await page.getByText('JSON Lines').first().waitFor();
  await plan(page);
  // Ann's second row is checked together with the first one.
  const [created, , refused] = await counted(page);
  assert.deepEqual([created, refused], ['1 To be created', '2 Rejected']);
  assert.equal((await tenant.api('GET', '/enrolment/ann')).body.Items.length, 0);
  await page.getByRole('button', { name: /^Apply \d+ row/ }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  const [enrolment] = (await tenant.api('GET', '/enrolment/ann')).body.Items;
  assert.deepEqual(enrolment.Metadata, { colour: 'red' });
  const csv = await saved(page, 'Save all results as CSV');
  const lines = csv.trim().split('\r\n');
  assert.equal(lines.length, 4);
  assert.ok(lines[1]?.startsWith('1,created,201,ann,ladders,month,'), csv);
  assert.ok(!csv.includes('/launch'), csv);
  assert.ok(lines[2]?.startsWith('2,refused,404,nobody,'), csv);
  await closeConsole(page);
});

test('A large file is sent in chunks, interrupted, and continued without repeating anything', async () => {
  const { tenant, who } = await withAnn();
  const people = Array.from({ length: 2300 }, (_, at) => `p${at}`);
  const bulk = (path: string, rows: object[]) => {
    const body = rows.map((row) => JSON.stringify(row)).join('\n');
    return tenant.api('POST', path, body, { 'content-type': 'application/x-ndjson' });
  };
  const ladders = { CourseID: 'ladders', DurationID: 'month' };
  const users = people.map((LoginID) => ({ LoginID }));
  expectStatus(await bulk('/user/bulk', users), 200);
  expectStatus(
    await bulk(
      '/enrol/bulk',
      users.map((user) => ({ ...user, ...ladders })),
    ),
    200,
  );
  const endOf = async (id: string) => (await tenant.api('GET', `/enrolment/${id}`)).body.Items[0].ExpiresAt;
  const asked = ['p0', 'p2150', 'p2299'];
  const before = await Promise.all(asked.map(endOf));

  const page = await consoleOf(service, who, '/console/bulk?of=enrolments');
  const keys: string[] = [];
  let isBroken = true;
  await page.route('**/enrol/bulk', async (route) => {
    const key = route.request().headers()['idempotency-key'] ?? '';
    keys.push(key);
    if (!isBroken || !key.endsWith('-1')) return route.continue();
    // The chunk is processed, but its response is lost.
    await route.fetch();
    await route.abort('connectionreset');
  });
  const rows = people.map((id) => `${id},ladders,month,extend`);
  const folder = await mkdtemp(join(tmpdir(), 'lectern-import-'));
  const file = join(folder, 'extend.csv');
  await writeFile(file, ['LoginID,CourseID,DurationID,IfEnrolled', ...rows].join('\n'));
  const applyUntilItBreaks = async () => {
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('heading', { name: 'Check the columns' }).waitFor();
    const known = await page.getByText('An import of this file was interrupted').count();
    await plan(page);
    await page.getByRole('button', { name: 'Apply 2,300 rows' }).click();
    await page.getByText('The rows so far have been processed.').waitFor({ timeout: 120_000 });
    await page.getByText('2,000 of 2,300 rows').waitFor();
    return known;
  };
  assert.equal(await applyUntilItBreaks(), 0);
  // The page is reloaded too. Choosing the same file continues the same import.
  await page.reload();
  assert.equal(await applyUntilItBreaks(), 1);
  isBroken = false;
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor({ timeout: 120_000 });
  assert.deepEqual(await counted(page), ['0 Created', '2,300 Already enrolled', '0 Rejected']);
  assert.deepEqual(
    [...new Set(keys)].map((key) => key.slice(32)),
    ['-0', '-1'],
  );
  const afterwards = await Promise.all(asked.map(endOf));
  const days = afterwards.map((end, at) =>
    Math.round((Date.parse(end) - Date.parse(before[at])) / 86_400_000),
  );
  assert.deepEqual(days, [30, 30, 30]);
  await rm(folder, { recursive: true });
  await closeConsole(page);
});

test('An invalid file is rejected with advice', async () => {
  const { who } = await withAnn();
  const page = await consoleOf(service, who, '/console/bulk');
  await choose(page, 'staff.xlsx', Buffer.from('PK\u0003\u0004 a workbook'));
  await page.getByRole('alert').getByText('Save the sheet as CSV (UTF-8), and choose that file.').waitFor();
  await choose(page, 'empty.csv', 'LoginID,FirstName\n\n');
  await page.getByRole('alert').getByText('It has no rows.').waitFor();
  await choose(page, 'other.csv', 'Name,Colour\nAnn,red\n');
  await page.getByRole('alert').getByText('Missing: LoginID').waitFor();
  await page.getByRole('button', { name: 'Plan the import', disabled: true }).waitFor();
  await page.getByRole('button', { name: 'Choose another file' }).click();
  const template = await saved(page, 'Download template');
  assert.match(template, /^LoginID,FirstName,LastName,GroupName,Email,CourseID,DurationID\r\n/);
  await closeConsole(page);
});
