import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { movableClock } from '../../server/test/support/clock.ts';
import { closeConsole, consoleOf, newConsolePage } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let service: TestService;
let acme: TestTenant;

const phone = { width: 390, height: 844 };
const clock = movableClock();
/** The password that people type, and its hash. The console uses the tenant's hash function. */
const password = 'correct horse';
const passwordHash = '4104d36f8da2c254349f85836793ebe029e0c957063a34c91c2e9203187b5631';

before(async () => {
  service = await startService({ now: clock.now });
  acme = await newTenant(service, { Name: 'Acme Ltd', PasswordHash: 'sha256-hex' });
  for (const [id, Title, Duration] of [
    ['ladders', 'Working on ladders', 'P30D'],
    ['phishing', 'Spot the phish', null],
  ] as const) {
    await service.api('PUT', `/course/${id}`, { Title, URL: 'https://web.example/' });
    expectStatus(await service.api('PUT', `/course/${id}/option/standard`, { Duration }), 201);
  }
});

after(() => service?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const field = (page: Page) => page.getByRole('textbox', { name: 'Enrolment key' });
const courses = (page: Page) =>
  page.getByRole('list', { name: /^This key gives you access to/ }).getByRole('listitem');
const confirm = (page: Page) => page.getByRole('button', { name: 'Redeem key' });

async function newKey(CourseIDs: string[], fields: object = {}): Promise<{ Key: string; KeyID: string }> {
  const DurationIDs = CourseIDs.map(() => 'standard');
  const reply = await acme.api('POST', '/enrolment/key', { CourseIDs, DurationIDs, ...fields });
  expectStatus(reply, 201);
  return reply.body.Items[0];
}

const newLearner = (fields: object = {}) => acme.user({ FirstName: 'Ann', LastName: 'Lee', ...fields });
const coursesOf = async (LoginID: string) => (await acme.api('GET', `/enrolment/${LoginID}`)).body.Items;

async function enter(page: Page, key: string): Promise<void> {
  await field(page).fill(key);
  await field(page).press('Enter');
}

test('A learner opens an emailed link, signs in, redeems the key using only the keyboard, and can start the course', async () => {
  const LoginID = await newLearner({ Password: passwordHash });
  const { Key } = await newKey(['ladders', 'phishing']);
  const page = await newConsolePage(phone);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.headers().referer ?? ''}`));
  await page.goto(`${service.baseUrl}/console/redeem?tenant=${acme.TenantID}#${Key.replaceAll('-', '%20')}`);
  await page.getByText('Sign in to redeem your enrolment key').waitFor();
  await expectAccessible(page);
  // The skip link must not replace the key in the URL.
  await page.locator('.skip').focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
  await page.getByLabel('Login name').focus();
  await page.keyboard.type(LoginID);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');

  const gives = page.getByRole('heading', { name: 'This key gives you access to 2 courses' });
  await gives.waitFor();
  assert.equal(await gives.evaluate((one) => one === document.activeElement), true);
  assert.deepEqual(
    sent.filter((one) => one.includes(Key.slice(0, 5)) && !one.includes('/enrol/key/')),
    [],
  );
  await courses(page)
    .filter({ hasText: 'Working on ladders' })
    .getByText(/^30 days, until /)
    .waitFor();
  await courses(page).filter({ hasText: 'Spot the phish' }).getByText('No time limit').waitFor();
  await page.getByText(`Ann Lee (${LoginID})`, { exact: true }).waitFor();
  await expectAccessible(page);
  assert.deepEqual(await coursesOf(LoginID), []);
  await page.reload();
  await gives.waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Redeem key');
  await page.keyboard.press('Enter');

  await heading(page, 'My courses').waitFor();
  await page.getByText('Key redeemed. Your 2 courses are ready.').waitFor();
  const card = page.getByRole('article', { name: 'Working on ladders' });
  const start = await card.getByRole('link', { name: 'Start' }).getAttribute('href');
  assert.match(start ?? '', /\/launch\?/);
  assert.equal((await coursesOf(LoginID)).length, 2);
  assert.ok(!page.url().includes('#'), page.url());

  await page.goto(`${service.baseUrl}/console/redeem#${Key}`);
  await heading(page, 'You have already redeemed this key').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Go to My courses' }).click();
  await heading(page, 'My courses').waitFor();
  await closeConsole(page);
});

