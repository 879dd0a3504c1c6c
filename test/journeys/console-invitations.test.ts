import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { sendMails } from '../../server/src/domain/mail/send.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf, newConsolePage, openConsole } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { startMailServer } from '../../server/test/support/smtp.ts';
import { newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let service: TestService;
let acme: TestTenant;
let administrator: string;

before(async () => {
  service = await startService();
  acme = await newTenant(service, { Name: 'Acme Ltd' });
  administrator = await acme.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
});

after(() => service?.close());

const phone = { width: 390, height: 844 };
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const password = 'correct horse battery';

async function signIn(page: Page, loginId: string, typed: string): Promise<void> {
  await page.getByLabel('Organisation').fill('acme ltd');
  await page.getByLabel('Login name').fill(loginId);
  await page.getByLabel('Password', { exact: true }).fill(typed);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function menu(page: Page, item: string): Promise<void> {
  await page.locator('header').getByRole('button').last().click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

test('An administrator invites a learner, who accepts on a phone, signs in again and changes the password', async () => {
  const LoginID = await acme.user({ FirstName: 'Ann', LastName: 'Arbor' });
  const console = await consoleOf(
    service,
    { tenant: acme, LoginID: administrator },
    `/console/users/${LoginID}`,
  );
  await console.getByText('Not invited').waitFor();
  await console.getByRole('button', { name: 'More' }).click();
  await console.getByRole('menuitem', { name: 'Invite or reset password' }).click();
  await console.getByText('You get a link for Ann Arbor.').waitFor();
  await expectAccessible(console, true);
  await console.getByRole('button', { name: 'Create link' }).click();
  await console.getByText('You won’t be able to see it again.').waitFor();
  await expectAccessible(console, true);
  const url = (await console.getByRole('dialog').locator('code').textContent()) ?? '';
  await console.getByRole('button', { name: 'Done' }).click();
  await console.getByText('Pending').waitFor();
  await expectAccessible(console);
  await closeConsole(console);

  const page = await newConsolePage(phone);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  await page.goto(url);
  await heading(page, 'Welcome, Ann Arbor').waitFor();
  await page.getByText('Acme Ltd', { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByLabel('New password').fill('Ann Arbor 1234');
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.getByText('Do not use only your name').waitFor();
  await expectAccessible(page);
  await page.getByLabel('New password').fill(password);
  await page.keyboard.press('Enter');
  await heading(page, 'My courses').waitFor();
  for (const text of sent) assert.ok(!text.includes(password), text);
  const token = new URL(url).hash.slice(1);
  for (const text of sent)
    assert.ok(!text.split(' ')[0]?.includes(token), 'the token is in a URL that was sent');

  await menu(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(await page.getByLabel('Organisation').inputValue(), 'Acme Ltd', 'it is remembered');
  await signIn(page, LoginID, password);
  await heading(page, 'My courses').waitFor();
  await menu(page, 'Change password');
  await page.getByLabel('Current password').fill('wrong');
  await page.getByLabel('New password').fill('another long phrase');
  await expectAccessible(page, true);
  const change = page.getByRole('dialog').getByRole('button', { name: 'Change password' });
  await change.click();
  await page.getByRole('alert').getByText('The current password is wrong').waitFor();
  await page.getByRole('textbox', { name: 'Current password' }).fill(password);
  await change.click();
  await page.getByText('Password changed').waitFor();

  await page.goto('about:blank');
  await page.goto(url);
  await heading(page, 'This invitation no longer works').waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

test('An administrator invites several users at once, and accepts an invitation in German', async () => {
  const [one, two] = [
    await acme.user({ FirstName: 'Bo' }),
    await acme.user({ FirstName: 'Cy', IsAdmin: true }),
  ];
  const page = await consoleOf(service, { tenant: acme, LoginID: administrator }, '/console/users');
  for (const name of ['Bo', 'Cy']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByText('2 users selected').waitFor();
  await expectAccessible(page);
  // This user is disabled in the meantime, so only this invitation fails.
  await acme.api('PUT', `/user/${one}`, { Enabled: false });
  await page.getByRole('button', { name: 'Invite 2 users' }).click();
  await page.getByRole('button', { name: 'Create 2 links' }).click();
  await page.getByText('1 user was not invited').waitFor();
  await expectAccessible(page, true);
  const url = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  assert.equal(await page.getByText('users selected').count(), 0);
  await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
  await page.getByRole('button', { name: /^Invite \d+ users$/ }).waitFor();
  await closeConsole(page);

  const other = await openConsole(service, '/console', phone);
  await other.evaluate(() => localStorage.setItem('lectern-language', 'de'));
  await other.goto(url);
  await heading(other, 'Willkommen, Cy').waitFor();
  await other.getByLabel('Neues Passwort').fill('vierzehn Elefanten');
  await other.getByRole('button', { name: 'Passwort festlegen und anmelden' }).click();
  await heading(other, 'Überblick').waitFor();
  assert.equal((await acme.api('GET', `/invitation/${two}`)).body.Status, 'accepted');
  await closeConsole(other);
});

test('Invitations are emailed, and an administrator sees which address was rejected', async () => {
  const mailServer = await startMailServer();
  const sending = await startService({
    env: { SMTP_URL: mailServer.url, MAIL_FROM: 'noreply@lectern.example' },
  });
  try {
    const tenant = await newTenant(sending, { Name: 'Acme Ltd' });
    const LoginID = await tenant.user({ FirstName: 'Ada', IsAdmin: true });
    const Email = 'ann@acme.example';
    await tenant.user({ FirstName: 'Ann', LastName: 'Arbor', Email });
    await tenant.user({ FirstName: 'Bo', Email: 'n/a' });
    const page = await consoleOf(sending, { tenant, LoginID }, '/console/users');
    for (const name of ['Ann Arbor', 'Bo'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByRole('button', { name: 'Invite 2 users' }).click();
    await page.getByRole('button', { name: 'Create 2 links' }).click();
    await page.getByText(`An email with the link is on its way to ${Email}.`).waitFor();
    await page.getByText('1 user has no valid email address').waitFor();
    await expectAccessible(page, true);
    await page.getByRole('button', { name: 'Done' }).click();
    await sendMails(sending.ctx);
    const [mail] = mailServer.mails;
    const url = /http:\S+/.exec(mail?.text ?? '')?.[0] ?? '';

    mailServer.reply.rcpt = { code: 550, text: '5.1.1 No mailbox for cy@acme.example' };
    const rejected = await tenant.user({ FirstName: 'Cy', Email: 'cy@acme.example' });
    await tenant.api('POST', '/invitation', { LoginID: rejected });
    await sendMails(sending.ctx);
    await page.goto(`${sending.baseUrl}/console/invitations`);
    await page.getByRole('link', { name: 'Emails' }).click();
    await heading(page, 'Emails').waitFor();
    await page.getByText('550 5.1.1 No mailbox for cy@acme.example').waitFor();
    await page.getByText(Email).waitFor();
    await expectAccessible(page);
    await page.setViewportSize(phone);
    await expectAccessible(page);
    await closeConsole(page);

    const other = await newConsolePage(phone);
    await other.goto(url);
    await heading(other, 'Welcome, Ann Arbor').waitFor();
    await closeConsole(other);
  } finally {
    await sending.close();
    await mailServer.close();
  }
});
