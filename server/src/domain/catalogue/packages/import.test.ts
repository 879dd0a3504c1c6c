import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { manifest12, oneItem, oneResource } from '../../../../../standards/test-support.ts';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { faultyNode } from '../../../../test/support/faults.ts';
import type { Reply } from '../../../../test/support/send.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, unique } from '../../../../test/support/tenant.ts';
import { untilMatching } from '../../../../test/support/until.ts';
import { rawZip } from '../../../../test/support/zips.ts';
import { packFolder } from '../../../lib/pack-folder.ts';
import { findDamage } from '../find-damage.ts';
import { importPackage } from '../import-package.ts';

const service = await startService({
  env: { PACKAGE_BYTES: '3000000', PACKAGE_ENTRIES: '50' },
  isolates: true,
});
after(service.close);
const { api, ctx } = service;
const phishing = await readFile(await packCourse('phishing'));

async function upload(courseId: string, body: BodyInit, type = 'application/zip', key = service.operatorKey) {
  const response = await fetch(`${service.baseUrl}/course/${courseId}/package`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, ...(type ? { 'content-type': type } : {}) },
    body,
  });
  const reply: Reply = { status: response.status, headers: response.headers, body: await response.json() };
  return reply;
}

async function course(): Promise<string> {
  const CourseID = unique('import');
  expectStatus(await api('PUT', `/course/${CourseID}`, { Title: 'Imported' }), 201);
  return CourseID;
}

/** Everything that an import leaves behind: release files, temporary files, rows. */
async function traces(CourseID: string) {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from release where course_id = ${CourseID}`.execute(ctx.db);
  const folder = ctx.config.dataDir;
  return {
    releases: rows[0]?.n,
    folders: (await readdir(join(folder, 'packages'))).sort(),
    scratch: await readdir(join(folder, 'scratch')),
    course: (await api('GET', `/course/${CourseID}`)).body,
  };
}

async function zipOf(files: Record<string, string | Buffer>): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-'));
  await mkdir(join(folder, 'course'));
  for (const [name, body] of Object.entries(files)) await writeFile(join(folder, 'course', name), body);
  await packFolder(join(folder, 'course'), join(folder, 'course.zip'));
  return new Uint8Array(await readFile(join(folder, 'course.zip')));
}

test('an import returns the release, and the course shows it', async () => {
  const CourseID = await course();
  const made = await upload(CourseID, phishing);
  expectStatus(made, 201);
  assert.equal(made.headers.get('location'), `/course/${CourseID}/package`);
  const { Units, Warnings, SHA256, Bytes, Files, CreatedAt, Title, ...rest } = made.body;
  const shown = { CourseID, Release: 1, Current: true, Standard: 'scorm12', AuthoringTool: null, Rules: [] };
  assert.deepEqual(rest, shown);
  assert.ok(Title.length > 0 && Bytes > 0 && Files > 4);
  assert.deepEqual(Warnings, []);
  assert.match(SHA256, /^[0-9a-f]{64}$/);
  assert.deepEqual(Object.keys(Units[0]), ['UnitID', 'Title', 'Rules', 'Href', 'Depth']);
  assert.equal(Date.parse(CreatedAt) > 0, true);
  assert.deepEqual((await api('GET', `/course/${CourseID}/package`)).body, made.body);
  const second = await upload(CourseID, phishing);
  expectStatus(second, 200);
  assert.deepEqual([second.body.Release, second.body.SHA256], [2, SHA256]);
  const { Standard, Release } = (await api('GET', `/course/${CourseID}`)).body;
  assert.deepEqual([Standard, Release], ['scorm12', 2]);
  assert.deepEqual((await traces(CourseID)).scratch, []);
});

test('a package with a missing page is imported with an error, which is counted in the course record', async () => {
  const CourseID = await course();
  const item = '<item identifier="a" identifierref="b"><title>Part 1</title></item>';
  const manifest = `<manifest identifier="x" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"><organizations default="o"><organization identifier="o"><title>Gap</title>${item}</organization></organizations><resources><resource identifier="b" type="webcontent" adlcp:scormtype="sco" href="gone.html"/></resources></manifest>`;
  const made = await upload(CourseID, await zipOf({ 'imsmanifest.xml': manifest }));
  expectStatus(made, 201);
  const [first, ...others] = made.body.Warnings;
  assert.deepEqual([first.Severity, first.File], ['error', 'imsmanifest.xml']);
  assert.match(first.Message, /gone\.html.* is not in the package/);
  assert.ok(others.length > 0);
  assert.ok(others.every(({ Severity }: { Severity: string }) => Severity === 'note'));
  const { Warnings, Errors } = (await api('GET', `/course/${CourseID}`)).body;
  assert.deepEqual([Warnings, Errors], [others.length + 1, 1]);
  const listed = (await api('GET', `/course?Search=${CourseID}`)).body.Items;
  assert.equal(listed[0].Errors, 1);
});

test('each of several concurrent imports creates a release', async () => {
  const CourseID = await course();
  const replies = await Promise.all(Array.from({ length: 5 }, () => upload(CourseID, phishing)));
  assert.deepEqual(replies.map(({ body }) => body.Release).sort(), [1, 2, 3, 4, 5]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 201]);
});

