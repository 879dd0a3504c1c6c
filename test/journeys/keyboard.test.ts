import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';
import { activate, choose, chooseFiles, reach, search, type } from './keyboard.ts';

// These journeys use no mouse.

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  for (const [id, Status] of [
    ['ladders', 'published'],
    ['forklifts', 'draft'],
  ]) {
    const course = { Title: `Working with ${id}`, URL: 'https://web.example/', Status };
    await service.api('PUT', `/course/${id}`, course);
    expectStatus(await service.api('PUT', `/course/${id}/option/month`, { Duration: 'P30D' }), 201);
  }
});

after(() => service?.close());

async function withAda() {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

test('A user is created, invited, enrolled and withdrawn', async () => {
  const { tenant, who } = await withAda();
  const page = await consoleOf(service, who, '/console/users');
  const dialog = page.getByRole('dialog');
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true });
  await activate(page, button(page, 'Create user'), dialog);
  await type(page, dialog.getByRole('textbox', { name: 'LoginID' }), 'bo');
  await type(page, dialog.getByRole('textbox', { name: 'First name' }), 'Bo');
  await type(page, dialog.getByRole('textbox', { name: 'Last name' }), 'Berg');
  await activate(page, inDialog('Create user'), heading(page, 'Bo Berg'));

  const more = button(page, 'More');
  await choose(page, more, 'Invite or reset password', inDialog('Create link'));
  await activate(page, inDialog('Create link'), dialog.locator('code'));
  await activate(page, inDialog('Done'), page.getByText('Pending'), 'Space');
  assert.equal((await tenant.api('GET', '/invitation/bo')).body.Status, 'pending');

  const enrol = page.getByRole('main').getByRole('link', { name: 'Enrol' }).first();
  await activate(page, enrol, heading(page, 'Enrol'));
  await search(page, page.getByRole('combobox', { name: 'Courses' }), 'ladd', 'Working with ladders');
  await page.keyboard.press('Escape');
  await activate(page, button(page, 'Enrol').first(), heading(page, 'Bo Berg can start'));

  await activate(page, button(page, 'Change access'), dialog);
  await reach(page, dialog.getByRole('radio', { checked: true }));
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowDown');
  await dialog.getByRole('radio', { name: 'Withdraw', exact: true, checked: true }).waitFor();
  await activate(page, inDialog('Withdraw'), heading(page, 'Bo Berg cannot start'));
  const [enrolment] = (await tenant.api('GET', '/enrolment/bo')).body.Items;
  assert.equal(enrolment.Status, 'withdrawn');
  await closeConsole(page);
});

test('A course is published', async () => {
  const page = await consoleOf(service, 'operator', '/console/courses');
  const dialog = page.getByRole('dialog');
  const course = page.getByRole('link', { name: 'Working with forklifts', exact: true });
  await activate(page, course, heading(page, 'Working with forklifts'));
  await activate(page, button(page, 'Publish'), dialog);
  await activate(page, dialog.getByRole('button', { name: 'Publish' }), page.getByText('Published').first());
  assert.equal((await service.api('GET', '/course/forklifts')).body.Status, 'published');
  await closeConsole(page);
});

test('A webhook endpoint and an API key are created', async () => {
  const { tenant, who } = await withAda();
  const page = await consoleOf(service, who, '/console/webhooks');
  const dialog = page.getByRole('dialog');
  const URL = 'http://127.0.0.1:9/hooks';
  await activate(page, button(page, 'Add endpoint').first(), dialog);
  await type(page, dialog.getByRole('textbox', { name: 'URL' }), URL);
  const saved = button(page, 'I have saved the secret');
  await activate(page, dialog.getByRole('button', { name: 'Add endpoint' }), saved);
  await activate(page, saved, heading(page, URL));

  await activate(page, page.getByRole('link', { name: 'Connections' }), heading(page, 'API keys').first());
  await activate(page, button(page, 'Create key').first(), dialog);
  await type(page, dialog.getByRole('textbox', { name: 'Name' }), 'Shop');
  const readUsers = dialog.getByRole('checkbox', { name: 'Read users' });
  await activate(
    page,
    readUsers,
    dialog.getByRole('checkbox', { name: 'Read users', checked: true }),
    'Space',
  );
  const copied = button(page, 'I have copied the secret');
  await activate(page, dialog.getByRole('button', { name: 'Create key' }), copied);
  await activate(page, copied, page.getByRole('row').filter({ hasText: 'Shop' }));
  const { body } = await tenant.api('GET', '/webhook');
  assert.deepEqual(
    body.Items.map((endpoint: { URL: string }) => endpoint.URL),
    [URL],
  );
  await closeConsole(page);
});

test('A small file is imported', async () => {
  const { tenant, who } = await withAda();
  const page = await consoleOf(service, who, '/console/enrol?from=file');
  const chooser = await chooseFiles(page, button(page, 'Choose file'));
  const buffer = Buffer.from('LoginID,FirstName\ncy,Cy\ndi,Di\n');
  await chooser.setFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer });
  const create = button(page, 'Apply to 2 rows');
  await activate(page, button(page, 'Show the plan'), create);
  await activate(page, create, page.getByRole('heading', { name: /^Finished/ }));
  assert.equal((await tenant.api('GET', '/user/di')).body.FirstName, 'Di');
  await closeConsole(page);
});
