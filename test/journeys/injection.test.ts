import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cleanText } from '../../server/src/lib/unicode.ts';
import { contentOf, newContext, openPage, takeViolations } from '../../server/test/support/browser.ts';
import {
  asXml,
  fillWithPayloads,
  hostile,
  hostileAddress,
  hostileBodies,
} from '../../server/test/support/injection.ts';
import { startService } from '../../server/test/support/service.ts';
import { packRow } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
});
after(() => service?.close());

const unitTitle = hostile('Unit');

test('Hostile texts from the course, units, user and return URL are shown as text in the player', async () => {
  const { LaunchURL, override } = await fillWithPayloads(service, await packRow({ named: asXml(unitTitle) }));
  assert.equal((await override()).status, 200);
  const page = await openPage(await newContext());
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => dialogs.push(dialog.message()));
  const ran = () => page.evaluate(() => Reflect.get(window, 'hostile') ?? null);
  await page.goto(`${LaunchURL}&returnURL=${hostileAddress}`);
  await contentOf(page).locator('#later').waitFor();
  assert.equal(await page.locator('#course-title').textContent(), cleanText(hostileBodies.putCourse.Title));
  assert.ok((await page.title()).includes('<img src=x'), 'the title of the page is text');
  await page.locator('.unit').filter({ hasText: unitTitle }).first().waitFor();
  await contentOf(page).locator('#later').click();
  await page.locator('#notice').waitFor();
  assert.equal(await ran(), null);
  assert.equal(
    await page.locator('img[src=x], svg[onload], iframe[srcdoc*=hostile], b[onmouseover]').count(),
    0,
  );

  await page.route('https://web.example/**', (route) =>
    route.fulfill({ body: 'Back', contentType: 'text/plain' }),
  );
  await page.click('#exit-button');
  await page.waitForURL('https://web.example/**');
  assert.deepEqual(dialogs, []);
  await page.context().close();
});

test('Hostile texts are shown as text on the rejection and sign-in pages', async () => {
  const { LaunchURL, SignInURL, tenant, LoginID } = await fillWithPayloads(service);
  const page = await openPage(await newContext());
  const ran = () => page.evaluate(() => Reflect.get(window, 'hostile') ?? null);
  await page.goto(SignInURL);
  await page.getByRole('button', { name: 'Continue' }).waitFor();
  assert.equal(await ran(), null);
  const disabled = await tenant.api('PUT', `/user/${encodeURIComponent(LoginID)}`, { Enabled: false });
  assert.equal(disabled.status, 200);
  await page.goto(`${LaunchURL}&returnURL=${hostileAddress}`);
  await page.getByRole('link', { name: 'Go back' }).waitFor();
  assert.equal(await page.locator('img, svg, script').count(), 0);
  assert.equal(await ran(), null);
  await page.context().close();
});

test('A page that violates its policy fails its journey', async () => {
  const page = await openPage(await newContext());
  const { LaunchURL } = await fillWithPayloads(service);
  await page.goto(LaunchURL);
  const reported = page.waitForEvent('console', (message) =>
    message.text().includes('Content Security Policy'),
  );
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.hostile = 1';
    document.body.append(script);
  });
  await reported;
  assert.equal(await page.evaluate(() => Reflect.get(window, 'hostile') ?? null), null);
  await page.context().close();
  assert.match(takeViolations().join(), /script-src/);
});
