import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sql } from 'kysely';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { play } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { newTenant } from '../../../../test/support/tenant.ts';
import { compressUntrusted } from '../../../http/built-files.ts';
import { packFolder } from '../../../lib/pack-folder.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user } = await newTenant(service);

const source = join(import.meta.dirname, '../../../../../courses/phishing');
await service.importPackage('phishing', await packCourse('phishing'));
await service.importPackage('web', await packWeb());
for (const course of ['phishing', 'web']) await service.api('PUT', `/course/${course}/option/open`, {});

/** Packs a web course with files of many kinds. */
async function packWeb(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-'));
  await mkdir(join(folder, 'Media'));
  const json = JSON.stringify(Array.from({ length: 2000 }, (_, index) => index));
  const files = {
    'index.html': '<!doctype html><meta charset="iso-8859-1"><h1>x</h1>',
    'Media/Intro.MP4': Buffer.alloc(5000, 7),
    'Media/sound.mp3': 'x',
    'Media/track.vtt': 'WEBVTT',
    'Media/font.woff2': 'x',
    'Media/picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'Media/data.json': json,
    'Media/large.txt': 'many words '.repeat(100_000),
    'Media/module.mjs': 'export {}',
    'Media/old.SWF': 'x',
    ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`Media/page${at}.json`, json])),
    'Media/noextension': 'x',
    'Media/über uns+100%.htm': 'ü',
  };
  for (const [name, body] of Object.entries(files)) await writeFile(join(folder, name), body);
  await symlink('/etc/hostname', join(folder, 'link.txt'));
  const zip = join(await mkdtemp(join(tmpdir(), 'lectern-')), 'web.zip');
  await packFolder(folder, zip);
  return zip;
}

