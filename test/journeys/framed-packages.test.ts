import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { expectCount, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { until } from '../../server/test/support/until.ts';
import { openClientSite } from './client-site.ts';
import { openContentSite } from './content-site.ts';
import { serveLibraries } from './tin-can.ts';

/** Third-party packages may be in a folder next to the checkout. They are not part of the project. */
const folder = join(import.meta.dirname, '../../../shared/packages');
const options = { skip: !existsSync(folder) && 'there are no packages here' };
let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;

before(async () => {
  if (options.skip) return;
  service = await startService();
  client = await openClientSite();
});

after(async () => {
  await client?.close();
  await service?.close();
});

/** Starts a course in a frame of the client's page, which is on another site. */
async function launch(name: string, prepare?: (page: Page) => Promise<unknown>) {
  await service.importPackage(name, join(folder, `${name}.zip`));
  const { LaunchURL, read } = await service.enrol(name);
  const page = await openPage(await newContext());
  await prepare?.(page);
  const player = page.frameLocator('#course');
  const start = () => page.goto(client.framed(`${LaunchURL}&returnURL=${client.returnURL}`));
  await start();
  return {
    ...{ page, player, start, read, content: player.frameLocator('#stage iframe') },
    /** Waits until this many units in the table of contents show this result. */
    shows: (icon: string, count: number) =>
      expectCount(player.locator(`.unit:not(.heading) .state[data-icon="${icon}"]`), count),
    async exit() {
      await player.locator('#exit-button').click();
      await player.getByRole('heading', { name: 'Back' }).waitFor();
    },
  };
}

/** Serves a stub of jQuery with only the functions that the page uses. The package loads jQuery from a public URL. */
async function serveJQuery(page: Page): Promise<void> {
  await page.route(/ajax\.googleapis\.com/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `window.$ = (target) => ({
        ready: (act) => addEventListener('DOMContentLoaded', act),
        append: (html) => document.querySelector(target === 'body' ? target : '#apiLog').insertAdjacentHTML('beforeend', html),
        html: (text) => { document.querySelector(target).textContent = text; },
        attr: () => {}, unload: () => {},
      });
      window.$.trim = (text) => text.trim();`,
    }),
  );
}

/** Takes a unit of CATAPULT's geology course: reads its pages, answers the test if there is one, and exits. */
async function takeGeology(content: FrameLocator): Promise<void> {
  // An earlier click would set a bookmark, and the unit would ask whether to follow it.
  await content.locator('li.current').first().waitFor({ state: 'attached' });
  const next = content.locator('#next:enabled');
  while (await next.isVisible()) await next.click();
  const answers = content.locator('button', { hasText: 'Select correct answers' });
  if (await answers.isVisible()) {
    await answers.click();
    await content.locator('button', { hasText: 'Submit Answers' }).click();
    await content.getByText('You achieved a passing score').waitFor();
  }
  await content.locator('.exit-button:visible').last().click();
}

test('cmi5-catapult-single-au: the unit reports its score and returns', options, async () => {
  const { page, player, content, exit, read } = await launch('cmi5-catapult-single-au');
  await takeGeology(content);
  await player.locator('#notice').waitFor();
  await player.locator('#progress[value="100"]').waitFor();
  await exit();
  const { Status, Success, Score } = await read();
  assert.deepEqual([Status, Success, Score], ['completed', 'passed', 100]);
  await page.context().close();
});

test('cmi5-catapult-pre-post-test: all six units in two blocks are passed', options, async () => {
  const { page, player, content, exit, read, shows } = await launch('cmi5-catapult-pre-post-test');
  for (let at = 1; at <= 6; at++) {
    await takeGeology(content);
    await shows('passed', at);
    if (at < 6) await player.locator('#next-button[aria-disabled=false]').click();
  }
  await exit();
  const { Status, Completion, Success, Progress } = await read();
  assert.deepEqual([Status, Completion, Success, Progress], ['completed', 'completed', 'passed', 100]);
  await page.context().close();
});

test('cmi5-small: the unit opens in its own window', options, async () => {
  // The package does not contain the scripts with which its page would report.
  const { page, player, exit, read } = await launch('cmi5-small');
  const button = player.getByRole('button', { name: 'Open window' });
  const [unit] = await Promise.all([page.context().waitForEvent('page'), button.click()]);
  await unit.getByText('Introduction to Geology').first().waitFor();
  await unit.close();
  await player.locator('#notice').waitFor();
  await exit();
  assert.equal((await read()).Status, 'in_progress');
  await page.context().close();
});

