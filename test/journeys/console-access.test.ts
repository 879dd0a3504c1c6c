import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectNoBarriers } from '../support/axe.ts';
import { closeBrowser, press, until } from '../support/browser.ts';
import { closeConsole, consoleOf, openConsole } from '../support/console.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../support/tenant.ts';
import { packCourse } from './made-courses.ts';

let service: TestService;
let acme: TestTenant;

const hashed = (password: string) => createHash('sha256').update(password).digest('hex');

before(async () => {
  service = await startService();
  await service.importPackage('phishing', await packCourse('phishing'));
  await service.api('PUT', '/course/phishing', { Title: 'Spot the phish' });
  await service.api('PUT', '/course/phishing/option/standard', {});
  acme = await newTenant(service, { Name: 'Acme', PasswordHash: 'sha256-hex' });
});

after(async () => {
  await closeBrowser();
  await service?.close();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

async function signIn(page: Page, organization: string, loginId: string, password: string): Promise<void> {
  await page.getByLabel('Organization').fill(organization);
  await page.getByLabel('Login name').fill(loginId);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function choose(page: Page, item: string): Promise<void> {
  await page.locator('header').getByRole('button').last().click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

test('The operator creates a tenant and a key that works, and revokes it', async () => {
  const page = await consoleOf(service, 'operator');
  await page.getByRole('link', { name: 'Tenants and keys' }).click();
  await page.getByRole('button', { name: 'Create a tenant' }).click();
  await page.getByLabel('TenantID').fill('globex');
  await page.getByRole('dialog').getByLabel('Name').fill('Globex');
  await page.getByRole('button', { name: 'Create the tenant' }).click();
  await heading(page, 'Globex').waitFor();
  const made = await service.api('GET', '/tenant/globex');
  assert.equal(made.body.PasswordHash, 'sha256-hex');
  assert.deepEqual([made.body.ReturnOrigins, made.body.FrameOrigins], [null, null]);

  await page.getByRole('button', { name: 'Make a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('HR');
  await dialog.getByLabel('Read the log of events').uncheck();
  await dialog.getByRole('button', { name: 'Make the key' }).click();
  await page.getByText('Copy the secret now').waitFor();
  const line = await page.locator('pre').innerText();
  const [, address = '', secret = ''] = /^curl '(\S+)' -H 'Authorization: Bearer (\S+)'$/.exec(line) ?? [];
  const call = () => fetch(address, { headers: { Authorization: `Bearer ${secret}` } });
  assert.equal((await call()).status, 200);
  const events = await service.api('GET', '/events', undefined, secret);
  assert.equal(events.body.code, 'scope_missing');
  await page.keyboard.press('Escape');
  assert.ok(await page.getByText('Copy the secret now').isVisible(), 'a slip does not lose the secret');
  await page.getByRole('button', { name: 'I have copied the secret' }).click();

  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByText('Revoked', { exact: true }).waitFor();
  assert.equal((await call()).status, 401);

  await page.getByRole('link', { name: 'Act on this tenant' }).click();
  await heading(page, 'Overview').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('tenant'), 'globex');
  await closeConsole(page);
});

test('A tenant is found and edited', async () => {
  const other = await newTenant(service, { Name: 'Initech' });
  const page = await consoleOf(service, 'operator', '/console/tenants');
  await page.getByLabel('Search by name or TenantID').fill('inite');
  await page.waitForURL(/search=inite/);
  await page.getByRole('link', { name: 'Initech', exact: true }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Return origins').fill('https://portal.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('https://portal.example').waitFor();
  const read = await service.api('GET', `/tenant/${other.TenantID}`);
  assert.deepEqual(read.body.ReturnOrigins, ['https://portal.example']);
  await closeConsole(page);
});

test('An administrator signs in by password, which never leaves the browser, and sees their tenant only', async () => {
  const password = 'Pässwort 🐴';
  const LoginID = await acme.user({ IsAdmin: true, FirstName: 'Bo', Password: hashed(password) });
  const page = await openConsole(service, `/console?tenant=${acme.TenantID}`);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')));
  assert.equal(await page.getByLabel('Organization').inputValue(), acme.TenantID);
  await signIn(page, acme.TenantID, LoginID, 'wrong');
  await page.getByRole('alert').getByText('That did not work.').waitFor();
  await signIn(page, acme.TenantID, LoginID, password);
  await heading(page, 'Overview').waitFor();
  assert.ok(sent.some((text) => text.includes(hashed(password))));
  for (const text of sent) assert.ok(!decodeURIComponent(text).includes(password));
  await page.getByText('Acme').first().waitFor();
  assert.equal(await page.getByRole('link', { name: 'Tenants and keys' }).count(), 0);
  await page.goto(`${service.baseUrl}/console/tenants`);
  await page.getByText('This page is not for you').waitFor();
  await choose(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(await page.getByLabel('Organization').inputValue(), acme.TenantID, 'it is remembered');
  await closeConsole(page);
});

test('Who guesses is told when to try again; an organization without a function, to come by link', async () => {
  const opaque = await newTenant(service);
  const page = await openConsole(service);
  await signIn(page, opaque.TenantID, 'x', 'y');
  await page.getByText('signs in by a link from its own system').waitFor();
  for (let n = 0; n < 10; n++)
    await service.api(
      'POST',
      '/session',
      { TenantID: acme.TenantID, LoginID: 'nobody', Password: hashed('x') },
      '',
      {
        'sec-fetch-site': 'same-origin',
      },
    );
  await signIn(page, acme.TenantID, 'nobody', 'y');
  await page.getByText(/You can try again at \d/).waitFor();
  await closeConsole(page);
});

test('A learner sees their courses, starts one, and comes back', async () => {
  const LoginID = await acme.user({ FirstName: 'Ann', Password: hashed('secret') });
  expectStatus(await acme.api('POST', `/enrol/${LoginID}/phishing`), 201);
  await service.api('PUT', '/course/empty', { Title: 'Empty course' });
  await service.api('PUT', '/course/empty/option/standard', {});
  const empty = await acme.api('POST', `/enrol/${LoginID}/empty`);
  await acme.api('PUT', `/enrolment/${LoginID}/${empty.body.EnrollID}`, { Withdrawn: true });
  const page = await openConsole(service);
  await signIn(page, acme.TenantID, LoginID, 'secret');
  await heading(page, 'My courses').waitFor();
  assert.equal(await page.getByRole('navigation').count(), 0);
  await page.getByText('Your enrolment was withdrawn.').waitFor();
  await page.getByRole('link', { name: 'Start' }).click();
  await press(page, 'next');
  await page.click('#exit-button');
  await heading(page, 'My courses').waitFor();
  await page.getByRole('link', { name: 'Continue' }).click();
  await until(
    () => page.locator('#stage iframe').count(),
    (count) => count === 1,
  );
  await page.goBack();
  await heading(page, 'My courses').waitFor();
  await expectNoBarriers(page);
  await page.goto(`${service.baseUrl}/console/users`);
  await page.getByText('This page is not for you').waitFor();
  await closeConsole(page);
});

test('Signing out everywhere ends the other sessions, too', async () => {
  const LoginID = await acme.user();
  const here = await consoleOf(service, { tenant: acme, LoginID });
  const there = await consoleOf(service, { tenant: acme, LoginID });
  await heading(here, 'My courses').waitFor();
  await choose(here, 'Sign out everywhere');
  await here.getByRole('button', { name: 'Sign in' }).waitFor();
  await there.reload();
  await there.getByRole('button', { name: 'Sign in' }).waitFor();
  await closeConsole(here);
  await closeConsole(there);
});

test('Signing in, the overviews and the tenants have no barriers', async () => {
  const signedOut = await openConsole(service);
  await heading(signedOut, 'Sign in').waitFor();
  await expectNoBarriers(signedOut);
  await closeConsole(signedOut);

  const LoginID = await acme.user({ IsAdmin: true });
  const page = await consoleOf(service, { tenant: acme, LoginID });
  const chart = page.getByRole('slider');
  await chart.focus();
  await page.keyboard.press('Home');
  assert.match(
    (await chart.getAttribute('aria-valuetext')) ?? '',
    /: 0 enrolments, 0 starts, 0 completions$/,
  );
  await page.keyboard.press('End');
  assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /: [1-9]\d* enrolments?, /);
  await expectNoBarriers(page);
  await page.getByRole('button', { name: 'Show as a table' }).click();
  await page.getByRole('columnheader', { name: 'Completions' }).waitFor();
  await page.getByText('365 days', { exact: true }).click();
  await page.waitForURL(/days=365/);
  await page.getByRole('columnheader', { name: 'Completions' }).waitFor();
  await expectNoBarriers(page);
  await closeConsole(page);

  const operator = await consoleOf(service, 'operator');
  for (const [path, name] of [
    ['/console', 'Overview'],
    ['/console/tenants', 'Tenants'],
    [`/console/tenants/${acme.TenantID}`, 'Acme'],
  ] as const) {
    await operator.goto(service.baseUrl + path);
    await heading(operator, name).waitFor();
    await operator.waitForLoadState('networkidle');
    await expectNoBarriers(operator);
  }
  await operator.getByRole('button', { name: 'Make a key' }).click();
  await operator.getByRole('dialog').waitFor();
  await expectNoBarriers(operator, true);
  await closeConsole(operator);
});
