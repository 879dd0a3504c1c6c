import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const rows = 120;

/** Enrolments with the maximum amount of Metadata: 20 kB each. */
async function withLargeEnrolments(): Promise<TestTenant> {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const Metadata = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`k${at}`, '\u{1F600}'.repeat(250)]),
  );
  const type = { 'content-type': 'application/x-ndjson' };
  const post = async (path: string, fields: object) => {
    const body = Array.from({ length: rows }, (_, at) => JSON.stringify({ LoginID: `u${at}`, ...fields }));
    expectStatus(await tenant.api('POST', path, body.join('\n'), type), 200);
  };
  await post('/user/bulk', {});
  await post('/enrol/bulk', { CourseID, Metadata });
  return tenant;
}

const large = await withLargeEnrolments();

test('a page of large rows ends at about 1 MiB, and cursors return every row exactly once', async () => {
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const { body } = await large.api('GET', `/enrolment?Limit=200${cursor && `&Cursor=${cursor}`}`);
    assert.ok(Buffer.byteLength(JSON.stringify(body)) < 1.3 * 1024 ** 2);
    seen.push(...body.Items.map(({ EnrollID }: { EnrollID: string }) => EnrollID));
    cursor = body.NextCursor;
  }
  assert.ok(pages > 1);
  assert.equal(seen.length, rows);
  assert.equal(new Set(seen).size, rows);
  const { body } = await large.api('GET', '/enrolment', undefined, { accept: 'application/x-ndjson' });
  assert.equal(typeof body === 'string' ? body.trim().split('\n').length : rows, rows);
});

test('the event log can be read to its end, however many events it has', async () => {
  const tenant = await newTenant(service);
  let cursor = '';
  for (let events = 0; events <= 26; events++) {
    const { status, body } = await tenant.api('GET', '/events');
    assert.deepEqual([status, body.Items?.length], [200, events]);
    const next = await tenant.api('GET', `/events?Cursor=${body.NextCursor}`);
    assert.deepEqual([next.status, next.body.Items, next.body.NextCursor], [200, [], body.NextCursor]);
    assert.notEqual(body.NextCursor, cursor);
    cursor = body.NextCursor;
    await tenant.user();
  }
});

test('a page of small rows has as many rows as requested, however many chunks are read', async () => {
  for (const Limit of [1, 49, 50, 51, 100, rows, 200]) {
    const { body } = await large.api('GET', `/user?Limit=${Limit}`);
    assert.equal(body.Items.length, Math.min(Limit, rows));
    assert.equal(body.NextCursor === null, Limit >= rows);
  }
});
