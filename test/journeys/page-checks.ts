import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findings, settled } from '../../server/test/support/axe.ts';
import { type ConsoleUser, closeConsole, consoleOf } from '../../server/test/support/console.ts';
import type { CrowdedConsole } from './crowded-console.ts';

const laptop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
export const minRows = 14;

/** The addresses at which each path of the router is opened. The page is loaded again for all but the first. */
export const addresses = ({
  learner,
  enrolment,
  webhookId,
  tenant,
}: CrowdedConsole): Record<string, string[]> => ({
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

/** Lists that are the main content of their page. The list of requirements wraps its texts instead. */
export const lists = [
  ...['api-keys', 'audit', 'courses', 'enrolments', 'events', 'invitations', 'invitations/mails', 'keys'],
  ...['reports', 'reports?by=course_and_group', 'reports/access', 'reports/access?by=course_and_group'],
  ...[
    'reports/compliance?by=requirement',
    'reports/schedules',
    'requirements/people',
    'statements',
    'users',
    'webhooks',
  ],
];

export async function loaded(page: Page): Promise<void> {
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
export async function problemsOf(page: Page, name: string, isList = false): Promise<string[]> {
  await settled(page);
  const inLight = await findings(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await settled(page);
  const inDark = await findings(page, { coloursOnly: true });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(phone);
  await settled(page);
  const [wanted, found, list, row, cut] = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const row = document.querySelector('.list [data-one-line] tbody tr');
    const list = row?.closest('.list');
    const isWide = list && list.scrollWidth > list.clientWidth;
    const cut = [
      ...document.querySelectorAll<HTMLElement>('.mantine-Button-root, .mantine-Button-label, .badge'),
    ]
      .filter((one) => one.checkVisibility() && one.clientWidth !== 1)
      .filter((one) => one.scrollWidth > one.clientWidth || one.getClientRects().length > 1)
      .map(({ innerText }) => innerText);
    return [clientWidth, scrollWidth, isWide, row?.getBoundingClientRect().bottom ?? 0, cut] as const;
  });
  await page.setViewportSize(laptop);
  return [
    ...inLight.map((finding) => `${name}: ${finding}`),
    ...inDark.map((finding) => `${name}, dark: ${finding}`),
    ...(found > wanted ? [`${name}: ${found} px wide on a phone`] : []),
    ...cut.map((text) => `${name}: “${text}” is cut off or broken on a phone`),
    ...(list ? [`${name}: the list is wider than a phone`] : []),
    ...(isList && row > phone.height ? [`${name}: the first row is below the screen of a phone`] : []),
  ];
}

/** How many rows of the page's list are on the screen; null if the page has no list. */
export function rowsOf(page: Page): Promise<number | null> {
  return page.evaluate(() => {
    const rows = [...document.querySelectorAll('.list [data-one-line] tbody tr')];
    if (rows.length === 0) return null;
    return rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length;
  });
}

/** Opens all or some pages for this user. Checks them, and returns the rows on the screen for each list. */
export async function visit(
  crowded: CrowdedConsole,
  who: ConsoleUser,
  tenant: string | null,
  { locale = 'en-US', of = () => true }: { locale?: string; of?: (path: string) => boolean } = {},
): Promise<Record<string, number>> {
  const page = await consoleOf(crowded.service, who, '/console', { locale });
  const problems: string[] = [];
  const rows: Record<string, number> = {};
  for (const [path, all] of Object.entries(addresses(crowded)).filter(([path]) => of(path)))
    for (const [at, address] of all.entries()) {
      const url = new URL(address, crowded.service.baseUrl);
      if (tenant) url.searchParams.set('tenant', tenant);
      if (at === 0 && path !== '/console') await go(page, url.href);
      else await page.goto(url.href);
      await loaded(page);
      const name = address.replace('/console/', '');
      if (lists.includes(name) || (who === 'operator' && name === 'tenants'))
        await page.locator('.list [data-one-line] tbody tr').first().waitFor();
      const shown = await rowsOf(page);
      if (shown !== null && !path.includes('$')) rows[name] = shown;
      if (process.env.LOOK) await page.screenshot({ path: `${process.env.LOOK}/${nameOf(who, url)}.png` });
      problems.push(...(await problemsOf(page, nameOf(who, url), !path.includes('$'))));
    }
  assert.deepEqual(problems, []);
  await closeConsole(page);
  return rows;
}

const nameOf = (who: ConsoleUser, { pathname, search }: URL) =>
  `${who === 'operator' ? 'operator' : 'administrator'} ${pathname}${search}`.replaceAll('/', '-');

export const tooShort = (rows: Record<string, number>, least = minRows) =>
  Object.entries(rows).filter(([, shown]) => shown < least);
