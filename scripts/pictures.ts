/**
 * Takes the console screenshots in docs/images/console: `node scripts/run.js pictures`. To take only some of them, name
 * them: `node scripts/run.js pictures users home`.
 */
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { settled } from '../server/test/support/axe.ts';
import {
  closeBrowser,
  contentOf,
  newContext,
  openPage,
  press,
  waitForState,
} from '../server/test/support/browser.ts';
import {
  type ConsoleUser,
  closeConsole,
  consoleOf,
  newConsolePage,
  openConsole,
} from '../server/test/support/console.ts';
import { fillForScreenshots } from '../server/test/support/showcase.ts';
import {
  addShowcasePasskeys,
  sendShowcaseMails,
  storeShowcaseStatements,
} from '../server/test/support/showcase-messages.ts';
import { startMailServer } from '../server/test/support/smtp.ts';
import { ensureBuilt } from './build.ts';

const folder = join(import.meta.dirname, '../docs/images/console');
const wanted = process.argv.slice(2);

await ensureBuilt(['console', 'guide', 'player']);
await mkdir(folder, { recursive: true });
const mailServer = await startMailServer();
const showcase = await fillForScreenshots({
  SMTP_URL: mailServer.url,
  MAIL_FROM: 'training@northwind.example',
});
const { service, tenant, administrator, learner, blocked, decided, webhookId, close } = showcase;
const { invitationUrl, resetUrl } = await sendShowcaseMails(showcase, mailServer);
await storeShowcaseStatements(showcase);
await addShowcasePasskeys(showcase);
const courses = { CourseIDs: ['phishing', 'fire-safety'], DurationIDs: ['30-days', '1-year'] };
const [issued] = (await tenant.api('POST', '/enrolment/key', courses)).body.Items;
const newcomer = 'E-2207';
await tenant.api('POST', '/user', { LoginID: newcomer, FirstName: 'Nora', LastName: 'Berg' });
const monthly = {
  Name: 'Completion for the board',
  Report: 'completion',
  By: 'group',
  Every: 'month',
  MonthDay: 1,
};
const weekly = {
  Name: 'Activity of the week',
  Report: 'activity',
  Days: 7,
  Every: 'week',
  Weekday: 'monday',
};
for (const schedule of [monthly, weekly]) {
  const times = { Time: '07:00', TimeZone: 'Europe/Berlin', Delivery: 'webhook' };
  const { status, body } = await tenant.api('POST', '/report/schedule', { ...schedule, ...times });
  if (status !== 201) throw new Error(JSON.stringify(body));
}
const admin: ConsoleUser = { tenant, LoginID: administrator };

const pathOf = (url: string) => url.slice(new URL(url).origin.length);

type Picture = {
  name: string;
  who: ConsoleUser | null;
  path: string;
  before?: (page: Page) => Promise<unknown>;
};

const text = (shown: string) => (page: Page) => page.getByText(shown).first().waitFor();

/** Lists the people to be imported, and those to be updated, if the plan is not yet open. */
async function planImport(page: Page): Promise<void> {
  const apply = page.getByRole('button', { name: /^Apply to/ });
  if (await apply.isVisible()) return;
  const file = `Personnel no.;First name;Last name;Department;E-mail
E-3001;Olu;Adeyemi;Warehouse;olu.adeyemi@northwind.example
E-3002;Pia;Sørensen;Office;pia.sorensen@northwind.example
E-3003;Rui;Costa;Warehouse;rui.costa@northwind.example
E-1041;Anna;Schmidt;Warehouse;anna.schmidt@northwind.example
;Sam;Nobody;Office;sam@northwind.example
E-3004;Tess;Vos;Office;not an address
`;
  const buffer = Buffer.from(file);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'new-staff.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await apply.waitFor();
}

async function planGroup(page: Page): Promise<void> {
  const apply = page.getByRole('button', { name: /^Apply to/ });
  if (await apply.isVisible()) return;
  await page.getByRole('combobox', { name: 'Courses' }).fill('fire');
  await page.getByRole('option', { name: 'Fire safety at work' }).click();
  await page.getByRole('radio', { name: /^One year/ }).click();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await apply.waitFor();
}

