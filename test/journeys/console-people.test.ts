import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
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

after(async () => {
  clearInterval(working);
  await service?.close();
});

const user = async (tenant: TestTenant, id: string) =>
  (await tenant.api('GET', `/user/${encodeURIComponent(id)}`)).body;
const enrolmentsOf = async (tenant: TestTenant, id: string) =>
  (await tenant.api('GET', `/enrolment/${id}`)).body.Items as { CourseID: string; ExpiresAt: string }[];

test('A messy training plan creates 462 people and their enrolments in one file, and is undone', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID }, '/console/enrol?from=file');
  const file = join(import.meta.dirname, 'files/messy-training-plan.csv');
  const plan = async () => {
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await page.getByRole('heading', { name: /^What would happen/ }).waitFor({ timeout: 60_000 });
  };
  await plan();
  const fieldOf = (column: string) => page.getByRole('combobox', { name: `Field for the column ${column}` });
  for (const [column, field] of [
    ['Kurs', 'CourseID'],
    ['Option', 'DurationID'],
    ['Gültig bis', 'ExpiresAt'],
  ] as const)
    assert.equal(await fieldOf(column).inputValue(), field);
  await page.getByLabel('Show').selectOption('refused');
  await page.getByText('looks like a total').waitFor();
  const rows = page.getByRole('table', { name: 'Rows', exact: true }).getByRole('row');
  const expected = [
    /^Line 510.*B1.*Fire safety.*The course does not exist/,
    /^Line 513.*B4.*Invalid date.*“31\/02\/2031”/,
    /^Line 515.*A00001.*Repeated in the file.*line 5/,
    /^Line 517.*Total: 505.*A total, not a user/,
  ];
  const texts = (await rows.allTextContents()).slice(1);
  for (const [at, pattern] of expected.entries()) assert.match(texts[at] ?? '', pattern);
  await page.getByLabel('Show').selectOption('partial');
  await page.getByText('The course has several enrolment options').waitFor();
  assert.match((await rows.allTextContents())[2] ?? '', /^Line 512.*B3.*ladders.*must be in the future/);
  await expectAccessible(page);
  assert.equal((await user(tenant, 'A00001')).code, 'user_not_found');

  await page.getByRole('button', { name: /^Apply to \d+ rows/ }).click();
  await page.getByRole('heading', { name: /^Finished/ }).waitFor({ timeout: 60_000 });
  const summary = '513 rows: 506 created, 2 imported without the enrolment, and 5 refused.';
  await page.getByText(`${summary} Created: 462 people and 459 enrolments.`).waitFor();
  await expectAccessible(page);
  const first = await enrolmentsOf(tenant, 'A00001');
  assert.deepEqual(first.map(({ CourseID }) => CourseID).sort(), ['hygiene', 'ladders']);
  // 01/01/2031 in the file.
  const end = first.find(({ CourseID }) => CourseID === 'ladders')?.ExpiresAt;
  assert.equal(end, '2031-01-01T23:59:59.000Z');
  const [dated] = await enrolmentsOf(tenant, 'A00004');
  assert.equal(dated?.ExpiresAt, '2031-04-04T23:59:59.000Z');
  // The person stays although the enrolment is refused.
  assert.equal((await user(tenant, 'B2')).LastName, 'Chooser');
  assert.deepEqual(await enrolmentsOf(tenant, 'B2'), []);
  assert.equal((await user(tenant, 'A00002')).LastName, 'Evans');
  assert.equal((await user(tenant, 'B4')).code, 'user_not_found');

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save all results as CSV' }).click();
  const csv = Buffer.concat(await (await (await saving).createReadStream()).toArray()).toString();
  const lines = csv.replace('\uFEFF', '').trim().split('\r\n');
  assert.equal(lines.length, 514);
  assert.match(lines[1] ?? '', /^5,A00001,ladders,[0-9a-f-]{36},created,created,created,,/);
  assert.match(lines[2] ?? '', /^6,A00001,hygiene,[0-9a-f-]{36},created,unchanged,created,,/);
  assert.match(lines[506] ?? '', /^510,B1,Fire safety,,refused,,,course_not_found,CourseID,/);

  // The same file again changes nothing.
  await page.getByRole('button', { name: 'Enrol others' }).click();
  await plan();
  await page.getByRole('button', { name: 'Nothing to apply' }).waitFor();
  await page.getByRole('button', { name: 'Enrol others' }).click();
  await page.getByRole('link', { name: 'messy-training-plan.csv' }).last().click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: /^Undone/ }).waitFor({ timeout: 120_000 });
  await page.getByText('462 people removed, 459 enrolments withdrawn').waitFor();
  assert.equal((await user(tenant, 'A00001')).code, 'user_not_found');
  await closeConsole(page);
});
