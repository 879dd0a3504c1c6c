import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { openClientSite } from './client-site.ts';
import { packOwnWindow } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;

before(async () => {
  service = await startService();
  client = await openClientSite();
  await service.importPackage('own-window', await packOwnWindow());
});

after(async () => {
  await client?.close();
  await service?.close();
});

/** The status with which the unit can read its launch data. */
async function statusOf(unit: Page, token: string | undefined): Promise<number> {
  const { searchParams: launch } = new URL(unit.url());
  const query = new URLSearchParams({
    ...{ stateId: 'LMS.LaunchData', agent: launch.get('actor') ?? '' },
    ...{ activityId: launch.get('activityId') ?? '', registration: launch.get('registration') ?? '' },
  });
  const headers = { authorization: `Basic ${token}`, 'x-experience-api-version': '1.0.3' };
  return (await fetch(`${launch.get('endpoint')}activities/state?${query}`, { headers })).status;
}

test('a cmi5 unit opens in its own window, from which it cannot navigate the player', async () => {
  const { LaunchURL } = await service.enrol('own-window');
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(LaunchURL);
  const button = page.getByRole('button', { name: 'Open window' });
  const [unit] = await Promise.all([context.waitForEvent('page'), button.click()]);
  await unit.getByRole('heading', { name: 'A window of its own' }).waitFor();
  assert.match(unit.url(), /[?&]endpoint=/);
  assert.equal(await unit.evaluate(() => window.opener), null);

  // The player notices when the window is closed.
  assert.equal(await page.locator('#notice').isVisible(), false);
  const closedAddress = new URL(unit.url()).searchParams.get('fetch');
  await unit.close();
  await page.locator('#notice').getByText('You have not completed this part yet').waitFor();

  // Each window has a session of its own, whose token can be fetched once, so not again after a reload.
  const addressOf = (opened: Page) => new URL(opened.url()).searchParams.get('fetch') ?? '';
  const fetchToken = async (opened: Page) =>
    (await fetch(addressOf(opened), { method: 'POST' })).json() as Promise<Record<string, string>>;
  const openAgain = async () => {
    const [opened] = await Promise.all([context.waitForEvent('page'), button.click()]);
    await opened.getByRole('heading', { name: 'A window of its own' }).waitFor();
    return opened;
  };
  const second = await openAgain();
  assert.notEqual(addressOf(second), closedAddress);
  const token = (await fetchToken(second))['auth-token'];
  assert.equal(await statusOf(second, token), 200);
  await second.reload();
  assert.equal((await fetchToken(second))['error-code'], '1');
  const third = await openAgain();
  const thirdToken = (await fetchToken(third))['auth-token'];
  assert.equal(await statusOf(third, thirdToken), 200);
  assert.notEqual(await statusOf(second, token), 200, 'the session of the window before has ended');
  await context.close();
});

test('a unit opens its own window from a page that isolates its windows, and is not said to be finished', async () => {
  const { LaunchURL } = await service.enrol('own-window');
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(client.framed(LaunchURL, { 'opener-policy': 'same-origin' }));
  const player = page.frameLocator('#course');
  const button = player.getByRole('button', { name: 'Open window' });
  const [unit] = await Promise.all([context.waitForEvent('page'), button.click()]);
  await unit.getByRole('heading', { name: 'A window of its own' }).waitFor();
  await player.getByText('If no window has opened, allow pop-up windows').waitFor();
  assert.equal(await player.locator('#notice').isVisible(), false);
  await context.close();
});

test('the player names the features that a frame withholds after the redirect to another origin', async () => {
  const { LaunchURL } = await service.enrol('own-window');
  const page = await openPage(await newContext());
  const warning = () => page.waitForEvent('console', (message) => message.text().includes('withholds'));
  const visit = (allow: string) => page.goto(client.framed(LaunchURL, { allow }));
  const [withheld] = await Promise.all([warning(), visit('fullscreen; autoplay; microphone; camera')]);
  assert.match(withheld.text(), /allow="fullscreen \*; autoplay \*; microphone \*; camera \*"/);
  const [camera] = await Promise.all([warning(), visit('fullscreen *; autoplay *; microphone *')]);
  assert.match(camera.text(), /allow="camera \*"/);
  await page.context().close();
});
