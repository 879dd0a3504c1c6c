import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import {
  answer,
  contentOf,
  newContext,
  openPage,
  press,
  waitForState,
} from '../../server/test/support/browser.ts';
import { cleanUp, freePorts, temporaryFolder } from '../../server/test/support/process.ts';
import { until } from '../../server/test/support/until.ts';
import { localize, runPage } from '../guide-page.ts';
import { GuideShell } from '../guide-shell.ts';
import { openClientSite } from './client-site.ts';

// The first day of an integrator, who has a checkout and follows the README, the quick start and the page on webhooks.

const root = join(import.meta.dirname, '../..');
const minutes = 10;

after(cleanUp);

/** A checkout of the files as they are now, after `npm ci`: the packages are copied instead of installed. */
async function checkOut(): Promise<string> {
  const folder = join(await temporaryFolder(), 'lectern');
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(root, file), join(folder, file));
  }
  for (const place of ['.', ...(await readdir(folder))])
    if (existsSync(join(root, place, 'node_modules')))
      copyFolder(join(root, place, 'node_modules'), join(folder, place, 'node_modules'));
  return folder;
}

/** Uses hard links if both folders are on the same file system. Packages must not be behind symbolic links. */
function copyFolder(from: string, to: string): void {
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'pipe' });
  } catch {
    execFileSync('cp', ['-a', '--remove-destination', `${from}/.`, to]);
  }
}

/** Packs the client as the guide says, and unpacks it where `npm install` would, without using the network. */
async function installClient(checkout: string, folder: string): Promise<void> {
  const packages = join(folder, 'node_modules');
  const client = join(packages, 'lectern-client');
  await mkdir(client, { recursive: true });
  execFileSync('npm', ['pack', join(checkout, 'client')], { cwd: folder, stdio: 'pipe' });
  execFileSync('tar', ['-xzf', 'lectern-client-0.1.0.tgz', '-C', client, '--strip-components=1'], {
    cwd: folder,
  });
  await symlink(join(root, 'node_modules/openapi-fetch'), join(packages, 'openapi-fetch'));
}

async function passCourse(launchUrl: string): Promise<void> {
  const shop = await openClientSite();
  const page = await openPage(await newContext());
  try {
    await page.goto(`${launchUrl}&returnURL=${shop.returnURL}`);
    await press(page, 'next', 'next', 'next', 'submit', 'next', 'next');
    await answer(page, 'bcab');
    await contentOf(page).locator('[data-test=result]').waitFor();
    await waitForState(page, 'saved');
    await press(page, 'finish');
    await page.locator('#exit-button.primary').waitFor();
    await page.click('#exit-button');
    await page.waitForURL(shop.returnURL);
  } finally {
    await page.context().close();
    await shop.close();
  }
}

test(`An integrator gets from a checkout to a verified webhook in ${minutes} minutes`, async () => {
  const began = performance.now();
  const checkout = await checkOut();
  const [PORT = 0, CONTENT_PORT, receiver = 0] = await freePorts(3);
  const settings = { PORT: `${PORT}`, CONTENT_PORT: `${CONTENT_PORT}`, TMPDIR: await temporaryFolder() };
  const terminal = new GuideShell(settings);
  const printed = join(terminal.folder, 'demo.txt');
  await terminal.run(`cd '${checkout}' && npm run demo > '${printed}' 2>&1 &`);
  const demo = () => (existsSync(printed) ? readFileSync(printed, 'utf8') : '');
  await until(
    () => `the demo's last line, not ${demo()}`,
    () => demo().includes('Press Ctrl-C to stop'),
    240,
  );
  const [, OPERATOR = ''] = /Authorization: Bearer (\S+)'/.exec(demo()) ?? [];
  const shell = new GuideShell({ OPERATOR });
  try {
    const local = localize(`http://127.0.0.1:${PORT}`, receiver);
    assert.ok((await runPage(join(root, 'docs/guide/quick-start.md'), shell, { local })) > 0);
    await installClient(checkout, shell.folder);
    assert.ok((await runPage(join(root, 'docs/guide/webhooks.md'), shell, { local })) > 0);
    await passCourse(shell.valueOf('LAUNCH_URL'));
    // The receiver prints only events whose signature it has verified.
    const received = () => readFileSync(join(shell.folder, 'received.txt'), 'utf8');
    await until('the webhook has arrived', () => /enrolment\.completed bob/.test(received()));
    const taken = (performance.now() - began) / 60_000;
    assert.ok(taken < minutes, `${taken.toFixed(1)} minutes`);
  } finally {
    shell.close();
    terminal.close();
  }
});
