import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { sendMails } from '../../server/src/domain/mail/send.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf, newConsolePage, openConsole } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { startMailServer, type TestMailServer } from '../../server/test/support/smtp.ts';
import { newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let mailServer: TestMailServer;
let service: TestService;
let acme: TestTenant;
let administrator: string;

before(async () => {
  mailServer = await startMailServer();
  const env = { SMTP_URL: mailServer.url, MAIL_FROM: 'noreply@lectern.example' };
  service = await startService({ env });
  acme = await newTenant(service, { Name: 'Acme Ltd' });
  administrator = await acme.user({ FirstName: 'Ada', IsAdmin: true });
});

after(async () => {
  await service?.close();
  await mailServer?.close();
});

const phone = { width: 390, height: 844 };
const [given, chosen] = ['a password for you', 'correct horse battery'] as const;
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

async function signIn(page: Page, loginId: string, typed: string): Promise<void> {
  await page.getByLabel('Organisation').fill('acme ltd');
  await page.getByLabel('Login name').fill(loginId);
  await page.getByLabel('Password', { exact: true }).fill(typed);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('An administrator sets a password, and the learner later resets it on a phone', async () => {
  const Email = 'ann@acme.example';
  const LoginID = await acme.user({ FirstName: 'Ann', LastName: 'Arbor', Email });
  const console = await consoleOf(
    service,
    { tenant: acme, LoginID: administrator },
    `/console/users/${LoginID}`,
  );
  await console.getByRole('button', { name: 'More' }).click();
  await console.getByRole('menuitem', { name: 'Set password', exact: true }).click();
  await console.getByText('Tell them the password in private').waitFor();
  await expectAccessible(console, true);
  const dialog = console.getByRole('dialog');
  await dialog.getByLabel('New password').fill('Ann Arbor 12');
  await dialog.getByRole('button', { name: 'Set password' }).click();
  await console.getByText('Do not use only your name').waitFor();
  await dialog.getByLabel('New password').fill(given);
  await console.keyboard.press('Enter');
  await console.getByText('Password set', { exact: true }).waitFor();
  await closeConsole(console);

  const page = await openConsole(service, '/console', phone);
  await signIn(page, LoginID, chosen);
  await page.getByText('Sign-in failed.').waitFor();
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await heading(page, 'Reset your password').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Organisation').fill('acme ltd');
  await page.getByLabel('Login name').fill(LoginID);
  await page.keyboard.press('Enter');
  await heading(page, 'Check your email').waitFor();
  await expectAccessible(page);
  await closeConsole(page);

  await sendMails(service.ctx);
  const [mail] = mailServer.mails;
  assert.deepEqual(mail?.to, [Email]);
  const url = /http:\S+/.exec(mail.text)?.[0] ?? '';
  const own = await newConsolePage(phone);
  const sent: string[] = [];
  own.on('request', (request) =>
    sent.push(`${request.url()} ${request.headers().referer ?? ''} ${request.postData()?.includes(chosen)}`),
  );
  await own.goto(url);
  await heading(own, 'Choose a new password').waitFor();
  await own.getByText('Acme Ltd', { exact: true }).waitFor();
  await expectAccessible(own);
  await own.getByLabel('New password').fill(chosen);
  await own.keyboard.press('Enter');
  await heading(own, 'My courses').waitFor();
  const token = new URL(url).hash.slice(1);
  for (const text of sent) assert.ok(!text.includes(token) && !text.includes('true'), text);
  await own.goto('about:blank');
  await own.goto(url);
  await heading(own, 'This link no longer works').waitFor();
  await expectAccessible(own);
  await own.getByRole('link', { name: 'Request another link' }).click();
  await heading(own, 'Reset your password').waitFor();
  await closeConsole(own);

  const again = await openConsole(service, '/console', phone);
  await signIn(again, LoginID, chosen);
  await heading(again, 'My courses').waitFor();
  await closeConsole(again);
});

test('Without a mail server, the page says whom to ask', async () => {
  const silent = await startService();
  try {
    const page = await openConsole(silent, '/console/forgot', phone);
    await page.getByLabel('Organisation').fill('x');
    await page.getByLabel('Login name').fill('y');
    await page.keyboard.press('Enter');
    await page.getByText('Ask your administrator for a new invitation.').waitFor();
    await expectAccessible(page);
    await closeConsole(page);
  } finally {
    await silent.close();
  }
});
