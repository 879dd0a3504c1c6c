import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { contentOf, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { packPages } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

/** A page with the pipwerks wrapper, which sends `logout` for a completed SCO. */
async function quiz(): Promise<string> {
  const wrapper = new URL(import.meta.resolve('pipwerks-scorm-api-wrapper'));
  return `<!doctype html><title>Quiz</title><h1></h1><button id="done">Done</button>
<script>const exports = {};</script><script>${await readFile(wrapper, 'utf8')}</script>
<script>
  const { SCORM } = exports;
  SCORM.init();
  document.querySelector('h1').textContent = location.search;
  document.getElementById('done').onclick = () => {
    SCORM.set('cmi.core.score.raw', '90');
    SCORM.status('set', 'completed');
    SCORM.quit();
    document.querySelector('h1').textContent = 'Your score: 90';
  };
</script>`;
}

/** Counts its visits, and passes on a click. It never finishes its session. */
const counting = `<!doctype html><title>Count</title><p id="entry"></p><button id="again">Again</button><button id="pass">Pass</button>
<script>
  const said = [parent.API.LMSInitialize(''), parent.API.LMSGetLastError(), parent.API.LMSGetValue('cmi.core.entry')];
  const visits = Number(parent.API.LMSGetValue('cmi.suspend_data')) + 1;
  parent.API.LMSSetValue('cmi.suspend_data', visits);
  document.getElementById('entry').textContent = [visits, ...said].join(' ');
  document.getElementById('again').onclick = () => location.reload();
  document.getElementById('pass').onclick = () => parent.API.LMSSetValue('cmi.core.lesson_status', 'passed');
</script>`;

/** A click on the handout starts a download, so the page finishes but stays. */
const handout = `<!doctype html><title>Handout</title><a href="handout.zip">Handout</a><button>Answer</button>
<script>
  const api = parent.API;
  api.LMSInitialize('');
  addEventListener('beforeunload', () => api.LMSFinish(''));
  document.querySelector('button').onclick = ({ target }) => {
    target.textContent = api.LMSSetValue('cmi.core.lesson_status', 'passed') + ' ' + api.LMSGetLastError();
  };
</script>`;

const failing = `<!doctype html><title>Test</title><p>Failed</p><script>
  addEventListener('load', () => setTimeout(() => {
    parent.API.LMSInitialize('');
    parent.API.LMSSetValue('cmi.core.lesson_status', 'failed');
    parent.API.LMSCommit('');
  }, 500));
</script>`;

const withTimes = `<!doctype html><title>Times</title><p id="said"></p><script>
  const api = parent.API_1484_11;
  api.Initialize('');
  api.SetValue('cmi.interactions.0.id', 'q1');
  document.getElementById('said').textContent =
    api.SetValue('cmi.interactions.0.timestamp', new Date().toISOString()) + ' ' + api.GetLastError();
  api.Commit('');
</script>`;

const sandboxed = `<!doctype html><title>Frame</title><script>parent.API.LMSInitialize('')</script><iframe sandbox="allow-scripts" src="inner.html"></iframe>`;
const inner = `<!doctype html><link rel="stylesheet" href="look.css"><p></p><script src="text.php"></script>`;

before(async () => {
  service = await startService();
  const page = await quiz();
  const three = { 'quiz.html': page };
  const pages = ['1', '2', '3'].map((number) => ({ href: `quiz.html?${number}` }));
  await service.importPackage('three', await packPages(pages, three));
  await service.importPackage('one', await packPages([{ href: 'quiz.html?1' }], three));
  await service.importPackage('counting', await packPages([{ href: 'a.html' }], { 'a.html': counting }));
  const files = { 'a.html': handout, 'handout.zip': 'PK' };
  await service.importPackage('handout', await packPages([{ href: 'a.html' }], files));
  const { body } = await service.importPackage(
    'asset',
    await packPages([{ href: 'a.html', type: 'asset' }], { 'a.html': failing }),
  );
  assert.match(JSON.stringify(body.Warnings), /declared as an asset/);
  await service.importPackage(
    'times',
    await packPages([{ href: 'a.html' }], { 'a.html': withTimes }, '2004'),
  );
  const frame = {
    ...{ 'a.html': sandboxed, 'inner.html': inner, 'look.css': 'p { color: rgb(0, 128, 0) }' },
    'text.php': "document.querySelector('p').textContent = 'The script ran';",
  };
  await service.importPackage('frame', await packPages([{ href: 'a.html' }], frame));
});

after(() => service?.close());

async function launch(course: string) {
  const { LaunchURL, EnrollID, LoginID, read } = await service.enrol(course);
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  const warnings = async () =>
    (await service.api('GET', `/enrolment/${LoginID}/${EnrollID}/timeline`)).body.Items.flatMap(
      ({ Warnings }: { Warnings: string[] }) => Warnings,
    );
  return { page, content: contentOf(page), read, warnings, LaunchURL };
}

test('SCOs that log out when they are completed open the next one, and the last one stays', async () => {
  const { page, content, read, LaunchURL } = await launch('three');
  await content.getByRole('heading', { name: '?1' }).waitFor();
  await content.locator('#done').click();
  await content.getByRole('heading', { name: '?2' }).waitFor();
  await untilMatching(read, ({ Progress }) => Math.round(Progress) === 33);
  await page.context().close();

  const again = await openPage(await newContext());
  await again.goto(LaunchURL);
  await contentOf(again).getByRole('heading', { name: '?2' }).waitFor();
  await contentOf(again).locator('#done').click();
  await contentOf(again).getByRole('heading', { name: '?3' }).waitFor();
  await contentOf(again).locator('#done').click();
  await again.locator('#notice').getByText('You have finished. You can leave').waitFor();
  await contentOf(again).getByText('Your score: 90').waitFor();
  await untilMatching(read, ({ Status }) => Status === 'completed');
  await again.context().close();
});

test('the result page of a single SCO that logs out stays', async () => {
  const { page, content } = await launch('one');
  await content.locator('#done').click();
  await page.locator('#notice').getByText('You have finished. You can leave').waitFor();
  await content.getByText('Your score: 90').waitFor();
  await page.context().close();
});

test('a page that reloads itself without finishing continues', async () => {
  const { page, content, read } = await launch('counting');
  await content.getByText('1 true 0 ab-initio').waitFor();
  await content.locator('#again').click();
  await content.getByText('2 true 0 resume').waitFor();
  await content.locator('#pass').click();
  await untilMatching(read, ({ Success }) => Success === 'passed');
  await page.context().close();
});

test('a page that finishes because of a download, and stays, continues', async () => {
  const { page, content, read } = await launch('handout');
  const [download] = await Promise.all([page.waitForEvent('download'), content.getByText('Handout').click()]);
  await download.cancel();
  await content.getByRole('button', { name: 'Answer' }).click();
  await content.getByText('true 0').waitFor();
  assert.equal(await page.locator('#notice').isVisible(), false);
  await untilMatching(read, ({ Success }) => Success === 'passed');
  await page.context().close();
});

test('a page declared as an asset is a SCO from its first call', async () => {
  const { page, read, warnings } = await launch('asset');
  await untilMatching(read, ({ Success }) => Success === 'failed');
  assert.equal((await read()).Completion, 'incomplete');
  assert.match((await warnings()).join(), /asset, but it uses the run-time API/);
  await page.context().close();
});

test('SCORM 2004 takes times as toISOString writes them, and says so in the timeline', async () => {
  const { page, content, warnings } = await launch('times');
  await content.getByText('true 0').waitFor();
  await untilMatching(warnings, (all) => /timestamp is .* more precise/.test(all.join()));
  await page.context().close();
});

test('a sandboxed frame inside a course loads style sheets and scripts with any name', async () => {
  const { page, content } = await launch('frame');
  const text = content.frameLocator('iframe').getByText('The script ran');
  await text.waitFor();
  assert.equal(await text.evaluate((element) => getComputedStyle(element).color), 'rgb(0, 128, 0)');
  await page.context().close();
});
