import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createKey } from '../../server/src/domain/identity/keys.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf, signInAs } from '../../server/test/support/console.ts';
import { play } from '../../server/test/support/player.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { untilMatching } from '../../server/test/support/until.ts';

let service: Awaited<ReturnType<typeof startService>>;
let CourseID: string;

before(async () => {
  service = await startService();
  CourseID = await newCourse(service);
});

after(() => service?.close());

const people = Array.from({ length: 30 }, (_, at) => `p${10 + at}`);

async function withAdmin() {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

/** Imports a file in the console, up to the result. */
async function importFile(page: Page, of: 'users' | 'enrolments', lines: readonly string[]): Promise<void> {
  await page.goto(`${service.baseUrl}/console/bulk?of=${of}`);
  const buffer = Buffer.from(lines.join('\n'));
  await page.locator('input[type=file]').setInputFiles({ name: `${of}.csv`, mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Plan the import' }).click();
  await page.getByRole('button', { name: /^(Create|Apply) \d/ }).click();
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();
}

/** Imports 30 people, and then an enrolment for each of them. */
async function importPeople(page: Page): Promise<void> {
  await importFile(page, 'users', ['LoginID,FirstName', ...people.map((id) => `${id},Pat`)]);
  const enrolments = people.map((id) => `${id},${CourseID},standard`);
  await importFile(page, 'enrolments', ['LoginID,CourseID,DurationID', ...enrolments]);
}

async function counted(page: Page): Promise<string[]> {
  const tiles = page.getByRole('list', { name: 'Records by outcome' }).getByRole('listitem');
  const texts = await tiles.evaluateAll((items) =>
    items.map((item) => [...item.querySelectorAll('p')].slice(0, 2).map(({ textContent }) => textContent)),
  );
  return texts.map(([title, count]) => `${count} ${title}`);
}

const staying = async (page: Page, name: string) =>
  (await page.getByRole('table', { name }).getByRole('row').allTextContents()).slice(1).sort();

const loginIds = async (tenant: TestTenant) =>
  (await tenant.api('GET', '/user')).body.Items.map(({ LoginID }: { LoginID: string }) => LoginID).sort();

const enrolmentOf = async (tenant: TestTenant, id: string) =>
  (await tenant.api('GET', `/enrolment/${id}?Include=LaunchURL`)).body.Items[0];

/** What this page has stored on the device about imports that can be undone. */
const kept = (page: Page) =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith('lectern-created'))
      .map(([, value]) => String(value))
      .join(),
  );

const undoOf = (page: Page, file: string) => page.getByRole('link', { name: `Undo: ${file}` });

test('An import of 30 people is undone, except for those who started the course or were changed', async () => {
  const { tenant, who } = await withAdmin();
  const page = await consoleOf(service, who, '/console/bulk');
  await importPeople(page);
  await play(service, (await enrolmentOf(tenant, 'p10')).LaunchURL);
  expectStatus(await tenant.api('PUT', '/user/p11', { FirstName: 'Kim' }), 200);

  // The result of the import offers the undo too, and is still shown after a look at the plan.
  await page.getByRole('link', { name: 'Undo import' }).press('Enter');
  const heading = page.getByRole('heading', { name: 'Undo: enrolments.csv' });
  await page.getByRole('button', { name: 'Withdraw enrolments' }).waitFor();
  assert.equal(await heading.evaluate((one) => one === document.activeElement), true);
  assert.deepEqual(await counted(page), ['29 To be withdrawn', '1 To be kept']);
  assert.equal(await page.getByRole('heading', { name: 'Import finished' }).count(), 0);
  await page.getByRole('link', { name: 'Back' }).press('Enter');
  await page.getByRole('heading', { name: 'Import finished' }).waitFor();

  await page.getByRole('button', { name: 'Import another file' }).click();
  await expectAccessible(page);
  await undoOf(page, 'users.csv').click();
  const confirm = page.getByRole('button', { name: 'Undo import' });
  await confirm.waitFor();
  await page.getByText('Erased users cannot be restored').waitFor();
  const stays = [`p10EnrolmentUsed in the meantime`, 'p10UserUsed in the meantime', 'p11UserChanged in'];
  const planned = await staying(page, '3 records would be kept');
  assert.deepEqual(await counted(page), ['28 To be erased', '29 To be withdrawn', '3 To be kept']);
  assert.ok(
    stays.every((text, at) => planned[at]?.startsWith(text)),
    planned.join(),
  );
  await page.getByText('Used in the meantime (2), Changed in the meantime (1)').waitFor();
  assert.equal((await loginIds(tenant)).length, 31);
  await expectAccessible(page);

  await confirm.press('Enter');
  await page.getByRole('status').getByText('28 users erased, 29 enrolments withdrawn').waitFor();
  assert.deepEqual(await counted(page), ['28 Erased', '29 Withdrawn', '3 Kept']);
  assert.deepEqual(await staying(page, '3 records were kept'), planned);
  assert.deepEqual(await loginIds(tenant), [who.LoginID, 'p10', 'p11'].sort());
  assert.equal((await enrolmentOf(tenant, 'p10')).Status, 'in_progress');
  assert.equal((await enrolmentOf(tenant, 'p11')).Status, 'withdrawn');
  await expectAccessible(page);

  // The device forgets erased people immediately, and the others when the administrator signs out.
  const stored = await kept(page);
  assert.deepEqual([stored.includes('"p11"'), stored.includes('"p12"')], [true, false]);
  await page.getByRole('button', { name: 'Ada Admin' }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByLabel('Login name').waitFor();
  assert.equal(await kept(page), '');
  await closeConsole(page);
});

test('An undo waits for the rate limit, stops if it is reached, and continues without repeating anything', async () => {
  const { tenant, who } = await withAdmin();
  const page = await consoleOf(service, who, '/console/bulk');
  await importPeople(page);
  await page.goto(`${service.baseUrl}/console/bulk`);
  // The service reports that one call is left for the next two seconds.
  await page.route(
    '**/user/p10?**',
    async (route) => {
      const response = await route.fetch();
      const limit = { 'RateLimit-Policy': '"key";q=600;w=60', RateLimit: '"key";r=1;t=2' };
      await route.fulfill({ response, headers: { ...response.headers(), ...limit } });
    },
    { times: 1 },
  );
  await undoOf(page, 'users.csv').click();
  await page.getByRole('status').getByText('Waiting for up to a minute').waitFor();
  const confirm = page.getByRole('button', { name: 'Undo import' });
  await confirm.waitFor();
  const removals: string[] = [];
  let isLimited = true;
  await page.route(/\/(enrolment|user)\/p\d/, async (route) => {
    if (isLimited && removals.length > 40)
      return route.fulfill({
        status: 429,
        headers: { 'Retry-After': '600' },
        json: { code: 'too_many_requests', title: 'Too many requests', status: 429, detail: 'Retry later.' },
      });
    removals.push(new URL(route.request().url()).pathname);
    return route.continue();
  });
  await confirm.click();
  await page.getByRole('alert').getByText('Retry later.').waitFor();
  await page.getByText('It is safe to continue.').waitFor();
  const left = (await loginIds(tenant)).length - 1;
  assert.ok(left > 0 && left < 30, `${left}`);
  await expectAccessible(page);
  isLimited = false;
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('status').getByText('30 users erased, 30 enrolments withdrawn').waitFor();
  assert.deepEqual(await loginIds(tenant), [who.LoginID]);
  assert.equal(removals.length, 60);
  assert.equal(new Set(removals).size, 60);
  await closeConsole(page);
});

test('An undo can be continued after the tab was reloaded during a call', async () => {
  const { tenant, who } = await withAdmin();
  const page = await consoleOf(service, who, '/console/bulk');
  page.on('dialog', (dialog) => void dialog.accept());
  await importPeople(page);
  await page.goto(`${service.baseUrl}/console/bulk`);
  await undoOf(page, 'users.csv').click();
  const confirm = page.getByRole('button', { name: 'Undo import' });
  await confirm.waitFor();
  let isHeld = true;
  await page.route('**/user/p15?**', (route) => (isHeld ? undefined : route.continue()));
  await confirm.click();
  // Every call except one gets a response.
  await untilMatching(
    () => loginIds(tenant),
    (left) => left.length === 2,
  );
  await page.reload();
  await page.getByText('This undo was interrupted').waitFor();
  await page.getByText(/users? erased, 30 enrolments withdrawn\./).waitFor();
  await expectAccessible(page);
  isHeld = false;
  await page.getByRole('button', { name: 'Continue undo' }).click();
  await page.getByRole('status').getByText('30 users erased, 30 enrolments withdrawn').waitFor();
  assert.deepEqual(await loginIds(tenant), [who.LoginID]);
  assert.equal(await kept(page), '');
  await page.reload();
  await page.getByText('This can no longer be undone').waitFor();
  await closeConsole(page);
});

test('After an hour, an import can no longer be undone', async () => {
  const { tenant, who } = await withAdmin();
  const page = await consoleOf(service, who, '/console/bulk');
  await page.clock.install();
  await importFile(page, 'users', ['LoginID', 'ann']);
  const undo = page.getByRole('link', { name: 'Undo import' });
  await undo.waitFor();
  await page.clock.fastForward('59:00');
  await undo.waitFor();
  await page.clock.fastForward('01:05');
  await undo.waitFor({ state: 'detached' });
  assert.equal(await kept(page), '');
  await page.goto(`${service.baseUrl}/console/bulk`);
  await page.getByRole('button', { name: 'Choose file' }).waitFor();
  assert.equal(await page.getByText('Recently created').count(), 0);
  assert.deepEqual(await loginIds(tenant), [who.LoginID, 'ann'].sort());
  await closeConsole(page);
});

test('If the browser has no space to remember an import, its result says that it cannot be undone', async () => {
  const { who } = await withAdmin();
  const page = await consoleOf(service, who, '/console/bulk');
  await page.evaluate(() => {
    // Fills the storage up to the last characters.
    for (let size = 8_000_000; size > 10; size = Math.floor(size / 2))
      try {
        localStorage.setItem(`full ${size}`, 'x'.repeat(size));
      } catch {}
  });
  await importFile(page, 'users', ['LoginID', 'ann']);
  await page.getByText('Too many records were created to undo this here.').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Undo import' }).count(), 0);
  assert.equal(await kept(page), '');
  await closeConsole(page);
});

test('Without the permission to change enrolments, nothing can be undone', async () => {
  const { tenant, who } = await withAdmin();
  const Scopes = ['users:read', 'users:write', 'users:admin', 'enrolments:read'] as const;
  const key = await createKey(service.ctx, { tenantId: tenant.TenantID, Name: 'SSO', Scopes: [...Scopes] });
  const page = await consoleOf(service, who, '/console/bulk');
  await importPeople(page);
  await page.goto(`${service.baseUrl}/console/bulk`);
  await undoOf(page, 'users.csv').waitFor();
  const api: typeof tenant.api = (method, path, body, headers) =>
    service.api(method, path, body, key.Secret, headers);
  const limited = { tenant: { ...tenant, api }, LoginID: who.LoginID };
  await signInAs(page, service, limited, '/console/bulk');
  await page.getByRole('button', { name: 'Choose file' }).waitFor();
  assert.equal(await page.getByText('Recently created').count(), 0);
  assert.ok((await kept(page)).includes('p10'));
  await closeConsole(page);
});

test('The enrolment of a group is undone, except for people who were already enrolled', async () => {
  const { tenant, who } = await withAdmin();
  for (const LoginID of ['ann', 'bo', 'cy'])
    expectStatus(await tenant.api('POST', '/user', { LoginID, GroupName: 'Sales' }), 201);
  expectStatus(await tenant.api('POST', `/enrol/ann/${CourseID}`), 201);
  const page = await consoleOf(service, who, '/console/enrolments/group?group=Sales');
  await page.getByRole('combobox', { name: 'Course' }).fill(CourseID);
  await page.getByRole('option').first().click();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: 'Apply to 2 people' }).click();
  await page.getByRole('link', { name: 'Undo these enrolments' }).click();
  await page.getByRole('heading', { name: `Undo: Sales · ${CourseID}` }).waitFor();
  await page.getByRole('button', { name: 'Withdraw enrolments' }).click();
  await page.getByRole('status').getByText('2 enrolments withdrawn').waitFor();
  const statuses = await Promise.all(['ann', 'bo', 'cy'].map((id) => enrolmentOf(tenant, id)));
  assert.deepEqual(
    statuses.map(({ Status }) => Status),
    ['enrolled', 'withdrawn', 'withdrawn'],
  );
  await closeConsole(page);
});
