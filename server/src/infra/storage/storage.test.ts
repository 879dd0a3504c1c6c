import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
// @ts-expect-error: the package has no types
import S3rver from '@20minutes/s3rver';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../test/support/clock.ts';
import { packFiles } from '../../../test/support/packages.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { openLog } from '../../lib/log.ts';
import { readConfig } from '../context/config.ts';
import { type FileCache, openFileCache } from './file-cache.ts';
import { openObjectStore, StorageError } from './object-store.ts';
import { openStorage } from './open-storage.ts';

const folder = await mkdtemp(join(tmpdir(), 'lectern-store-'));
const server = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory: join(folder, 'objects'),
  configureBuckets: [{ name: 'lectern', configs: [] }],
});
const { port } = (await server.run()) as AddressInfo;
const endpoint = `http://127.0.0.1:${port}`;
const env = {
  STORAGE_URL: `s3://lectern/courses?endpoint=${endpoint}&region=eu-central-1`,
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
};
const clock = movableClock();
const service = await startService({ env, now: clock.now });
after(async () => {
  await service.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const settings = (more: Record<string, string> = {}) => {
  const { storage } = readConfig({ ...env, ...more });
  if (!storage) throw new Error('STORAGE_URL is not set.');
  return storage;
};
const store = openObjectStore(settings());
async function objects(): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of store.list('blobs/')) keys.push(...page.map(({ key }) => key));
  return keys;
}

test('releases are in the store, share their objects, and are served by every node without a shared folder', async () => {
  const zip = await packCourse('phishing');
  await service.importPackage('phishing', zip);
  const first = await objects();
  assert.ok(first.length > 3);
  await service.importPackage('twin', zip);
  assert.deepEqual(await objects(), first, 'the same files are not stored again');
  assert.deepEqual(await readdir(join(service.ctx.config.dataDir, 'packages')), []);

  const { LaunchURL } = await service.enrol('phishing');
  const { file } = await play(service, LaunchURL);
  const source = join(import.meta.dirname, '../../../../courses/phishing/index.html');
  const page = await file('INDEX.html');
  assert.equal(await page.text(), await readFile(source, 'utf8'));
  assert.equal((await file('index.html', { range: 'bytes=0-9' })).status, 206);
  assert.equal((await file('missing.html')).status, 404);

  const other = await openStorage({
    config: { dataDir: join(folder, 'other-node'), storage: settings() },
    db: service.ctx.db,
    log: openLog('silent'),
  });
  const [release] = await service.ctx.db.selectFrom('release').select('release_id').execute();
  const found = await other.find(release?.release_id ?? '', 'index.html');
  assert.equal(found?.kind, 'local');
  assert.equal(await other.problem(), null);
  assert.equal((await service.api('GET', '/health/ready')).status, 200);

  const listed = await service.api('GET', '/course/phishing/release/1/file');
  assert.ok(
    listed.body.Items.some(({ Path }: { Path: string }) => Path === 'index.html'),
    JSON.stringify(listed.body),
  );
});

test('parts of a file that is too large for the cache are read from the store', async () => {
  const bytes = 33 * 1024 ** 2;
  const video = Buffer.alloc(bytes, 'lectern');
  const zip = await packFiles({
    'index.html': '<video src="film.mp4">',
    'film.mp4': video.toString('latin1'),
  });
  await service.importPackage('film', zip);
  const cached = service.ctx.files.figures()?.cacheBytes;
  const { file } = await play(service, (await service.enrol('film')).LaunchURL);
  const from = 32 * 1024 ** 2 + 5;
  const part = await file('film.mp4', { range: `bytes=${from}-${from + 99}` });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), `bytes ${from}-${from + 99}/${bytes}`);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), video.subarray(from, from + 100));
  const end = await file('film.mp4', { range: 'bytes=-10' });
  assert.deepEqual([end.status, Buffer.from(await end.arrayBuffer())], [206, video.subarray(-10)]);
  assert.equal((await file('film.mp4', { range: `bytes=${bytes}-` })).status, 416);
  assert.equal(service.ctx.files.figures()?.cacheBytes, cached);
});

test('objects that no release has are removed after two days, and not before', async () => {
  await service.importPackage('short', await packCourse('fire-safety'));
  const before = await objects();
  assert.equal((await service.api('DELETE', '/course/short')).status, 204);
  await service.ctx.files.sweep(clock.now());
  await service.ctx.files.sweep(clock.now());
  assert.deepEqual(await objects(), before);
  clock.advance({ days: 3 });
  await service.ctx.files.sweep(clock.now());
  const left = await objects();
  assert.ok(left.length > 0 && left.length < before.length);
  await service.importPackage('short', await packCourse('fire-safety'));
  assert.equal((await objects()).length, before.length);
});

