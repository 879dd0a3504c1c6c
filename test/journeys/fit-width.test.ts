import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findings } from '../../server/test/support/axe.ts';
import { contentOf, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus } from '../../server/test/support/tenant.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { openContentSite } from './content-site.ts';
import { packCourse, packScript } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

/** Content with a stage of 1024 × 768, as older authoring tools publish it, with a button in its far corner. */
const slide = `<div style="position: relative; width: 1024px; height: 768px; background: #dfe6f5">
  <button style="position: absolute; right: 8px; bottom: 8px; font-size: 2rem">Far corner</button></div>`;
const shows = (html: string) => `document.body.innerHTML = ${JSON.stringify(html)}`;
const margin = '<style>body { margin: 0 }</style>';

const courses: Record<string, string> = {
  fixed: shows(margin + slide),
  centred: shows(`${margin}<div style="position: absolute; left: 50%; margin-left: -512px">${slide}</div>`),
  late: `setTimeout(() => { ${shows(margin + slide)} }, 1500)`,
  framed: shows(`${margin}<iframe style="border: 0; width: 100%; height: 100vh"></iframe>`).concat(
    `; document.querySelector('iframe').srcdoc = ${JSON.stringify(margin + slide)}`,
  ),
  drawer: shows(
    `<style>body { overflow: hidden }</style><p>Adapts</p><div style="position: fixed; left: 100%; width: 300px">Menu</div><div style="position: absolute; left: 100%; width: 300px">Menu</div>`,
  ),
};

before(async () => {
  service = await startService();
  for (const [name, script] of Object.entries(courses))
    await service.importPackage(
      name,
      await packScript(name, `addEventListener('load', () => { ${script} })`),
    );
  await service.importPackage('phishing', await packCourse('phishing'));
});

after(() => service?.close());

const phone = { width: 390, height: 844 };
const buttonOf = (page: Page) => page.getByRole('button', { name: 'Fit to width' });
const corner = (page: Page) => contentOf(page).getByRole('button', { name: 'Far corner' });

/** How far the content scrolls sideways, in the frame and around it. */
const sideways = (page: Page) =>
  page.evaluate(() => {
    const stage = document.getElementById('stage') as HTMLElement;
    const root = stage.querySelector('iframe')?.contentDocument?.documentElement;
    return [(root?.scrollWidth ?? 0) - (root?.clientWidth ?? 0), stage.scrollWidth - stage.clientWidth];
  });

async function openCourse(course: string, size: { width: number; height: number } = phone) {
  const { LaunchURL } = await service.enrol(course);
  const context = await newContext(size);
  const page = await openPage(context);
  await page.goto(LaunchURL);
  return { page, context, LaunchURL };
}

test('A course that is too wide for the phone is fitted with a button, by keyboard too, and works', async () => {
  const { page, context } = await openCourse('fixed');
  const button = buttonOf(page);
  await button.waitFor();
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  assert.deepEqual(await sideways(page), [634, 0]);
  await button.focus();
  await page.keyboard.press('Enter');
  await page.locator('#fit-button[aria-pressed="true"]').waitFor();
  assert.deepEqual(await sideways(page), [0, 0]);
  const box = await corner(page).boundingBox();
  assert.ok(box && box.x + box.width <= 390 && box.x > 200, JSON.stringify(box));
  // Clicks reach the scaled content at the right place.
  await corner(page).evaluate((one) => one.addEventListener('click', () => one.append(' clicked')));
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await contentOf(page).getByText('Far corner clicked').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(page), []);
    if (process.env.LOOK) await page.screenshot({ path: `${process.env.LOOK}/fit-390-${colorScheme}.png` });
  }
  await button.focus();
  await page.keyboard.press('Space');
  await page.locator('#fit-button[aria-pressed="false"]').waitFor();
  assert.deepEqual(await sideways(page), [634, 0]);
  await context.close();
});

test('The choice is remembered for the course, and only for it', async () => {
  const { page, context, LaunchURL } = await openCourse('fixed');
  await buttonOf(page).click();
  await page.goto(LaunchURL);
  await page.locator('#fit-button[aria-pressed="true"]').waitFor();
  assert.deepEqual(await sideways(page), [0, 0]);
  const other = await service.enrol('centred');
  await page.goto(other.LaunchURL);
  await page.locator('#fit-button[aria-pressed="false"]').waitFor();
  await context.close();
});

test('In a larger window the course has its original size, and in a smaller one it is fitted again', async () => {
  const { page, context } = await openCourse('fixed', { width: 800, height: 600 });
  await buttonOf(page).click();
  const frame = page.locator('#stage iframe');
  const width = async () => Math.round((await frame.boundingBox())?.width ?? 0);
  assert.equal(await width(), 800);
  assert.equal(await frame.evaluate((one) => one.clientWidth), 1024);
  await page.setViewportSize({ width: 1280, height: 800 });
  await buttonOf(page).waitFor({ state: 'hidden' });
  assert.equal(await frame.evaluate((one) => one.clientWidth), 1280);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    if (process.env.LOOK) await page.screenshot({ path: `${process.env.LOOK}/fit-1280-${colorScheme}.png` });
  }
  await page.setViewportSize({ width: 700, height: 600 });
  await page.locator('#fit-button[aria-pressed="true"]').waitFor();
  assert.deepEqual([await width(), await sideways(page)], [700, [0, 0]]);
  await context.close();
});

test('Centred, framed and late content is measured too', async () => {
  for (const course of ['centred', 'framed', 'late']) {
    const { page, context } = await openCourse(course);
    await buttonOf(page).click();
    const inner = course === 'framed' ? contentOf(page).frameLocator('iframe') : contentOf(page);
    await untilMatching(
      () => inner.getByRole('button', { name: 'Far corner' }).boundingBox(),
      (box) => box !== null && box.x + box.width <= 391 && box.x > 200,
    );
    await context.close();
  }
});

test('A course that adapts to its window has no button, even if it hides a menu beside the page', async () => {
  for (const course of ['phishing', 'drawer']) {
    const { page, context } = await openCourse(course);
    await contentOf(page).locator(':is(p, h1):visible').first().waitFor();
    // The first check after loading would show the button.
    const later = await page.evaluate(() => performance.now() + 2_500);
    await untilMatching(
      () => page.evaluate(() => performance.now()),
      (now) => now > later,
    );
    assert.equal(await buttonOf(page).isVisible(), false, course);
    assert.equal(await page.locator('#stage iframe').getAttribute('style'), '', course);
    await context.close();
  }
});

test('A preview can be fitted, and stores nothing on the device', async () => {
  const { status, body } = await service.api('POST', '/course/fixed/preview');
  assert.equal(status, 201);
  const context = await newContext(phone);
  const page = await openPage(context);
  await page.goto(body.PreviewURL);
  await buttonOf(page).click();
  assert.deepEqual(await sideways(page), [0, 0]);
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
  await context.close();
});

test('A page of another site, which cannot be measured, is shown as on a small laptop', async () => {
  const content = await openContentSite();
  const URL = `${content.origin}/aicc.html`;
  expectStatus(await service.api('PUT', '/course/elsewhere', { Title: 'Elsewhere', URL }), 201);
  expectStatus(await service.api('PUT', '/course/elsewhere/option/standard', {}), 201);
  const { page, context } = await openCourse('elsewhere');
  await buttonOf(page).click();
  assert.equal(await page.locator('#stage iframe').evaluate((one) => one.clientWidth), 1024);
  await context.close();
  await content.close();
});
