import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  for (const [course, options] of [
    ['ladders', ['month', 'year']],
    ['hygiene', ['once']],
  ] as const) {
    const body = { Title: course, URL: 'https://web.example/' };
    expectStatus(await service.api('PUT', `/course/${course}`, body), 201);
    for (const option of options)
      expectStatus(await service.api('PUT', `/course/${course}/option/${option}`, { Duration: 'P1Y' }), 201);
  }
});

after(() => service?.close());

async function counted(page: Page, label: string): Promise<string[]> {
  const tiles = page.getByRole('list', { name: label }).getByRole('listitem');
  const texts = await tiles.evaluateAll((items) =>
    items.map((item) => [...item.querySelectorAll('p')].slice(0, 2).map(({ textContent }) => textContent)),
  );
  return texts.map(([title, count]) => `${count} ${title}`);
}

const bothCounts = async (page: Page) => [
  await counted(page, 'Users by outcome'),
  await counted(page, 'Enrolments by outcome'),
];

const user = async (tenant: TestTenant, id: string) =>
  (await tenant.api('GET', `/user/${encodeURIComponent(id)}`)).body;
const enrolmentsOf = async (tenant: TestTenant, id: string) =>
  (await tenant.api('GET', `/enrolment/${id}`)).body.Items as { CourseID: string; ExpiresAt: string }[];

test('A messy training plan creates 462 people and their enrolments in one file, and is undone', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID }, '/console/bulk');
  await page.getByText('The file can also enrol these users').waitFor();
  const file = join(import.meta.dirname, 'files/messy-training-plan.csv');
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('The column names are on line 4').waitFor();
  const fieldOf = (column: string) => page.getByRole('combobox', { name: `Field for the column ${column}` });
  for (const [column, field] of [
    ['Kurs', 'CourseID'],
    ['Option', 'DurationID'],
    ['Gültig bis', 'ExpiresAt'],
  ] as const)
    assert.equal(await fieldOf(column).inputValue(), field);
  await page.getByRole('button', { name: 'Plan the import' }).click();
  const apply = page.getByRole('button', { name: 'Import 462 users and 459 enrolments' });
  await apply.waitFor({ timeout: 60_000 });
  assert.deepEqual(await bothCounts(page), [
    ['462 To be created', '0 Unchanged', '0 Different', '3 Rejected'],
    ['459 To be created', '0 Already enrolled', '3 Rejected'],
  ]);
  const rows = page.getByRole('table', { name: '8 rows skipped' }).getByRole('row');
  const texts = (await rows.allTextContents()).slice(1);
  const expected = [
    /^Line 510.*B1.*Fire safety.*The course does not exist/,
    /^Line 511.*B2.*ladders.*The course has several enrolment options/,
    /^Line 512.*B3.*ladders.*ExpiresAt.*must be in the future/,
    /^Line 513.*B4.*ExpiresAt.*Invalid date.*“31\/02\/2031”/,
    /^Line 514.*A00002.*LastName.*Contradicts an earlier row.*“Other”.*line 7/,
    /^Line 515.*A00001.*LoginID.*Repeated in the file.*line 5/,
    /^Line 516.*B5.*CourseID.*CourseID is missing/,
    /^Line 517.*Total: 505.*A total, not a user/,
  ];
  for (const pattern of expected)
    assert.ok(
      texts.some((text) => pattern.test(text)),
      `${pattern}: ${texts}`,
    );
  await expectAccessible(page);
  assert.equal((await user(tenant, 'A00001')).code, 'user_not_found');

  await apply.click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor({ timeout: 60_000 });
  assert.deepEqual(await bothCounts(page), [
    ['462 Created', '0 Unchanged', '0 Different', '3 Rejected'],
    ['459 Created', '0 Already enrolled', '3 Rejected'],
  ]);
  await expectAccessible(page);
  const first = await enrolmentsOf(tenant, 'A00001');
  assert.deepEqual(first.map(({ CourseID }) => CourseID).sort(), ['hygiene', 'ladders']);
  // 01/01/2031 in the file. The browser and this test have the same time zone.
  const end = first.find(({ CourseID }) => CourseID === 'ladders')?.ExpiresAt;
  assert.equal(end, new Date('2031-01-01T23:59:59').toISOString());
  const [dated] = await enrolmentsOf(tenant, 'A00004');
  assert.equal(dated?.ExpiresAt, new Date('2031-04-04T23:59:59').toISOString());
  // The person stays although the enrolment is rejected.
  assert.equal((await user(tenant, 'B1')).LastName, 'Unknown');
  assert.deepEqual(await enrolmentsOf(tenant, 'B1'), []);
  assert.equal((await user(tenant, 'B5')).code, 'user_not_found');

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save all results as CSV' }).click();
  const csv = Buffer.concat(await (await (await saving).createReadStream()).toArray()).toString();
  const lines = csv.replace('\uFEFF', '').trim().split('\r\n');
  assert.equal(lines.length, 514);
  assert.ok(lines[0]?.endsWith(',Changed,Enrolment'), lines[0]);
  assert.match(lines[1] ?? '', /^5,created,201,A00001,ladders,year,[0-9a-f-]{36},,.*,created$/);
  assert.match(lines[2] ?? '', /^6,exists,200,A00001,hygiene,once,.*,created$/);
  assert.match(lines[506] ?? '', /^510,created,201,B1,Fire safety,.*course_not_found,.*,refused$/);

  // The same file again changes nothing.
  await page.getByRole('button', { name: 'Import another file' }).click();
  await page.getByText('462 new users · 459 new enrolments').waitFor();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Plan the import' }).click();
  await page.getByText('Nothing to apply').waitFor({ timeout: 60_000 });
  assert.deepEqual(await bothCounts(page), [
    ['0 To be created', '462 Unchanged', '0 Different', '3 Rejected'],
    ['0 To be created', '459 Already enrolled', '3 Rejected'],
  ]);

  await page.getByRole('button', { name: 'Choose another file' }).click();
  await page.getByRole('link', { name: 'Undo: messy-training-plan.csv' }).click();
  await page.getByRole('button', { name: 'Undo import' }).click({ timeout: 120_000 });
  await page.getByText('462 users erased, 459 enrolments withdrawn').waitFor({ timeout: 300_000 });
  assert.equal((await user(tenant, 'A00001')).code, 'user_not_found');
  await closeConsole(page);
});

test('JSON Lines enrol existing people too, and only these enrolments are undone', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  expectStatus(await tenant.api('POST', '/user', { LoginID: 'ann', FirstName: 'Ann' }), 201);
  const page = await consoleOf(service, { tenant, LoginID }, '/console/bulk');
  const rows = [
    { LoginID: 'ann', CourseID: 'hygiene', Metadata: { shift: 'night' } },
    { LoginID: 'ann', CourseID: 'ladders', DurationID: 'month' },
  ];
  const buffer = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'plan.jsonl', mimeType: 'text/plain', buffer });
  await page.getByRole('button', { name: 'Plan the import' }).click();
  await page.getByRole('button', { name: 'Import 2 enrolments' }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  assert.equal((await enrolmentsOf(tenant, 'ann')).length, 2);
  await page.getByRole('link', { name: 'Undo import' }).click();
  await page.getByRole('button', { name: 'Undo import' }).click();
  await page.getByText('2 enrolments withdrawn').waitFor();
  assert.equal((await user(tenant, 'ann')).FirstName, 'Ann');
  await closeConsole(page);
});