async function enrolled(course: string) {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${course}`)).body;
  return { LoginID, LaunchURL: LaunchURL as string, address: `/enrolment/${LoginID}/${EnrollID}` };
}

const { LaunchURL } = await enrolled('web');
const web = await play(service, LaunchURL);

/** Returns the status for a path that is sent unchanged. Clients such as fetch normalise paths. */
function rawStatus(path: string, headers: Record<string, string> = {}): Promise<number> {
  const { hostname, port } = new URL(service.contentUrl);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

test('an open session receives the files exactly as packaged', async () => {
  const { LaunchURL } = await enrolled('phishing');
  const { file } = await play(service, LaunchURL);
  for (const name of ['index.html', 'scripts/course.js', 'styles/course.css', 'imsmanifest.xml']) {
    const response = await file(name);
    assert.equal(response.status, 200, name);
    assert.equal(await response.text(), await readFile(join(source, name), 'utf8'));
    assert.equal(response.headers.get('x-content-type-options'), null);
    assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin');
    assert.equal(
      response.headers.get('cache-control'),
      name === 'index.html' ? 'private, no-cache' : 'private, max-age=2592000, immutable',
      'shared caches must not store it, and a page must not open after access has ended',
    );
    assert.equal((await file(`${name}?v=1`)).status, 200);
  }
});

test('each file has the content type of its kind, and pages have no charset that would override their own', async () => {
  for (const [name, type] of [
    ['index.html', 'text/html'],
    ['Media/Intro.MP4', 'video/mp4'],
    ['Media/sound.mp3', 'audio/mpeg'],
    ['Media/track.vtt', 'text/vtt'],
    ['Media/font.woff2', 'font/woff2'],
    ['Media/picture.svg', 'image/svg+xml'],
    ['Media/data.json', 'application/json'],
    ['Media/module.mjs', 'text/javascript'],
    ['Media/old.SWF', 'application/x-shockwave-flash'],
    ['Media/noextension', 'application/octet-stream'],
  ] as const)
    assert.equal((await web.file(name)).headers.get('content-type'), type, name);
});

test('a name in any case and encoding finds the only file that matches', async () => {
  for (const name of ['media/intro.mp4', 'MEDIA/INTRO.MP4', 'INDEX.HTML', 'Media/%C3%BCber%20uns+100%25.htm'])
    assert.equal((await web.file(name)).status, 200, name);
  const decomposed = encodeURIComponent('über uns+100%.htm'.normalize('NFD'));
  assert.equal((await web.file(`Media/${decomposed}`)).status, 200);
});

test('range requests return parts of a file, so that learners can seek in a video', async () => {
  const part = await web.file('Media/Intro.MP4', { range: 'bytes=1000-1999' });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), 'bytes 1000-1999/5000');
  assert.equal((await part.arrayBuffer()).byteLength, 1000);
  const text = await web.file('Media/data.json', { range: 'bytes=0-99', 'accept-encoding': 'gzip, br' });
  assert.equal(text.status, 206);
  assert.equal(text.headers.get('content-encoding'), null);
  assert.equal((await web.file('Media/Intro.MP4', { range: 'bytes=9000-' })).status, 416);
  assert.equal((await web.file('Media/Intro.MP4')).headers.get('accept-ranges'), 'bytes');
});

test('text is compressed, media files are not, and an unchanged file is not sent again', async () => {
  for (const encoding of ['br', 'gzip']) {
    const response = await web.file('Media/data.json', { 'accept-encoding': encoding });
    assert.equal(response.headers.get('content-encoding'), encoding);
    assert.equal((await response.json()).length, 2000);
  }
  const video = await web.file('Media/Intro.MP4', { 'accept-encoding': 'br, gzip' });
  assert.equal(video.headers.get('content-encoding'), null);
  const etag = video.headers.get('etag') ?? '';
  const path = `${web.session.ContentPath}Media/Intro.MP4`;
  assert.equal(await rawStatus(path, { 'if-none-match': etag }), 304);
});

test('a text is compressed unless it exceeds 1 MiB', async () => {
  const accepts = { 'accept-encoding': 'br' };
  const large = await web.file('Media/large.txt', accepts);
  assert.deepEqual([large.status, large.headers.get('content-encoding')], [200, null]);
  assert.equal((await large.arrayBuffer()).byteLength, 1_100_000);
  const pages = Array.from({ length: 40 }, (_, at) => `Media/page${at}.json`);
  const responses = await Promise.all(pages.map((name) => web.file(name, accepts)));
  for (const response of responses) assert.equal((await response.json()).length, 2000);
  assert.deepEqual(new Set(responses.map(({ headers }) => headers.get('content-encoding'))), new Set(['br']));
});

test('compressing text never takes long', async () => {
  const letters = Buffer.from(Array.from(randomBytes(1024 * 1024), (byte) => 97 + (byte & 1)));
  const cost = async (work: () => Promise<unknown>) => {
    const before = process.cpuUsage();
    await work();
    return process.cpuUsage(before).user;
  };
  const usual = await cost(() => promisify(gzip)(letters));
  for (const encoding of ['gzip', 'br'] as const)
    assert.ok((await cost(() => compressUntrusted(letters, encoding))) < usual / 2, encoding);
});

test('files outside the package cannot be read', async () => {
  const base = `/play/${web.session.Session}/content`;
  for (const path of [
    '/../../../etc/hostname',
    '/..%2f..%2f..%2f..%2fetc%2fhostname',
    '/%2e%2e/%2e%2e/%2e%2e/etc/hostname',
    '/....//....//etc/hostname',
    '/..\\..\\etc\\hostname',
    '/..%5c..%5cetc%5chostname',
    '//etc/hostname',
    '/%2fetc/hostname',
    '/Media/..%2findex.html',
    '/./index.html',
    '/index.html%00.js',
    '/link.txt',
    '/no-such-file',
    '/',
    '/Media',
    '/Media/',
    '',
  ]) {
    const status = await rawStatus(base + path);
    assert.ok(status === 404 || status === 400 || status === 403, `${path} got ${status}`);
  }
  assert.equal(await rawStatus(`${base}/%E4`), 400);
});

test("a release's file names are read once, and a missing file costs one look-up", async () => {
  const { LaunchURL } = await enrolled('web');
  const { file } = await play(service, LaunchURL);
  assert.equal((await file('media/INTRO.mp4')).status, 200);
  const { rows } = await sql<{ release_id: string }>`
    select release_id from release where course_id = 'web'`.execute(service.ctx.db);
  const folder = service.ctx.files.folder(rows[0]?.release_id ?? '');
  await writeFile(join(folder, 'Media/Later.txt'), 'later');
  assert.equal((await file('Media/Later.txt')).status, 200);
  assert.equal((await file('media/later.txt')).status, 404, 'the folder is not read again');
  assert.equal((await file(`${'a'.repeat(1_100)}.txt`)).status, 404);
});

test('no files are served if the session is ended, silent or forged, the enrolment withdrawn, or the user disabled', async () => {
  async function statusAfter(
    change: (one: Awaited<ReturnType<typeof enrolled>>, playing: typeof web) => unknown,
  ) {
    const one = await enrolled('phishing');
    const playing = await play(service, one.LaunchURL);
    await change(one, playing);
    return [(await playing.file('index.html')).status, await playing.alive()];
  }
  assert.deepEqual(await statusAfter((_, { commit }) => commit({ Exit: true })), [410, 410]);
  assert.deepEqual(await statusAfter(({ address }) => api('PUT', address, { Withdrawn: true })), [403, 403]);
  assert.deepEqual(
    await statusAfter(({ LoginID }) => api('PUT', `/user/${LoginID}`, { Enabled: false })),
    [409, 409],
  );
  const { session } = web;
  for (const token of [`${session.Session}x`, session.Session.replace(/^../, 'ab'), 'a.b', 'x'])
    assert.equal((await fetch(`${service.contentUrl}/play/${token}/content/index.html`)).status, 410, token);
});

test('all launches of an enrolment read a release at the same address, as long as one is open', async () => {
  const { LaunchURL } = await enrolled('phishing');
  const first = await play(service, LaunchURL);
  const second = await play(service, LaunchURL);
  assert.equal(second.session.ContentPath, first.session.ContentPath);
  assert.equal(await first.alive(), 409);
  assert.equal((await first.file('index.html')).status, 200);
  const other = await play(service, (await enrolled('phishing')).LaunchURL);
  assert.notEqual(other.session.ContentPath, first.session.ContentPath);
  await second.commit({ Exit: true });
  assert.equal((await first.file('index.html')).status, 410);
  await service.importPackage('phishing', await packCourse('phishing'));
  assert.equal((await play(service, LaunchURL)).session.ContentPath, first.session.ContentPath);
  const later = await play(service, (await enrolled('phishing')).LaunchURL);
  assert.equal((await later.file('index.html')).status, 200);
});

test('a session stays open while its page is open, and ends after a day without a heartbeat', async () => {
  const open = await play(service, (await enrolled('phishing')).LaunchURL);
  const silent = await play(service, (await enrolled('phishing')).LaunchURL);
  for (let hour = 0; hour < 26; hour += 2) {
    clock.advance({ hours: 2 });
    assert.equal(await open.alive(), 204);
  }
  assert.equal((await open.file('index.html')).status, 200);
  assert.equal((await silent.file('index.html')).status, 410);
});
