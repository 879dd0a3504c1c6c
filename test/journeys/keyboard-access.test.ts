import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { closeConsole, consoleOf, newConsolePage } from '../../server/test/support/console.ts';
import type { TestService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { activate, reach, startWithCourse, type } from './keyboard.ts';

// Accepting an invitation and extending a selection without a mouse.

let service: TestService;
const password = 'correct horse battery';

before(async () => {
  service = await startWithCourse();
});

after(() => service?.close());

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 1 });

/** Opens the link of an invitation and sets a password, after one that is rejected. */
async function acceptInvitation(tenant: TestTenant, LoginID: string): Promise<Page> {
  const invited = await tenant.api('POST', '/invitation', { LoginID });
  expectStatus(invited, 201);
  const page = await newConsolePage();
  await page.goto(invited.body.InvitationURL);
  await heading(page, 'Welcome, Ann Arbor').waitFor();
  const field = page.getByLabel('New password');
  await type(page, field, 'Ann Arbor 1234');
  await activate(
    page,
    button(page, 'Set password and sign in'),
    page.getByText('Do not use only your name'),
    'Space',
  );
  await reach(page, field, 'Shift+Tab');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  return page;
}

test('A learner accepts an invitation', async () => {
  const tenant = await newTenant(service, { Name: 'Acme Ltd' });
  const LoginID = await tenant.user({ FirstName: 'Ann', LastName: 'Arbor' });
  const page = await acceptInvitation(tenant, LoginID);
  await heading(page, 'My courses').waitFor();
  await reach(page, page.getByRole('link', { name: 'Redeem a key' }));
  assert.equal((await tenant.api('GET', `/invitation/${LoginID}`)).body.Status, 'accepted');
  await closeConsole(page);
});

test('An administrator accepts an invitation and opens the list of users', async () => {
  const tenant = await newTenant(service, { Name: 'Acme Ltd' });
  const LoginID = await tenant.user({ FirstName: 'Ann', LastName: 'Arbor', IsAdmin: true });
  const page = await acceptInvitation(tenant, LoginID);
  const users = page.getByRole('navigation').getByRole('link', { name: 'People', exact: true });
  await activate(page, users, heading(page, 'People'));
  assert.equal((await tenant.api('GET', `/invitation/${LoginID}`)).body.Status, 'accepted');
  await closeConsole(page);
});

test('Selected enrolments are extended after a plan', async () => {
  const tenant = await newTenant(service);
  const people = ['ann', 'bo', 'cy', 'di'];
  for (const id of people) {
    expectStatus(await tenant.api('POST', '/user', { LoginID: id }), 201);
    expectStatus(await tenant.api('POST', `/enrol/${id}/ladders/month`), 201);
  }
  const ends = () =>
    Promise.all(
      people.map(async (id) =>
        Date.parse((await tenant.api('GET', `/enrolment/${id}`)).body.Items[0].ExpiresAt),
      ),
    );
  const before = await ends();
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const page = await consoleOf(service, { tenant, LoginID }, '/console/enrolments');
  const boxes = page.getByRole('checkbox', { name: /^Select .*: Working on ladders$/ });
  await boxes.first().waitFor();
  const [first, third] = [boxes.nth(0), boxes.nth(2)];
  await activate(page, first, page.getByText('1 enrolment selected'), 'Space');
  // With the Shift key, the row in between is selected too.
  await reach(page, third);
  await page.keyboard.press('Shift+Space');
  await page.getByText('3 enrolments selected').waitFor();
  const names = await boxes.evaluateAll((all) =>
    all.filter((box) => (box as HTMLInputElement).checked).map((box) => box.getAttribute('aria-label')),
  );
  const chosen = people.map((id) => names.some((name) => name?.startsWith(`Select ${id}:`)));
  assert.equal(chosen.filter(Boolean).length, 3);

  const dialog = page.getByRole('dialog');
  await activate(page, button(page, 'Change access'), dialog.getByText('3 would change.'));
  await reach(page, page.getByRole('textbox', { name: 'Days' }));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('10');
  assert.deepEqual(await ends(), before);
  await activate(page, dialog.getByRole('button', { name: 'Extend' }), dialog.getByText('3 changed'));
  const extended = (await ends()).map((end, index) => Math.round((end - (before[index] ?? 0)) / 86_400_000));
  assert.deepEqual(
    extended,
    chosen.map((isChosen) => (isChosen ? 10 : 0)),
  );
  await activate(page, dialog.getByRole('button', { name: 'Close' }).last(), heading(page, 'Enrolments'));
  assert.equal(await page.getByText('enrolments selected').count(), 0);
  await closeConsole(page);
});
