import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { chapters } from '../docs/site/chapters.ts';
import { help } from '../server/src/cli/help.ts';
import { locations } from '../server/src/lib/locations.ts';
import { packFolder } from '../server/src/lib/pack-folder.ts';
import { freePorts } from '../server/test/support/process.ts';
import { startService, type TestService } from '../server/test/support/service.ts';
import { newTenant } from '../server/test/support/tenant.ts';
import { blocksOf } from './guide-examples.ts';
import { localize, runPage, shownLanguages } from './guide-page.ts';
import { GuideShell } from './guide-shell.ts';
import { captions, clip, pdfOf } from './journeys/media-files.ts';

const root = join(import.meta.dirname, '..');
const guide = join(root, 'docs/guide');
const names = chapters.flatMap(({ pages }) => pages);

let service: TestService;
let folder: string;

/** Imports the demo courses, which the guide's readers also have. */
before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  folder = await mkdtemp(join(tmpdir(), 'lectern-guide-'));
  const options = {
    phishing: { '30-days': { Name: '30 days', Duration: 'P30D' } },
    'fire-safety': { '1-year': { Name: 'One year', Duration: 'P1Y' }, unlimited: { Name: 'No time limit' } },
  };
  const titles: Record<string, string> = { phishing: 'Spot the phish', 'fire-safety': 'Fire safety at work' };
  for (const [course, offered] of Object.entries(options)) {
    const zip = join(folder, `${course}.zip`);
    await packFolder(join(locations.courses, course), zip);
    await service.importPackage(course, zip);
    await service.api('PUT', `/course/${course}`, { Title: titles[course] });
    for (const [id, option] of Object.entries(offered))
      await service.api('PUT', `/course/${course}/option/${id}`, option);
  }
  await service.api('PUT', '/course/fire-film', { Title: 'Fire film' });
  await fetch(`${service.baseUrl}/course/fire-film/package`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.operatorKey}`, 'content-type': 'video/mp4' },
    body: clip() as BodyInit,
  });
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

test("the guide's table of contents lists every page", () => {
  const files = globSync('**/*.md', { cwd: guide }).map((file) => file.replace(/\.md$/, ''));
  assert.deepEqual(files.sort(), [...names].sort());
});

/** Runs a page against this test's service. The examples use the client from its sources. */
async function runHere(file: string, shell: GuideShell): Promise<number> {
  const [port = 0] = await freePorts(1);
  const client = `'${join(root, 'client/src/index.ts')}'`;
  return runPage(file, shell, {
    local: localize(service.baseUrl, port),
    own: (text) => text.replace("'lectern-client'", client),
  });
}

/** The data that the quick start leaves behind. */
async function afterQuickStart(): Promise<Record<string, string>> {
  const { key } = await newTenant(service);
  await service.api('POST', '/user', { LoginID: 'bob', FirstName: 'Bob', LastName: 'Stone' }, key);
  return {
    KEY: key,
    AUTH: `Authorization: Bearer ${key}`,
    JSON: 'Content-Type: application/json',
  };
}

const hasCommands = (name: string) =>
  blocksOf(join(guide, `${name}.md`)).some(({ language }) => language === 'sh');

for (const name of names.filter(hasCommands))
  test(`the commands on the guide page ${name} work and respond as shown`, async () => {
    const more = name === 'quick-start' ? {} : await afterQuickStart();
    const shell = new GuideShell({ BASE: service.baseUrl, OPERATOR: service.operatorKey, ...more });
    shell.save('policy.pdf', pdfOf(['Policy']).toString('latin1'));
    shell.save('captions.vtt', captions);
    try {
      assert.ok((await runHere(join(guide, `${name}.md`), shell)) > 0);
    } finally {
      shell.close();
    }
  });

test('the commands in the README work and respond as shown', async () => {
  const { key } = await newTenant(service);
  const shell = new GuideShell({ KEY: key });
  try {
    assert.ok((await runHere(join(root, 'README.md'), shell)) > 0);
  } finally {
    shell.close();
  }
});

const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));

test('every page is served without inline scripts or styles, and its links work', async () => {
  const pages = new Map<string, string>();
  const addresses = names.map((name) => (name === 'index' ? '/docs/guide' : `/docs/guide/${name}`));
  for (const address of addresses) {
    const response = await fetch(service.baseUrl + address);
    assert.equal(response.status, 200, address);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|nonce|\*/);
    const html = await response.text();
    assert.doesNotMatch(html, /<script(?![^>]*src=)|<style| style=| on\w+="/i, address);
    pages.set(address, html);
  }
  const links = new Set(
    [...pages].flatMap(([address, html]) =>
      linksOf(html).map((link) => new URL(link, `http://guide${address}`)),
    ),
  );
  for (const { host, pathname, hash } of links) {
    if (host !== 'guide') continue;
    const html = pages.get(pathname);
    if (html === undefined) assert.equal((await fetch(service.baseUrl + pathname)).status, 200, pathname);
    else if (hash) assert.ok(idsOf(html).has(decodeURIComponent(hash.slice(1))), `${pathname}${hash}`);
  }
});

