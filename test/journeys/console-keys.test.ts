import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  for (const [id, title] of [
    ['ladders', 'Working on ladders'],
    ['phishing', 'Spot the phish'],
  ]) {
    await service.api('PUT', `/course/${id}`, { Title: title, URL: 'https://web.example/' });
    expectStatus(
      await service.api('PUT', `/course/${id}/option/year`, { Name: 'One year', Duration: 'P1Y' }),
      201,
    );
  }
  const month = { Name: 'One month', Duration: 'P30D' };
  expectStatus(await service.api('PUT', '/course/phishing/option/month', month), 201);
});

after(() => service?.close());

/** A tenant with a user called Ann, and its administrator. */
async function withAnn() {
  const tenant = await newTenant(service);
  expectStatus(await tenant.api('POST', '/user', { LoginID: 'ann', FirstName: 'Ann', LastName: 'Lee' }), 201);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

const newest = { CourseIDs: ['phishing'], DurationIDs: ['month'] };

test('Keys are created for two courses, one is redeemed, and another is revoked', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/keys');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
  await page.getByRole('button', { name: 'Create keys' }).last().click();
  const dialog = page.getByRole('dialog', { name: 'Create enrolment keys' });
  await dialog.getByRole('combobox', { name: 'Course' }).fill('ladders');
  await page.getByRole('option', { name: /Working on ladders/ }).click();
  const option = dialog.getByRole('combobox', { name: 'Enrolment option' });
  // The option is preselected if it is the only one.
  await option.filter({ has: page.locator('option:checked', { hasText: 'One year' }) }).waitFor();
  await dialog.getByRole('button', { name: 'Add course' }).click();
  await dialog.getByRole('combobox', { name: 'Course' }).last().fill('phish');
  await page.getByRole('option', { name: /Spot the phish/ }).click();
  await option.last().selectOption('One month · 30 days');
  await dialog.getByRole('textbox', { name: 'Number of keys' }).fill('3');
  await dialog.getByRole('radio', { name: 'A group' }).click();
  await dialog.getByRole('combobox', { name: 'Group' }).fill('Northwind');
  await dialog.getByRole('textbox', { name: 'Purchase order' }).fill('PO-1');
  await dialog.getByRole('button', { name: 'Create 3 keys' }).click();

  const made = page.getByRole('dialog', { name: '3 keys created' });
  await made.getByRole('button', { name: 'Copy all keys' }).click();
  await made.getByRole('button', { name: 'Copied' }).waitFor();
  const keys = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
  assert.equal(keys.length, 3);
  const saving = page.waitForEvent('download');
  await made.getByRole('button', { name: 'Save as CSV' }).click();
  const csv = Buffer.concat(await (await (await saving).createReadStream()).toArray()).toString();
  for (const key of keys) {
    assert.ok(csv.includes(`${key},`), csv);
    assert.ok(csv.includes(`${service.baseUrl}/console/redeem?tenant=${tenant.TenantID}#${key}`), csv);
  }
  await page.keyboard.press('Escape');
  await made.getByRole('button', { name: 'I have saved the keys' }).click();
  await made.waitFor({ state: 'hidden' });

  const rows = page.getByRole('table').getByRole('row');
  await rows.filter({ hasText: 'Available' }).nth(2).waitFor();
  expectStatus(await tenant.api('POST', `/enrol/key/ann/${keys[0]}`), 201);
  assert.equal((await tenant.api('GET', '/user/ann')).body.GroupName, 'Northwind');
  await page.reload();
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Redeemed');
  const redeemed = rows.filter({ hasText: 'Ann Lee' });
  await redeemed.getByRole('link', { name: `Key ${keys[0]?.slice(0, 4)}…` }).click();
  const drawer = page.getByRole('dialog', { name: /^Key/ });
  await drawer.getByRole('heading', { name: 'Redeemed by' }).waitFor();
  assert.equal(await drawer.getByRole('button', { name: 'Revoke' }).count(), 0);
  await drawer.getByRole('link', { name: 'Enrolment on Spot the phish' }).click();
  await page.getByRole('heading', { name: 'Spot the phish', level: 1 }).waitFor();

  await page.goto(`${service.baseUrl}/console/keys`);
  await page.getByRole('button', { name: 'Look up key' }).click();
  const find = page.getByRole('dialog', { name: 'Look up key' });
  const typed = find.getByRole('textbox', { name: 'Key or KeyID' });
  await typed.fill(`${keys[1]?.slice(0, -1)}?`);
  await find.getByRole('button', { name: 'Look up' }).click();
  await find.getByRole('alert').getByText('The enrolment key contains a typing error.').waitFor();
  await typed.fill(keys[1]?.toLowerCase().replaceAll('-', ' ') ?? '');
  await find.getByRole('button', { name: 'Look up' }).click();
  await drawer.getByText('Available').waitFor();
  assert.ok(!page.url().includes(String(keys[1])), 'the URL must not contain the key');
  await drawer.getByRole('button', { name: 'Revoke' }).click();
  await page
    .getByRole('dialog', { name: /^Revoke key/ })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await drawer.getByText('Create a new one instead').waitFor();
  assert.equal((await tenant.api('POST', `/enrol/key/ann/${keys[1]}`)).body.code, 'key_revoked');
  await closeConsole(page);
});

