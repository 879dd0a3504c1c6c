import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { newTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service?.close());

const long = 'a.very.long.login.name.that.is.somebodys.email@department.example.com';
const rows = ['Staff no;First name;Remark', ';Nobody;x', 'key;Ken;y', `${long};Ann;z`, 'bo;Bo;'];

test('Every step of an import is accessible', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  await tenant.api('POST', '/user', { LoginID: long, FirstName: 'Anna' });
  const page = await consoleOf(service, { tenant, LoginID }, '/console/enrol?from=file');
  await page.getByRole('button', { name: 'Choose file' }).waitFor();
  const buffer = Buffer.from(rows.join('\n'));
  await page.locator('input[type=file]').setInputFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('checkbox', { name: 'Update existing people' }).check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByText('Changes: FirstName').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Apply to 2 rows' }).click();
  await page.getByRole('heading', { name: /^Finished/ }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Enrol others' }).click();
  await page.getByRole('link', { name: 'staff.csv' }).waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});
