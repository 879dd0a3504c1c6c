import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.api('PUT', '/course/ladders', { Title: 'Working on ladders', URL: 'https://web.example/' });
  for (const [id, Duration] of Object.entries({ month: 'P30D', year: 'P1Y' }))
    expectStatus(await service.api('PUT', `/course/ladders/option/${id}`, { Duration }), 201);
});

after(() => service?.close());

/**
 * In Sales, ann and bo are enrolled, cy's enrolment was withdrawn, di is disabled, and ed is new. Zoe is in
 * another group.
 */
async function withSales() {
  const tenant = await newTenant(service);
  for (const LoginID of ['ann', 'bo', 'cy', 'di', 'ed'])
    expectStatus(await tenant.api('POST', '/user', { LoginID, GroupName: 'Sales & more' }), 201);
  expectStatus(await tenant.api('POST', '/user', { LoginID: 'zoe', GroupName: 'Stock' }), 201);
  for (const id of ['ann', 'bo', 'cy', 'zoe'])
    expectStatus(await tenant.api('POST', `/enrol/${id}/ladders/month`), 201);
  const { EnrollID } = (await tenant.api('GET', '/enrolment/cy')).body.Items[0];
  await tenant.api('PUT', `/enrolment/cy/${EnrollID}`, { Withdrawn: true });
  await tenant.api('PUT', '/user/di', { Enabled: false });
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

async function counted(page: Page): Promise<string[]> {
  const tiles = page.getByRole('list', { name: 'People by outcome' }).getByRole('listitem');
  const texts = await tiles.evaluateAll((items) =>
    items.map((item) => [...item.querySelectorAll('p')].slice(0, 2).map(({ textContent }) => textContent)),
  );
  return texts.map(([title, count]) => `${count} ${title}`);
}

/** The end of each enrolment of a user, by its status. */
const endsOf = async (tenant: TestTenant, id: string) =>
  (await tenant.api('GET', `/enrolment/${id}`)).body.Items.map(
    ({ Status, ExpiresAt }: { Status: string; ExpiresAt: string }) => [Status, Date.parse(ExpiresAt)],
  );

async function chooseLadders(page: Page): Promise<void> {
  const course = page.getByRole('combobox', { name: 'Course' });
  await course.fill('ladders');
  await page.getByRole('option', { name: 'Working on ladders' }).click();
  await page.getByRole('radio', { name: 'month' }).click();
}

async function plan(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: /^Apply to/ }).waitFor();
}

test('A group is enrolled from the list of users, after a plan with the reason for each refusal', async () => {
  const { tenant, who } = await withSales();
  const page = await consoleOf(service, who, `/console/users?group=${encodeURIComponent('Sales & more')}`);
  await page.getByRole('link', { name: 'Enrol a group' }).click();
  await page.getByRole('heading', { name: 'Enrol a group' }).waitFor();
  await chooseLadders(page);
  await expectAccessible(page);
  await plan(page);
  assert.deepEqual(await counted(page), ['2 To be enrolled', '2 Already enrolled', '1 Rejected']);
  const refused = page.getByRole('table', { name: '1 person skipped' }).getByRole('row');
  assert.match((await refused.allTextContents())[1] ?? '', /di.*The user is disabled.*Enable the account/);
  assert.equal((await endsOf(tenant, 'ed')).length, 0);
  await expectAccessible(page);

  const before = await endsOf(tenant, 'ann');
  await page.getByRole('button', { name: 'Apply to 2 people' }).click();
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
  assert.deepEqual(await counted(page), ['2 Enrolled', '2 Already enrolled', '1 Rejected']);
  assert.deepEqual((await endsOf(tenant, 'cy')).map(([status]: [string]) => status).sort(), [
    'enrolled',
    'withdrawn',
  ]);
  assert.equal((await endsOf(tenant, 'ed')).length, 1);
  assert.equal((await endsOf(tenant, 'di')).length, 0);
  assert.deepEqual(await endsOf(tenant, 'ann'), before);
  await expectAccessible(page);

  // Everyone who can be enrolled is now enrolled.
  await page.getByRole('button', { name: 'Choose another group or course' }).click();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByText('Nothing to apply').waitFor();
  await page.getByRole('button', { name: 'Apply to 0 people', disabled: true }).waitFor();
  await closeConsole(page);
});