test('a failed import reports the reason and leaves nothing behind', async () => {
  const CourseID = await course();
  await upload(CourseID, phishing);
  const before = await traces(CourseID);
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}.html`, 'x']));
  const failures: [Uint8Array<ArrayBuffer>, number, string][] = [
    [new Uint8Array(), 422, 'package_not_zip'],
    [new Uint8Array(Buffer.from('not a zip at all')), 422, 'package_not_zip'],
    [new Uint8Array(phishing.subarray(0, phishing.length - 200)), 422, 'package_not_zip'],
    [await zipOf({ 'readme.txt': 'x' }), 422, 'package_invalid'],
    [await zipOf({ 'imsmanifest.xml': '<manifest' }), 422, 'package_invalid'],
    [await zipOf(many), 413, 'package_too_large'],
    [await zipOf({ 'index.html': 'x'.repeat(3_500_000) }), 413, 'package_too_large'],
    [new Uint8Array(3_500_000), 413, 'package_too_large'],
  ];
  for (const [body, status, code] of failures) expectProblem(await upload(CourseID, body), status, code);
  expectStatus(await api('GET', `/course/${CourseID}`), 200);
  assert.deepEqual(await traces(CourseID), before);
});

test('files are kept if the connection to the database is lost while their release is stored', async () => {
  const CourseID = await course();
  const node = faultyNode(ctx);
  const zip = () => Readable.from([phishing]);
  node.arm(null);
  await importPackage(node.ctx, { courseId: CourseID, zip: zip() });
  node.arm({ step: node.steps.lastIndexOf('COMMIT'), when: 'after' });
  await assert.rejects(importPackage(node.ctx, { courseId: CourseID, zip: zip() }));
  assert.equal((await traces(CourseID)).releases, 2);
  assert.deepEqual(
    (await findDamage(ctx)).filter(({ courseId }) => courseId === CourseID),
    [],
  );
});

test('zips are accepted as browsers and Windows programs send them', async () => {
  const CourseID = await course();
  for (const type of ['application/x-zip-compressed', 'application/octet-stream'])
    assert.ok((await upload(CourseID, phishing, type)).status < 300);
  for (const appended of ['\r\n', '\0'.repeat(70_000), 'PK\x05\x06', `PK\x05\x06${'\xff'.repeat(18)}`])
    expectStatus(await upload(CourseID, Buffer.concat([phishing, Buffer.from(appended, 'latin1')])), 200);
  const manifest = manifest12(oneItem, oneResource.replaceAll('index.html', 'a/b/index.html'));
  const zip = rawZip([
    { name: 'imsmanifest.xml', data: manifest },
    { name: 'a\\b\\', data: '', method: 0 },
    { name: 'a\\b\\index.html', data: '<title>Fine</title>' },
  ]);
  const reply = await upload(CourseID, new Uint8Array(zip));
  expectStatus(reply, 200);
  assert.equal(reply.body.Units[0].Href, 'a/b/index.html');
  assert.deepEqual(reply.body.Warnings, []);
});

test('a wrong content type, course or key is rejected and leaves nothing behind', async () => {
  const CourseID = await course();
  const before = await traces(CourseID);
  for (const type of ['text/plain', 'multipart/form-data; boundary=x'])
    expectProblem(await upload(CourseID, phishing, type), 415, 'unsupported_media_type');
  expectProblem(await upload(CourseID, phishing, 'application/json'), 400, 'malformed_request');
  expectProblem(await upload(CourseID, '{}', 'application/json'), 415, 'unsupported_media_type');
  expectProblem(await upload('no-course', phishing), 404, 'course_not_found');
  expectProblem(
    await upload(CourseID, phishing, 'application/zip', `${service.operatorKey}x`),
    401,
    'unauthorized',
  );
  assert.deepEqual(await traces(CourseID), before);
});

test('an interrupted upload leaves nothing behind', async () => {
  const CourseID = await course();
  const before = await traces(CourseID);
  const { hostname, port } = new URL(service.baseUrl);
  await new Promise<void>((resolve) => {
    const sent = request({
      hostname,
      port,
      method: 'PUT',
      path: `/course/${CourseID}/package`,
      headers: {
        authorization: `Bearer ${service.operatorKey}`,
        'content-type': 'application/zip',
        'content-length': phishing.length,
      },
    });
    sent.on('error', () => resolve());
    sent.write(phishing.subarray(0, 2000), () => {
      void untilMatching(
        () => readdir(join(ctx.config.dataDir, 'scratch')),
        (names) => names.length > 0,
      ).then(() => sent.destroy(new Error('gone')));
    });
  });
  await untilMatching(
    () => readdir(join(ctx.config.dataDir, 'scratch')),
    (names) => names.length === 0,
  );
  assert.deepEqual(await traces(CourseID), before);
});

test('deleting a course deletes its files', async () => {
  const CourseID = await course();
  const before = (await traces(CourseID)).folders;
  await upload(CourseID, phishing);
  await upload(CourseID, phishing);
  assert.equal((await readdir(join(ctx.config.dataDir, 'packages'))).length, before.length + 2);
  expectStatus(await api('DELETE', `/course/${CourseID}`), 204);
  assert.deepEqual((await readdir(join(ctx.config.dataDir, 'packages'))).sort(), before);
});
