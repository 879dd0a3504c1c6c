import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newCourse, newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;

before(async () => {
  service = await startService();
});

after(async () => {
  await service?.close();
});

test('An administrator records a classroom training, finds it in the record and in a period, and deletes it', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const boss = await tenant.user({ FirstName: 'Grace', IsAdmin: true });
  const bob = await tenant.user({ FirstName: 'Bob', LastName: 'Hall' });
  const course = await newCourse(service, { Title: 'First aid' });
  const rule = { Title: 'First aid', CourseIDs: [course], Audience: { LoginIDs: [bob] }, DueAfter: 'P30D' };
  await tenant.api('PUT', '/requirement/first-aid', rule);
  const look = async (name: string) => {
    if (process.env.LOOK)
      await page.screenshot({
        ...{ path: `${process.env.LOOK}/${name}.png`, fullPage: true, animations: 'disabled' },
      });
  };
  const page = await consoleOf(service, { tenant, LoginID: boss }, `/console/users/${bob}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Training record' }).click();
  await page.getByRole('button', { name: 'Record completion' }).click();
  const dialog = page.getByRole('dialog', { name: 'Record a completion of Bob Hall' });
  await dialog.getByLabel('Course', { exact: true }).fill('First');
  await page.getByRole('option', { name: 'First aid' }).click();
  await dialog.getByLabel('Completed on').fill('2026-01-15');
  await dialog.getByLabel('Score').fill('92');
  await dialog.getByLabel('Where').fill('Classroom, Leeds');
  await dialog.getByLabel('Evidence, in words').fill('Signed attendance list');
  await look('record-dialog');
  await expectAccessible(page, true);
  await dialog.getByRole('button', { name: 'Record', exact: true }).click();
  await page.getByText('Completion recorded').waitFor();
  const record = page.getByRole('table', { name: 'Training record of Bob Hall' });
  await record.getByText('Classroom, Leeds').waitFor();
  await look('record');
  await expectAccessible(page);
  await record.getByText('Counts for First aid').waitFor();
  // On paper, the record says whose it is, of which organisation and of which day, without buttons.
  await page.emulateMedia({ media: 'print' });
  await page.getByText(bob, { exact: true }).waitFor();
  await page.getByText(/^Acme · Printed on /).waitFor();
  await expectCount(page.getByRole('main').getByRole('button'), 0);
  await look('record-print');
  await page.emulateMedia({ media: null });
  const { Items } = (await tenant.api('GET', `/obligation/${bob}`)).body;
  assert.deepEqual([Items[0].Status, Items[0].External], ['met', true]);

  await page.goto(`${service.baseUrl}/console/reports/completed?from=2026-01-01&to=2026-01-31`);
  const completed = page.getByRole('table', { name: 'Completed' });
  await completed.getByText('Bob Hall').waitFor();
  await look('completed');
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await look('completed-phone');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.setViewportSize({ width: 1280, height: 800 });
  await completed.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete completion' }).click();
  const deletion = page.getByRole('dialog', { name: 'Delete the completion of “First aid”?' });
  await deletion.getByLabel('Reason').fill('Wrong person');
  await deletion.getByRole('button', { name: 'Delete completion' }).click();
  await page.getByText('Nothing was completed in these days').waitFor();
  assert.equal((await tenant.api('GET', `/obligation/${bob}`)).body.Items[0].Status, 'not_due');
  await closeConsole(page);
});