test('The list is filtered by its URL, and a key is created from an existing one', async () => {
  const { tenant, who } = await withAnn();
  for (const PurchaseOrder of ['PO-1', 'PO-2'])
    expectStatus(await tenant.api('POST', '/enrolment/key', { ...newest, PurchaseOrder }), 201);
  expectStatus(await tenant.api('POST', '/enrolment/key', { ...newest, LoginID: 'ann' }), 201);
  const page = await consoleOf(service, who, '/console/keys?po=PO-2');
  const links = page.getByRole('table').getByRole('link', { name: /^Key/ });
  await links.waitFor();
  await page.getByRole('textbox', { name: 'Purchase order' }).fill('PO-3');
  await page.getByRole('heading', { name: 'No keys found' }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('po'), 'PO-3');
  await page.getByRole('button', { name: 'Show all' }).click();
  const row = page.getByRole('table').getByRole('row').filter({ hasText: 'Ann Lee' });
  await row.getByRole('link', { name: /^Key/ }).click();
  await page.getByRole('button', { name: 'Create a similar key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create enrolment keys' });
  assert.ok(await dialog.getByRole('radio', { name: 'One user' }).isChecked());
  await dialog.getByRole('button', { name: 'Create 1 key' }).click();
  await page.getByRole('dialog', { name: 'Key created' }).waitFor();
  const [made] = (await tenant.api('GET', '/enrolment/key?Order=newest')).body.Items;
  assert.deepEqual([made.CourseIDs, made.DurationIDs, made.LoginID], [['phishing'], ['month'], 'ann']);
  await closeConsole(page);
});

test('The key pages are accessible', async () => {
  const { tenant, who } = await withAnn();
  const page = await consoleOf(service, who, '/console/keys');
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
  await expectAccessible(page);
  const { body } = await tenant.api('POST', '/enrolment/key', { ...newest, Quantity: 4 });
  const [first, second, third] = body.Items;
  expectStatus(await tenant.api('POST', `/enrol/key/ann/${first.Key}`), 201);
  expectStatus(await tenant.api('DELETE', `/enrolment/key/${second.KeyID}`), 200);
  await page.reload();
  await page.getByText('Ann Lee').waitFor();
  await expectAccessible(page);
  for (const { KeyID } of [first, second, third]) {
    await page.goto(`${service.baseUrl}/console/keys?key=${KeyID}`);
    await page.getByRole('dialog').getByText('KeyID').first().waitFor();
    await expectAccessible(page, true);
  }
  await page.goto(`${service.baseUrl}/console/keys`);
  await page.getByRole('button', { name: 'Create keys' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create enrolment keys' });
  await dialog.getByRole('combobox', { name: 'Course' }).fill('ladders');
  await page.getByRole('option', { name: /Working on ladders/ }).click();
  await dialog.getByRole('radio', { name: 'One user' }).click();
  await expectAccessible(page, true);
  await dialog.getByRole('radio', { name: 'Anybody' }).click();
  await dialog.getByRole('button', { name: 'Create 1 key' }).click();
  await page.getByRole('dialog', { name: 'Key created' }).waitFor();
  await expectAccessible(page, true);
  await closeConsole(page);
});
