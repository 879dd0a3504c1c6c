import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { createOperatorLink } from '../../server/src/domain/sign-in/operator-links.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { press } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf, openConsole } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { until, untilMatching } from '../../server/test/support/until.ts';
import { packCourse } from './course-packages.ts';

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

after(() => service?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

async function signIn(page: Page, organization: string, loginId: string, password: string): Promise<void> {
  await page.getByLabel('Organisation').fill(organization);
  await page.getByLabel('Login name').fill(loginId);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Parts of a request that could reveal a password. */
function describeRequest(request: Request): string {
  return `${request.method()} ${request.url().replace(service.baseUrl, '')} ${request.postData() ?? ''}`;
}

async function choose(page: Page, item: string): Promise<void> {
  await page.locator('header').getByRole('button').last().click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

test('An administrator signs in with a password, which never leaves the browser, and sees only their tenant', async () => {
  const password = 'Pässwort 🐴';
  const LoginID = await acme.user({ IsAdmin: true, FirstName: 'Bo', Password: hashed(password) });
  const page = await openConsole(service, `/console?tenant=${acme.TenantID}`);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(describeRequest(request)));
  assert.equal(await page.getByLabel('Organisation').inputValue(), acme.TenantID);
  await signIn(page, acme.TenantID, LoginID, 'wrong');
  await page.getByRole('alert').getByText('Sign-in failed.').waitFor();
  await signIn(page, acme.TenantID, LoginID, password);
  await heading(page, 'Overview').waitFor();
  const signedIn = sent.filter((text) => text.startsWith('POST /session {'));
  assert.deepEqual(
    signedIn.map((text) => JSON.parse(text.slice('POST /session '.length)).Password),
    [hashed('wrong'), hashed(password)],
  );
  for (const text of sent) assert.ok(!decodeURIComponent(text).includes(password), text);
  await page.getByText('Acme').first().waitFor();
  assert.equal(await page.getByRole('link', { name: 'Tenants and keys' }).count(), 0);
  await page.goto(`${service.baseUrl}/console/tenants`);
  await page.getByText('You don’t have access to this page').waitFor();
  await choose(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(
    await page.getByLabel('Organisation').inputValue(),
    acme.TenantID,
    'the organisation is remembered',
  );
  await closeConsole(page);
});

test('After someone signs out, the next person in the same tab sees none of their data', async () => {
  const password = 'a password';
  const other = await newTenant(service, { Name: 'Other', PasswordHash: 'sha256-hex' });
  const [first, next] = await Promise.all(
    [acme, other].map(({ user }) => user({ IsAdmin: true, Password: hashed(password) })),
  );
  const LoginID = await acme.user({ FirstName: 'Uma', LastName: 'Underhill' });
  const page = await openConsole(service, `/console?tenant=${acme.TenantID}`);
  await signIn(page, acme.TenantID, first ?? '', password);
  await page.getByRole('link', { name: 'People', exact: true }).first().click();
  await page.getByRole('link', { name: 'Uma Underhill' }).first().waitFor();
  await choose(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  let asked = 0;
  await page.route(/\/user(\?|$)/, (route) => {
    asked++;
    return route.abort();
  });
  await signIn(page, other.TenantID, next ?? '', password);
  await page.getByRole('link', { name: 'People', exact: true }).first().click();
  await until('the list is requested again', () => asked > 0);
  assert.equal(await page.getByText('Underhill').count(), 0);
  assert.equal(await page.getByText(LoginID).count(), 0);
  await closeConsole(page);
});

test('A form says that the session has ended, and what was typed is saved after signing in again', async () => {
  const password = 'a password';
  const LoginID = await acme.user({ IsAdmin: true, Password: hashed(password) });
  const learner = await acme.user({ FirstName: 'Uma', LastName: 'Underhill' });
  const page = await openConsole(service, `/console?tenant=${acme.TenantID}`);
  await signIn(page, acme.TenantID, LoginID, password);
  await heading(page, 'Overview').waitFor();
  await page.goto(`${service.baseUrl}/console/users/${learner}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'First name' }).fill('Una');
  await page.context().clearCookies();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('You are signed out').waitFor();
  await expectAccessible(page);
  const opening = page.waitForEvent('popup');
  await dialog.getByRole('link', { name: 'Sign in in a new tab' }).click();
  const other = await opening;
  await other.getByRole('button', { name: 'Sign in' }).waitFor();
  await signIn(other, acme.TenantID, LoginID, password);
  await heading(other, 'Overview').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'Una Underhill').waitFor();
  for (const one of [other, page]) await closeConsole(one);
});

test('The operator signs in with a link that works once, and using it again shows a message', async () => {
  const { SignInURL } = await createOperatorLink(service.ctx);
  const page = await openConsole(service);
  await page.getByText('Are you the operator of this service?').waitFor();
  await page.goto(SignInURL);
  await heading(page, 'Sign in').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, 'Overview').waitFor();
  await page.getByRole('link', { name: 'Tenants and keys' }).waitFor();

  const later = await openConsole(service);
  await later.goto(SignInURL);
  await heading(later, 'This link no longer works').waitFor();
  await later.getByText('Get a new link').waitFor();
  assert.equal(await later.getByRole('button').count(), 0);
  await expectAccessible(later);
  await later.goto(`${service.baseUrl}/console`);
  await heading(later, 'Sign in').waitFor();
  await closeConsole(later);
  await closeConsole(page);
});

test('An administrator signs in once with a link from their own system', async () => {
  const LoginID = await acme.user({ IsAdmin: true, FirstName: 'Ada' });
  const { body } = await acme.api('POST', `/user/session/${LoginID}`);
  const page = await openConsole(service);
  await page.goto(body.SignInURL);
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, 'Overview').waitFor();
  await page.locator('header').getByRole('button', { name: 'Ada' }).waitFor();
  await page.goto(body.SignInURL);
  await heading(page, 'This link no longer works').waitFor();
  await page.goto(`${service.baseUrl}/console/tenants/${acme.TenantID}`);
  await page.getByText('You don’t have access to this page').waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

test('The console has three languages and a choice of themes', async () => {
  const page = await openConsole(service);
  await heading(page, 'Sign in').waitFor();
  await expectAccessible(page);
  const appearance = (name: string) => page.getByRole('button', { name }).click();
  const item = (name: string) => page.getByRole('menuitemradio', { name, exact: true });
  await appearance('Appearance and language');
  await item('Deutsch').click();
  await heading(page, 'Anmelden').waitFor();
  await page.locator('html[lang=de]').waitFor();
  await appearance('Darstellung und Sprache');
  await item('Français').click();
  await heading(page, 'Connexion').waitFor();
  await appearance('Apparence et langue');
  assert.equal(await item('Français').getAttribute('aria-checked'), 'true');
  await item('Sombre').click();
  const isDark = () =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor === 'rgb(20, 21, 24)');
  await until('the page is dark', isDark);
  await page.reload();
  await heading(page, 'Connexion').waitFor();
  await page.locator('html[lang=fr]').waitFor();
  await until('language and colours are remembered', isDark);
  await expectAccessible(page);
  await closeConsole(page);
});

test('After failed password guesses, the page shows when to retry', async () => {
  const page = await openConsole(service);
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

test('A learner sees their courses, starts one, and returns to the console', async () => {
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
  const ended = page.getByRole('region', { name: 'No longer available' });
  await ended.getByText('Your enrolment was withdrawn.').waitFor();
  await page.getByRole('link', { name: 'Start' }).click();
  await press(page, 'next');
  await page.click('#exit-button');
  await heading(page, 'My courses').waitFor();
  await page.getByRole('link', { name: 'Continue' }).click();
  await untilMatching(
    () => page.locator('#stage iframe').count(),
    (count) => count === 1,
  );
  await page.goBack();
  await heading(page, 'My courses').waitFor();
  await expectAccessible(page);
  const { Items } = (await acme.api('GET', `/enrolment/${LoginID}`)).body;
  const { EnrollID } = Items.find(({ CourseID }: { CourseID: string }) => CourseID === 'phishing');
  const override = { Override: { Success: 'passed', Score: 90, Reason: 'Seen' } };
  expectStatus(await acme.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, override), 200);
  await page.goto(`${service.baseUrl}/console?left=${EnrollID}`);
  await page
    .getByRole('status')
    .getByText(/^You passed /)
    .waitFor();
  await page.getByText('Nothing else is open.').waitFor();
  await expectAccessible(page);
  for (const path of ['users', 'courses', 'enrolments', 'events', 'tenants']) {
    await page.goto(`${service.baseUrl}/console/${path}`);
    await page.getByText('You don’t have access to this page').waitFor();
  }
  await expectAccessible(page);
  await closeConsole(page);
});

test("Signing out everywhere also ends the user's other sessions", async () => {
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
