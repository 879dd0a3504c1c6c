import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;

before(async () => {
  service = await startService();
});

after(async () => {
  await service?.close();
});

/** `LOOK=folder` saves pictures. */
async function look(page: Awaited<ReturnType<typeof consoleOf>>, name: string) {
  if (process.env.LOOK)
    await page.screenshot({
      path: `${process.env.LOOK}/${name}.png`,
      fullPage: true,
      animations: 'disabled',
    });
}

test('An administrator places a legal hold on a person, changes its reason, and releases it', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ FirstName: 'Grace', IsAdmin: true });
  const bob = await tenant.user({ FirstName: 'Bob', LastName: 'Hall' });
  const holds = async () => (await tenant.api('GET', '/hold')).body.Items;
  const page = await consoleOf(service, { tenant, LoginID: boss }, `/console/users/${bob}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Place legal hold' }).click();
  const dialog = page.getByRole('dialog', { name: 'Place a legal hold on Bob Hall' });
  await dialog.getByRole('textbox', { name: 'Case' }).fill('case-17');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Litigation');
  await look(page, 'hold-dialog');
  await expectAccessible(page, true);
  await dialog.getByRole('button', { name: 'Place legal hold' }).click();
  await page.getByText('Legal hold placed').waitFor();
  await page.getByRole('table', { name: 'Legal holds' }).getByText('case-17').waitFor();
  await look(page, 'hold-person');
  await expectAccessible(page);
  assert.equal((await tenant.api('DELETE', `/user/${bob}`)).status, 409);

  await page.getByRole('button', { name: 'Change reason' }).click();
  const change = page.getByRole('dialog', { name: 'Change the reason for the hold on Bob Hall' });
  await change.getByRole('textbox', { name: 'Reason' }).fill('Litigation, second instance');
  await change.getByRole('button', { name: 'Change reason' }).click();
  await page.getByText('Reason changed').waitFor();
  assert.deepEqual(
    (await holds()).map(({ HoldID, Reason }: Record<string, string>) => [HoldID, Reason]),
    [['case-17', 'Litigation, second instance']],
  );

  await page.goto(`${service.baseUrl}/console/holds`);
  const table = page.getByRole('table', { name: 'Legal holds' });
  await table.getByRole('link', { name: 'Bob Hall' }).waitFor();
  await look(page, 'holds');
  await expectAccessible(page);
  await table.getByRole('button', { name: 'Release' }).click();
  const release = page.getByRole('dialog', { name: 'Release the legal hold on Bob Hall?' });
  await release.getByRole('button', { name: 'Release' }).click();
  await page.getByText('No legal holds').waitFor();
  assert.deepEqual(await holds(), []);
  await closeConsole(page);
});

test('Holds fit on a phone', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ IsAdmin: true });
  const bob = await tenant.user({ FirstName: 'Bob', LastName: 'Hall' });
  await tenant.api('PUT', `/user/${bob}/hold/case-17`, { Reason: 'Litigation 2026/17, Leeds' });
  const page = await newConsolePage({ width: 390, height: 844 });
  await signInAs(page, service, { tenant, LoginID: boss }, '/console/holds');
  await page.getByText('Litigation 2026/17, Leeds').waitFor();
  await look(page, 'holds-phone');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await expectAccessible(page);
  await page.goto(`${service.baseUrl}/console/settings`);
  await page.getByRole('radio', { name: 'Nothing: the number becomes unknown' }).waitFor();
  await look(page, 'settings-phone');
  await closeConsole(page);
});

test('An administrator decides what stays of certificates of erased people, and for how long', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ FirstName: 'Grace', IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID: boss }, '/console/settings');
  await page.getByRole('radio', { name: 'Everything, as before' }).check();
  const period = page.getByRole('textbox', { name: 'How long after the erasure' });
  await page.getByRole('combobox', { name: /Unit.*How long after the erasure/i }).selectOption('Y');
  await period.fill('5');
  await look(page, 'settings');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Settings saved').waitFor();
  const { body } = await tenant.api('GET', '/settings');
  assert.deepEqual(body.ErasedCertificates, { Show: 'name', For: 'P5Y' });
  await closeConsole(page);
});