test('releases in the data folder are served, and move into the store', async (t) => {
  const { ctx } = service;
  const { dataDir } = ctx.config;
  const own = { config: { dataDir, storage: null }, db: ctx.db, log: ctx.log };
  const [withStore, withFolder] = [ctx.files, await openStorage(own)];
  t.after(() => Object.assign(ctx, { files: withStore }));
  Object.assign(ctx, { files: withFolder });
  await service.importPackage('moved', await packCourse('fire-safety'));
  Object.assign(ctx, { files: withStore });
  const play1 = await play(service, (await service.enrol('moved')).LaunchURL);
  assert.equal((await play1.file('imsmanifest.xml')).status, 200);
  await ctx.files.moveIn();
  assert.deepEqual(await readdir(join(dataDir, 'packages')), []);
  const play2 = await play(service, (await service.enrol('moved')).LaunchURL);
  assert.equal((await play2.file('imsmanifest.xml')).status, 200);
});

test('a store of another database, wrong keys, a missing bucket and a dead endpoint are reported with the setting', async () => {
  const db = service.ctx.db;
  const at = (more: Record<string, string>) =>
    openStorage({
      config: { dataDir: join(folder, 'wrong'), storage: settings(more) },
      db,
      log: openLog('silent'),
    });
  const url = (bucket: string, of = endpoint) => ({ STORAGE_URL: `s3://${bucket}?endpoint=${of}` });
  const problem = async (more: Record<string, string>) => (await at(more)).problem();
  assert.match(
    (await problem({ STORAGE_URL: `s3://lectern/elsewhere?endpoint=${endpoint}` })) ?? '',
    /does not contain the files of this database/,
  );
  assert.match(
    (await problem({ AWS_SECRET_ACCESS_KEY: 'wrong' })) ?? '',
    /^AWS_ACCESS_KEY_ID: the store refuses this key/,
  );
  assert.match((await problem(url('nothing'))) ?? '', /^STORAGE_URL: the bucket "nothing" does not exist/);
  assert.match(
    (await problem(url('lectern', 'http://127.0.0.1:9'))) ?? '',
    /^STORAGE_URL: http:\/\/127\.0\.0\.1:9 does not respond/,
  );
  await store.putText('lectern-database', 'another');
  assert.match(
    (await service.ctx.files.problem()) ?? '',
    /belongs to another database.*lectern storage claim/,
  );
  const refused = await service.importPackage('refused', await packCourse('phishing'));
  assert.equal(refused.status, 503);
  const { claimStore } = await import('./storage-owner.ts');
  await claimStore(service.ctx, store);
  assert.equal(await service.ctx.files.problem(), null);
});

test('half a body is never kept as a file, and a bounded cache evicts the least recently used file', async () => {
  const half = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('12345');
    setTimeout(() => response.destroy(), 50);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => half.once('listening', resolve));
  const { port: own } = half.address() as AddressInfo;
  const broken = openObjectStore(settings({ STORAGE_URL: `s3://b?endpoint=http://127.0.0.1:${own}` }));
  const cache = await openFileCache(join(folder, 'cache'), 2_000);
  const expected = { bytes: 10, sha256: 'ab'.repeat(32) };
  await assert.rejects(
    cache.get(expected.sha256, 10, (to) => broken.download('blobs/x', to, expected)),
    StorageError,
  );
  assert.deepEqual(await readdir(cache.folder), []);
  await assert.rejects(broken.getText('x'), /STORAGE_URL: the store at \S+ ended a response early/);
  await assert.rejects(broken.list('x').next(), /ended a response early/);
  half.close();

  const add = (one: FileCache, name: string) =>
    one.get(name.repeat(64), 1_000, async (to) => writeFile(to, Buffer.alloc(1_000)).then(() => true));
  await add(cache, 'a');
  await add(cache, 'b');
  const reopened = await openFileCache(join(folder, 'cache'), 2_000);
  await add(reopened, 'c');
  assert.equal(reopened.bytes(), 2_000);
  assert.equal((await readdir(cache.folder)).length, 2);
});

test('a clock that differs from the one of the store is named as the cause', async (t) => {
  const late = createServer((_request, response) => {
    response.writeHead(403).end('<Error><Code>RequestTimeTooSkewed</Code></Error>');
  }).listen(0, '127.0.0.1');
  t.after(() => late.close());
  await new Promise((resolve) => late.once('listening', resolve));
  const { port: own } = late.address() as AddressInfo;
  const skewed = openObjectStore(settings({ STORAGE_URL: `s3://b?endpoint=http://127.0.0.1:${own}` }));
  await assert.rejects(
    skewed.getText('x'),
    /the clocks of this machine and of the store at \S+ differ too much/,
  );
});
