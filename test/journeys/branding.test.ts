import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { expectAccessible, findings } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf, newConsolePage, openConsole } from '../../server/test/support/console.ts';
import { png } from '../../server/test/support/images.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { tokenOf } from '../../server/test/support/sign-in.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { packCourse } from './course-packages.ts';

let service: TestService;
let acme: TestTenant;

const hashed = (password: string) => createHash('sha256').update(password).digest('hex');
const yellow = '#ffd400';
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const logoIn = (page: Page) => page.getByRole('banner').getByRole('img', { name: 'Acme GmbH' });

before(async () => {
  service = await startService();
  await service.importPackage('phishing', await packCourse('phishing'));
  await service.api('PUT', '/course/phishing', { Title: 'Spot the phish' });
  await service.api('PUT', '/course/phishing/option/standard', {});
  acme = await newTenant(service, { Name: 'Acme GmbH', PasswordHash: 'sha256-hex', Language: 'de' });
});

after(() => service?.close());

const colourOf = (place: Locator, name: string) =>
  place.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name);

async function expectImage(image: Locator): Promise<void> {
  await image.waitFor();
  const isLoaded = () => image.evaluate((one) => (one as HTMLImageElement).naturalWidth > 0);
  await untilMatching(isLoaded, (loaded) => loaded);
}

async function setBranding(tenant: TestTenant, body: object): Promise<void> {
  expectStatus(await tenant.api('PUT', '/branding', body), 200);
}

test('An administrator sets a logo and a colour; learners see them on every page', async () => {
  const LoginID = await acme.user({ IsAdmin: true, FirstName: 'Ada' });
  const admin = await consoleOf(service, { tenant: acme, LoginID });
  await admin.getByRole('link', { name: 'Organisation' }).click();
  await admin.getByRole('link', { name: 'Branding' }).click();
  await heading(admin, 'Branding').waitFor();
  await admin.getByRole('img', { name: 'Light mode' }).waitFor();
  const save = admin.getByRole('button', { name: 'Save' });
  assert.ok(await save.isDisabled());
  const colour = admin.getByLabel('Colour', { exact: true });
  await colour.fill('yellow');
  await admin.getByText('Enter a colour such as #0057b8.').waitFor();
  assert.ok(await save.isDisabled());
  await colour.fill('FFD400');
  await admin.getByText('Light mode', { exact: true }).waitFor();
  const input = admin.locator('input[type=file]');
  await input.setInputFiles({ name: 'page.png', mimeType: 'image/png', buffer: Buffer.from('<html>') });
  await admin.getByText('This file is not an image').waitFor();
  const large = Buffer.alloc(129 * 1024);
  await input.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: large });
  await admin.getByText('This file is larger than 128 KiB').waitFor();
  await input.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png(160, 40) });
  await admin.getByRole('img', { name: 'Current logo' }).waitFor();
  await expectAccessible(admin);
  await save.click();
  await admin.getByText('Branding saved').waitFor();
  await expectImage(logoIn(admin));
  await heading(admin, 'Erscheinungsbild').waitFor();
  await expectAccessible(admin);
  await closeConsole(admin);

  const password = 'correct horse';
  const learner = await acme.user({ FirstName: 'Lee', Password: hashed(password) });
  const { body } = await acme.api('POST', `/enrol/${learner}/phishing`);
  assert.ok(body.EnrollID);
  const page = await openConsole(service, `/console?tenant=${acme.TenantID}`);
  await heading(page, 'Anmelden').waitFor();
  await expectImage(logoIn(page));
  assert.equal(await page.title(), 'Anmelden · Acme GmbH');
  const submit = page.getByRole('button', { name: 'Anmelden' });
  assert.equal(await colourOf(submit, 'color'), 'rgb(0, 0, 0)');
  await expectAccessible(page);
  await page.getByLabel('Anmeldename').fill(learner);
  await page.getByLabel('Passwort', { exact: true }).fill(password);
  await submit.click();
  await heading(page, 'Meine Kurse').waitFor();
  await expectImage(logoIn(page));
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Starten' }).click();
  await expectImage(page.locator('#bar').getByRole('img', { name: 'Acme GmbH' }));
  const accent = await colourOf(page.locator(':root'), '--accent');
  assert.match(accent, new RegExp(`light-dark\\(#\\w+, ${yellow}\\)`));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(page), []);
  }
  await closeConsole(page);
});

