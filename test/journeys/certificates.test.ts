import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { contentOf } from '../../server/test/support/browser.ts';
import { closeConsole, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../server/test/support/tenant.ts';
import { packScript } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

const script = `let api; for (let at = window; !api; at = at.parent) api = at.API;
document.body.insertAdjacentHTML('beforeend', '<button id="done">Done</button>');
document.getElementById('done').onclick = () => { api.LMSInitialize(''); api.LMSSetValue('cmi.core.score.raw', '90');
  api.LMSSetValue('cmi.core.lesson_status', 'passed'); api.LMSFinish(''); };`;

before(async () => {
  service = await startService();
  await service.importPackage('safety', await packScript('Fire safety', script));
  const Certificate = { On: 'passed', ValidFor: 'P2Y' };
  const course = { Title: 'Fire safety', Status: 'published', Certificate };
  expectStatus(await service.api('PUT', '/course/safety', course), 200);
  expectStatus(await service.api('PUT', '/course/safety/option/standard', {}), 201);
});

after(() => service?.close());

/** `LOOK=folder` saves pictures. The check of accessibility leaves another colour scheme. */
async function look(page: Page, colorScheme: 'light' | 'dark', name: string) {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  if (process.env.LOOK)
    await page.screenshot({ path: `${process.env.LOOK}/${name}.png`, animations: 'disabled' });
}

for (const [size, colorScheme] of [
  [{ width: 1280, height: 800 }, 'light'],
  [{ width: 390, height: 844 }, 'dark'],
] as const)
  test(`A learner finishes a course, downloads the certificate, has it checked, and adds it to a wallet: ${size.width} pixels, ${colorScheme}`, async () => {
    const tenant = await newTenant(service, { Name: 'Acme Ltd' });
    const LoginID = await tenant.user({ FirstName: 'Zoë', LastName: 'Łukasiewicz' });
    expectStatus(await tenant.api('POST', `/enrol/${LoginID}/safety`), 201);
    const page = await newConsolePage(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const name = `learner-${size.width}`;
    await signInAs(page, service, { tenant, LoginID });
    await page.getByRole('link', { name: 'Start' }).click();
    await contentOf(page).getByRole('button', { name: 'Done' }).click();
    await page.click('#exit-button');
    const result = page.getByRole('status').filter({ hasText: 'You passed' });
    const download = result.getByRole('button', { name: /^Certificate \(PDF\): / });
    await download.waitFor();
    await look(page, colorScheme, `${name}-result`);
    await expectAccessible(page);

    const saved = page.waitForEvent('download');
    await download.click();
    const pdf = await (await saved).path();

    const linkedIn = result.getByRole('link', { name: 'Add to LinkedIn: Fire safety' });
    const query = new URL((await linkedIn.getAttribute('href')) ?? '').searchParams;
    assert.deepEqual([query.get('name'), query.get('organizationName')], ['Fire safety', 'Acme Ltd']);
    await result.getByRole('button', { name: 'Add to a wallet: Fire safety' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add to a wallet' });
    await dialog.getByRole('img', { name: 'Code for the wallet' }).waitFor();
    await look(page, colorScheme, `${name}-wallet`);
    await expectAccessible(page, true);
    const offer =
      (await dialog.getByRole('link', { name: 'Open a wallet on this device' }).getAttribute('href')) ?? '';
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { grants } = JSON.parse(new URL(offer).searchParams.get('credential_offer') ?? '');
    const [grant_type = '', code] = Object.entries(grants)[0] ?? [];
    const body = new URLSearchParams({ grant_type, ...(code as object) });
    const token = await fetch(`${service.baseUrl}/issuer/${tenant.TenantID}/token`, { method: 'POST', body });
    assert.equal(token.status, 200);

    await page.goto(`${service.baseUrl}/verify`);
    await page.locator('input[type=file]').setInputFiles(pdf);
    await page.getByText('The file is genuine').waitFor();
    await look(page, colorScheme, `${name}-check`);
    await page.locator('.result a').click();
    await page.getByRole('heading', { name: 'This certificate is valid' }).waitFor();
    await page.getByText('Zoë Łukasiewicz').waitFor();
    await look(page, colorScheme, `${name}-verify`);
    await expectAccessible(page);
    await closeConsole(page);
  });

for (const [width, height, colorScheme] of [
  [1280, 900, 'light'],
  [390, 844, 'dark'],
] as const)
  test(`An administrator writes a certificate in two languages with a preview of each: ${width} pixels, ${colorScheme}`, async () => {
    const tenant = await newTenant(service, { Name: 'Acme Ltd', Language: 'fr' });
    const boss = await tenant.user({ FirstName: 'Grace', IsAdmin: true });
    const longest = {
      FirstName: 'Maria-Magdalena Katharina',
      LastName: 'von Hohenzollern-Sigmaringen und Łukasiewicz',
    };
    await tenant.user(longest);
    const page = await newConsolePage({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/preview?')) asked.push(request.url());
    });
    await signInAs(page, service, { tenant, LoginID: boss }, '/console/courses/safety');
    const preview = page.getByRole('img', { name: 'Preview of the certificate' });
    await preview.waitFor();
    await page.getByRole('switch', { name: /each language/ }).check();
    await page.getByText('Deutsch', { exact: true }).click();
    // A signature without a name is not sent.
    await page.getByRole('button', { name: 'Add signature' }).click();
    const drawn = page.waitForResponse((response) => response.url().includes('Language=de'));
    await page.getByRole('textbox', { name: 'Heading' }).fill('Brandschutz bestanden');
    assert.equal((await drawn).status(), 200);
    await page.getByRole('textbox', { name: 'Text' }).fill('{Naem}');
    await page.getByText('unknown placeholder').waitFor();
    assert.ok(await preview.isVisible());
    await page.getByRole('textbox', { name: 'Text' }).fill('');
    assert.ok(asked.some((url) => url.includes('Language=fr')));
    await look(page, colorScheme, `editor-${width}`);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Enlarge' }).click();
    const large = page.getByRole('dialog', { name: 'Preview of the certificate' });
    const box = await large.getByRole('img', { name: 'Preview of the certificate' }).boundingBox();
    assert.ok(box && box.width >= 850, `${box?.width}`);
    await look(page, colorScheme, `editor-${width}-large`);
    await expectAccessible(page, true);
    await closeConsole(page);
  });

test('An administrator issues certificates to those who finished before there were any', async () => {
  const tenant = await newTenant(service, { Name: 'Acme Ltd' });
  const course = await newCourse(service, { Title: 'Ladders' });
  const boss = await tenant.user({ FirstName: 'Grace', IsAdmin: true });
  const LoginID = await tenant.user({ FirstName: 'Ada' });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${course}`)).body;
  const Override = { Success: 'passed', Reason: 'Passed on paper.' };
  expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Override }), 200);
  expectStatus(await tenant.api('PUT', `/certificate/template/${course}`, { On: 'passed' }), 200);
  const page = await newConsolePage({ width: 1280, height: 900 });
  await signInAs(page, service, { tenant, LoginID: boss }, `/console/courses/${course}`);
  await page.getByRole('button', { name: 'Issue for earlier results' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 person has finished the course without a certificate').waitFor();
  await look(page, 'light', 'earlier');
  await dialog.getByRole('button', { name: 'Issue certificates' }).click();
  await page.getByText('1 certificate was issued').waitFor();
  const { Items } = (await tenant.api('GET', `/certificate?CourseID=${course}`)).body;
  assert.deepEqual(
    Items.map((one: { LoginID: string }) => one.LoginID),
    [LoginID],
  );

  const reason = { Reason: 'Sat by somebody else' };
  expectStatus(await tenant.api('POST', `/certificate/${Items[0].Number}/revoke`, reason), 200);
  await page.getByRole('link', { name: 'Show the issued certificates' }).click();
  await page.getByText('Revoked: Sat by somebody else').waitFor();
  await look(page, 'light', 'revoked');
  await closeConsole(page);
  const learner = await newConsolePage({ width: 390, height: 844 });
  await signInAs(learner, service, { tenant, LoginID });
  const revoked = learner.getByRole('article', { name: 'Ladders' }).filter({ hasText: 'Revoked' });
  await revoked.getByRole('link', { name: 'Check page' }).waitFor();
  assert.equal(await revoked.getByRole('button').count(), 0);
  await look(learner, 'light', 'revoked-learner');
  await closeConsole(learner);
});
