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

const groupPath = '/console/enrolments/group?group=Sales';
const people = Array.from({ length: 30 }, (_, at) => `p${10 + at}`);

async function withAdmin() {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

/** Enrols a new group of people in the console, up to the result. */
async function enrolGroup(page: Page, tenant: TestTenant, ids: readonly string[] = people): Promise<void> {
  for (const LoginID of ids)
    expectStatus(await tenant.api('POST', '/user', { LoginID, FirstName: 'Pat', GroupName: 'Sales' }), 201);
  await page.goto(`${service.baseUrl}${groupPath}`);
  await page.getByRole('combobox', { name: 'Course' }).fill(CourseID);
  await page.getByRole('option').first().click();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: /^Apply to \d/ }).click();
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
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

const statuses = async (tenant: TestTenant) =>
  (await tenant.api('GET', '/enrolment?Limit=200')).body.Items.map(
    ({ Status }: { Status: string }) => Status,
  ) as string[];

const active = async (tenant: TestTenant) =>
  (await statuses(tenant)).filter((status) => status !== 'withdrawn').length;

const enrolmentOf = async (tenant: TestTenant, id: string) =>
  (await tenant.api('GET', `/enrolment/${id}?Include=LaunchURL`)).body.Items[0];

/** What this page has stored on the device about enrolments that can be undone. */
const kept = (page: Page) =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith('lectern-created'))
      .map(([, value]) => String(value))
      .join(),
  );

const undoOf = (page: Page) => page.getByRole('link', { name: `Undo: Sales · ${CourseID}` });

