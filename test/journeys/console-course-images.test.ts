import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount, newContext } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf, signInAs } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { openImageHost } from './image-host.ts';

let service: TestService;
let images: Awaited<ReturnType<typeof openImageHost>>;
let tenant: TestTenant;

before(async () => {
  service = await startService();
  images = await openImageHost();
  tenant = await newTenant(service, { Name: 'Acme' });
});

after(async () => {
  await images?.close();
  await service?.close();
});

/** A console page of a browser that accepts the image host's certificate. */
async function pageOf(who: Parameters<typeof signInAs>[2], path?: string): Promise<Page> {
  const page = await (await newContext({ ignoreHTTPSErrors: true })).newPage();
  await signInAs(page, service, who, path);
  return page;
}

const imageOf = (page: Page, title: string) =>
  page.getByRole('article', { name: title }).locator('.course-image');

async function learnerWith(courses: Record<string, string | null>): Promise<string> {
  const LoginID = await tenant.user();
  for (const [Title, ImageURL] of Object.entries(courses)) {
    const CourseID = await newCourse(service, { Title, ImageURL });
    expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`), 201);
  }
  return LoginID;
}

test('My courses shows images, and a placeholder for missing, broken and insecure ones', async () => {
  const LoginID = await learnerWith({
    'Fire safety': `${images.origin}/poster.png`,
    'First aid': null,
    Phishing: `${images.origin}/gone.png`,
    'Data protection in everyday work': `${images.plainOrigin}/poster.png`,
  });
  const page = await pageOf({ tenant, LoginID });
  await imageOf(page, 'Fire safety').and(page.locator('[data-image="shown"]')).waitFor();
  await imageOf(page, 'First aid').and(page.locator('[data-image="none"]')).waitFor();
  await imageOf(page, 'Phishing').and(page.locator('[data-image="broken"]')).waitFor();
  await imageOf(page, 'Data protection').and(page.locator('[data-image="insecure"]')).waitFor();
  // Placeholders contain no image, so nobody sees or hears a broken one.
  await expectCount(page.locator('.course-image img'), 1);
  const boxes = await page.locator('.course-image').evaluateAll((all) =>
    all.map((one) => {
      const { width, height } = one.getBoundingClientRect();
      return Math.round((100 * width) / height);
    }),
  );
  assert.deepEqual([...new Set(boxes)], [178]);
  await expectAccessible(page);
  await page.context().close();
});

test('Image hosts get neither cookies nor the address of the page', async () => {
  const LoginID = await learnerWith({ 'Fire safety': `${images.origin}/poster.png` });
  const page = await pageOf({ tenant, LoginID });
  await page.locator('.course-image[data-image="shown"]').waitFor();
  // The host sets its cookie when the learner visits it.
  await page.goto(`${images.origin}/poster.png`);
  const { length } = images.requests;
  await page.goto(`${service.baseUrl}/console`);
  await page.locator('.course-image[data-image="shown"]').waitFor();
  const later = images.requests.slice(length);
  assert.ok(later.length > 0);
  for (const { headers } of later)
    assert.deepEqual([headers.cookie, headers.referer], [undefined, undefined]);
  await page.context().close();
});

test('Images below the screen are not loaded before the learner scrolls to them', async () => {
  const names = Array.from({ length: 24 }, (_, index) => `Course ${index + 1}`);
  const LoginID = await learnerWith(
    Object.fromEntries(names.map((name) => [name, `${images.origin}/poster.png`])),
  );
  const page = await pageOf({ tenant, LoginID });
  await page.locator('.course-image[data-image="shown"]').first().waitFor();
  await page.waitForLoadState('networkidle');
  const last = page.locator('.course-image').last();
  assert.equal(await last.getAttribute('data-image'), 'none');
  await last.scrollIntoViewIfNeeded();
  await last.and(page.locator('[data-image="shown"]')).waitFor();
  await page.context().close();
});

test('The operator sets an image and sees what learners will see', async () => {
  const CourseID = await newCourse(service, { Title: 'Fire safety' });
  const page = await pageOf('operator', `/console/courses/${CourseID}?part=details`);
  const field = page.getByLabel('Image URL');
  await page.getByText('Without an image, learners see this.').waitFor();
  await field.fill(`${images.plainOrigin}/poster.png`);
  await page.getByText('The URL must start with https://').waitFor();
  await field.fill(`${images.origin}/gone.png`);
  await page.getByText('The image could not be loaded. Check the URL.').waitFor();
  await field.fill(`${images.origin}/poster.png`);
  await page.getByText('This is what learners see.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Course saved').waitFor();
  const { body } = await service.api('GET', `/course/${CourseID}`);
  assert.equal(body.ImageURL, `${images.origin}/poster.png`);
  await page.context().close();
});

test('A course that is no longer offered keeps its card, with the placeholder', async () => {
  const LoginID = await learnerWith({ 'Old course': `${images.origin}/poster.png` });
  const { body } = await tenant.api('GET', `/enrolment/${LoginID}`);
  expectStatus(await service.api('PUT', `/course/${body.Items[0].CourseID}`, { Status: 'draft' }), 200);
  const page = await consoleOf(service, { tenant, LoginID });
  await page.waitForLoadState('networkidle');
  await imageOf(page, 'Old course').and(page.locator('[data-image="none"]')).waitFor();
  await closeConsole(page);
});
