import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sendMails } from '../../server/src/domain/mail/send.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { startMailServer, type TestMailServer } from '../../server/test/support/smtp.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';

let mailServer: TestMailServer;
let service: TestService;

before(async () => {
  mailServer = await startMailServer();
  const env = { SMTP_URL: mailServer.url, MAIL_FROM: 'noreply@lectern.example' };
  service = await startService({ env });
});

after(async () => {
  await service?.close();
  await mailServer?.close();
});

test('An administrator sees that an address bounced, and lets emails go to it again', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const ann = await tenant.user({ FirstName: 'Ann', LastName: 'Arbor', Email: 'ann@acme.example' });
  const bob = await tenant.user({ FirstName: 'Bob', LastName: 'Stone', Email: 'bob@acme.example' });
  for (const one of [ann, bob]) expectStatus(await tenant.api('POST', '/invitation', { LoginID: one }), 201);
  await sendMails(service.ctx);
  const report = (EmailAddress: string, Kind: string, Reason: string) =>
    tenant.api('POST', '/mail/bounce', { EmailAddress, Kind, Reason });
  expectStatus(await report('ann@acme.example', 'permanent', '550 5.1.1 User unknown'), 200);
  expectStatus(await report('bob@acme.example', 'temporary', '452 4.2.2 Mailbox full'), 200);

  const page = await consoleOf(service, { tenant, LoginID }, '/console/users');
  const row = page.getByRole('row').filter({ hasText: 'Ann Arbor' });
  await row.getByText('Gets no email').waitFor();
  assert.equal(await page.getByText('Gets no email').count(), 1);
  await expectAccessible(page);
  await row.getByRole('link', { name: 'Ann Arbor' }).click();
  await page.getByText('Emails do not reach this user').waitFor();
  await page.getByText('Reason: 550 5.1.1 User unknown').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Resume emails' }).click();
  await page.getByText('Emails can be sent to this address again').waitFor();
  await page.getByText('Emails do not reach this user').waitFor({ state: 'detached' });
  assert.equal((await tenant.api('GET', `/user/${ann}`)).body.EmailBouncedAt, null);

  await page.goto(`${service.baseUrl}/console/invitations/mails?status=bounced`);
  await page.getByText('Permanent', { exact: true }).waitFor();
  await page.getByText('452 4.2.2 Mailbox full').waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

test('The plan of an import warns of addresses that several users have, and imports their rows', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', IsAdmin: true, Email: 'office@acme.example' });
  const page = await consoleOf(service, { tenant, LoginID }, '/console/enrol?from=file');
  const rows = ['LoginID,Email', 'ken,ken@acme.example', 'kim,KEN@acme.example', 'lou,office@acme.example'];
  const buffer = Buffer.from(rows.join('\n'));
  await page.locator('input[type=file]').setInputFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByText('Another user, “ken”, has the same Email.').waitFor();
  await page.getByText(`Another user, “${LoginID}”, has the same Email.`).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Apply to 3 rows' }).click();
  await page.getByRole('heading', { name: /^Finished/ }).waitFor();
  assert.equal((await tenant.api('GET', '/user/kim')).status, 200);
  await closeConsole(page);
});
