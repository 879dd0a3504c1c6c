import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findings, settled } from '../../server/test/support/axe.ts';
import { contentOf, newContext, openPage, screenOf } from '../../server/test/support/browser.ts';
import {
  type ConsoleUser,
  closeConsole,
  consoleOf,
  newConsolePage,
} from '../../server/test/support/console.ts';
import { type CrowdedConsole, startCrowdedConsole } from './crowded-console.ts';

// Opens every page of the console, the player and the guide: axe finds nothing in light and dark, nothing scrolls
// sideways on a phone, which shows the first row of a list, and lists show at least 14 rows on a small laptop.

const root = join(import.meta.dirname, '../..');
const laptop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
const minRows = 14;

let crowded: CrowdedConsole;

before(async () => {
  crowded = await startCrowdedConsole();
});

after(() => crowded?.close());

/** The addresses at which each path of the router is opened. The page is loaded again for all but the first. */
const addresses = ({ learner, enrolment, webhookId, tenant }: CrowdedConsole): Record<string, string[]> => ({
  '/console': ['/console'],
  '/console/courses': ['/console/courses'],
  '/console/courses/$courseId': ['options', 'content', 'releases', 'details'].map(
    (part) => `/console/courses/fire-safety?part=${part}`,
  ),
  '/console/users': ['/console/users'],
  '/console/users/$loginId': [`/console/users/${learner}`],
  '/console/users/$loginId/record': [`/console/users/${learner}/record`],
  '/console/enrolments': ['/console/enrolments'],
  '/console/enrolments/$loginId/$enrollId': [`/console/enrolments/${enrolment}`],
  '/console/requirements': ['/console/requirements'],
  '/console/requirements/people': ['/console/requirements/people'],
  '/console/requirements/edit': ['/console/requirements/edit', '/console/requirements/edit?id=rule-10'],
  '/console/reports': ['/console/reports', '/console/reports?by=course_and_group'],
  '/console/reports/access': ['/console/reports/access', '/console/reports/access?by=course_and_group'],
  '/console/reports/compliance': ['requirement', 'person'].map(
    (by) => `/console/reports/compliance?by=${by}`,
  ),
  '/console/certificates': ['/console/certificates'],
  '/console/reports/activity': ['/console/reports/activity'],
  '/console/reports/completed': ['/console/reports/completed'],
  '/console/reports/schedules': ['/console/reports/schedules'],
  '/console/holds': ['/console/holds'],
  '/console/keys': ['/console/keys'],
  '/console/redeem': ['/console/redeem'],
  '/console/team': ['/console/team'],
  '/console/team/$loginId': [`/console/team/${learner}`],
  '/console/api-keys': ['/console/api-keys'],
  '/console/connections': ['/console/connections'],
  '/console/branding': ['/console/branding'],
  '/console/settings': ['/console/settings'],
  '/console/enrol': ['people', 'group', 'file'].map((from) => `/console/enrol?from=${from}`),
  '/console/events': ['/console/events'],
  '/console/statements': ['/console/statements'],
  '/console/audit': ['/console/audit'],
  '/console/tenants': ['/console/tenants'],
  '/console/webhooks': ['/console/webhooks'],
  '/console/webhooks/$webhookId': [`/console/webhooks/${webhookId}`],
  '/console/tenants/$tenantId': [`/console/tenants/${tenant.TenantID}`],
  '/console/invitations': ['/console/invitations'],
  '/console/invitations/mails': ['/console/invitations/mails'],
  '/console/security': ['/console/security'],
  '/console/single-sign-on': ['/console/single-sign-on'],
  '/docs': ['/docs'],
});

/** Pages for people who are not signed in, which the console shows without its menu. */
const linkPages = ['/console/invitation', '/console/forgot', '/console/reset'];

/** Opens only a dialog, for learners. */
const dialogs = ['/console/password'];

/** Lists that are the main content of their page. */
const lists = [
  ...['api-keys', 'audit', 'courses', 'enrolments', 'events', 'invitations', 'invitations/mails', 'keys'],
  ...['reports', 'reports?by=course_and_group', 'reports/access', 'reports/access?by=course_and_group'],
  ...[
    'reports/compliance?by=requirement',
    'reports/schedules',
    'requirements',
    'requirements/people',
    'statements',
    'users',
    'webhooks',
  ],
];

