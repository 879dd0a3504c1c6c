import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { press, screenOf } from '../../server/test/support/browser.ts';
import { closeConsole } from '../../server/test/support/console.ts';
import { cleanUp, type Running, startProcess, temporaryFolder } from '../../server/test/support/process.ts';
import {
  createTenant,
  createUser,
  enrol,
  goTo,
  importCourse,
  publish,
  signInOperator,
} from './operator-steps.ts';

let service: Running;

before(async () => {
  service = await startProcess({ DATA_DIR: await temporaryFolder() });
});

after(cleanUp);

async function enrolFirstLearner(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Switch to this tenant' }).click();
  await createUser(page, { LoginID: 'ann', FirstName: 'Ann', LastName: 'Lee' });
  await enrol(page, 'spot', 'Spot the phish');
}

test('The operator starts with the printed sign-in link and sets up a learner who can start a course', async () => {
  const page = await signInOperator(service);
  await importCourse(page);
  await publish(page);
  const { address, secret } = await createTenant(page);
  const call = (path: string) =>
    fetch(new URL(path, address), { headers: { Authorization: `Bearer ${secret}` } });
  assert.deepEqual((await (await fetch(address)).json()).code, 'unauthorized');
  assert.deepEqual((await (await call(address)).json()).Items, []);
  await enrolFirstLearner(page);
  const { Items } = await (await call('/enrolment')).json();
  assert.deepEqual(
    Items.map(({ LoginID, CourseID, Status }: Record<string, unknown>) => [LoginID, CourseID, Status]),
    [['ann', 'spot-the-phish', 'enrolled']],
  );

  await goTo(page, 'Courses');
  await page.getByRole('link', { name: 'Spot the phish', exact: true }).click();
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Preview' }).click(),
  ]);
  await tab.locator('#indicator').getByText('Preview: nothing is recorded').waitFor();
  const before = await screenOf(tab);
  await press(tab, 'next');
  assert.notEqual(await screenOf(tab), before);
  await tab.close();
  assert.equal((await (await call('/enrolment')).json()).Items[0].Launches, 0);

  await page.goto(`${service.baseUrl}/console`);
  await page.getByText('every course has content, an enrolment option').waitFor();
  await page.getByRole('link', { name: 'Acme', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await page.getByRole('region', { name: 'First steps' }).count(), 0);
  await closeConsole(page);
});
