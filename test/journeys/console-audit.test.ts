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

/** A tenant whose administrator has overridden Ann's result. */
async function withOverride() {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const ann = await tenant.user({ FirstName: 'Ann', LastName: 'Lee' });
  const CourseID = await newCourse(service, { Title: 'Fire safety' });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${ann}/${CourseID}`)).body;
  const override = { Override: { Success: 'passed', Score: 80, Reason: 'seen' } };
  expectStatus(await tenant.api('PUT', `/enrolment/${ann}/${EnrollID}`, override), 200);
  return { tenant, boss, ann, EnrollID, CourseID };
}

test('An administrator finds who overrode a result and saves the log', async () => {
  const { tenant, boss, ann, EnrollID } = await withOverride();
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/audit');
  const rows = page.getByRole('table', { name: 'Audit trail' }).getByRole('row');
  await rows.nth(1).getByText('Signed in').waitFor();
  await expectAccessible(page);

  await page.getByRole('combobox', { name: 'Action' }).selectOption('Result overridden');
  await page.waitForURL(/action=enrolment.overridden/);
  await rows.nth(2).waitFor({ state: 'detached' });
  await page.reload();
  await rows.nth(1).getByText('Success: passed').waitFor();
  await expectCount(rows, 2);
  await rows.nth(1).getByText('API key · 127.0.0.1').waitFor();
  await rows.nth(1).getByRole('button', { name: 'Show' }).click();
  await page.getByRole('dialog').getByText(`of ${tenant.TenantID}`).waitFor();
  await expectAccessible(page, true);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const stream = await (await saving).createReadStream();
  const [header = '', ...lines] = Buffer.concat(await stream.toArray())
    .toString()
    .trim()
    .split('\n');
  assert.match(header, /Entry ID,Tenant,Number,Time,Action,Kind of actor,/);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /enrolment\.overridden,key/);

  await rows.nth(1).getByRole('link', { name: ann }).click();
  await page.waitForURL(new RegExp(EnrollID));
  await page.getByText('By test').waitFor();
  await closeConsole(page);
});

test("The operator reads all trails, and filters one tenant's trail by person", async () => {
  const { tenant, ann, CourseID } = await withOverride();
  const page = await consoleOf(service, 'operator', '/console/audit');
  const rows = page.getByRole('table', { name: 'Audit trail' }).getByRole('row');
  await rows.nth(1).getByText('Operator signed in').waitFor();
  await rows.nth(1).getByText('Deployment').waitFor();
  await page.getByRole('link', { name: CourseID }).first().waitFor();

  await page.goto(`${service.baseUrl}/console/audit?tenant=${tenant.TenantID}&person=${ann}`);
  await rows.nth(1).getByText('Result overridden').waitFor();
  await expectCount(rows, 2);
  await page.getByLabel('Until').fill('2020-01-01');
  await page.getByText('No results').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await rows.nth(3).waitFor();
  await closeConsole(page);
});
