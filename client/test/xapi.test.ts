import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newTenant } from '../../server/test/support/tenant.ts';
import { createLectern, LecternError } from '../src/index.ts';

let service: TestService;

before(async () => {
  service = await startService();
});
after(() => service.close());

async function open(options: { xapiVersion?: '1.0.3' } = {}) {
  const { key } = await newTenant(service);
  return createLectern({ baseUrl: service.baseUrl, key, ...options }).xapi;
}

const refusal = (code: string, status: number) => (error: unknown) =>
  error instanceof LecternError && error.code === code && error.status === status;

const agent = { account: { homePage: 'https://hr.example.com', name: 'ü 1' } };
const activityId = 'https://courses.example.com/fire-safety';
const statement = (verb = 'completed') => ({
  id: randomUUID() as string,
  actor: agent,
  verb: { id: `https://example.com/verbs/${verb}` },
  object: { id: activityId },
  result: { score: { scaled: 0.9 } },
});

test('statements are stored and can be read by their IDs', async () => {
  const xapi = await open();
  const [one, other] = [statement(), statement()];
  await xapi.put(one);
  await xapi.put(one);
  assert.deepEqual(await xapi.post([one, other]), [one.id, other.id]);
  const { id: _, ...unnamed } = statement();
  assert.equal((await xapi.post(unnamed)).length, 1);
  const read = await xapi.get(one.id);
  assert.deepEqual([read.id, read.result?.score?.scaled, read.version], [one.id, 0.9, '2.0.0']);
  await assert.rejects(
    xapi.put({ ...one, actor: { mbox: 'mailto:eve@example.com' } }),
    refusal('statement_conflict', 409),
  );
  await assert.rejects(xapi.get(randomUUID()), refusal('statement_not_found', 404));
  await assert.rejects(xapi.post({ ...statement(), verb: { id: 'no IRI' } }), refusal('xapi_invalid', 400));
  const voiding = {
    ...statement(),
    verb: { id: 'http://adlnet.gov/expapi/verbs/voided' },
    object: { objectType: 'StatementRef', id: one.id },
  };
  await xapi.post(voiding);
  await assert.rejects(xapi.get(one.id), refusal('statement_not_found', 404));
  assert.equal((await xapi.get(one.id, { voided: true })).id, one.id);
});

test('lists read all pages, and can be continued later where they stopped', async () => {
  const xapi = await open();
  const all = Array.from({ length: 7 }, (_, at) => statement(at % 2 === 0 ? 'even' : 'odd'));
  for (const one of all) await xapi.put(one);
  const ids: (string | undefined)[] = [];
  for await (const { id } of xapi.statements({ agent, ascending: true, limit: 2 })) ids.push(id);
  assert.deepEqual(
    ids,
    all.map(({ id }) => id),
  );
  const even: unknown[] = [];
  const verb = 'https://example.com/verbs/even';
  for await (const { id } of xapi.statements({
    verb,
    activity: activityId,
    related_activities: true,
    limit: 3,
  }))
    even.push(id);
  assert.deepEqual(
    even,
    [6, 4, 2, 0].map((at) => all[at]?.id),
  );
  let since = '';
  let pages = 0;
  for await (const { consistentThrough } of xapi.pages({ limit: 4 })) {
    since = consistentThrough;
    pages++;
  }
  assert.equal(pages, 2);
  const late = statement();
  await xapi.put(late);
  const found: unknown[] = [];
  for await (const { id } of xapi.statements({ since })) found.push(id);
  assert.deepEqual(found, [late.id]);
  for await (const _ of xapi.statements({ since: new Date(Date.now() + 60_000) })) assert.fail();
});

test('a document is replaced only if it has not changed since it was read', async () => {
  const xapi = await open();
  const state = xapi.state({ activityId, agent, registration: randomUUID() });
  assert.equal(await state.get('resume'), null);
  await state.put('resume', { page: 3, seen: true }, { etag: null });
  await assert.rejects(state.put('resume', {}, { etag: null }), refusal('precondition_failed', 412));
  const first = await state.get('resume');
  assert.ok(first);
  assert.deepEqual([first.content, first.contentType], [{ page: 3, seen: true }, 'application/json']);
  await state.merge('resume', { page: 4 }, { etag: first.etag });
  await assert.rejects(state.put('resume', {}, { etag: first.etag }), refusal('precondition_failed', 412));
  const second = await state.get('resume');
  assert.deepEqual(second?.content, { page: 4, seen: true });
  assert.notEqual(second?.etag, first.etag);
  await assert.rejects(state.put('resume', {}), refusal('document_conflict', 409));
  await state.put('notes', new TextEncoder().encode('a — b'), { contentType: 'text/plain', etag: null });
  const notes = await state.get('notes');
  assert.ok(notes?.content instanceof Uint8Array);
  assert.equal(new TextDecoder().decode(notes.content), 'a — b');
  assert.deepEqual((await state.ids()).sort(), ['notes', 'resume']);
  assert.deepEqual(await state.ids({ since: new Date(Date.now() + 60_000) }), []);
  await state.delete('notes', { etag: notes.etag });
  assert.equal(await state.get('notes'), null);
});

test('activity and agent profiles work like other documents in both versions of xAPI', async () => {
  const old = await open({ xapiVersion: '1.0.3' });
  for (const documents of [old.activityProfile({ activityId }), old.agentProfile({ agent })]) {
    await documents.put('settings', ['a'], { etag: null });
    const read = await documents.get('settings');
    assert.deepEqual(read?.content, ['a']);
    assert.deepEqual(await documents.ids(), ['settings']);
    await documents.delete('settings', { etag: read?.etag ?? null });
    assert.equal(await documents.get('settings'), null);
  }
  const one = statement();
  await old.put(one);
  assert.equal((await old.get(one.id)).version, '1.0.0');
});
