import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createKey } from '../../server/src/domain/identity/keys.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service?.close());

/** A tenant with its administrator Ada. */
async function withAda() {
  const tenant = await newTenant(service);
  const LoginID = 'ada';
  expectStatus(await tenant.api('POST', '/user', { LoginID, FirstName: 'Ada', IsAdmin: true }), 201);
  return { tenant, who: { tenant, LoginID } };
}

test('An administrator creates a key, copies the secret, calls the API with it, and revokes the key', async () => {
  const { tenant, who } = await withAda();
  const page = await consoleOf(service, who);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('link', { name: 'Connections' }).click();
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create API key' });
  const submit = dialog.getByRole('button', { name: 'Create key' });
  await dialog.getByLabel('Name').fill('HR, production');
  assert.ok(await submit.isDisabled(), 'a key needs at least one permission');
  await dialog.getByLabel('Read users').check();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await submit.click();

  const made = page.getByRole('dialog', { name: 'Key HR, production created' });
  await made.getByRole('button', { name: 'Copy: Secret' }).click();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  const call = (path: string) => service.api('GET', path, undefined, secret);
  expectStatus(await call(`/user/${who.LoginID}`), 200);
  assert.equal((await call('/events')).body.code, 'scope_missing');
  await page.keyboard.press('Escape');
  await made.getByRole('button', { name: 'I have copied the secret' }).click();
  await made.waitFor({ state: 'hidden' });
  assert.ok(!(await page.content()).includes(secret), 'the secret is shown only once');

  const row = page.getByRole('row').filter({ hasText: 'HR, production' });
  await row.getByText('users:read').waitFor();
  await row.getByRole('link', { name: 'ada' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'by the operator' }).getByText('Everything').waitFor();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await row.getByText('Revoked', { exact: true }).waitFor();
  assert.equal((await call(`/user/${who.LoginID}`)).status, 401);
  const { body } = await tenant.api('GET', '/audit?Action=key.revoked');
  assert.deepEqual(
    body.Items.map(({ ActorName }: { ActorName: string }) => ActorName),
    ['ada'],
  );
  await row.getByRole('link', { name: 'ada' }).click();
  await page.getByRole('heading', { name: /Ada/, level: 1 }).waitFor();
  await closeConsole(page);
});

test('An administrator is offered only their own permissions', async () => {
  const { tenant } = await withAda();
  const held = ['users:read', 'users:write', 'users:admin'] as const;
  const few = await createKey(service.ctx, { tenantId: tenant.TenantID, Name: 'SSO', Scopes: [...held] });
  const api: typeof tenant.api = (method, path, body, headers) =>
    service.api(method, path, body, few.Secret, headers);
  const who = { tenant: { ...tenant, api }, LoginID: 'ada' };
  const page = await consoleOf(service, who, '/console/api-keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create API key' });
  await dialog.getByText('A key can’t have permissions that you don’t have.').waitFor();
  assert.equal(await dialog.getByRole('checkbox').count(), held.length);
  await dialog.getByLabel('Name').fill('HR');
  await dialog.getByRole('button', { name: 'Select all' }).click();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'I have copied the secret' }).click();
  const { body } = await service.api('GET', `/tenant/${tenant.TenantID}/key`);
  const made = body.Items.find(({ Name }: { Name: string }) => Name === 'HR');
  assert.deepEqual(made.Scopes, held);
  await closeConsole(page);
});

test('The operator manages the keys of the tenant chosen in the menu', async () => {
  const { tenant } = await withAda();
  const page = await consoleOf(service, 'operator', `/console/api-keys?tenant=${tenant.TenantID}`);
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create API key' });
  await dialog.getByLabel('Name').fill('Shop');
  await dialog.getByRole('button', { name: 'Select all' }).click();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'I have copied the secret' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Shop' });
  await row.getByText('by the operator').waitFor();
  const { body } = await service.api('GET', `/tenant/${tenant.TenantID}/key`);
  assert.ok(body.Items.some(({ Name }: { Name: string }) => Name === 'Shop'));
  await closeConsole(page);
});

const look = process.env.LOOK;

test('The page and its dialogs are accessible', async () => {
  const { tenant, who } = await withAda();
  const page = await consoleOf(service, who, '/console/api-keys');
  const photograph = async (name: string) => {
    if (!look) return;
    for (const [size, width, height] of [
      ['desktop', 1280, 860],
      ['phone', 390, 844],
    ] as const)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await page.waitForTimeout(400);
        await page.screenshot({ path: `${look}/${name}-${size}-${colorScheme}.png` });
      }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  const create = async (name: string, permissions: string[]) => {
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    await dialog.getByLabel('Name').fill(name);
    for (const label of permissions) await dialog.getByLabel(label).check();
    return dialog;
  };
  let dialog = await create('Webshop, production', [
    ...['Read users', 'Create, change', 'Read enrolments', 'Enrol users', 'Get launch links'],
    ...['Read the courses', 'Read the event log'],
  ]);
  await photograph('dialog');
  await expectAccessible(page, true);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = page.getByRole('dialog', { name: /created$/ });
  await secret.waitFor();
  await photograph('secret');
  await expectAccessible(page, true);
  await secret.getByRole('button', { name: 'I have copied the secret' }).click();
  dialog = await create('Learning analytics', ['Read xAPI', 'Read the event log']);
  await dialog.getByLabel('Last valid day').fill('2050-12-31');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await secret.getByRole('button', { name: 'I have copied the secret' }).click();
  const old = await createKey(service.ctx, { tenantId: tenant.TenantID, Name: 'Old HR system' });
  expectStatus(await service.api('DELETE', `/tenant/${tenant.TenantID}/key/${old.KeyID}`), 200);
  await page.reload();
  await page.getByText('Revoked', { exact: true }).waitFor();
  await photograph('page');
  await expectAccessible(page);
  await page.getByRole('button', { name: '6 more' }).click();
  await page.getByText('enrolments:launch').waitFor();
  await expectAccessible(page);
  await page.getByRole('row').filter({ hasText: 'Webshop' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).waitFor();
  await photograph('revoke');
  await expectAccessible(page, true);
  await closeConsole(page);
});
