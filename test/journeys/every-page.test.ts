import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { contentOf, newContext, openPage, screenOf } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf, newConsolePage } from '../../server/test/support/console.ts';
import { type CrowdedConsole, startCrowdedConsole } from './crowded-console.ts';
import { addresses, lists, loaded, minRows, problemsOf, rowsOf, tooShort, visit } from './page-checks.ts';

// Opens every page of the console, the player and the guide: axe finds nothing in light and dark, nothing scrolls
// sideways on a phone, which shows the first row of a list, and lists show at least 14 rows on a small laptop.

const root = join(import.meta.dirname, '../..');
let crowded: CrowdedConsole;

before(async () => {
  crowded = await startCrowdedConsole();
});

after(() => crowded?.close());

/** Pages for people who are not signed in, which the console shows without its menu. */
const linkPages = ['/console/invitation', '/console/forgot', '/console/reset'];

/** Opens only a dialog, for learners. */
const dialogs = ['/console/password'];

function pathsInRouter(): string[] {
  const source = readFileSync(join(root, 'console/router.tsx'), 'utf8');
  return [...source.matchAll(/\b(?:first|at)\(\s*'([^']+)'/g)].map(([, path = '']) => path);
}

test('All paths of the console are listed here', () => {
  const listed = [...Object.keys(addresses(crowded)), ...linkPages, ...dialogs];
  assert.deepEqual(listed.sort(), pathsInRouter().sort());
});

test('All pages are accessible and fit a phone, and lists show at least 14 rows, for an administrator', async () => {
  const rows = await visit(crowded, { tenant: crowded.tenant, LoginID: crowded.administrator }, null);
  assert.deepEqual(Object.keys(rows).sort(), lists.toSorted());
  assert.deepEqual(tooShort(rows), []);
});

test('The pages that the operator sees otherwise are accessible and fit a phone', async () => {
  const of = (path: string) => /^\/console(\/(courses|tenants|settings)\b.*)?$/.test(path);
  const rows = await visit(crowded, 'operator', crowded.tenant.TenantID, { of });
  assert.deepEqual(Object.keys(rows).sort(), ['courses', 'tenants']);
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

test('The pages for learners are accessible and fit a phone in German, whose texts are the longest', async () => {
  const locale = 'de-DE';
  const { service, tenant, learner, invitationUrl, resetUrl, key } = crowded;
  const problems: string[] = [];
  const anonymous = await newConsolePage({ locale });
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
  const page = await consoleOf(service, { tenant, LoginID: learner }, '/console', { locale });
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
