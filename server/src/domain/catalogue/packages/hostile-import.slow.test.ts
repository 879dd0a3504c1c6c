import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, test } from 'node:test';
import { manifest12, oneItem, oneResource } from '../../../../../standards/test-support.ts';
import { measureDuring } from '../../../../test/support/honest-client.ts';
import type { Reply } from '../../../../test/support/send.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, unique } from '../../../../test/support/tenant.ts';
import { until } from '../../../../test/support/until.ts';
import { rawZip } from '../../../../test/support/zips.ts';
import { openImportQueue } from '../../../infra/context/load.ts';
import { Problem } from '../../../lib/errors.ts';
import { importPackage } from '../import-package.ts';

const service = await startService({ isolates: true });
after(service.close);
const { api, ctx } = service;

const page = { name: 'index.html', data: '<title>Fine</title>' };
const withManifest = (items: string) =>
  rawZip([page, { name: 'imsmanifest.xml', data: manifest12(items, oneResource) }]);

/** 2.1 MB on disk, 509,000 folders when unpacked. */
const deepArchive = rawZip(
  Array.from({ length: 1_000 }, (_, index) => ({ name: `${`${index}/`}${'a/'.repeat(508)}x`, method: 0 })),
);
const hugeManifest = withManifest(
  oneItem +
    '<item identifier="i" identifierref="r"><title>Start</title></item>'.repeat(4_990) +
    '<metadata a="1"><b c="2"/></metadata>'.repeat(90_000),
);

async function course(): Promise<string> {
  const CourseID = unique('hostile');
  expectStatus(await api('PUT', `/course/${CourseID}`, { Title: 'Hostile' }), 201);
  return CourseID;
}

async function upload(CourseID: string, zip: Buffer): Promise<Reply> {
  const response = await fetch(`${service.baseUrl}/course/${CourseID}/package`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.operatorKey}`, 'content-type': 'application/zip' },
    body: new Uint8Array(zip),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function leftOnDisk(): Promise<string[]> {
  const names = await Promise.all(
    ['packages', 'scratch'].map((folder) => readdir(join(ctx.config.dataDir, folder))),
  );
  return names.flat();
}

for (const [what, zip, status] of [
  ['1,000 entries, each 508 folders deep', deepArchive, 422],
  ['a manifest with 185,000 elements', hugeManifest, 201],
] as const)
  test(`other clients wait at most 100 ms during ${what}`, async () => {
    const CourseID = await course();
    const before = await leftOnDisk();
    const importing = upload(CourseID, zip);
    const noticed = await measureDuring(async () => {
      expectStatus(await api('GET', `/course/${CourseID}`), 200);
    }, importing);
    expectStatus(await importing, status);
    assert.ok(noticed.requests > 3 && noticed.longestWork <= 100, JSON.stringify(noticed));
    if (status === 422) assert.deepEqual(await leftOnDisk(), before);
  });

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(error instanceof Problem, `unexpected error: ${error}`);
  return error;
}

test('a manifest that needs too much memory is rejected and leaves nothing behind', async () => {
  const CourseID = await course();
  const before = await leftOnDisk();
  const attributes = [...'abcdefghijklmno'].map((name) => ` ${name}=""`).join('');
  const reply = await upload(CourseID, withManifest(`${oneItem}${`<x${attributes}/>`.repeat(190_000)}`));
  expectProblem(reply, 422, 'package_invalid');
  assert.match(reply.body.detail, /too much memory/);
  assert.deepEqual(await leftOnDisk(), before);
});

test('reading a package is stopped after the time limit and leaves nothing behind', async () => {
  const courseId = await course();
  const before = await leftOnDisk();
  const impatient = { ...ctx, config: { ...ctx.config, importSeconds: 1 } };
  const problem = await problemOf(importPackage(impatient, { courseId, zip: Readable.from([hugeManifest]) }));
  assert.deepEqual([problem.code, problem.status], ['package_unreadable', 422]);
  assert.match(problem.message, /limit of 1 s/);
  assert.deepEqual(await leftOnDisk(), before);
});

test('an import that does not fit in the queue gets 503 with Retry-After', async () => {
  const courseId = await course();
  const imports = openImportQueue({ running: 1, waiting: 1 });
  const start = (zip: Readable = Readable.from([rawZip([page])])) =>
    importPackage({ ...ctx, imports }, { courseId, zip });
  const uploading = new PassThrough();
  const first = start(uploading);
  await until('the first import waits for its upload', () => imports.waiting === 1);
  const problem = await problemOf(start());
  uploading.end(rawZip([page]));
  assert.deepEqual([problem.status, problem.extras.retryAfter], [503, 30]);
  assert.equal((await first).release.Release, 1);
  assert.equal((await start()).release.Release, 2);
  assert.deepEqual([imports.running, imports.waiting], [0, 0]);
});