function linksOf(html: string): string[] {
  return [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
}

test('the guide supports HEAD, 304 and compression, and returns 404 for other URLs', async () => {
  const address = `${service.baseUrl}/docs/guide/enrol`;
  const first = await fetch(address, { headers: { 'Accept-Encoding': 'br' } });
  assert.equal(first.headers.get('content-encoding'), 'br');
  const again = await fetch(address, {
    headers: { 'Accept-Encoding': 'br', 'If-None-Match': first.headers.get('etag') ?? '' },
  });
  assert.equal(again.status, 304);
  assert.equal((await fetch(`${address}/`)).status, 200);
  assert.equal((await fetch(address, { method: 'HEAD' })).status, 200);
  for (const path of ['nothing', '.sources', 'reference', '..%2fconsole%2findex.html', 'index.html.br'])
    assert.equal((await fetch(`${service.baseUrl}/docs/guide/${path}`)).status, 404, path);
});

const documents = () => globSync(['*.md', 'docs/**/*.md', 'client/*.md', 'courses/*.md'], { cwd: root });

/** The ids of headings, as GitHub and the site generate them. */
function headingIds(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{1,4} (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return new Set(
    headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')),
  );
}

test('every link and image in a document leads to an existing file and heading', () => {
  for (const document of documents()) {
    const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    const markdown = [...text.matchAll(/\]\(([^)\s]+)\)/g)];
    const html = [...text.matchAll(/ (?:href|src|srcset)="([^"]+)"/g)];
    for (const [, link = ''] of [...markdown, ...html]) {
      if (/^(https?:|\/)/.test(link)) continue;
      const [path = '', fragment] = link.split('#');
      const file = path === '' ? join(root, document) : join(root, dirname(document), path);
      assert.ok(existsSync(file), `${document}: ${link}`);
      if (fragment) assert.ok(headingIds(readFileSync(file, 'utf8')).has(fragment), `${document}: ${link}`);
    }
  }
});

/**
 * The test cannot run commands that need the reader's own machine, but everything that they name must exist.
 */
test('commands that are shown but not run refer to existing scripts, files and commands', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const commands = new Set([...help.matchAll(/^lectern (\w+)/gm)].map(([, name]) => name));
  for (const document of ['README.md', ...names.map((name) => `docs/guide/${name}.md`)])
    for (const { language, text, line } of blocksOf(join(root, document))) {
      assert.ok(shownLanguages.includes(language), `${document}:${line} is a block of ${language}`);
      if (language !== 'bash') continue;
      for (const [, name = ''] of text.matchAll(/npm run ([\w:]+)/g)) assert.ok(name in scripts, name);
      for (const [, name = ''] of text.matchAll(/^(?:.*&& )? *lectern (\w+)/gm))
        assert.ok(commands.has(name), name);
      for (const [path] of text.matchAll(/\bdeploy\/[\w.]+/g)) assert.ok(existsSync(join(root, path)), path);
    }
});

test('the README has at most 700 words', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  assert.ok(text.split(/\s+/).filter(Boolean).length <= 700);
});