function pathsInRouter(): string[] {
  const source = readFileSync(join(root, 'console/router.tsx'), 'utf8');
  return [...source.matchAll(/\b(?:first|at)\(\s*'([^']+)'/g)].map(([, path = '']) => path);
}

async function loaded(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.mantine-Skeleton-root, .mantine-Loader-root, [aria-busy=true]')].every(
      (waiting) => !waiting.checkVisibility(),
    ),
  );
}

/** Opens another page of the console without loading the console again. */
async function go(page: Page, address: string): Promise<void> {
  await page.evaluate((address) => {
    document.querySelector('h1')?.setAttribute('data-previous', '');
    history.pushState({}, '', address);
  }, address);
  await page.locator('h1:not([data-previous])').first().waitFor();
}

/** What is wrong with the open page. */
async function problemsOf(page: Page, name: string, isList = false): Promise<string[]> {
  await settled(page);
  const inLight = await findings(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await settled(page);
  const inDark = await findings(page, { coloursOnly: true });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(phone);
  await settled(page);
  const [wanted, found, list, row] = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const row = document.querySelector('.list [data-one-line] tbody tr');
    const list = row?.closest('.list');
    const isWide = list && list.scrollWidth > list.clientWidth;
    return [clientWidth, scrollWidth, isWide, row?.getBoundingClientRect().bottom ?? 0] as const;
  });
  await page.setViewportSize(laptop);
  return [
    ...inLight.map((finding) => `${name}: ${finding}`),
    ...inDark.map((finding) => `${name}, dark: ${finding}`),
    ...(found > wanted ? [`${name}: ${found} px wide on a phone`] : []),
    ...(list ? [`${name}: the list is wider than a phone`] : []),
    ...(isList && row > phone.height ? [`${name}: the first row is below the screen of a phone`] : []),
  ];
}

/** How many rows of the page's list are on the screen; null if the page has no list. */
function rowsOf(page: Page): Promise<number | null> {
  return page.evaluate(() => {
    const rows = [...document.querySelectorAll('.list [data-one-line] tbody tr')];
    if (rows.length === 0) return null;
    return rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length;
  });
}

/** Opens all pages for this user. Checks them, and returns the rows on the screen for each list. */
async function visit(who: ConsoleUser, tenant: string | null): Promise<Record<string, number>> {
  const page = await consoleOf(crowded.service, who);
  const problems: string[] = [];
  const rows: Record<string, number> = {};
  for (const [path, all] of Object.entries(addresses(crowded)))
    for (const [at, address] of all.entries()) {
      const url = new URL(address, crowded.service.baseUrl);
      if (tenant) url.searchParams.set('tenant', tenant);
      if (at === 0 && path !== '/console') await go(page, url.href);
      else await page.goto(url.href);
      await loaded(page);
      const shown = await rowsOf(page);
      if (shown !== null && !path.includes('$')) rows[address.replace('/console/', '')] = shown;
      if (process.env.LOOK) await page.screenshot({ path: `${process.env.LOOK}/${nameOf(who, url)}.png` });
      problems.push(...(await problemsOf(page, nameOf(who, url), !path.includes('$'))));
    }
  assert.deepEqual(problems, []);
  await closeConsole(page);
  return rows;
}

const nameOf = (who: ConsoleUser, { pathname, search }: URL) =>
  `${who === 'operator' ? 'operator' : 'administrator'} ${pathname}${search}`.replaceAll('/', '-');

const tooShort = (rows: Record<string, number>) =>
  Object.entries(rows).filter(([, shown]) => shown < minRows);

test('All paths of the console are listed here', () => {
  const listed = [...Object.keys(addresses(crowded)), ...linkPages, ...dialogs];
  assert.deepEqual(listed.sort(), pathsInRouter().sort());
});

