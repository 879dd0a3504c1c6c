import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { createOperatorLink } from '../../server/src/domain/sign-in/operator-links.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { hashOf, useHostName } from '../../server/test/support/passkeys.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { activate } from './keyboard.ts';

let started: TestService;
/** Browsers allow passkeys at `localhost`, but not at an IP address. */
let service: TestService;
let acme: TestTenant;
let strict: TestTenant;

before(async () => {
  started = await startService();
  useHostName(started);
  service = { ...started, baseUrl: started.ctx.config.baseUrl };
  acme = await newTenant(service, { Name: 'Acme Ltd' });
  strict = await newTenant(service, { Name: 'Strict Ltd', SecondFactor: 'required' });
});
after(() => started?.close());

const password = 'correct horse battery';
const phone = { width: 390, height: 844 };

const administrator = async (tenant: TestTenant, fields: object = {}) => {
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true, ...fields });
  const set = await tenant.api('PUT', `/user/password/${LoginID}`, { Password: hashOf(password) });
  expectStatus(set, 204);
  return LoginID;
};

type Device = { cdp: CDPSession; id: string };

/** Chromium's virtual authenticator: a device that asks for a fingerprint, which always matches. */
async function plugIn(page: Page): Promise<Device> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

/** The user fails the check of the fingerprint, or passes it again. */
const fingerprint = ({ cdp, id }: Device, isUserVerified: boolean) =>
  cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified });

async function open(options: { width: number; height: number; locale?: string } | object = {}) {
  const page = await newConsolePage(options);
  const device = await plugIn(page);
  await page.goto(`${service.baseUrl}/console`);
  return { page, device };
}

async function signIn(page: Page, tenant: string, loginId: string): Promise<void> {
  await page.getByLabel('Organisation').fill(tenant);
  await page.getByLabel('Login name').fill(loginId);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

async function openMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Ada Admin' }).press('Enter');
  await page.getByRole('menuitem', { name: item, exact: true }).press('Enter');
}

test('An administrator adds a passkey with the keyboard, signs in with it, renames and removes it', async () => {
  const LoginID = await administrator(acme);
  const { page, device } = await open();
  await signIn(page, 'Acme Ltd', LoginID);
  await heading(page, 'Overview').waitFor();
  await openMenu(page, 'Security');
  await heading(page, 'Security').waitFor();
  await page.getByText('No passkeys yet').waitFor();
  await expectAccessible(page);
  const dialog = page.getByRole('dialog');
  await activate(page, page.getByRole('button', { name: 'Add passkey' }), dialog);
  await dialog.getByText('Your browser will ask').waitFor();
  await expectAccessible(page, true);
  await dialog.getByLabel('Name').fill('');
  await page.keyboard.type('Work laptop');
  await fingerprint(device, false);
  await page.keyboard.press('Enter');
  await dialog.getByText('No passkey was used').waitFor();
  await fingerprint(device, true);
  await dialog.getByLabel('Name').press('Enter');
  await page.getByText('Passkey added').waitFor();
  await page.getByText('never used').waitFor();
  await page.getByText('Add a second passkey').waitFor();
  await expectAccessible(page);

  // The same device cannot be added twice.
  await page.getByRole('button', { name: 'Add passkey' }).press('Enter');
  await dialog.getByRole('button', { name: 'Continue' }).press('Enter');
  await dialog.getByText('already has a passkey').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  await openMenu(page, 'Sign out');
  await signIn(page, 'Acme Ltd', LoginID);
  await heading(page, 'Confirm that it’s you').waitFor();
  await expectAccessible(page);
  await fingerprint(device, false);
  await page.getByRole('button', { name: 'Use passkey' }).press('Enter');
  await page.getByText('No passkey was used').waitFor();
  // The step is shown instead of every page.
  await page.goto(`${service.baseUrl}/console/users`);
  await heading(page, 'Confirm that it’s you').waitFor();
  await fingerprint(device, true);
  await page.keyboard.press('Enter');
  await heading(page, 'People').waitFor();

  await openMenu(page, 'Security');
  await page.getByText('last used').waitFor();
  await activate(page, page.getByRole('button', { name: 'Rename Work laptop' }), dialog);
  await dialog.getByLabel('Name').fill('Old laptop');
  await page.keyboard.press('Enter');
  await page.getByText('Passkey renamed').waitFor();
  await activate(page, page.getByRole('button', { name: 'Remove Old laptop' }), dialog);
  await dialog.getByText('signed out on all other devices').waitFor();
  await expectAccessible(page, true);
  const remove = dialog.getByRole('button', { name: 'Remove passkey' });
  await activate(page, remove, page.getByText('No passkeys yet'));
  await openMenu(page, 'Sign out');
  await signIn(page, 'Acme Ltd', LoginID);
  await heading(page, 'Security').waitFor();
  await closeConsole(page);
});

