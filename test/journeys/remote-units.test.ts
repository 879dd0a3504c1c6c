import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BrowserContext, Request } from 'playwright-core';
import { contentOf, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { until } from '../../server/test/support/until.ts';
import { au, courseStructure } from '../../standards/cmi5/test-support.ts';
import { openContentSite } from './content-site.ts';

let service: Awaited<ReturnType<typeof startService>>;
let content: Awaited<ReturnType<typeof openContentSite>>;

before(async () => {
  service = await startService();
  content = await openContentSite();
});

after(async () => {
  await content?.close();
  await service?.close();
});

/** Imports a bare course structure whose AU is a page of the content provider. */
async function launchOf(launchMethod: string) {
  const unit = au({
    ...{ url: `${content.origin}/index.html?course=7` },
    attributes: `launchMethod="${launchMethod}" moveOn="Completed"`,
  });
  const file = join(await mkdtemp(join(tmpdir(), 'lectern-')), 'cmi5.xml');
  await writeFile(file, courseStructure(unit));
  const { status } = await service.importPackage(launchMethod, file);
  assert.equal(status, 201);
  return service.enrol(launchMethod);
}

/** Gives the browser a cookie for the service, and collects the requests that scripts send to it. */
async function watch(context: BrowserContext): Promise<Request[]> {
  const requests: Request[] = [];
  await context.addCookies([{ name: 'visitor', value: '1', url: service.baseUrl, sameSite: 'Lax' }]);
  context.on('request', (request) => {
    const isOurs = [service.baseUrl, service.contentUrl].includes(new URL(request.url()).origin);
    if (isOurs && request.resourceType() === 'fetch') requests.push(request);
  });
  return requests;
}

/** Checks the calls of the provider's page. The others are those of the player. */
async function expectNoCookies(requests: Request[]): Promise<void> {
  // A request's frame and its first headers are sometimes those of the previous page.
  const all = await Promise.all(
    requests.map(async (request) => ({ request, sent: await request.allHeaders() })),
  );
  const calls = all.filter(({ sent }) => sent.origin === content.origin);
  // The course joins the endpoint and the path with another slash.
  const paths = calls.map(({ request }) => new URL(request.url()).pathname.replaceAll('//', '/'));
  assert.ok(paths.some((path) => path.endsWith('/fetch')));
  for (const path of ['/xapi/activities/state', '/xapi/agents/profile', '/xapi/statements'])
    assert.ok(paths.includes(path), `${path} is missing in ${paths}`);
  for (const { request, sent } of calls) {
    assert.equal(sent.cookie, undefined, request.url());
    const received = (await (await request.response())?.allHeaders()) ?? {};
    assert.equal(received['access-control-allow-origin'], '*', request.url());
    assert.equal(received['access-control-allow-credentials'], undefined);
  }
}

test('a cmi5 unit on another origin is shown in the player, and reports without cookies', async () => {
  const { LaunchURL, read } = await launchOf('AnyWindow');
  const context = await newContext();
  const requests = await watch(context);
  const page = await openPage(context);
  await page.goto(LaunchURL);
  await contentOf(page).getByRole('button', { name: 'I know what to do' }).click();
  await page.locator('#notice').waitFor();
  await page.locator('#progress[value="100"]').waitFor();
  const { Status, Completion } = await read();
  assert.deepEqual([Status, Completion], ['completed', 'completed']);
  await expectNoCookies(requests);
  await context.close();
});

test('a cmi5 unit on another origin opens in its own window, and reports without cookies', async () => {
  const { LaunchURL, read } = await launchOf('OwnWindow');
  const context = await newContext();
  const requests = await watch(context);
  const page = await openPage(context);
  await page.goto(LaunchURL);
  const button = page.getByRole('button', { name: 'Open window' });
  const [unit] = await Promise.all([context.waitForEvent('page'), button.click()]);
  await unit.getByRole('button', { name: 'I know what to do' }).click();
  await unit.getByText('You can close this page').waitFor();
  assert.equal(await unit.evaluate(() => window.opener), null);
  await until('the course is completed', async () => (await read()).Status === 'completed');
  // The browser forgets the headers of requests when their window is closed.
  await expectNoCookies(requests);
  await unit.close();
  await page.locator('#notice').waitFor();
  await page.locator('#progress[value="100"]').waitFor();
  await context.close();
});
