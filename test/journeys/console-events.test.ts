import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
});

after(() => service?.close());

/** A tenant with the users Ann and Bob, each enrolled on a course, and its administrator. */
async function withLearners() {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  const CourseID = await newCourse(service, { Title: 'Fire safety' });
  for (const [login, FirstName] of [
    ['ann', 'Ann'],
    ['bob', 'Bob'],
  ] as const) {
    await tenant.api('POST', '/user', { LoginID: login, FirstName, LastName: 'Lee' });
    expectStatus(await tenant.api('POST', `/enrol/${login}/${CourseID}`), 201);
  }
  return { tenant, who: { tenant, LoginID } };
}

test('The log is filtered by learner and type, an event is opened and followed, and the log is saved', async () => {
  const { who } = await withLearners();
  const page = await consoleOf(service, who, '/console/events');
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
  await rows.nth(5).waitFor();
  await rows.nth(1).getByText('Enrolled').waitFor();
  await rows.nth(1).getByRole('link', { name: 'Bob Lee' }).waitFor();

  await page.getByRole('combobox', { name: 'Learner' }).fill('ann');
  await page.getByRole('option', { name: 'Ann Lee' }).click();
  await page.waitForURL(/learner=ann/);
  await rows.nth(3).waitFor({ state: 'detached' });
  await rows.nth(2).waitFor();
  await expectCount(rows, 3);
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Enrolled');
  await rows.nth(2).waitFor({ state: 'detached' });
  await page.reload();
  await rows.nth(1).getByText('Ann Lee').waitFor();
  await expectCount(rows, 2);

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as JSON' }).click();
  const stream = await (await saving).createReadStream();
  const saved = JSON.parse(Buffer.concat(await stream.toArray()).toString());
  assert.deepEqual(
    saved.map(({ Type, LoginID }: { Type: string; LoginID: string }) => [Type, LoginID]),
    [['enrolment.created', 'ann']],
  );

  await page.getByRole('button', { name: 'Show', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('"Type": "enrolment.created"').waitFor();
  await dialog.getByRole('link', { name: 'Open enrolment' }).click();
  await page.getByRole('heading', { name: 'Fire safety', level: 1 }).waitFor();
  await closeConsole(page);
});

test('An empty result is explained and links back to the full list', async () => {
  const { who } = await withLearners();
  const page = await consoleOf(service, who, '/console/events?type=key.redeemed&learner=ann');
  await page.getByRole('heading', { name: 'No events found' }).waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('link', { name: 'Bob Lee' }).first().waitFor();
  assert.equal(new URL(page.url()).search, '');
  await closeConsole(page);
});

test('The events page is accessible', async () => {
  const { tenant, who } = await withLearners();
  await tenant.api('POST', '/webhook', { URL: 'http://127.0.0.1:9/hook' });
  const page = await consoleOf(service, who, '/console/events');
  await page.getByRole('link', { name: 'Bob Lee' }).first().waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show', exact: true }).first().click();
  await page.getByRole('dialog').getByText('Not sent').waitFor();
  await expectAccessible(page, true);
  await page.goto(`${service.baseUrl}/console/events?type=key.redeemed`);
  await page.getByRole('heading', { name: 'No events found' }).waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});
