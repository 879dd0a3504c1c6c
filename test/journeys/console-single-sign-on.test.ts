import { after, before, test } from 'node:test';
import { closeConsole, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { startProvider, type TestProvider } from '../../server/test/support/identity-provider.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;
let provider: TestProvider;

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
});
after(async () => {
  await provider?.close();
  await service?.close();
});

test('an administrator connects a provider, tests it, and confirms a stopped sync', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  provider = await startProvider([`${service.baseUrl}/sso/${tenant.TenantID}/callback/acme`]);
  const LoginID = await tenant.user({ IsAdmin: true, FirstName: 'Ada' });
  const users = '/scim/v2/Users';
  const key = { Name: 'Directory', Scopes: ['scim:write'] };
  const { Secret } = (await service.api('POST', `/tenant/${tenant.TenantID}/key`, key)).body;
  for (const userName of ['p1', 'p2', 'p3', 'p4']) {
    const { id } = (await service.api('POST', users, { userName }, Secret)).body;
    await service.api('PUT', `${users}/${id}`, { active: false }, Secret);
  }
  const page = await newConsolePage();
  await signInAs(page, service, { tenant, LoginID }, '/console/single-sign-on');
  await page.getByRole('button', { name: 'Add provider' }).click();
  for (const [label, value] of [
    ['ID', 'acme'],
    ['Name', 'Acme'],
    ['Issuer', provider.issuer],
    ['Client ID', provider.clientId],
    ['Client secret', 'wrong'],
  ] as const)
    await page.getByRole('dialog').getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Save' }).click();
  const own = page.getByRole('group', { name: 'Acme' });
  await own.getByRole('button', { name: 'Test connection' }).click();
  await own.getByText('Client: failed').waitFor();
  await own.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('dialog').getByLabel('Client secret', { exact: true }).fill(provider.clientSecret);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await own.getByRole('button', { name: 'Test connection' }).click();
  await own.getByText('The connection works').waitFor();
  await page.getByText('The sync has been stopped').waitFor();
  await page.getByRole('button', { name: 'Test connection' }).last().click();
  await page.getByText('Latest answer: failed').waitFor();
  if (process.env.SHOTS) {
    for (const [width, scheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: `/tmp/sso-${width}.png`, fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await page.getByRole('button', { name: 'Allow for 24 hours' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Allow for 24 hours' }).click();
  await page.getByText('The sync has been stopped').waitFor({ state: 'detached' });
  expectStatus(await tenant.api('GET', '/provisioning'), 200);
  await closeConsole(page);
});
