import assert from 'node:assert/strict';
import { chmod, cp, readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
// @ts-expect-error: the package has no types
import S3rver from '@20minutes/s3rver';
import { type Cluster, startCluster } from '../../scripts/postgres-cluster.ts';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { readConfig } from '../src/infra/context/config.ts';
import { openStorage } from '../src/infra/storage/open-storage.ts';
import { openLog } from '../src/lib/log.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  runLectern,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { startService } from './support/service.ts';
import { mountSmallDisk } from './support/small-disk.ts';
import { until } from './support/until.ts';

after(cleanUp);

test('a full disk during imports and commits causes 503, and the service recovers without incomplete or lost data', async (context) => {
  const disk = mountSmallDisk(200);
  context.after(disk.unmount);
  const home = await databaseSettings();
  await cp(home.DATA_DIR, join(disk.folder, 'data'), { recursive: true });
  let server: Cluster | null = null;
  if (home.DATABASE_URL) {
    await chmod(disk.folder, 0o755);
    server = await startCluster(disk.folder);
    context.after(server.remove);
  }
  const service = await startProcess({
    ...home,
    ...(server ? { DATABASE_URL: server.url } : {}),
    DATA_DIR: join(disk.folder, 'data'),
    LOG_LEVEL: 'error',
  });
  const call = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const headers = { authorization: `Bearer ${bootstrapKey}`, tenant: 'full', 'content-type': type };
    const raw = body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body);
    const response = await fetch(service.baseUrl + path, { method, headers, ...(body ? { body: raw } : {}) });
    return {
      status: response.status,
      wait: response.headers.get('retry-after'),
      body: await response.json(),
    };
  };
  const zip = await readFile(await packCourse('phishing'));
  const put = () => call('PUT', '/course/phishing/package', zip, 'application/zip');
  assert.equal((await call('POST', '/tenant', { TenantID: 'full' })).status, 201);
  assert.equal((await call('PUT', '/course/phishing', { Title: 'Phishing' })).status, 201);

  await disk.fill();
  const refused = await put();
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
  assert.match(refused.wait ?? '', /^\d+$/);
  for (const name of ['scratch', 'packages'])
    assert.deepEqual(await readdir(join(disk.folder, 'data', name)), [], `${name} has no incomplete files`);

  // Leaves enough space for some of the commits, but not for all of them.
  await disk.leave(1024 ** 2);
  const acknowledged: string[] = [];
  const wrong: string[] = [];
  let failures = 0;
  for (let number = 0; failures < 5 && number < 20_000; number += 50)
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const LoginID = `user ${number + index} ${'x'.repeat(200)}`;
        const { status, wait } = await call('POST', '/user', { LoginID });
        if (status === 201) acknowledged.push(LoginID);
        else if (status === 503 && wait !== null) failures++;
        else wrong.push(`${status}`);
      }),
    );
  assert.ok(acknowledged.length > 0 && failures > 0, 'the disk became full during the commits');
  assert.deepEqual(wrong, []);

  await disk.free();
  await server?.start();
  await until(
    'the service is ready',
    async () => (await fetch(`${service.baseUrl}/health/ready`)).status === 200,
  );
  const held = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await call('GET', `/user?Limit=200${cursor && `&Cursor=${encodeURIComponent(cursor)}`}`);
    assert.equal(page.status, 200, JSON.stringify(page.body));
    for (const { LoginID } of page.body.Items) held.add(LoginID);
    cursor = page.body.NextCursor;
  }
  assert.deepEqual(
    acknowledged.filter((LoginID) => !held.has(LoginID)),
    [],
  );
  assert.equal((await put()).status, 201);
  assert.equal((await call('POST', '/user', { LoginID: 'after' })).status, 201);
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
  console.log(
    `full disk: an import rejected without leftovers, ${acknowledged.length} commits acknowledged, ${failures} rejected with 503, losses 0`,
  );
});

async function failed(args: string[], env: Record<string, string | undefined>): Promise<string> {
  const run = runLectern(args, env);
  assert.equal((await run.exited).code, 1, run.stdout());
  return run.stderr();
}

test('a backup or a restore onto a full disk fails with a sentence and leaves nothing behind', async (context) => {
  const disk = mountSmallDisk(4);
  context.after(disk.unmount);
  const home = await databaseSettings();
  await disk.fill();
  await disk.leave(64 * 1024);
  const said = await failed(['backup', join(disk.folder, 'backup')], home);
  assert.match(
    said,
    /^The disk of \S+ is full, and nothing was kept\. Free some space, or choose a folder on an/m,
  );
  assert.deepEqual(await readdir(disk.folder), ['filler']);

  const backup = join(await temporaryFolder(), 'backup');
  assert.equal((await runLectern(['backup', backup], home).exited).code, 0);
  const place = { DATA_DIR: join(disk.folder, 'data'), TMPDIR: disk.folder };
  if (!home.DATABASE_URL) {
    assert.match(
      await failed(['restore', backup], place),
      /is full, and nothing was kept\. .*, or set DATA_DIR/,
    );
    assert.match(await failed(['backup', 'verify', backup], place), /TMPDIR for a verification/);
    const left = await readdir(disk.folder, { recursive: true });
    assert.deepEqual(
      left.filter((path) => !/^(data|filler|data\/lock.*)$/.test(path)),
      [],
    );
  }
});

test('with a full disk for the copies, course files are read from the store', async (context) => {
  const disk = mountSmallDisk(4);
  context.after(disk.unmount);
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: await temporaryFolder() },
    configureBuckets: [{ name: 'lectern', configs: [] }],
  });
  const { port } = (await server.run()) as AddressInfo;
  context.after(() => server.close());
  const env = {
    STORAGE_URL: `s3://lectern/courses?endpoint=http://127.0.0.1:${port}`,
    ...{ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
  };
  const service = await startService({ env });
  context.after(service.close);
  await service.importPackage('phishing', await packCourse('phishing'));
  const [release] = await service.ctx.db.selectFrom('release').select('release_id').execute();
  const said: string[] = [];
  const files = await openStorage({
    config: { dataDir: disk.folder, storage: readConfig(env).storage },
    db: service.ctx.db,
    log: { ...openLog('silent'), error: (_: unknown, text?: string) => void said.push(text ?? '') },
  });
  const find = () => files.find(release?.release_id ?? '', 'index.html');
  await disk.fill();
  const found = await find();
  assert.equal(found?.kind, 'remote');
  const chunks: Buffer[] = [];
  if (found?.kind === 'remote') for await (const chunk of await found.read()) chunks.push(chunk);
  const source = join(import.meta.dirname, '../../courses/phishing/index.html');
  assert.equal(Buffer.concat(chunks).toString(), await readFile(source, 'utf8'));
  assert.match(said.join(), /^DATA_DIR: its disk is full.* Free some space, or lower STORAGE_CACHE\.$/);
  assert.deepEqual(await readdir(join(disk.folder, 'cache')), []);
  await disk.free();
  assert.equal((await find())?.kind, 'local');
});
