import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { untilMatching } from '../../server/test/support/until.ts';
import { openStage } from './last-moment.ts';

let stage: Awaited<ReturnType<typeof openStage>>;

before(async () => {
  stage = await openStage();
});

after(() => stage?.close());

/**
 * Passes a course without a connection in a client's frame, and then opens it in a tab. A new context blocks third-party cookies, and
 * the permission has the effect of allowing them.
 */
async function passInFrameThenOpenTab(permissions: string[]) {
  const { LaunchURL, read } = await stage.service.enrol('silent');
  const context = await stage.browser.newContext();
  await context.grantPermissions(permissions);
  // Otherwise, the page could still send the result when it closes.
  await context.addInitScript(() => {
    Reflect.deleteProperty(window, 'SharedWorker');
    navigator.sendBeacon = () => true;
  });
  const page = await context.newPage();
  await page.goto(stage.client.framed(LaunchURL));
  const player = page.frameLocator('#course');
  const content = player.frameLocator('#stage iframe');
  await content.getByRole('heading', { name: 'Silent' }).waitFor();
  await context.route('**/commit', (route) => route.abort());
  await content.locator('body').evaluate(() => {
    const api = Reflect.get(window.parent, 'API');
    api.LMSSetValue('cmi.core.lesson_status', 'passed');
    api.LMSCommit('');
  });
  await player.locator('#indicator-text').getByText('not sent yet').waitFor();
  await player.locator('#exit-button').click();
  await player.getByText('It will be sent when you next open a course from the same place').waitFor();
  await page.goto('about:blank');
  await context.unroute('**/commit');
  const open = async (url: string) => {
    const opened = await context.newPage();
    await opened.goto(url);
    return opened;
  };
  const isPassed = () =>
    untilMatching(
      async () => (await read()).Success,
      (success) => success === 'passed',
      10,
    );
  return { context, open, read, isPassed, LaunchURL };
}

test('a result kept in a frame is sent when the course is opened in a tab, if third-party cookies are allowed', async () => {
  const { context, open, isPassed, LaunchURL } = await passInFrameThenOpenTab(['storage-access']);
  const tab = await open(LaunchURL);
  await isPassed();
  await tab.getByText('Saved', { exact: true }).waitFor();
  assert.equal(await tab.evaluate(() => localStorage.length), 0);
  await context.close();
});

test('otherwise, it is sent when the course is opened in the frame again, as the player says', async () => {
  const { context, open, read, isPassed, LaunchURL } = await passInFrameThenOpenTab([]);
  const tab = await open(LaunchURL);
  await tab.frameLocator('#stage iframe').getByRole('heading', { name: 'Silent' }).waitFor();
  assert.equal((await read()).Success, 'unknown');
  await open(stage.client.framed(LaunchURL));
  await isPassed();
  await context.close();
});