test('Where a passkey is required, an administrator on a phone adds one before anything else', async () => {
  const LoginID = await administrator(strict);
  const { page } = await open(phone);
  await signIn(page, 'Strict Ltd', LoginID);
  await heading(page, 'Add a passkey').waitFor();
  await page.getByText('Strict Ltd requires a passkey').waitFor();
  await expectAccessible(page);
  await page.goto(`${service.baseUrl}/console/api-keys`);
  await heading(page, 'Add a passkey').waitFor();
  await page.getByLabel('Name').fill('My phone');
  await page.keyboard.press('Enter');
  await heading(page, 'API keys').waitFor();
  await page.goto(`${service.baseUrl}/console/security`);
  await page.getByRole('button', { name: 'Remove My phone' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
  await page.getByText('You need at least one passkey').waitFor();
  await expectAccessible(page, true);
  await closeConsole(page);
});

test('A requirement that the operator sets applies to an open console', async () => {
  const tenant = await newTenant(service, { Name: 'Later Ltd' });
  const LoginID = await administrator(tenant);
  const { page } = await open();
  await signIn(page, 'Later Ltd', LoginID);
  await heading(page, 'Overview').waitFor();
  const operator = await consoleOf(service, 'operator', `/console/tenants/${tenant.TenantID}`);
  await operator.getByText('Optional for administrators').waitFor();
  await operator.getByRole('button', { name: 'Edit' }).click();
  await operator.getByRole('combobox', { name: 'Passkeys' }).click();
  await operator.getByRole('option', { name: 'Required for administrators' }).click();
  await operator.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await operator.locator('#main').getByText('Required for administrators').waitFor();
  await closeConsole(operator);
  await page.getByRole('link', { name: 'People' }).click();
  await heading(page, 'Add a passkey').waitFor();
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await heading(page, 'People').waitFor();
  await closeConsole(page);
});

test('A colleague removes the passkeys of an administrator who lost them', async () => {
  const LoginID = await administrator(strict, { FirstName: 'Lou', LastName: 'Lost' });
  const { page, device } = await open();
  await signIn(page, 'Strict Ltd', LoginID);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await heading(page, 'Overview').waitFor();
  await device.cdp.send('WebAuthn.clearCredentials', { authenticatorId: device.id });
  const colleague = await consoleOf(
    service,
    { tenant: strict, LoginID: await administrator(strict) },
    `/console/users/${LoginID}`,
  );
  await colleague.getByText('1 passkey').waitFor();
  await colleague.getByRole('button', { name: 'Remove', exact: true }).click();
  await colleague.getByText('For people who have lost their passkeys').waitFor();
  await expectAccessible(colleague, true);
  await colleague.getByRole('button', { name: 'Remove passkeys' }).click();
  await colleague.getByText('Passkeys removed').waitFor();
  await colleague.goto(`${service.baseUrl}/console/audit`);
  await colleague.getByRole('row').filter({ hasText: 'Passkeys removed' }).waitFor();
  await closeConsole(colleague);
  await page.reload();
  await signIn(page, 'Strict Ltd', LoginID);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await heading(page, 'Overview').waitFor();
  await closeConsole(page);
});

test('The operator adds a passkey, and a link from the command line removes it', async () => {
  const page = await newConsolePage();
  const device = await plugIn(page);
  await signInAs(page, service, 'operator', '/console/security');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Passkey added').waitFor();
  await signInAs(page, service, 'operator', '/console/tenants');
  await heading(page, 'Confirm that it’s you').waitFor();
  await page.getByText('lectern console --remove-passkeys').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use passkey' }).click();
  await heading(page, 'Tenants').waitFor();
  await device.cdp.send('WebAuthn.clearCredentials', { authenticatorId: device.id });
  const link = await createOperatorLink(service.ctx, { removesPasskeys: true });
  await page.goto(link.SignInURL);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.goto(`${service.baseUrl}/console/security`);
  await page.getByText('No passkeys yet').waitFor();
  await closeConsole(page);
});

test('Every language shows both steps and the list of passkeys', async () => {
  for (const [language, add, use, page] of [
    ['de', 'Passkey hinzufügen', 'Passkey verwenden', 'Sicherheit'],
    ['fr', 'Ajouter une clé d’accès', 'Utiliser une clé d’accès', 'Sécurité'],
  ] as const) {
    const LoginID = await administrator(strict);
    const { page: own } = await open();
    await own.evaluate((language) => localStorage.setItem('lectern-language', language), language);
    await signInStep(own, LoginID);
    await own.getByRole('button', { name: add }).click();
    await own.getByRole('navigation').first().waitFor();
    await own.context().clearCookies();
    await signInStep(own, LoginID);
    await own.getByRole('button', { name: use }).waitFor();
    await expectAccessible(own);
    await own.getByRole('button', { name: use }).click();
    await own.getByRole('navigation').first().waitFor();
    await own.goto(`${service.baseUrl}/console/security`);
    await heading(own, page).waitFor();
    await own.getByText('Linux', { exact: true }).waitFor();
    await expectAccessible(own);
    await closeConsole(own);
  }
});

/** Signs in without the sign-in page, as far as the passkey. */
async function signInStep(page: Page, LoginID: string): Promise<void> {
  const status = await page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' };
      const { status } = await fetch('/session', { method: 'POST', headers, body: JSON.stringify(body) });
      return status;
    },
    { TenantID: strict.TenantID, LoginID, Password: hashOf(password) },
  );
  assert.equal(status, 200);
  await page.goto(`${service.baseUrl}/console`);
}