test('xapi-golf: the learner leaves, resumes and passes', options, async () => {
  const { page, player, content, start, exit, read } = await launch('xapi-golf', serveLibraries);
  const next = content.locator('#butNext');
  const inner = content.frameLocator('#contentFrame');
  await next.click();
  await inner.getByText('Par', { exact: true }).first().waitFor();
  await exit();
  assert.equal((await read()).Status, 'in_progress');

  await start();
  await inner.getByText('Par', { exact: true }).first().waitFor();
  while (await next.isEnabled()) await next.click();
  const submit = inner.locator('input[value="Submit Answers"]');
  await submit.waitFor();
  for (const answer of await inner.locator('.correctAnswer').all()) {
    const input = answer.locator('input');
    if ((await input.getAttribute('type')) === 'radio') await input.check();
    else await input.fill(/\((.*)\)/.exec((await answer.textContent()) ?? '')?.[1] ?? '');
  }
  await submit.click();
  await inner.getByText('Score: 100').waitFor();
  await until('the course is passed', async () => (await read()).Success === 'passed');
  await player.locator('#progress[value="100"]').waitFor();
  await exit();
  const { Status, Score } = await read();
  assert.deepEqual([Status, Score], ['completed', 100]);
  await page.context().close();
});

test('xapi-locator: the learner visits all places', options, async () => {
  const { page, player, content, exit, read } = await launch('xapi-locator', serveLibraries);
  const save = content.locator('.onPlacemark:not(.visited) .btnSaveLocationToLRS');
  await content.locator('.loc').first().waitFor();
  // The package has a test mode, in which the learner is at the next place.
  await content.locator('#WatchingLocationAction').press('?');
  const places = await content.locator('.loc').count();
  for (let at = 0; at < places; at++) await save.click();
  await content.getByText('Exercise Complete!').waitFor();
  await until('the course is completed', async () => (await read()).Status === 'completed');
  await player.locator('#progress[value="100"]').waitFor();
  await exit();
  await page.context().close();
});

test('aicc-small: the unit sets a bookmark, passes, and is resumed', options, async () => {
  const { page, content, start, exit, read } = await launch('aicc-small', serveJQuery);
  await content.locator('input[value^="Save current"]').click();
  await content.locator('input[value$="Passed"]').click();
  await exit();
  const { Status, Completion, Success } = await read();
  assert.deepEqual([Status, Completion, Success], ['completed', 'completed', 'passed']);
  await start();
  await content.locator('#lblLessonLocation', { hasText: 'GMT' }).waitFor();
  await page.context().close();
});

test('aicc-complex: all three units can be opened', options, async () => {
  // Its pages contain no scripts, so nothing is reported.
  const { page, player, content, exit, read } = await launch('aicc-complex');
  const titles = ['Intro AU', 'Scenario AU', 'Assessment AU'];
  for (const title of titles) {
    await player.locator('.unit', { hasText: title }).click();
    await content.getByText(title).waitFor();
  }
  await exit();
  assert.equal((await read()).Status, 'in_progress');
  await page.context().close();
});

test('aicc-multiline-description: the unit on another server reports', options, async () => {
  // The provider's server is not available to everyone, so its page is replaced.
  const site = await openContentSite();
  const { page, player, content, exit, read } = await launch('aicc-multiline-description', (page) =>
    page.route('https://opslearning.lifespeak.com/**', (route) => {
      const { search } = new URL(route.request().url());
      return route.fulfill({ status: 302, headers: { location: `${site.origin}/aicc.html${search}` } });
    }),
  );
  await content.locator('#was', { hasText: 'Not attempted' }).waitFor();
  await content.locator('#done').click();
  await content.locator('#said', { hasText: 'saved' }).waitFor();
  await player.locator('#progress[value="100"]').waitFor();
  await exit();
  const { Status, Completion, Score, TotalSeconds } = await read();
  assert.deepEqual([Status, Completion, Score, TotalSeconds], ['completed', 'completed', 90, 60]);
  await page.context().close();
  await site.close();
});