test('All pages are accessible and fit a phone, and lists show at least 14 rows, for an administrator', async () => {
  const rows = await visit({ tenant: crowded.tenant, LoginID: crowded.administrator }, null);
  assert.deepEqual(Object.keys(rows).sort(), lists.toSorted());
  assert.deepEqual(tooShort(rows), []);
});

test('All pages are accessible and fit a phone, and lists show at least 14 rows, for the operator', async () => {
  const rows = await visit('operator', crowded.tenant.TenantID);
  assert.deepEqual(Object.keys(rows).sort(), [...lists, 'tenants'].toSorted());
  assert.deepEqual(tooShort(rows), []);
  const page = await consoleOf(crowded.service, 'operator');
  const problems: string[] = [];
  for (const path of ['', '/users', '/audit']) {
    await page.goto(`${crowded.service.baseUrl}/console${path}`);
    await loaded(page);
    const shown = await rowsOf(page);
    assert.ok(shown === null || shown >= minRows, `${path}: ${shown} rows`);
    problems.push(...(await problemsOf(page, `operator without a tenant, ${path}`)));
  }
  assert.deepEqual(problems, []);
  await closeConsole(page);
});

test('The pages for learners are accessible and fit a phone', async () => {
  const { service, tenant, learner, invitationUrl, resetUrl, key } = crowded;
  const problems: string[] = [];
  const anonymous = await newConsolePage();
  for (const url of [
    `${service.baseUrl}/console`,
    `${service.baseUrl}/console?tenant=${tenant.TenantID}`,
    `${service.baseUrl}/console/redeem#${key}`,
    `${service.baseUrl}/console/forgot`,
    invitationUrl,
    `${service.baseUrl}/console/invitation#wrong`,
    resetUrl,
    `${service.baseUrl}/console/reset#wrong`,
    `${service.baseUrl}/docs`,
  ]) {
    await anonymous.goto('about:blank');
    await anonymous.goto(url);
    await loaded(anonymous);
    problems.push(...(await problemsOf(anonymous, new URL(url).pathname)));
  }
  await closeConsole(anonymous);
  const page = await consoleOf(service, { tenant, LoginID: learner });
  for (const path of ['', `/redeem#${key}`, '/team', '/security', '/users', '/nowhere']) {
    await page.goto('about:blank');
    await page.goto(`${service.baseUrl}/console${path}`);
    await loaded(page);
    problems.push(...(await problemsOf(page, `learner ${path.split('#')[0]}`)));
  }
  await closeConsole(page);
  assert.deepEqual(problems, []);
});

test('The player and its messages are accessible and fit a phone', async () => {
  const { service, launchUrl, withdrawnUrl } = crowded;
  const preview = await service.api('POST', '/course/fire-safety/preview');
  const problems: string[] = [];
  const page = await openPage(await newContext());
  for (const [name, url] of [
    ['player', launchUrl],
    ['preview', preview.body.PreviewURL],
  ]) {
    await page.goto(url);
    await contentOf(page).locator('[data-screen]:not([hidden])').waitFor();
    assert.ok(await screenOf(page));
    problems.push(...(await problemsOf(page, name)));
    await page.click('#exit-button');
    await page.getByText('You can close this window').waitFor();
    problems.push(...(await problemsOf(page, `${name}, ended`)));
  }
  await page.goto(withdrawnUrl);
  await page.locator('h1').waitFor();
  problems.push(...(await problemsOf(page, 'withdrawn')));
  await page.context().close();
  assert.deepEqual(problems, []);
});

test('All chapters of the guide are accessible and fit a phone', async () => {
  const files = readdirSync(join(root, 'docs/guide'), { recursive: true, encoding: 'utf8' });
  const chapters = files.filter((file) => file.endsWith('.md')).map((file) => file.replace(/\.md$/, ''));
  assert.ok(chapters.length > 20);
  const problems: string[] = [];
  const page = await newConsolePage();
  for (const chapter of chapters) {
    const name = chapter === 'index' ? '' : `/${chapter}`;
    await page.goto(`${crowded.service.baseUrl}/docs/guide${name}`);
    await page.locator('h1').waitFor();
    problems.push(...(await problemsOf(page, `guide${name}`)));
  }
  await closeConsole(page);
  assert.deepEqual(problems, []);
});