test('Enrolments of 30 people are undone, except for those who started the course or were changed', async () => {
  const { tenant, who } = await withAdmin();
  const page = await consoleOf(service, who, groupPath);
  await enrolGroup(page, tenant);
  await play(service, (await enrolmentOf(tenant, 'p10')).LaunchURL);
  const { EnrollID } = await enrolmentOf(tenant, 'p11');
  expectStatus(await tenant.api('PUT', `/enrolment/p11/${EnrollID}`, { Reference: 'order 7' }), 200);

  // The result offers the undo too, and is still shown after a look at the plan.
  await page.getByRole('link', { name: 'Undo these enrolments' }).press('Enter');
  const heading = page.getByRole('heading', { name: `Undo: Sales · ${CourseID}` });
  const confirm = page.getByRole('button', { name: 'Withdraw enrolments' });
  await confirm.waitFor();
  assert.equal(await heading.evaluate((one) => one === document.activeElement), true);
  assert.equal(await page.getByRole('heading', { name: 'Finished' }).count(), 0);
  await page.getByRole('link', { name: 'Back' }).press('Enter');
  await page.getByRole('heading', { name: 'Finished' }).waitFor();

  await page.getByRole('button', { name: 'Choose another group or course' }).click();
  await expectAccessible(page);
  await undoOf(page).click();
  await confirm.waitFor();
  await page.getByText('You can undo each withdrawal later').waitFor();
  const planned = await staying(page, '2 records would be kept');
  assert.deepEqual(await counted(page), ['28 To be withdrawn', '2 To be kept']);
  assert.match(planned.join('\n'), /^p10EnrolmentUsed in the meantime\np11EnrolmentChanged in the meantime$/);
  await page.getByText('Used in the meantime (1), Changed in the meantime (1)').waitFor();
  assert.equal(await active(tenant), 30);
  await expectAccessible(page);

  await confirm.press('Enter');
  await page.getByRole('status').getByText('28 enrolments withdrawn').waitFor();
  assert.deepEqual(await counted(page), ['28 Withdrawn', '2 Kept']);
  assert.deepEqual(await staying(page, '2 records were kept'), planned);
  assert.equal((await enrolmentOf(tenant, 'p10')).Status, 'in_progress');
  assert.equal((await enrolmentOf(tenant, 'p11')).Status, 'enrolled');
  assert.equal((await enrolmentOf(tenant, 'p12')).Status, 'withdrawn');
  await expectAccessible(page);

  // The device forgets withdrawn enrolments immediately, and the others when the administrator signs out.
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
  const page = await consoleOf(service, who, groupPath);
  await enrolGroup(page, tenant);
  await page.goto(`${service.baseUrl}${groupPath}`);
  // The service reports that one call is left for the next two seconds.
  await page.route(
    '**/enrolment/p10/*?**',
    async (route) => {
      const response = await route.fetch();
      const limit = { 'RateLimit-Policy': '"key";q=600;w=60', RateLimit: '"key";r=1;t=2' };
      await route.fulfill({ response, headers: { ...response.headers(), ...limit } });
    },
    { times: 1 },
  );
  await undoOf(page).click();
  await page.getByRole('status').getByText('Waiting for up to a minute').waitFor();
  const confirm = page.getByRole('button', { name: 'Withdraw enrolments' });
  await confirm.waitFor();
  const removals: string[] = [];
  let isLimited = true;
  await page.route(/\/enrolment\/p\d/, async (route) => {
    if (isLimited && removals.length > 15)
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
  const left = await active(tenant);
  assert.ok(left > 0 && left < 30, `${left}`);
  await expectAccessible(page);
  isLimited = false;
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('status').getByText('30 enrolments withdrawn').waitFor();
  assert.equal(await active(tenant), 0);
  assert.equal(removals.length, 30);
  assert.equal(new Set(removals).size, 30);
  await closeConsole(page);
});

test('An undo can be continued after the tab was reloaded during a call', async () => {
  const { tenant, who } = await withAdmin();
  const page = await consoleOf(service, who, groupPath);
  page.on('dialog', (dialog) => void dialog.accept());
  await enrolGroup(page, tenant);
  await page.goto(`${service.baseUrl}${groupPath}`);
  await undoOf(page).click();
  const confirm = page.getByRole('button', { name: 'Withdraw enrolments' });
  await confirm.waitFor();
  let isHeld = true;
  await page.route('**/enrolment/p15/*', (route) => (isHeld ? undefined : route.continue()));
  await confirm.click();
  // Every call except one gets a response.
  await untilMatching(
    () => active(tenant),
    (left) => left === 1,
  );
  await page.reload();
  await page.getByText('This undo was interrupted').waitFor();
  await page.getByText(/enrolments? withdrawn\./).waitFor();
  await expectAccessible(page);
  isHeld = false;
  await page.getByRole('button', { name: 'Continue undo' }).click();
  await page.getByRole('status').getByText('30 enrolments withdrawn').waitFor();
  assert.equal(await active(tenant), 0);
  assert.equal(await kept(page), '');
  await page.reload();
  await page.getByText('This can no longer be undone').waitFor();
  await closeConsole(page);
});

test('After an hour, enrolments can no longer be undone', async () => {
  const { tenant, who } = await withAdmin();
  const page = await consoleOf(service, who, groupPath);
  await page.clock.install();
  await enrolGroup(page, tenant, ['ann']);
  const undo = page.getByRole('link', { name: 'Undo these enrolments' });
  await undo.waitFor();
  await page.clock.fastForward('59:00');
  await undo.waitFor();
  await page.clock.fastForward('01:05');
  await undo.waitFor({ state: 'detached' });
  assert.equal(await kept(page), '');
  await page.goto(`${service.baseUrl}${groupPath}`);
  await page.getByRole('button', { name: 'Show the plan' }).waitFor();
  assert.equal(await page.getByText('Recently created').count(), 0);
  assert.equal(await active(tenant), 1);
  await closeConsole(page);
});

test('If the browser has no space to remember enrolments, the result says that they cannot be undone', async () => {
  const { tenant, who } = await withAdmin();
  const page = await consoleOf(service, who, groupPath);
  await page.evaluate(() => {
    // Fills the storage up to the last characters.
    for (let size = 8_000_000; size > 10; size = Math.floor(size / 2))
      try {
        localStorage.setItem(`full ${size}`, 'x'.repeat(size));
      } catch {}
  });
  await enrolGroup(page, tenant, ['ann']);
  await page.getByText('Too many records were created to undo this here.').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Undo these enrolments' }).count(), 0);
  assert.equal(await kept(page), '');
  await closeConsole(page);
});

test('Without the permission to change enrolments, nothing can be undone', async () => {
  const { tenant, who } = await withAdmin();
  const Scopes = ['users:read', 'users:write', 'users:admin', 'enrolments:read'] as const;
  const key = await createKey(service.ctx, { tenantId: tenant.TenantID, Name: 'SSO', Scopes: [...Scopes] });
  const page = await consoleOf(service, who, groupPath);
  await enrolGroup(page, tenant);
  await page.goto(`${service.baseUrl}${groupPath}`);
  await undoOf(page).waitFor();
  const api: typeof tenant.api = (method, path, body, headers) =>
    service.api(method, path, body, key.Secret, headers);
  const limited = { tenant: { ...tenant, api }, LoginID: who.LoginID };
  await signInAs(page, service, limited, groupPath);
  await page.getByRole('button', { name: 'Ada Admin' }).waitFor();
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
