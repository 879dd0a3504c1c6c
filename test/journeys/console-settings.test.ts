import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sendMails } from '../../server/src/domain/mail/send.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { startMailServer, type TestMailServer } from '../../server/test/support/smtp.ts';
import { newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;
let mails: TestMailServer;

before(async () => {
  mails = await startMailServer();
  service = await startService({ env: { SMTP_URL: mails.url, MAIL_FROM: 'noreply@lectern.example' } });
});

after(async () => {
  await service?.close();
  await mails?.close();
});

test('An administrator sends a test email, and sees the answer of the mail server', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ FirstName: 'Ada', IsAdmin: true, Email: 'ada@acme.example' });
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/settings');
  const ask = async () => {
    const queued = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Send test email' }).click();
    await queued;
    await sendMails(service.ctx);
  };
  mails.reply.rcpt = { code: 550, text: 'No such mailbox' };
  await ask();
  await page.getByText('The email to ada@acme.example was not sent').waitFor();
  await page.getByText('550 No such mailbox').waitFor();
  mails.reply.rcpt = null;
  await ask();
  await page.getByText('The mail server accepted the email to ada@acme.example').waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

test('An administrator chooses the language of emails and when people are reminded', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ FirstName: 'Ada', IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID: boss });
  await page.getByRole('link', { name: 'Organisation' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.waitFor();
  assert.ok(await save.isDisabled());
  await page.getByRole('combobox', { name: 'Language of emails and pages' }).click();
  await page.getByRole('option', { name: 'Deutsch' }).click();
  await page.getByRole('switch', { name: 'Send reminders' }).click();
  const days = page.getByRole('combobox', { name: 'Days before' });
  await days.fill('30');
  await page.keyboard.press('Enter');
  await page.getByRole('checkbox', { name: 'On the day on which it is due' }).uncheck();
  await expectAccessible(page);
  await save.click();
  await page.getByText('Settings saved').waitFor();
  await expectAccessible(page);
  const { body } = await tenant.api('GET', '/settings');
  const { Enabled, DaysBefore, OnTheDay, ManagerDigest } = body.Reminders;
  assert.deepEqual([body.Language, Enabled, DaysBefore], ['de', true, [30, 14, 3]]);
  assert.deepEqual([OnTheDay, ManagerDigest], [false, true]);
  await page.getByRole('link', { name: 'Log' }).click();
  await page.getByRole('navigation', { name: 'Log' }).getByRole('link', { name: 'Audit trail' }).click();
  await page.getByRole('table').getByText('Tenant changed').waitFor();
  await closeConsole(page);
});

test('An administrator writes reminders in their own words, with a preview', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ FirstName: 'Ada', IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/settings');
  const subject = page.getByRole('textbox', { name: 'Subject' });
  await subject.fill('{Cuorses}');
  await page.getByRole('button', { name: 'Save words' }).click();
  await page.getByText('unknown placeholder {Cuorses}').waitFor();
  await subject.fill('Please do {Courses}');
  await page.getByRole('button', { name: 'Preview' }).click();
  const dialog = page.getByRole('dialog', { name: 'Please do Fire safety and 2 more' });
  await dialog.waitFor();
  await dialog.getByText('- Fire safety – overdue since').waitFor();
  await expectAccessible(page, true);
  await page.getByRole('button', { name: 'Close preview' }).click();
  await page.getByRole('button', { name: 'Save words' }).click();
  await page.getByText('Settings saved').waitFor();
  await page.getByRole('button', { name: 'Restore standard words' }).waitFor();
  const [english] = (await tenant.api('GET', '/reminder/text')).body.Items;
  assert.deepEqual([english.Subject, english.IsStandard], ['Please do {Courses}', false]);
  await closeConsole(page);
});

test('An administrator who may not manage administrators can only read the settings', async () => {
  const tenant = await newTenant(service, { Language: 'fr' });
  const boss = await tenant.user({ IsAdmin: true });
  await service.ctx.db
    .updateTable('user')
    .set({ admin_scopes: ['users:read', 'users:write'] })
    .where('tenant_id', '=', tenant.TenantID)
    .where('login_id', '=', boss)
    .execute();
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/settings');
  await page.getByText('you need permission to manage administrators').first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  await expectAccessible(page);
  await closeConsole(page);
});

for (const [locale, title] of [
  ['de', 'Einstellungen'],
  ['fr', 'Paramètres'],
] as const)
  test(`The page fits the screen in ${locale}`, async () => {
    const tenant = await newTenant(service);
    const boss = await tenant.user({ IsAdmin: true });
    const page = await newConsolePage();
    await page.addInitScript(`localStorage.setItem('lectern-language', '${locale}')`);
    await signInAs(page, service, { tenant, LoginID: boss }, '/console/settings');
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await page.getByRole('button').last().waitFor();
    await expectAccessible(page);
    await closeConsole(page);
  });
