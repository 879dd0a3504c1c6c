import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse } from '../../../test/support/tenant.ts';
import { runPackageImports } from './package-imports.ts';

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1', PACKAGE_BYTES: '1000' } });
const files: Record<string, [status: number, type: string, body: string]> = {
  '/policy.pdf?signature=secret': [200, 'application/pdf', '%PDF-1.4\n%%EOF\n'],
  '/wrong.pdf': [200, 'application/pdf', 'not a PDF'],
  '/large.pdf': [200, 'application/pdf', '%PDF-1.4'.padEnd(2_000)],
};
const site = createServer(({ url = '' }, response) => {
  const [status, type, body] = files[url] ?? [302, 'text/plain', ''];
  response.writeHead(status, { 'content-type': type, location: '/policy.pdf' }).end(body);
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
after(async () => {
  site.close();
  await service.close();
});
const { api, ctx } = service;
const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

async function imported(CourseID: string, file: string) {
  const made = await api('POST', `/course/${CourseID}/import`, { URL: base + file });
  expectStatus(made, 202);
  assert.equal(made.body.Status, 'queued');
  await runPackageImports(ctx);
  return (await api('GET', made.headers.get('location') ?? '')).body;
}

test('a job imports a file from a URL, and the query of the URL is not shown', async () => {
  const CourseID = await newCourse(service);
  const { Status, Release, URL } = await imported(CourseID, '/policy.pdf?signature=secret');
  assert.deepEqual([Status, Release, URL], ['done', 1, `${base}/policy.pdf`]);
  assert.equal((await api('GET', `/course/${CourseID}`)).body.Standard, 'document');
});

for (const [file, code, detail] of [
  ['/wrong.pdf', 'package_invalid', /^The file is not a PDF/],
  ['/large.pdf', 'package_too_large', /larger than the maximum of 1000 bytes/],
  ['/moved.pdf', 'package_unreadable', /responded with status 302/],
] as const)
  test(`an import that fails with ${code} says why and stores nothing`, async () => {
    const CourseID = await newCourse(service);
    const { Status, Code, Detail } = await imported(CourseID, file);
    assert.deepEqual([Status, Code], ['failed', code]);
    assert.match(Detail, detail);
    assert.deepEqual((await api('GET', `/course/${CourseID}/release`)).body.Items, []);
  });

test('a private address, http and an unknown course are rejected immediately', async () => {
  const CourseID = await newCourse(service);
  for (const URL of ['https://10.0.0.1/a.zip', 'http://93.184.216.34/a.zip'])
    expectProblem(await api('POST', `/course/${CourseID}/import`, { URL }), 422, 'webhook_address_refused');
  expectProblem(await api('POST', '/course/nothing/import', { URL: `${base}/a` }), 404, 'course_not_found');
  expectProblem(await api('GET', `/course/${CourseID}/import/nothing`), 404, 'not_found');
});
