import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contentOf } from '../../server/test/support/browser.ts';
import { closeConsole, newConsolePage } from '../../server/test/support/console.ts';
import {
  cleanUp,
  freePorts,
  type Running,
  runLectern,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { until } from '../../server/test/support/until.ts';

// The steps of a newcomer who starts the demo and opens the links that it prints at the end.

let demo: Pick<Running, 'child' | 'exited' | 'stdout' | 'stderr'>;

before(async () => {
  const [PORT, CONTENT_PORT] = (await freePorts(2)).map(String);
  const env = { PORT, CONTENT_PORT, TMPDIR: await temporaryFolder() };
  demo = runLectern(['demo'], env);
  await until('the demo has ended', () => demo.stdout().includes('Press Ctrl-C to stop'), 180);
});

after(async () => {
  if (demo) assert.deepEqual(await stopProcess(demo, 'SIGINT'), { code: 0, signal: null }, demo.stderr());
  await cleanUp();
});

/** The link below a line that begins with these words. */
function linkBelow(words: string): string {
  const [, url = ''] = new RegExp(`^ {2}${words}[^\\n]*\\n {2}(http\\S+)$`, 'm').exec(demo.stdout()) ?? [];
  assert.ok(url, demo.stdout());
  return url;
}

async function signInWith(url: string) {
  const page = await newConsolePage();
  await page.goto(url);
  await page.getByRole('button').click();
  await page.waitForURL(/\/console/);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

test('The first link opens the console as the operator', async () => {
  const page = await signInWith(linkBelow('Console, as the operator'));
  await page.getByRole('link', { name: 'Tenants' }).click();
  await page.getByRole('link', { name: 'acme' }).first().waitFor();
  await closeConsole(page);
});

test('The second link opens the console as an administrator of the tenant', async () => {
  const page = await signInWith(linkBelow('Console, as Maria Santos'));
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByText('Santos').first().waitFor();
  assert.equal(await page.getByRole('link', { name: 'Tenants' }).count(), 0);
  await closeConsole(page);
});

test('The third link starts the course', async () => {
  const page = await newConsolePage();
  await page.goto(linkBelow('Course, as Ann Lee: Spot'));
  await page.getByText('Spot the phish').first().waitFor();
  await closeConsole(page);
});

/** Reads the learner's enrolments, as the last printed command does. */
async function readEnrolments(): Promise<Record<string, string>[]> {
  const [, url = '', key = ''] =
    /curl (\S+\/enrolment\/ann) -H 'Authorization: Bearer (\S+)'/.exec(demo.stdout()) ?? [];
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()).Items;
}

test('The fourth link starts a cmi5 course, which reports that it is completed', async () => {
  const page = await newConsolePage();
  await page.goto(linkBelow('Course, as Ann Lee: The recovery'));
  await contentOf(page).getByRole('button', { name: 'I know what to do' }).click();
  await until('the course is completed', async () => {
    const found = (await readEnrolments()).find(({ CourseID }) => CourseID === 'recovery-position');
    return found?.Status === 'completed';
  });
  await closeConsole(page);
});

test('The printed command creates another link for the operator', async () => {
  const { url, folder } =
    /^ {2}BASE_URL=(?<url>\S+) DATA_DIR='(?<folder>[^']+)' lectern console$/m.exec(demo.stdout())?.groups ??
    {};
  const console = runLectern(['console'], { BASE_URL: url, DATA_DIR: folder });
  assert.equal((await console.exited).code, 0, console.stderr());
  const [link = ''] = /http\S+sign-in\?token=\S+/.exec(console.stdout()) ?? [];
  const page = await signInWith(link);
  await page.getByRole('link', { name: 'Tenants' }).waitFor();
  await closeConsole(page);
});
