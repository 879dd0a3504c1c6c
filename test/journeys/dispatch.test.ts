import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { FrameLocator } from 'playwright-core';
import { newContext, openPage } from '../../server/test/support/browser.ts';
import { packUnits } from '../../server/test/support/packages.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { untilMatching } from '../../server/test/support/until.ts';

let provider: TestService;
let receiver: TestService;

before(async () => {
  provider = await startService();
  // Another site, so that cookies of the provider would be third-party ones, which a new context blocks.
  receiver = await startService({ env: { CONTENT_URL: 'http://localhost:1' } });
  await provider.importPackage('units', await packUnits(1));
  await provider.api('PUT', '/course/units/option/open', {});
});

after(async () => {
  await provider?.close();
  await receiver?.close();
});

async function download(id: string): Promise<string> {
  const headers = { authorization: `Bearer ${provider.operatorKey}`, tenant: 'test' };
  const reply = await fetch(`${provider.baseUrl}/dispatch/${id}/package`, { headers });
  const zip = join(await mkdtemp(join(tmpdir(), 'lectern-')), 'package.zip');
  await writeFile(zip, Buffer.from(await reply.arrayBuffer()));
  return zip;
}

/** Calls the API of the provider's player, like a course. */
const calls = (content: FrameLocator, set: Record<string, string>) =>
  content.locator('body').evaluate((_, values) => {
    const api = Reflect.get(window.parent, 'API');
    api.LMSInitialize('');
    const before = [api.LMSGetValue('cmi.core.entry'), api.LMSGetValue('cmi.suspend_data')];
    for (const [name, value] of Object.entries(values)) api.LMSSetValue(name, value);
    api.LMSCommit('');
    return before;
  }, set);

for (const Standard of ['scorm12', 'scorm2004', 'cmi5', 'xapi', 'aicc'])
  test(`A course dispatched as ${Standard} is played in another system, cut off, resumed, and has the same result there`, async () => {
    const made = await provider.api('POST', '/dispatch', { CourseID: 'units', DurationID: 'open', Standard });
    const { DispatchID } = made.body;
    const zip = await download(DispatchID);
    assert.equal((await receiver.importPackage(Standard, zip)).status, 201);
    const { LaunchURL, read } = await receiver.enrol(Standard);
    const context = await newContext();
    const open = async () => {
      const page = await openPage(context);
      await page.goto(LaunchURL);
      const thin = page.frameLocator('#stage iframe');
      const player = thin.frameLocator('#frame');
      const content = player.frameLocator('#stage iframe');
      await content.locator('body').waitFor({ state: 'attached' });
      return { page, thin, player, content };
    };
    const first = await open();
    const bookmark = {
      'cmi.suspend_data': 'page 2',
      'cmi.core.exit': 'suspend',
      'cmi.core.lesson_status': 'incomplete',
    };
    assert.deepEqual(await calls(first.content, bookmark), ['ab-initio', '']);
    await first.player.locator('#indicator-text').getByText('Saved').waitFor();
    await first.page.close();

    const { page, thin, player, content } = await open();
    const result = { 'cmi.core.lesson_status': 'passed', 'cmi.core.score.raw': '80' };
    assert.deepEqual(await calls(content, result), ['resume', 'page 2']);
    const there = await untilMatching(read, ({ Success }) => Success === 'passed');
    // An LMS may ask to sign in when another site navigates a frame.
    if (Standard === 'aicc')
      await page.route(/closed\.html/, (route) =>
        route.fulfill({ contentType: 'text/html', body: 'Log in' }),
      );
    await player.locator('#exit-button').click();
    // An AU of cmi5 goes back to its LMS instead.
    if (Standard !== 'cmi5') await thin.getByText('You can leave this page').waitFor();
    const { Items } = (await provider.api('GET', '/enrolment?CourseID=units')).body;
    const here = Items.find(({ LoginID }: { LoginID: string }) =>
      LoginID.startsWith(`dispatch:${DispatchID}:`),
    );
    for (const one of [here, there])
      assert.deepEqual([one.Completion, one.Success, one.Score], ['completed', 'passed', 80]);
    assert.deepEqual(await context.cookies(), []);
    await context.close();
  });

test('A dispatch that was stopped says why', async () => {
  const body = { CourseID: 'units', DurationID: 'open', Standard: 'scorm2004' };
  const { DispatchID } = (await provider.api('POST', '/dispatch', body)).body;
  const zip = await download(DispatchID);
  await receiver.importPackage('stopped', zip);
  await provider.api('PUT', `/dispatch/${DispatchID}`, { Enabled: false });
  const { LaunchURL } = await receiver.enrol('stopped');
  const page = await openPage(await newContext({ locale: 'de-DE' }));
  await page.goto(LaunchURL);
  await page.frameLocator('#stage iframe').getByText('Der Anbieter hat ihn angehalten').waitFor();
});
