import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { play, scorm12 } from '../../server/test/support/player.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectProblem, newCourse, newTenant } from '../../server/test/support/tenant.ts';
import { packCourse } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
});

after(() => service?.close());

async function withAdministrator() {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

test('A user is created, changed and disabled, and gets a link that signs them in once', async () => {
  const { tenant, who } = await withAdministrator();
  const page = await consoleOf(service, who, '/console/users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const dialog = page.getByRole('dialog');
  const loginId = dialog.getByRole('textbox', { name: 'LoginID' });
  await loginId.fill('e/1 ä');
  await dialog.getByText('An ID cannot contain spaces').waitFor();
  await loginId.fill('e/1+ä');
  await dialog.getByRole('textbox', { name: 'First name' }).fill('Eve');
  await dialog.getByRole('combobox', { name: 'Group' }).fill('New group');
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await page.getByRole('heading', { name: 'Eve', level: 1 }).waitFor();
  const address = `/user/${encodeURIComponent('e/1+ä')}`;
  assert.equal((await tenant.api('GET', address)).body.GroupName, 'New group');

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox', { name: 'Last name' }).fill('Evans');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Eve Evans', level: 1 }).waitFor();

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Disable account' }).click();
  await dialog.getByRole('button', { name: 'Disable account' }).click();
  await page.getByText('This account is disabled').waitFor();
  assert.equal((await tenant.api('GET', address)).body.Enabled, false);
  await page.getByRole('button', { name: 'Enable account' }).click();
  await page.getByText('This account is disabled').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Sign-in link' }).click();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = await dialog.getByText(/session\/sign-in/).textContent();
  assert.equal((await fetch(link ?? '')).status, 200);
  await closeConsole(page);
});

test('Errors in a new user appear in the dialog, and no input is lost', async () => {
  const { tenant, who } = await withAdministrator();
  await tenant.api('POST', '/user', { LoginID: 'taken', FirstName: 'Tom' });
  const page = await consoleOf(service, who, '/console/users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'LoginID' }).fill('taken');
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await dialog.getByRole('alert').getByText('The user already exists with different data').waitFor();
  assert.equal(await dialog.getByRole('textbox', { name: 'LoginID' }).inputValue(), 'taken');
  await closeConsole(page);
});

test('Erasing a user shows the plan, asks for the LoginID, and ends with a receipt', async () => {
  const { tenant, who } = await withAdministrator();
  const CourseID = await newCourse(service);
  const LoginID = await tenant.user({ FirstName: 'Gone', LastName: 'Girl' });
  await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`);
  const page = await consoleOf(service, who, `/console/users/${LoginID}`);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Export personal data' }).click();
  const stream = await (await saving).createReadStream();
  assert.match(Buffer.concat(await stream.toArray()).toString(), /"Gone"/);

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Erase personal data' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'What is erased' }).waitFor();
  await dialog.getByText(/The record with LoginID.*\(1 record\)/).waitFor();
  await dialog.getByRole('heading', { name: 'What is kept' }).waitFor();
  assert.equal((await tenant.api('GET', `/user/${LoginID}`)).status, 200);
  const erase = dialog.getByRole('button', { name: 'Erase permanently' });
  await dialog.getByRole('button', { name: 'Erase permanently', disabled: true }).waitFor();
  await dialog.getByRole('textbox', { name: 'To confirm' }).fill(LoginID);
  await erase.click();
  await dialog.getByText('Personal data erased').waitFor();
  await dialog.getByRole('button', { name: 'Back to users' }).click();
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  expectProblem(await tenant.api('GET', `/user/${LoginID}`), 404, 'user_not_found');
  await closeConsole(page);
});

test('The user and enrolment pages are accessible', async () => {
  const { tenant, who } = await withAdministrator();
  await service.importPackage('phishing', await packCourse('phishing'));
  await service.api('PUT', '/course/phishing/option/month', {
    Name: 'One month',
    Duration: 'P30D',
    Seats: 3,
  });
  const LoginID = await tenant.user({ FirstName: 'Ann', LastName: 'Lee', GroupName: 'Sales', Enabled: true });
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/phishing`)).body;
  const { commit } = await play(service, LaunchURL);
  await commit({ Data: { ...scorm12('incomplete', 50), 'cmi.suspend_data': 'x'.repeat(5000) } });
  await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, {
    ExpiresAt: '2026-01-01T00:00:00Z',
    Override: { Success: 'passed', Reason: 'Seen' },
    Metadata: { site: 'Hamburg' },
  });
  await tenant.api('PUT', `/user/${LoginID}`, { Enabled: false });
  await tenant.api('POST', '/webhook', { URL: `${service.contentUrl}/hook` });
  const page = await consoleOf(service, who, '/console/users');
  await page.getByRole('link', { name: 'Ann Lee' }).waitFor();
  await expectAccessible(page);
  await page.goto(`${service.baseUrl}/console/users/${LoginID}`);
  await page.getByRole('link', { name: 'phishing' }).waitFor();
  await expectAccessible(page);
  await page.goto(`${service.baseUrl}/console/enrolments`);
  await page.getByRole('link', { name: 'Ann Lee' }).waitFor();
  await expectAccessible(page);
  await page.goto(`${service.baseUrl}/console/enrolments/${LoginID}/${EnrollID}`);
  await page.getByText('Launch 1', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Webhook deliveries' }).waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});