test('The sign-in page shows the tenant that was used last, and another one if the URL names it', async () => {
  await setBranding(acme, { Colour: yellow, Logo: png(160, 40).toString('base64') });
  const other = await newTenant(service, { Name: 'Initech', Language: 'fr' });
  await setBranding(other, { Colour: '#112233' });
  const LoginID = await acme.user({ FirstName: 'Kim' });
  const page = await consoleOf(service, { tenant: acme, LoginID });
  await expectImage(logoIn(page));
  await page.getByRole('button', { name: 'Kim' }).click();
  await page.getByRole('menuitem', { name: 'Abmelden', exact: true }).click();
  await heading(page, 'Anmelden').waitFor();
  await page.goto(`${service.baseUrl}/console`);
  await expectImage(logoIn(page));
  await page.goto(`${service.baseUrl}/console?tenant=${other.TenantID}`);
  await heading(page, 'Connexion').waitFor();
  await page.getByRole('banner').getByText('Initech').waitFor();
  await page.goto(`${service.baseUrl}/console?tenant=no-such-tenant`);
  await heading(page, 'Sign in').waitFor();
  await page.getByRole('banner').getByText('Lectern').waitFor();
  await closeConsole(page);
});

test('A chosen language takes precedence over that of the tenant', async () => {
  await setBranding(acme, { Colour: yellow });
  const page = await newConsolePage();
  await page.addInitScript(() => localStorage.setItem('lectern-language', 'fr'));
  await page.goto(`${service.baseUrl}/console?tenant=${acme.TenantID}`);
  await heading(page, 'Connexion').waitFor();
  assert.equal(await page.title(), 'Connexion · Acme GmbH');
  await closeConsole(page);
});

test('Invitations and sign-in links show the branding of their tenant', async () => {
  await setBranding(acme, { Colour: yellow, Logo: png(160, 40).toString('base64') });
  const LoginID = await acme.user({ FirstName: 'Mia' });
  const invited = await acme.api('POST', '/invitation', { LoginID });
  const page = await openConsole(service, invited.body.InvitationURL.replace(service.baseUrl, ''));
  await heading(page, 'Willkommen, Mia').waitFor();
  await expectImage(logoIn(page));
  await expectAccessible(page);
  const link = await acme.api('POST', `/user/session/${LoginID}`);
  await page.goto(`${service.baseUrl}/session/sign-in?token=${tokenOf(link.body.SignInURL)}`);
  await expectImage(page.getByRole('img', { name: 'Acme GmbH' }));
  const button = page.getByRole('button', { name: 'Weiter' });
  assert.equal(await colourOf(button, 'color'), 'rgb(0, 0, 0)');
  await expectAccessible(page);
  await button.click();
  await heading(page, 'Meine Kurse').waitFor();
  await closeConsole(page);
});

test('The operator changes the branding of a tenant on its page, and keeps their own', async () => {
  const tenant = await newTenant(service, { Name: 'Umbrella' });
  const page = await consoleOf(service, 'operator', `/console/tenants/${tenant.TenantID}`);
  const section = page.getByRole('region', { name: 'Branding' });
  await section.getByLabel('Colour', { exact: true }).fill('#aa0000');
  await section.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Branding saved').waitFor();
  await expectAccessible(page);
  await page.getByRole('banner').getByText('Lectern').waitFor();
  const { body } = await tenant.api('GET', '/branding');
  assert.equal(body.Colour, '#aa0000');
  await closeConsole(page);
});
