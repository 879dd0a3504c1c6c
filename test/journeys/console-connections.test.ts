import { after, before, test } from 'node:test';
import { closeConsole, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { platformAt, startPlatform, type TestPlatform } from '../../server/test/support/lti-platform.ts';
import { startService } from '../../server/test/support/service.ts';
import { newCourse, newTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;
let platform: TestPlatform;

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  platform = await startPlatform(() => service.ctx.now());
});
after(async () => {
  await platform?.close();
  await service?.close();
});

test('an administrator adds a platform, sees which step fails, and lends a course', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  await newCourse(service, { Title: 'First aid' });
  const LoginID = await tenant.user({ IsAdmin: true, FirstName: 'Ada' });
  const page = await newConsolePage();
  await signInAs(page, service, { tenant, LoginID }, '/console/connections');
  await page.getByText(`/issuer/${tenant.TenantID}/jwks.json`).waitFor();
  await page.getByRole('button', { name: 'Add platform' }).click();
  const dialog = page.getByRole('dialog');
  const { Name, Issuer, ClientID, AuthURL, TokenURL, JWKSURL } = platformAt(platform.origin);
  for (const [label, value] of [
    ['Name', Name],
    ['Issuer (platform ID)', Issuer],
    ['Client ID', ClientID],
    ['Deployment IDs', '1'],
    ['Authentication request URL', AuthURL],
    ['Access token URL', TokenURL],
    ['Public keyset URL', JWKSURL],
  ] as const)
    await dialog.getByLabel(label, { exact: true }).fill(value);
  await dialog.getByRole('button', { name: 'Save' }).click();
  const own = page.getByRole('group', { name: 'Moodle' });
  await own.getByRole('button', { name: 'Test connection' }).click();
  await own.getByText('Last launch: failed').waitFor();
  platform.answers.token = 'invalid_client';
  await own.getByRole('button', { name: 'Test connection' }).click();
  await own.getByText('Access token: failed').waitFor();

  await page.getByRole('button', { name: 'Lend a course' }).click();
  await dialog.getByLabel('Course', { exact: true }).fill('First aid');
  await page.getByRole('option', { name: 'First aid' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Acme Ltd');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const lent = page.getByRole('group', { name: 'Acme Ltd' });
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    lent.getByRole('button', { name: 'Download package' }).click(),
  ]);
  if (!file.suggestedFilename().endsWith('-scorm12.zip')) throw new Error(file.suggestedFilename());
  await lent.getByRole('button', { name: 'Stop' }).click();
  await lent.getByText('Stopped').waitFor();
  await closeConsole(page);
});
