import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../server/test/support/tenant.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service?.close());

test('A link from the catalogue of a learning suite leads to the course, or says whom to ask', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const LoginID = await tenant.user({ FirstName: 'Lea' });
  for (let n = 1; n <= 12; n++) {
    const course = await newCourse(service, { Title: `Course ${n}` });
    expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${course}`), 201);
  }
  const CourseID = await newCourse(service, { Title: 'Lifting safely' });
  const listed = (await tenant.api('GET', '/catalogue/content?Limit=200')).body.Items;
  const link = new URL(listed.find(({ ID }: { ID: string }) => ID === CourseID).URL);
  const page = await consoleOf(service, { tenant, LoginID }, link.pathname + link.search);
  await page.getByText('You are not enrolled on Lifting safely').waitFor();
  await page.getByText('Ask your administrator at Acme to enrol you').waitFor();
  await expectAccessible(page);

  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`), 201);
  await page.goto(link.href);
  const card = page.getByRole('article', { name: 'Lifting safely' });
  await card.getByRole('link', { name: 'Start' }).waitFor();
  assert.equal(await card.getAttribute('aria-current'), 'true');
  assert.equal(await page.locator('[aria-current]').count(), 1);
  assert.ok(await card.evaluate((element) => element === document.activeElement));
  await expectAccessible(page);
  await closeConsole(page);
});
