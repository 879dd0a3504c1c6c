import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newContext, openPage, waitForState } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, unique } from '../../server/test/support/tenant.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { captions, clip, pdfOf, policyPage, tone } from './media-files.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service?.close());

const shots = process.env.SHOTS;

async function put(path: string, body: Buffer | string, type = 'application/octet-stream') {
  const headers = { authorization: `Bearer ${service.operatorKey}`, 'content-type': type };
  const response = await fetch(service.baseUrl + path, { method: 'PUT', headers, body: body as BodyInit });
  assert.ok(response.ok, await response.text());
}

async function open(
  type: string,
  body: Buffer | string,
  fields: Record<string, unknown> = {},
  phone = false,
) {
  const CourseID = unique('file');
  expectStatus(await service.api('PUT', `/course/${CourseID}`, { Title: 'Safe travel', ...fields }), 201);
  await put(`/course/${CourseID}/package`, body, type);
  if (type === 'video/mp4') await put(`/course/${CourseID}/file/captions.en.vtt`, captions);
  const { LaunchURL, read } = await service.enrol(CourseID);
  const context = await newContext(phone ? { width: 390, height: 780 } : {});
  const page = await openPage(context);
  await page.goto(LaunchURL);
  const shot = async (name: string) => {
    if (shots) await page.screenshot({ path: `${shots}/${name}-${phone ? 'phone' : 'desktop'}.png` });
  };
  const reopen = async () => {
    const again = await openPage(await newContext());
    await again.goto(LaunchURL);
    return again;
  };
  return { page, read, shot, reopen, context };
}

const texts = ['First page', 'Second page', 'Third page'];

for (const phone of [false, true])
  test(`a PDF is completed when its last page was read ${phone ? 'on a phone' : 'on a desktop'}`, async () => {
    const { page, read, shot, reopen, context } = await open('application/pdf', pdfOf(texts), {}, phone);
    const texted = (text: string) => page.locator('.textLayer').getByText(text);
    await texted('First page').waitFor();
    await shot('document');
    assert.equal(await page.getByRole('region', { name: 'Page 2 of 3' }).count(), 1);
    assert.equal(await page.locator('.pdf-link').first().getAttribute('href'), 'https://web.example/');
    for (const number of [1, 2]) {
      await page
        .locator('.pdf-page')
        .nth(number - 1)
        .evaluate((element) => element.scrollIntoView({ block: 'end' }));
      await page.waitForTimeout(700);
    }
    await waitForState(page, 'saved');
    await untilMatching(read, ({ Progress }) => Progress > 50);
    assert.equal((await read()).Completion, 'incomplete');
    const again = await reopen();
    await again.locator('.textLayer').getByText('Second page').waitFor();
    await again.context().close();
    await page.reload();
    await texted('Second page').waitFor();
    await page
      .locator('.pdf-page')
      .nth(2)
      .evaluate((element) => element.scrollIntoView({ block: 'end' }));
    await page.getByText('You have finished.').waitFor();
    await untilMatching(read, ({ Completion }) => Completion === 'completed');
    await shot('document-end');
    const { Score, Progress, Outcome } = await read();
    assert.deepEqual([Score, Progress, Outcome], [null, 100, 'completed']);
    await context.close();
  });

test('a video shows its captions, continues where the learner left, and is completed when 90 % were watched', async () => {
  const { page, read, shot } = await open('video/mp4', clip());
  const video = page.locator('video');
  await video.waitFor();
  const evaluate = <T>(act: (video: HTMLVideoElement) => T) =>
    video.evaluate(act as (element: HTMLElement | SVGElement) => T);
  await page.waitForFunction(() => document.querySelector('video')?.textTracks[0]?.mode === 'showing');
  assert.equal(await evaluate((one) => one.textTracks[0]?.label), 'English');
  // A jump to the end is not watching.
  await evaluate(async (one) => {
    one.muted = true;
    one.currentTime = 5;
    await one.play();
  });
  await page.waitForFunction(() => document.querySelector('video')?.ended);
  await untilMatching(read, ({ Progress }) => Progress > 0 && Progress < 50);
  assert.equal((await read()).Completion, 'incomplete');
  await evaluate(async (one) => {
    one.currentTime = 0;
    await one.play();
  });
  await page.waitForTimeout(1_500);
  await shot('video');
  await page.getByText('You have finished.').waitFor();
  await untilMatching(read, ({ Completion }) => Completion === 'completed');
  await page.context().close();
});

test('an audio file is played', async () => {
  const { page, read, shot } = await open('audio/mpeg', tone(), { CompleteWhen: { Percent: 50 } }, true);
  await page.locator('audio').waitFor();
  await shot('audio');
  await page.locator('audio').evaluate(async (one: HTMLAudioElement) => {
    one.muted = true;
    await one.play();
  });
  await page.getByText('You have finished.').waitFor();
  await untilMatching(read, ({ Completion }) => Completion === 'completed');
  await page.context().close();
});

for (const phone of [false, true])
  test(`a page is confirmed with a name ${phone ? 'on a phone' : 'on a desktop'}`, async () => {
    const Confirm = 'I have read and understood the travel policy.';
    const fields = { CompleteWhen: { Confirm } };
    const { page, read, shot, reopen } = await open('text/html', policyPage, fields, phone);
    await page.frameLocator('.media-page iframe').getByRole('heading', { name: 'Travel policy' }).waitFor();
    await page.getByText(Confirm).waitFor();
    await shot('page');
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText(/^Confirmed by Ada Lovelace on /).waitFor();
    await untilMatching(read, ({ Completion }) => Completion === 'completed');
    await shot('page-confirmed');
    const again = await reopen();
    await again.getByText(/^Confirmed by Ada Lovelace on /).waitFor();
    await again.context().close();
    await page.context().close();
  });

test('a page is completed when it was read to its end', async () => {
  const { page, read } = await open('text/html', policyPage);
  const frame = page.frameLocator('.media-page iframe');
  await frame.getByRole('heading', { name: 'Travel policy' }).waitFor();
  for (let step = 0; step < 6; step++) {
    await frame.locator('body').evaluate((body) => {
      body.ownerDocument.defaultView?.scrollBy(0, body.ownerDocument.documentElement.clientHeight * 0.8);
    });
    await page.waitForTimeout(600);
  }
  await page.getByText('You have finished.').waitFor();
  await untilMatching(read, ({ Completion }) => Completion === 'completed');
  await page.context().close();
});