const pictures: Picture[] = [
  { name: 'sign-in', who: null, path: '/console' },
  { name: 'my-courses', who: { tenant, LoginID: learner }, path: '/console' },
  {
    name: 'redeem',
    who: { tenant, LoginID: newcomer },
    path: `/console/redeem#${issued.Key}`,
    before: text('This key gives you access'),
  },
  { name: 'overview', who: admin, path: '/console' },
  { name: 'users', who: admin, path: '/console/users' },
  { name: 'user', who: admin, path: `/console/users/${learner}` },
  { name: 'invitations', who: admin, path: '/console/invitations' },
  { name: 'emails', who: admin, path: '/console/invitations/mails' },
  { name: 'invitation', who: null, path: pathOf(invitationUrl), before: text('Welcome') },
  { name: 'password-reset', who: null, path: pathOf(resetUrl), before: text('Choose a new password') },
  { name: 'security', who: admin, path: '/console/security', before: text('Work laptop') },
  {
    name: 'search',
    who: admin,
    path: '/console/users',
    before: async (page) => {
      if (await page.getByRole('dialog').isHidden()) await page.keyboard.press('Control+K');
      await page.getByRole('dialog').getByRole('combobox').fill('an');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
  { name: 'enrolments', who: admin, path: '/console/enrolments' },
  {
    name: 'enrolment-blocked',
    who: admin,
    path: `/console/enrolments/${blocked}`,
    before: text('cannot start'),
  },
  { name: 'enrolment', who: admin, path: `/console/enrolments/${decided}`, before: text('can start') },
  { name: 'offered-courses', who: admin, path: '/console/courses' },
  { name: 'keys', who: admin, path: '/console/keys' },
  { name: 'bulk', who: admin, path: '/console/enrol' },
  { name: 'import-plan', who: admin, path: '/console/enrol?from=file', before: planImport },
  {
    name: 'group-plan',
    who: admin,
    path: '/console/enrol?group=Warehouse',
    before: planGroup,
  },
  { name: 'reports', who: admin, path: '/console/reports' },
  { name: 'access-report', who: admin, path: '/console/reports/access' },
  { name: 'activity', who: admin, path: '/console/reports/activity' },
  { name: 'scheduled-reports', who: admin, path: '/console/reports/schedules' },
  { name: 'events', who: admin, path: '/console/events' },
  { name: 'statements', who: admin, path: '/console/statements' },
  { name: 'api-keys', who: admin, path: '/console/api-keys' },
  { name: 'settings', who: admin, path: '/console/settings' },
  { name: 'audit', who: admin, path: '/console/audit' },
  { name: 'webhooks', who: admin, path: '/console/webhooks' },
  { name: 'webhook', who: admin, path: `/console/webhooks/${webhookId}` },
  { name: 'deployment', who: 'operator', path: '/console' },
  { name: 'courses', who: 'operator', path: '/console/courses' },
  { name: 'course', who: 'operator', path: '/console/courses/fire-safety' },
  { name: 'releases', who: 'operator', path: '/console/courses/phishing?part=releases' },
  { name: 'tenants', who: 'operator', path: '/console/tenants' },
  { name: 'audit-of-all', who: 'operator', path: '/console/audit' },
  { name: 'tenant', who: 'operator', path: `/console/tenants/${tenant.TenantID}` },
  { name: 'reference', who: 'operator', path: '/docs#enrol' },
];

/** Taken last, because the logo and the colour then appear on all pages of the tenant. */
const branded: Picture[] = [
  { name: 'branding', who: admin, path: '/console/branding' },
  { name: 'branded-sign-in', who: null, path: `/console?tenant=${tenant.TenantID}` },
  { name: 'branded-courses', who: { tenant, LoginID: learner }, path: '/console' },
];

const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="420" height="96">
  <path d="M12 84 48 12l36 72z" fill="#0f766e"/><path d="M40 84 60 44l20 40z" fill="#5eead4"/>
  <text x="104" y="63" font-family="Liberation Sans" font-weight="bold" font-size="44" fill="#134e4a">Northwind</text>
</svg>`;

async function setBranding(): Promise<void> {
  const page = await newConsolePage();
  await page.setContent(logo);
  const image = await page.locator('svg').screenshot({ omitBackground: true });
  const branding = { Colour: '#0f766e', Logo: image.toString('base64') };
  const { status, body } = await tenant.api('PUT', '/branding', branding);
  if (status !== 200) throw new Error(JSON.stringify(body));
  await closeConsole(page);
}

const looks = [
  { name: 'desktop', width: 1280, height: 860, colorScheme: 'light' },
  { name: 'desktop-dark', width: 1280, height: 860, colorScheme: 'dark' },
  { name: 'phone', width: 390, height: 844, colorScheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, colorScheme: 'dark' },
] as const;

async function take({ name, who, path, before }: Picture): Promise<void> {
  const page = who ? await consoleOf(service, who, path) : await openConsole(service, path);
  for (const look of looks) {
    await page.setViewportSize(look);
    await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' });
    // A dialog hides the page's heading.
    await page.getByRole('heading', { level: 1 }).or(page.getByRole('dialog')).first().waitFor();
    await page.waitForLoadState('networkidle');
    await before?.(page);
    await settled(page);
    const file = join(folder, `${name}-${look.name}.png`);
    await page.screenshot({ path: `${file}.part`, type: 'png' });
    await rename(`${file}.part`, file);
  }
  await closeConsole(page);
}

/** The player in the second lesson of a course, on a wide screen and on a phone. */
async function takePlayer(): Promise<void> {
  const screens = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 770 } };
  for (const [screen, size] of Object.entries(screens)) {
    const LoginID = await tenant.user({ FirstName: 'Nora', LastName: 'Berg' });
    const { body } = await tenant.api('POST', `/enrol/${LoginID}/fire-safety/1-year`);
    const page = await openPage(await newContext(size));
    await page.goto(body.LaunchURL);
    await press(page, 'next', 'next', 'finish');
    await page
      .locator('.unit[aria-current]')
      .filter({ hasText: 'Getting out' })
      .waitFor({ state: 'attached' });
    await contentOf(page).locator('[data-test=next]').waitFor();
    await waitForState(page, 'saved');
    for (const [colorScheme, suffix] of [
      ['light', ''],
      ['dark', '-dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `../player-${screen}${suffix}.png`) });
    }
    await page.context().close();
  }
}

const isWanted = ({ name }: Pick<Picture, 'name'>) => wanted.length === 0 || wanted.includes(name);
for (const picture of pictures.filter(isWanted)) await take(picture);
if (isWanted({ name: 'player' })) await takePlayer();
if (branded.some(isWanted)) await setBranding();
for (const picture of branded.filter(isWanted)) await take(picture);
await closeBrowser();
await close();
await mailServer.close();
