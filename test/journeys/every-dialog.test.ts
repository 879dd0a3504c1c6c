import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { findings, settled } from '../../server/test/support/axe.ts';
import { type ConsoleUser, closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { type CrowdedConsole, startCrowdedConsole } from './crowded-console.ts';

// Presses every button of the console that opens a dialog, a drawer, a menu or a list of choices, once, with the
// languages spread over the pages. axe inspects what opens, in light and dark, and nothing is wider than a phone. The
// service receives no changes.

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };
const locales = ['de-DE', 'fr-FR', 'en-US'] as const;

let crowded: CrowdedConsole;

before(async () => {
  crowded = await startCrowdedConsole();
});

after(() => crowded?.close());

const pages = ({ learner, enrolment, webhookId }: CrowdedConsole) => [
  ...['', '/courses', '/courses/fire-safety?part=options', '/courses/fire-safety?part=content'],
  ...[
    '/courses/fire-safety?part=releases',
    '/courses/fire-safety?part=details',
    '/users',
    `/users/${learner}`,
  ],
  ...['/enrolments', `/enrolments/${enrolment}`, '/enrol', '/requirements', '/requirements/people'],
  ...['/requirements/edit?id=rule-10', '/reports', '/reports/compliance', '/reports/activity'],
  ...[
    '/reports/schedules',
    '/certificates',
    '/holds',
    '/keys',
    `/team/${learner}`,
    '/api-keys',
    '/connections',
  ],
  ...['/branding', '/settings', '/events', '/statements', '/audit', '/webhooks', `/webhooks/${webhookId}`],
  ...['/invitations', '/invitations/mails', '/security', '/single-sign-on'],
];

const opened = '[role=dialog], [role=menu], [role=listbox]';
const openers = 'main button, main [role=combobox], main input[aria-haspopup]';
const visible = (page: Page) => page.locator(opened).filter({ visible: true });

/** What the button opens, if it opens anything. */
async function open(page: Page, button: Locator): Promise<Locator | null> {
  await button.click({ timeout: 2_000 }).catch(() => {});
  const found = visible(page).last();
  await found.waitFor({ timeout: 400 }).catch(() => {});
  return (await found.count()) > 0 ? found : null;
}

async function problemsOf(page: Page, name: string): Promise<string[]> {
  await settled(page);
  const isCovered = (await page.locator('[role=dialog]').filter({ visible: true }).count()) > 0;
  // A menu or a list of choices is at the end of the document, so that nothing cuts it off.
  const inLight = (await findings(page, { isCovered })).filter((one) => isCovered || !/^region:/.test(one));
  await page.emulateMedia({ colorScheme: 'dark' });
  await settled(page);
  const inDark = await findings(page, { isCovered, coloursOnly: true });
  await page.emulateMedia({ colorScheme: 'light' });
  // The button of a menu may be elsewhere on a phone.
  if (isCovered) await page.setViewportSize(phone);
  await settled(page);
  const wide = await page.evaluate(() => {
    const all = [document.documentElement, ...document.querySelectorAll('[role=dialog]')];
    return all.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
  });
  await page.setViewportSize(desktop);
  return [...inLight, ...inDark.map((one) => `dark: ${one}`), ...(wide ? ['wider than a phone'] : [])].map(
    (problem) => `${name}: ${problem}`,
  );
}

/** Closes everything that is open, from the keyboard. */
async function close(page: Page): Promise<boolean> {
  for (let n = 0; n < 3 && (await visible(page).count()) > 0; n++) {
    await page.keyboard.press('Escape');
    await page.waitForTimeout(250);
  }
  return (await visible(page).count()) === 0;
}

const pagesOfOperator = ({ tenant: { TenantID } }: CrowdedConsole) => [
  ...['', '/tenants', `/tenants/${TenantID}`, '/courses', '/courses/fire-safety?part=options'],
  ...['content', 'releases', 'details'].map((part) => `/courses/fire-safety?part=${part}`),
  ...['/api-keys', '/audit', `/users?tenant=${TenantID}`, `/settings?tenant=${TenantID}`],
];

const pagesOfLearner = ['', '/redeem', '/security', '/team'];

/** Opens everything on the pages. Returns what was opened. */
async function openAll(who: ConsoleUser, paths: readonly string[]): Promise<Set<string>> {
  const seen = new Set<string>();
  const problems: string[] = [];
  const consoles = [];
  for (const locale of locales) {
    const page = await consoleOf(crowded.service, who, '/console', { locale });
    await page.addInitScript(() => {
      window.print = () => {};
    });
    await page.route('**/*', (route) =>
      ['GET', 'HEAD'].includes(route.request().method()) ? route.fallback() : route.abort(),
    );
    consoles.push(page);
  }
  for (const [at, path] of paths.entries()) {
    const page = consoles[at % consoles.length] as Page;
    const url = `${crowded.service.baseUrl}/console${path}`;
    await page.goto(url);
    await page.locator('h1').first().waitFor();
    await settled(page);
    // The menus of the page's header are the same everywhere.
    const all = path === '' ? `${openers}, header button` : openers;
    const names = await page
      .locator(all)
      .filter({ visible: true })
      .evaluateAll((buttons) =>
        buttons.map(
          (one) =>
            one.getAttribute('aria-label') ||
            one.textContent ||
            ((one as HTMLInputElement).labels?.[0]?.textContent ?? one.id),
        ),
      );
    const pressed = new Set<string>();
    for (const [index, name] of names.entries()) {
      // Rows have the same buttons with other names.
      const kind = name.replace(/[:"“„«].*|\d+.*/u, '').trim();
      if (pressed.has(kind) || pressed.size > 12) continue;
      pressed.add(kind);
      const button = page.locator(all).filter({ visible: true }).nth(index);
      if (!(await button.isEnabled({ timeout: 500 }).catch(() => false))) continue;
      const found = await open(page, button);
      if (found) {
        const title = `${path}: ${kind}`;
        const heading =
          (await found
            .getByRole('heading')
            .first()
            .textContent({ timeout: 300 })
            .catch(() => null)) ?? title;
        if (!seen.has(heading)) {
          seen.add(heading);
          problems.push(...(await problemsOf(page, `${title} (${heading})`)));
        }
        if (!(await close(page))) problems.push(`${title}: Escape does not close it`);
      }
      if (page.url() !== url || !(await close(page))) await page.goto(url);
    }
  }
  for (const page of consoles) await closeConsole(page);
  assert.deepEqual(problems, []);
  return seen;
}

for (const [name, expected, paths, who] of [
  ['an administrator', 40, pages, ({ tenant, administrator }) => ({ tenant, LoginID: administrator })],
  ['the operator', 10, pagesOfOperator, () => 'operator'],
  ['a learner', 0, () => pagesOfLearner, ({ tenant, learner }) => ({ tenant, LoginID: learner })],
] satisfies [
  string,
  number,
  (crowded: CrowdedConsole) => string[],
  (crowded: CrowdedConsole) => ConsoleUser,
][])
  test(`All dialogs of ${name} are accessible and fit a phone, and close from the keyboard`, async () => {
    const seen = await openAll(who(crowded), paths(crowded));
    assert.ok(seen.size > expected, `only ${seen.size} dialogs and menus: ${[...seen].join(' · ')}`);
  });