test('The enrolments of a group are extended once, although the response is lost and the tab is reloaded', async () => {
  const { tenant, who } = await withSales();
  const address = `/console/enrolments/group?group=${encodeURIComponent('Sales & more')}`;
  const page = await consoleOf(service, who, address);
  const [[, before]] = await endsOf(tenant, 'bo');
  const zoe = await endsOf(tenant, 'zoe');
  let isBroken = true;
  await page.route('**/enrol/bulk', async (route) => {
    if (!isBroken) return route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  const extend = async () => {
    await plan(page);
    assert.deepEqual(await counted(page), ['0 To be enrolled', '2 Already enrolled', '0 Rejected']);
    await page.getByRole('button', { name: 'Apply to 2 people' }).click();
  };
  await chooseLadders(page);
  const extending = page.getByRole('radio', { name: 'Extend access' });
  await extending.check();
  const others = page.getByRole('checkbox', { name: 'Enrol people who are not enrolled yet' });
  await others.uncheck();
  await extend();
  await page.getByText('nobody is processed twice').waitFor({ timeout: 60_000 });
  await page.reload();
  isBroken = false;
  // The form is filled in again.
  await page.getByText('The enrolment was interrupted').waitFor();
  assert.deepEqual([await extending.isChecked(), await others.isChecked()], [true, false]);
  await extend();
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
  const [[status, end]] = await endsOf(tenant, 'bo');
  assert.deepEqual([status, Math.round((end - before) / 86_400_000)], ['enrolled', 30]);
  assert.deepEqual(
    (await endsOf(tenant, 'cy')).map(([status]: [string]) => status),
    ['withdrawn'],
  );
  assert.equal((await endsOf(tenant, 'ed')).length, 0);
  assert.deepEqual(await endsOf(tenant, 'zoe'), zoe);
  await closeConsole(page);
});

test('After the tab is closed, the enrolment of a large group can be continued, and then undone in full', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const people = Array.from({ length: 2300 }, (_, at) => `{"LoginID":"p${at}","GroupName":"Large"}`);
  const ndjson = { 'content-type': 'application/x-ndjson' };
  expectStatus(await tenant.api('POST', '/user/bulk', people.join('\n'), ndjson), 200);
  const first = await consoleOf(service, { tenant, LoginID }, '/console/enrolments/group?group=Large');
  // The second chunk is processed, but its response does not arrive before the tab is closed.
  const closing = Promise.withResolvers<void>();
  await first.route('**/enrol/bulk', async (route) => {
    const key = route.request().headers()['idempotency-key'] ?? '';
    if (!key.endsWith('-1')) return route.continue();
    await route.fetch();
    closing.resolve();
  });
  await chooseLadders(first);
  await first.getByRole('button', { name: 'Show the plan' }).click();
  await first.getByRole('button', { name: 'Apply to 2,300 people' }).click({ timeout: 60_000 });
  await first.getByText('2,000 of 2,300 people').waitFor({ timeout: 60_000 });
  await closing.promise;
  const page = await first.context().newPage();
  await first.close();

  await page.goto(`${service.baseUrl}/console/enrolments/group`);
  await page.getByText('The enrolment was interrupted').waitFor();
  await page.getByText('2,000 new enrolments').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByText('the interruption left the results incomplete').waitFor({ timeout: 60_000 });
  assert.deepEqual(await counted(page), ['0 To be enrolled', '2,300 Already enrolled', '0 Rejected']);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Finished' }).waitFor({ timeout: 60_000 });
  assert.deepEqual(await counted(page), ['2,300 Enrolled', '0 Already enrolled', '0 Rejected']);
  await page.getByRole('button', { name: 'Choose another group or course' }).click();
  await page.getByText('2,300 new enrolments').waitFor();
  assert.equal(await page.getByText('The enrolment was interrupted').count(), 0);
  await closeConsole(page);
});

test("If nobody's access can be extended, the form says so", async () => {
  const { tenant, who } = await withSales();
  expectStatus(await tenant.api('POST', '/user', { LoginID: 'kit', GroupName: 'Kitchen' }), 201);
  const page = await consoleOf(service, who, '/console/enrolments/group?group=Kitchen');
  await chooseLadders(page);
  await page.getByRole('checkbox', { name: 'Enrol people who are not enrolled yet' }).uncheck();
  await page.getByRole('button', { name: 'Show the plan', disabled: true }).waitFor();
  await page.getByRole('radio', { name: 'Extend access' }).check();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('alert').getByText('Nobody in this group').waitFor();
  await closeConsole(page);
});
