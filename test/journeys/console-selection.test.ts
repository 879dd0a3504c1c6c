import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant, unique } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  for (const [id, title] of [
    ['ladders', 'Working on ladders'],
    ['fire', 'Fire safety'],
  ] as const) {
    await service.api('PUT', `/course/${id}`, { Title: title, URL: 'https://web.example/' });
    expectStatus(await service.api('PUT', `/course/${id}/option/month`, { Duration: 'P30D' }), 201);
  }
  expectStatus(await service.api('PUT', '/course/ladders/option/ever', {}), 201);
});

after(() => service?.close());

const people = ['ann', 'bo', 'cy', 'di', 'ed'];

/** Five users and an administrator. */
async function withPeople() {
  const tenant = await newTenant(service);
  for (const LoginID of people) expectStatus(await tenant.api('POST', '/user', { LoginID }), 201);
  const LoginID = await tenant.user({ FirstName: 'Ada', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });

async function counted(page: Page): Promise<string[]> {
  const tiles = page.getByRole('list', { name: / by outcome$/ }).getByRole('listitem');
  const texts = await tiles.evaluateAll((items) =>
    items.map((item) => [...item.querySelectorAll('p')].slice(0, 2).map(({ textContent }) => textContent)),
  );
  return texts.map(([title, count]) => `${count} ${title}`);
}

const ended = async (tenant: TestTenant, id: string): Promise<{ Status: string; ExpiresAt: string }[]> =>
  (await tenant.api('GET', `/enrolment/${id}`)).body.Items;

test('Selected users are enrolled after one plan, and the selection survives the way back', async () => {
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
  await page.getByRole('heading', { name: 'Enrol 4 users' }).waitFor();
  await page.goBack();
  await page.getByText('4 users selected').waitFor();
  await page.getByRole('button', { name: 'Enrol 4 users' }).click();
  const course = page.getByRole('combobox', { name: 'Course' });
  await course.fill('ladders');
  await page.getByRole('option', { name: 'Working on ladders' }).click();
  await page.getByRole('radio', { name: 'month' }).click();
  await expectAccessible(page);
  // The selection is part of the history entry, so the form comes back after a reload.
  await page.reload();
  await page.getByRole('heading', { name: 'Enrol 4 users' }).waitFor();
  await course.fill('ladders');
  await page.getByRole('option', { name: 'Working on ladders' }).click();
  await page.getByRole('radio', { name: 'month' }).click();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: 'Apply to 3 people' }).waitFor();
  assert.deepEqual(await counted(page), ['3 To be enrolled', '0 Already enrolled', '1 Rejected']);
  const refused = page.getByRole('table', { name: '1 person skipped' }).getByRole('row');
  assert.match((await refused.allTextContents())[1] ?? '', /cy.*The user is disabled/);
  assert.equal((await ended(tenant, 'ann')).length, 0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Apply to 3 people' }).click();
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
  assert.deepEqual(await counted(page), ['3 Enrolled', '0 Already enrolled', '1 Rejected']);
  const enrolled = await Promise.all(people.map(async (id) => (await ended(tenant, id)).length));
  assert.deepEqual(enrolled, [1, 1, 0, 0, 1]);
  await page.getByRole('button', { name: 'Choose another course' }).click();
  await page.getByRole('heading', { name: 'Enrol 4 users' }).waitFor();
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

test('Selected enrolments are extended after a plan, although the connection is lost', async () => {
  const { tenant, who } = await withEnrolments();
  const before = (await ended(tenant, 'ann'))[0]?.ExpiresAt ?? '';
  const page = await consoleOf(service, who, '/console/enrolments');
  await page.getByRole('checkbox', { name: 'Select all rows shown' }).check();
  await page.getByText('4 enrolments selected').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Extend access' }).click();
  await page.getByRole('heading', { name: 'Extend 4 enrolments' }).waitFor();
  await page.getByRole('textbox', { name: 'Days' }).fill('10');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  const apply = page.getByRole('button', { name: 'Extend 2 enrolments' });
  await apply.waitFor();
  assert.deepEqual(await counted(page), ['2 To be extended', '1 Unchanged', '1 Rejected']);
  const refused = page.getByRole('table', { name: '1 row skipped' }).getByRole('row');
  assert.match((await refused.allTextContents())[1] ?? '', /cy.*ladders.*was withdrawn.*Undo the withdrawal/);
  await expectAccessible(page);
  assert.equal((await ended(tenant, 'ann'))[0]?.ExpiresAt, before);

  let isBroken = true;
  await page.route(/enrolment\/bo\//, (route) =>
    isBroken && route.request().method() === 'PUT' ? route.abort('connectionreset') : route.continue(),
  );
  await apply.click();
  const resume = page.getByRole('button', { name: 'Continue' });
  await resume.waitFor({ timeout: 60_000 });
  isBroken = false;
  await resume.click();
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
  assert.deepEqual(await counted(page), ['2 Extended', '1 Unchanged', '1 Rejected']);
  await expectAccessible(page);
  for (const id of ['ann', 'bo']) {
    const [now] = await ended(tenant, id);
    assert.equal(days(before, now?.ExpiresAt ?? ''), 10, id);
  }
  assert.equal((await ended(tenant, 'cy'))[0]?.Status, 'withdrawn');
  assert.equal((await ended(tenant, 'di'))[0]?.ExpiresAt, null);

  await page.getByRole('button', { name: 'Back to the list' }).click();
  await page.getByRole('heading', { name: 'Enrolments' }).waitFor();
  assert.equal(await page.getByText('enrolments selected').count(), 0);
  // The same last day for everyone does not shorten access.
  await box(page, 'ann: Working on ladders').check();
  await page.getByRole('button', { name: 'Extend access' }).click();
  await page.getByRole('radio', { name: 'The same last day for all' }).check();
  await page
    .getByRole('textbox', { name: 'Last day' })
    .fill(new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10));
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByText('Nothing to apply').waitFor();
  assert.deepEqual(await counted(page), ['0 To be extended', '1 Unchanged', '0 Rejected']);
  await closeConsole(page);
});

test('Selected enrolments are withdrawn after a plan', async () => {
  const { tenant, who } = await withEnrolments();
  const page = await consoleOf(service, who, '/console/enrolments');
  for (const id of ['bo', 'cy', 'di']) await box(page, `${id}: Working on ladders`).check();
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('heading', { name: 'Withdraw 3 enrolments' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  const apply = page.getByRole('button', { name: 'Withdraw 2 enrolments' });
  await apply.waitFor();
  assert.deepEqual(await counted(page), ['2 To be withdrawn', '1 Unchanged', '0 Rejected']);
  await apply.click();
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
  assert.deepEqual(await counted(page), ['2 Withdrawn', '1 Unchanged', '0 Rejected']);
  const statuses = await Promise.all(
    people.slice(0, 4).map(async (id) => (await ended(tenant, id))[0]?.Status),
  );
  assert.deepEqual(statuses, ['enrolled', 'withdrawn', 'withdrawn', 'withdrawn']);
  // A reload would keep the selection, but a bookmark does not contain it.
  await page.goto('about:blank');
  await page.goto(`${service.baseUrl}/console/enrolments/change`);
  await page.getByText('Nothing selected').waitFor();
  await expectAccessible(page);
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
  await page.getByRole('heading', { name: 'Publish 3 courses' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  const apply = page.getByRole('button', { name: 'Publish 1 course' });
  await apply.waitFor();
  assert.deepEqual(await counted(page), ['1 To be published', '0 Unchanged', '2 Rejected']);
  const refused = await page
    .getByRole('table', { name: '2 rows skipped' })
    .getByRole('row')
    .allTextContents();
  assert.match(refused.join('\n'), new RegExp(`${named}-2.*no published enrolment option`));
  assert.match(refused.join('\n'), new RegExp(`${named}-3.*no package`));
  await expectAccessible(page);
  await apply.click();
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
  const statuses = await Promise.all(
    [1, 2, 3].map(async (n) => (await service.api('GET', `/course/${named}-${n}`)).body.Status),
  );
  assert.deepEqual(statuses, ['published', 'draft', 'draft']);
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await page.getByRole('checkbox', { name: 'Select all rows shown' }).waitFor();
  await closeConsole(page);
});
