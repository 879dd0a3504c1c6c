import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;

before(async () => {
  service = await startService();
});

after(() => service?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

test('The operator creates a tenant and a working key, and revokes the key', async () => {
  const page = await consoleOf(service, 'operator');
  await page.getByRole('link', { name: 'Tenants and keys' }).click();
  await page.getByRole('button', { name: 'Create tenant' }).click();
  await page.getByRole('textbox', { name: 'TenantID', exact: true }).fill('globex');
  await page.getByRole('dialog').getByLabel('Name').fill('Globex');
  await page.getByRole('dialog').getByRole('button', { name: 'Create tenant' }).click();
  await heading(page, 'Globex').waitFor();
  const made = await service.api('GET', '/tenant/globex');
  assert.equal(made.body.PasswordHash, 'sha256-hex');
  assert.deepEqual([made.body.ReturnOrigins, made.body.FrameOrigins], [null, null]);

  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('HR');
  await dialog.getByRole('button', { name: 'Select all' }).click();
  await dialog.getByLabel('Read the event log').uncheck();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Copy the secret now').waitFor();
  const line = await page.locator('pre').innerText();
  const [, address = '', secret = ''] = /^curl '(\S+)' -H 'Authorization: Bearer (\S+)'$/.exec(line) ?? [];
  const call = () => fetch(address, { headers: { Authorization: `Bearer ${secret}` } });
  assert.equal((await call()).status, 200);
  const events = await service.api('GET', '/events', undefined, secret);
  assert.equal(events.body.code, 'scope_missing');
  await page.keyboard.press('Escape');
  assert.ok(
    await page.getByText('Copy the secret now').isVisible(),
    'Escape must not close the dialog before the secret is copied',
  );
  await page.getByRole('button', { name: 'I have copied the secret' }).click();

  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('Revoked', { exact: true }).waitFor();
  assert.equal((await call()).status, 401);

  await page.getByRole('link', { name: 'Switch to this tenant' }).click();
  await heading(page, 'Overview').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('tenant'), 'globex');
  await closeConsole(page);
});

test('A tenant is found and edited', async () => {
  const other = await newTenant(service, { Name: 'Initech' });
  const page = await consoleOf(service, 'operator', '/console/tenants');
  await page.getByLabel('Search by name or TenantID').fill('inite');
  await page.waitForURL(/search=inite/);
  await page.getByRole('link', { name: 'Initech', exact: true }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('combobox', { name: 'Return origins' }).fill('https://portal.example');
  await page.getByRole('combobox', { name: 'Issuer domains' }).fill('academy.initech.example');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('https://portal.example').waitFor();
  const read = await service.api('GET', `/tenant/${other.TenantID}`);
  assert.deepEqual(read.body.ReturnOrigins, ['https://portal.example']);
  assert.deepEqual(read.body.IssuerDomains, ['academy.initech.example']);
  await closeConsole(page);
});

test('A tenant is suspended, resumed, exported and deleted', async () => {
  const doomed = await newTenant(service, { Name: 'Hooli' });
  await doomed.user();
  const page = await consoleOf(service, 'operator', `/console/tenants/${doomed.TenantID}`);
  const status = async () => (await service.api('GET', `/tenant/${doomed.TenantID}`)).body.Status;
  const dialog = page.getByRole('dialog');
  for (const name of ['Suspend', 'Resume', 'Suspend']) {
    await page.getByRole('button', { name, exact: true }).click();
    await dialog.getByRole('button', { name, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await status(), name === 'Suspend' ? 'suspended' : 'active');
  }
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export all data' }).click();
  const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n');
  assert.deepEqual(JSON.parse(lines[0] ?? '').Record.TenantID, doomed.TenantID);
  await page.getByRole('button', { name: 'Delete tenant' }).click();
  await dialog.getByText('Users (1 record)').waitFor();
  if (process.env.LOOK) await page.screenshot({ path: `${process.env.LOOK}/delete.png` });
  const confirm = dialog.getByRole('button', { name: 'Delete permanently' });
  assert.ok(await confirm.isDisabled());
  await dialog.getByLabel('To confirm, type the TenantID').fill(doomed.TenantID);
  await confirm.click();
  await heading(page, 'Tenants').waitFor();
  await page.getByRole('link', { name: 'Hooli', exact: true }).waitFor({ state: 'detached' });
  assert.equal((await service.api('GET', `/tenant/${doomed.TenantID}`)).status, 404);
  await closeConsole(page);
});

test('Errors from the service appear in the dialog, and no input is lost', async () => {
  const page = await consoleOf(service, 'operator', '/console/tenants?search=nobody');
  await page.getByText('No name or TenantID contains this text.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'test', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Create tenant' }).click();
  const dialog = page.getByRole('dialog');
  const named = dialog.getByRole('textbox', { name: 'TenantID' });
  await named.fill('test');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Another');
  await dialog.getByRole('button', { name: 'Create tenant' }).click();
  await dialog.getByRole('alert').waitFor();
  assert.equal(await named.inputValue(), 'test');
  assert.equal((await service.api('GET', '/tenant/test')).body.Name, 'test');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await closeConsole(page);
});
