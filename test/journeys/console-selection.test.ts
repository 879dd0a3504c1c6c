import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { workImports } from '../../server/src/domain/imports/work.ts';
import { removeUntouched } from '../../server/src/domain/privacy/erase.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant, unique } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;

/** Does the job's work, because the service of the tests runs no jobs. */
let working: NodeJS.Timeout;

before(async () => {
  service = await startService();
  working = setInterval(() => void workImports(service.ctx, removeUntouched).catch(() => {}), 500);
  for (const [id, title] of [
    ['ladders', 'Working on ladders'],
    ['fire', 'Fire safety'],
  ] as const) {
    await service.api('PUT', `/course/${id}`, { Title: title, URL: 'https://web.example/' });
    expectStatus(await service.api('PUT', `/course/${id}/option/month`, { Duration: 'P30D' }), 201);
  }
  expectStatus(await service.api('PUT', '/course/ladders/option/ever', {}), 201);
});

after(async () => {
  clearInterval(working);
  await service?.close();
});

const people = ['ann', 'bo', 'cy', 'di', 'ed'];

/** Five users and an administrator. */
async function withPeople() {
  const tenant = await newTenant(service);
  for (const LoginID of people) expectStatus(await tenant.api('POST', '/user', { LoginID }), 201);
  const LoginID = await tenant.user({ FirstName: 'Ada', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });

const says = (page: Page, text: string) =>
  page.getByRole('status').getByText(text).waitFor({ timeout: 60_000 });

const ended = async (tenant: TestTenant, id: string): Promise<{ Status: string; ExpiresAt: string }[]> =>
  (await tenant.api('GET', `/enrolment/${id}`)).body.Items;

test('Selected users are enrolled on two courses after one plan, and the selection survives the way back', async () => {
  const { tenant, who } = await withPeople();
  await tenant.api('PUT', '/user/cy', { Enabled: false });
  const page = await consoleOf(service, who, '/console/users');
  // With the Shift key, the rows in between are selected too, both with the mouse and with the keyboard.
  await box(page, 'ann').click();
  await box(page, 'cy').click({ modifiers: ['Shift'] });
  await page.getByText('3 users selected').waitFor();
  await box(page, 'ed').focus();
  await page.keyboard.press('Shift+Space');
  await page.getByText('5 users selected').waitFor();
  await box(page, 'di').press('Space');
  await page.getByText('4 users selected').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Enrol 4 users' }).click();
  await page.getByRole('heading', { name: 'Enrol', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('4 users selected').waitFor();
  await page.getByRole('button', { name: 'Enrol 4 users' }).click();
  await page.getByText('Choose at least one course.').waitFor();
  const courses = page.getByRole('combobox', { name: 'Courses' });
  for (const [text, name] of [
    ['ladders', 'Working on ladders'],
    ['fire', 'Fire safety'],
  ] as const) {
    await courses.fill(text);
    await page.getByRole('option', { name }).click();
  }
  await page.keyboard.press('Escape');
  await page.getByText('Choose an option for each course.').waitFor();
  await page
    .getByRole('radiogroup', { name: 'Working on ladders' })
    .getByRole('radio', { name: 'month' })
    .click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await says(page, '8 rows: 6 would be created and 2 would be refused. New: 6 enrolments.');
  await page.getByText('The user is disabled').first().waitFor();
  assert.equal((await ended(tenant, 'ann')).length, 0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Apply to 6 rows' }).click();
  await says(page, '8 rows: 6 created and 2 refused. Created: 6 enrolments.');
  const enrolled = await Promise.all(people.map(async (id) => (await ended(tenant, id)).length));
  assert.deepEqual(enrolled, [2, 2, 0, 0, 2]);

  // What has been used or changed since stays.
  const [changed] = (await tenant.api('GET', '/enrolment/ann?Limit=1')).body.Items;
  await tenant.api('PUT', `/enrolment/ann/${changed.EnrollID}`, { Reference: 'order 7' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await says(page, '0 people removed, 5 enrolments withdrawn; something stays of 1 row.');
  await closeConsole(page);
});

test('A group is enrolled until a day, and people who are already enrolled are extended', async () => {
  const { tenant, who } = await withPeople();
  for (const id of people) await tenant.api('PUT', `/user/${id}`, { GroupName: 'Sales' });
  expectStatus(await tenant.api('POST', '/enrol/ann/fire/month'), 201);
  const page = await consoleOf(service, who, '/console/enrol?group=Sales&course=fire');
  await page.getByText('A plan changes nothing.').waitFor();
  await page.getByLabel('Access ends').fill('2090-05-04');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await says(page, '5 rows: 4 would be created and 1 would stay unchanged. New: 4 enrolments.');
  await page.getByRole('button', { name: 'Enrol others' }).click();
  await page.getByRole('checkbox', { name: 'Extend the access' }).check();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await says(page, '5 rows: 4 would be created and 1 would be updated. New: 4 enrolments.');
  await page.getByRole('button', { name: 'Apply to 5 rows' }).click();
  await page.getByRole('heading', { name: /^Finished: Sales/ }).waitFor({ timeout: 60_000 });
  await expectAccessible(page);
  await closeConsole(page);
});

test('People who match a filter are moved to a group, which is undone, and disabled', async () => {
  const { tenant, who } = await withPeople();
  const many = Array.from({ length: 60 }, (_, at) => `{"LoginID":"p${10 + at}","GroupName":"Old"}`);
  const ndjson = { 'content-type': 'application/x-ndjson' };
  expectStatus(await tenant.api('POST', '/user/bulk', many.join('\n'), ndjson), 200);
  const inGroup = async (group: string) =>
    (await tenant.api('GET', `/user?GroupName=${group}&Limit=1&Count=true`)).body.Count.Records;
  const page = await consoleOf(service, who, '/console/users?group=Old');
  await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
  await page.getByRole('button', { name: 'Select all 60 matching' }).click();
  await page.getByText('60 users selected').waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Move to a group' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Group').fill('New');
  await dialog.getByText('60 would change.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Move to a group' }).click();
  await dialog.getByText('60 changed').waitFor();
  assert.deepEqual([await inGroup('Old'), await inGroup('New')], [0, 60]);
  await dialog.getByRole('button', { name: 'Undo' }).click();
  await dialog.getByText('60 restored').waitFor();
  assert.deepEqual([await inGroup('Old'), await inGroup('New')], [60, 0]);
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  await box(page, 'p10').check();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('status').getByText('Changed').waitFor();
  assert.equal((await tenant.api('GET', '/user/p10')).body.Enabled, false);
  await closeConsole(page);
});

/** Ann and bo have access for a month, cy's enrolment was withdrawn, and di's access never ends. */
async function withEnrolments() {
  const { tenant, who } = await withPeople();
  for (const id of ['ann', 'bo', 'cy'])
    expectStatus(await tenant.api('POST', `/enrol/${id}/ladders/month`), 201);
  expectStatus(await tenant.api('POST', '/enrol/di/ladders/ever'), 201);
  const { EnrollID } = (await tenant.api('GET', '/enrolment/cy')).body.Items[0];
  await tenant.api('PUT', `/enrolment/cy/${EnrollID}`, { Withdrawn: true });
  return { tenant, who };
}

const days = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

test('The access of selected enrolments is extended after a plan, although the connection is lost', async () => {
  const { tenant, who } = await withEnrolments();
  const before = (await ended(tenant, 'ann'))[0]?.ExpiresAt ?? '';
  const page = await consoleOf(service, who, '/console/enrolments');
  await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
  await page.getByText('4 enrolments selected').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Change access' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Days' }).fill('10');
  await dialog.getByText('2 would change.').waitFor();
  await dialog.getByText('1 stays as it is.').waitFor();
  await dialog.getByText('1 cannot be changed: the enrolment was withdrawn.').waitFor();
  await expectAccessible(page);
  let isBroken = true;
  await page.route(/enrolment\/bo\//, (route) =>
    isBroken && route.request().method() === 'PUT' ? route.abort('connectionreset') : route.continue(),
  );
  await dialog.getByRole('button', { name: 'Extend' }).click();
  await dialog.getByText('1 could not be changed').waitFor({ timeout: 60_000 });
  isBroken = false;
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('could not be changed').waitFor({ state: 'detached' });
  for (const id of ['ann', 'bo']) {
    const [now] = await ended(tenant, id);
    assert.equal(days(before, now?.ExpiresAt ?? ''), 10, id);
  }
  assert.equal((await ended(tenant, 'cy'))[0]?.Status, 'withdrawn');
  assert.equal((await ended(tenant, 'di'))[0]?.ExpiresAt, null);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  assert.equal(await page.getByText('enrolments selected').count(), 0);

  // The same last day for everyone does not shorten access.
  await box(page, 'ann: Working on ladders').check();
  await box(page, 'bo: Working on ladders').check();
  await page.getByRole('button', { name: 'Change access' }).click();
  await dialog.getByRole('radio', { name: 'Until a day' }).check();
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await dialog.getByRole('textbox', { name: 'Last day' }).fill(soon);
  await dialog.getByText('Nothing would change.').waitFor();
  await closeConsole(page);
});

test('Selected enrolments are withdrawn, which is undone', async () => {
  const { tenant, who } = await withEnrolments();
  const page = await consoleOf(service, who, '/console/enrolments');
  for (const id of ['bo', 'cy', 'di']) await box(page, `${id}: Working on ladders`).check();
  await page.getByRole('button', { name: 'Change access' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Withdraw', exact: true }).check();
  await dialog.getByText('2 would change.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Withdraw' }).click();
  await dialog.getByText('2 changed').waitFor();
  const statuses = () =>
    Promise.all(people.slice(0, 4).map(async (id) => (await ended(tenant, id))[0]?.Status));
  assert.deepEqual(await statuses(), ['enrolled', 'withdrawn', 'withdrawn', 'withdrawn']);
  await dialog.getByRole('button', { name: 'Undo' }).click();
  await dialog.getByText('2 restored').waitFor();
  assert.deepEqual(await statuses(), ['enrolled', 'enrolled', 'withdrawn', 'enrolled']);
  await closeConsole(page);
});

test('An operator publishes selected courses after a plan with the reasons for each refusal', async () => {
  const named = unique('draft');
  for (const n of [1, 2]) {
    await service.api('PUT', `/course/${named}-${n}`, {
      Title: `${named} ${n}`,
      URL: 'https://web.example/',
    });
    await service.api('PUT', `/course/${named}-${n}`, { Status: 'draft' });
  }
  await service.api('PUT', `/course/${named}-1/option/month`, { Duration: 'P30D' });
  await service.api('PUT', `/course/${named}-3`, { Title: `${named} 3`, Status: 'draft' });
  const page = await consoleOf(service, 'operator', `/console/courses?search=${named}`);
  await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
  await page.getByText('3 courses selected').waitFor();
  await expectAccessible(page);
  await page
    .getByRole('region', { name: 'Selected courses' })
    .getByRole('button', { name: 'Publish' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 would change.').waitFor();
  await dialog.getByText(/^1 cannot be changed: .*enrolment option/).waitFor();
  await dialog.getByText(/^1 cannot be changed: .*package/).waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByText('1 changed').waitFor();
  const statuses = await Promise.all(
    [1, 2, 3].map(async (n) => (await service.api('GET', `/course/${named}-${n}`)).body.Status),
  );
  assert.deepEqual(statuses, ['published', 'draft', 'draft']);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await closeConsole(page);
});