test('A key is accepted as people type it, from a link in My courses', async () => {
  const LoginID = await newLearner();
  const { Key } = await newKey(['ladders']);
  const page = await consoleOf(service, { tenant: acme, LoginID });
  await page.getByRole('link', { name: 'Redeem a key' }).click();
  await heading(page, 'Redeem a key').waitFor();
  await expectAccessible(page);
  await field(page).press('Enter');
  await page.getByText('Enter your key.').waitFor();
  await expectAccessible(page);
  await enter(
    page,
    ` “${Key.toLowerCase().replaceAll('-', ' – ').replaceAll('1', 'l').replaceAll('0', 'o')}”. `,
  );
  await courses(page).filter({ hasText: 'Working on ladders' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use another key' }).click();
  await field(page).waitFor();
  assert.equal(await field(page).inputValue(), '');
  assert.equal(await field(page).evaluate((one) => one === document.activeElement), true);
  await enter(page, Key);
  await confirm(page).click();
  await page.getByText('Key redeemed. Your course is ready.').waitFor();
  await page
    .getByRole('article', { name: 'Working on ladders' })
    .getByRole('link', { name: 'Start' })
    .waitFor();
  await closeConsole(page);
});

test('Each reason why a key cannot be redeemed is announced in plain words, and the field has the focus', async () => {
  const LoginID = await newLearner({ GroupName: 'Sales' });
  const other = await newLearner();
  const page = await consoleOf(service, { tenant: acme, LoginID }, '/console/redeem');
  const isRefused = async (key: string, title: string) => {
    await enter(page, key);
    await page.getByRole('alert').getByText(title, { exact: true }).waitFor();
    assert.equal(await field(page).evaluate((one) => one === document.activeElement), true, title);
    assert.equal(await field(page).getAttribute('aria-invalid'), 'true', title);
  };
  const { Key } = await newKey(['ladders']);
  await isRefused(Key.slice(1), 'The key contains a typo');
  await expectAccessible(page);
  const inDays = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString();
  await isRefused((await newKey(['ladders'], { LoginID: other })).Key, 'This key is for another person');
  await isRefused((await newKey(['ladders'], { Group: 'Support' })).Key, 'This key is for another group');
  const later = await newKey(['ladders'], { ValidFrom: inDays(3) });
  await isRefused(later.Key, 'This key is not valid yet');
  await page
    .getByRole('alert')
    .getByText(/^You can redeem it from .+\.$/)
    .waitFor();
  const used = await newKey(['ladders']);
  expectStatus(await acme.api('POST', `/enrol/key/${other}/${used.Key}`), 201);
  await isRefused(used.Key, 'This key has already been used');
  const revoked = await newKey(['ladders']);
  expectStatus(await acme.api('DELETE', `/enrolment/key/${revoked.KeyID}`), 200);
  await isRefused(revoked.Key, 'This key is no longer valid');
  const expiring = await newKey(['ladders'], { ValidUntil: inDays(0.01) });
  clock.advance({ minutes: 20 });
  await isRefused(expiring.Key, 'This key has expired');
  const gone = await newKey(['ladders', 'phishing']);
  await service.api('PUT', '/course/phishing', { Status: 'retired' });
  await isRefused(gone.Key, 'One of this key’s courses is no longer available');
  await service.api('PUT', '/course/phishing', { Status: 'published' });
  const full = await newKey(['phishing']);
  await service.api('PUT', '/course/phishing/option/standard', { Seats: 0 });
  await isRefused(full.Key, 'All places are taken');
  await service.api('PUT', '/course/phishing/option/standard', { Seats: null });
  expectStatus(await acme.api('POST', `/enrol/${LoginID}/phishing`), 201);
  await isRefused((await newKey(['phishing'])).Key, 'You already have access to all of this key’s courses');
  await expectAccessible(page);
  assert.equal((await coursesOf(LoginID)).length, 1);
  await closeConsole(page);
});

test('A learner who already has the course sees and confirms the extension', async () => {
  const LoginID = await newLearner();
  const made = await acme.api('POST', `/enrol/${LoginID}/ladders`);
  const { Key } = await newKey(['ladders']);
  const page = await consoleOf(service, { tenant: acme, LoginID }, `/console/redeem#${Key}`);
  await courses(page)
    .getByText(/^You already have this course\. Your access is extended until /)
    .waitFor();
  await confirm(page).click();
  await heading(page, 'My courses').waitFor();
  const [extended] = await coursesOf(LoginID);
  assert.equal(extended.EnrollID, made.body.EnrollID);
  assert.equal(Date.parse(extended.ExpiresAt) - Date.parse(made.body.ExpiresAt), 30 * 86_400_000);
  await closeConsole(page);
});

test('The page says so if an expired enrolment can be continued, or if nothing changes', async () => {
  const LoginID = await newLearner();
  const { EnrollID } = (await acme.api('POST', `/enrol/${LoginID}/ladders`)).body;
  const ExpiresAt = new Date(clock.now().getTime() - 1000).toISOString();
  expectStatus(await acme.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { ExpiresAt }), 200);
  expectStatus(await acme.api('POST', `/enrol/${LoginID}/phishing`), 201);
  const { Key } = await newKey(['ladders', 'phishing']);
  const page = await consoleOf(service, { tenant: acme, LoginID }, `/console/redeem#${Key}`);
  await courses(page)
    .getByText(/^You had this course before\. You can continue it until /)
    .waitFor();
  await courses(page).getByText('You already have this course. Nothing changes.').waitFor();
  await confirm(page).click();
  await page
    .getByRole('article', { name: 'Working on ladders' })
    .getByRole('link', { name: 'Start' })
    .waitFor();
  assert.equal((await coursesOf(LoginID)).length, 2);
  await closeConsole(page);
});

test('After ten unknown keys the page says when the learner can try again', async () => {
  const LoginID = await newLearner();
  const other = await newTenant(service);
  const keys = await other.api('POST', '/enrolment/key', {
    CourseIDs: ['ladders'],
    DurationIDs: ['standard'],
    Quantity: 11,
  });
  const page = await consoleOf(service, { tenant: acme, LoginID }, '/console/redeem');
  const unknown: string[] = keys.body.Items.map(({ Key }: { Key: string }) => Key);
  for (const key of unknown.slice(0, 10)) {
    await enter(page, key);
    await page.getByRole('button', { name: 'Continue', disabled: false }).waitFor();
    await page.getByRole('alert').getByText('There is no such key').waitFor();
    await page.getByText('Check that the key is for Acme Ltd').waitFor();
  }
  await enter(page, unknown[10] ?? '');
  await page.getByRole('alert').getByText('Too many unknown keys').waitFor();
  await page.getByText(/^You can try again at .+\. Until then/).waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

test('The key is kept when a session has ended, and administrators see that the page is for learners', async () => {
  const LoginID = await newLearner({ Password: passwordHash });
  const { Key } = await newKey(['ladders']);
  const page = await consoleOf(service, { tenant: acme, LoginID }, `/console/redeem#${Key}`);
  await confirm(page).waitFor();
  await page.context().clearCookies();
  await confirm(page).click();
  await heading(page, 'Sign in').waitFor();
  await page.getByLabel('Organisation').fill('acme ltd');
  await page.getByLabel('Login name').fill(LoginID);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await courses(page).filter({ hasText: 'Working on ladders' }).waitFor();
  assert.deepEqual(await coursesOf(LoginID), []);
  await closeConsole(page);
  const administrator = { tenant: acme, LoginID: await acme.user({ IsAdmin: true }) };
  const console = await consoleOf(service, administrator, `/console/redeem#${Key}`);
  await heading(console, 'Only learners can redeem keys').waitFor();
  await expectAccessible(console);
  await closeConsole(console);
});
