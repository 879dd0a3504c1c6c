import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { countTouched, type Touched } from '../../../test/support/rows-touched.ts';
import type { Reply } from '../../../test/support/send.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
import { countTenantRows } from '../../db/page.ts';
import { forTenant } from '../../db/transaction.ts';
import { agentOf } from './personal-data.ts';

// Small requests that would store or read a large amount of data.

const service = await startService();
after(service.close);

const v1 = { 'x-experience-api-version': '1.0.3' };
const actor = { mbox: 'mailto:ann@example.com' };
const verb = { id: 'https://example.com/verbs/answered' };
const object = { id: 'https://example.com/activities/one' };
const reference = (id: string) => ({ actor, verb, object: { objectType: 'StatementRef', id } });
const team = (members: number) => ({
  objectType: 'Group',
  member: Array.from({ length: members }, (_, at) => ({ mbox: `mailto:member-${at}@example.com` })),
});

const post = (tenant: TestTenant, body: unknown) => tenant.api('POST', '/xapi/statements', body, v1);

function expectInvalid(reply: Reply, detail: RegExp): void {
  expectProblem(reply, 400, 'xapi_invalid');
  assert.match(reply.body.detail, detail);
}

const sha2Of = (content: string) => createHash('sha256').update(content).digest('hex');

/** Sends a multipart request: the statements, then one part for each attachment. */
function sendWithParts(tenant: TestTenant, statements: unknown, contents: string[], type = 'text/plain') {
  const parts = contents.flatMap((content) => [
    ...['--part', `Content-Type: ${type}`, 'Content-Transfer-Encoding: binary'],
    ...[`X-Experience-API-Hash: ${sha2Of(content)}`, '', content],
  ]);
  const head = ['--part', 'Content-Type: application/json', '', JSON.stringify(statements)];
  return tenant.api('POST', '/xapi/statements', [...head, ...parts, '--part--', ''].join('\r\n'), {
    ...v1,
    'content-type': 'multipart/mixed; boundary=part',
  });
}

const attachmentOf = (content: string) => ({
  usageType: 'https://example.com/usage',
  display: { en: 'A text' },
  contentType: 'text/plain',
  length: content.length,
  sha2: sha2Of(content),
});

function countMatches({ TenantID }: TestTenant, condition: string): Promise<number> {
  const ctx = forTenant(service.ctx, TenantID);
  const text = `select 1 from statement_match own where own.tenant_id = $1 and ${condition} limit $2`;
  return countTenantRows(ctx, text, [1_000_000]);
}

test('a statement with many agents adds few rows, however many statements refer to it', async () => {
  const tenant = await newTenant(service);
  const id = randomUUID();
  expectStatus(
    await post(
      tenant,
      Array.from({ length: 200 }, () => reference(id)),
    ),
    200,
  );
  expectStatus(await post(tenant, { ...reference(randomUUID()), id, context: { team: team(1_000) } }), 200);
  const followed = await countMatches(tenant, 'own.source <> own.position');
  assert.ok(followed > 1_000 && followed <= 10_000, `${followed} rows`);
});

test('a request cannot mention more agents and activities than the database can store quickly', async () => {
  const tenant = await newTenant(service);
  const large = { actor, verb, object, context: { team: team(2_000) } };
  expectInvalid(await post(tenant, large), /more than 2000 agents and activities/);
  const many = Array.from({ length: 6 }, () => ({ actor, verb, object, context: { team: team(1_900) } }));
  expectInvalid(await post(tenant, many), /Split it/);
  expectStatus(await post(tenant, many.slice(1)), 200);
});

test('an attachment that many statements share counts once for each statement', async () => {
  const tenant = await newTenant(service);
  const content = 'a'.repeat(1024 ** 2);
  const one = { actor, verb, object, attachments: [attachmentOf(content)] };
  const sendTo = (statements: number) =>
    sendWithParts(
      tenant,
      Array.from({ length: statements }, () => one),
      [content],
    );
  expectInvalid(await sendTo(9), /counted once for each statement/);
  expectStatus(await sendTo(8), 200);
  const small = Array.from({ length: 100 }, (_, at) => attachmentOf(`${at}`));
  const contents = small.map((_, at) => `${at}`);
  const all = (statements: number) =>
    Array.from({ length: statements }, () => ({ actor, verb, object, attachments: small }));
  expectInvalid(await sendWithParts(tenant, all(11), contents), /more than 1000/);
  expectStatus(await sendWithParts(tenant, all(10), contents), 200);
  const file = { ...attachmentOf('a'), fileUrl: 'https://example.com/a' };
  const tooMany = { actor, verb, object, attachments: Array.from({ length: 101 }, () => file) };
  expectInvalid(await post(tenant, tooMany), /attachments has more than 100 items/);
});

/** Returns how many characters JSON.parse reads while `work` runs. */
async function parsedBytes(work: () => Promise<unknown>): Promise<number> {
  const { parse } = JSON;
  let bytes = 0;
  JSON.parse = (text: string, ...more: []) => {
    bytes += text.length;
    return parse(text, ...more);
  };
  await work().finally(() => {
    JSON.parse = parse;
  });
  return bytes;
}

test('a signature is read once, however many attachments and statements have it', async () => {
  const tenant = await newTenant(service);
  const bare = { actor, verb, object, result: { response: 'a'.repeat(100_000) } };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const jws = `${encode({ alg: 'RS256' })}.${encode(bare)}.AAAA`;
  const signature = {
    ...attachmentOf(jws),
    usageType: 'http://adlnet.gov/expapi/attachments/signature',
    contentType: 'application/octet-stream',
  };
  const signed = { ...bare, attachments: Array.from({ length: 100 }, () => signature) };
  const bytes = await parsedBytes(async () =>
    expectStatus(await sendWithParts(tenant, [signed, signed], [jws], signature.contentType), 200),
  );
  assert.ok(bytes < 1_000_000, `${bytes} bytes`);
  const other = { ...signed, result: { response: 'b' } };
  const rejected = await sendWithParts(tenant, [signed, other], [jws], signature.contentType);
  expectInvalid(rejected, /a signature of another statement/);
});

test('a definition is inserted into a response a limited number of times', async () => {
  const tenant = await newTenant(service);
  const named = { ...object, definition: { name: { en: 'a'.repeat(30_000) } } };
  const mentions = Array.from({ length: 1_000 }, () => object);
  const one = { actor, verb, object: named, context: { contextActivities: { other: mentions } } };
  expectStatus(await post(tenant, one), 200);
  const path = '/xapi/statements?format=canonical';
  const { body } = await tenant.api('GET', path, undefined, v1);
  const bytes = JSON.stringify(body).length;
  assert.ok(bytes > 3 * 1024 ** 2 && bytes < 5 * 1024 ** 2, `${bytes} bytes`);
});

test('small copies of large statements are compared only up to a limit', async () => {
  const tenant = await newTenant(service);
  const ids = Array.from({ length: 5 }, () => randomUUID());
  const definition = { name: { en: 'a'.repeat(2 * 1024 ** 2) } };
  for (const id of ids)
    expectStatus(await post(tenant, { id, actor, verb, object: { ...object, definition } }), 200);
  const small = ids.map((id) => ({ id, actor, verb, object }));
  const content = 'a';
  const file = { ...attachmentOf(content), fileUrl: 'https://example.com/a' };
  const more = { actor, verb, object, attachments: [file] };
  expectInvalid(await sendWithParts(tenant, [...small, more], [content]), /more than 8 MiB in total/);
  expectStatus(await sendWithParts(tenant, [...small.slice(0, 3), more], [content]), 200);
  expectInvalid(await post(tenant, small), /more than 8 MiB in total/);
  expectStatus(await post(tenant, small.slice(0, 3)), 200);
  // Concurrent requests share a call, but each is compared separately.
  for (const reply of await Promise.all(small.map((one) => post(tenant, one)))) expectStatus(reply, 200);
  const other = { ...small[0], verb: { id: 'https://example.com/verbs/other' } };
  expectProblem(await post(tenant, other), 409, 'statement_conflict');
});

test('a boundary of dashes is found in linear time', async (t) => {
  const tenant = await newTenant(service);
  const boundary = '-'.repeat(70);
  const body = Buffer.from(`--${boundary}\nx${'-'.repeat(1024 ** 2)}`);
  const search = t.mock.method(Buffer.prototype, 'indexOf');
  const type = { 'content-type': `multipart/mixed; boundary=${boundary}` };
  expectInvalid(
    await tenant.api('POST', '/xapi/statements', body.toString(), { ...v1, ...type }),
    /boundary/,
  );
  assert.ok(search.mock.callCount() < 1_000, `${search.mock.callCount()} searches`);
});

test('a statement nested more than 100 deep is rejected, however small it is', async () => {
  const tenant = await newTenant(service);
  const nested = (depth: number) =>
    `{"actor":${JSON.stringify(actor)},"verb":{"id":"${verb.id}"},"object":{"id":"${object.id}"},"context":{"extensions":{"https://example.com/x":${'['.repeat(depth)}${']'.repeat(depth)}}}}`;
  const send = (depth: number) =>
    tenant.api('POST', '/xapi/statements', nested(depth), { ...v1, 'content-type': 'application/json' });
  expectProblem(await send(5_000), 422, 'validation_failed');
  expectProblem(await send(98), 422, 'validation_failed');
  expectStatus(await send(97), 200);
});

test('a statement with too many languages is rejected', async () => {
  const tenant = await newTenant(service);
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`en-x-${at}`, 'name']));
  const one = (count: number) => ({ actor, verb: { ...verb, display: names(count) }, object });
  expectInvalid(await post(tenant, one(201)), /verb.display has more than 200 languages/);
  expectStatus(await post(tenant, one(200)), 200);
});

test('a very large definition is stored only in its statement', async () => {
  const tenant = await newTenant(service);
  const name = { en: 'a'.repeat(40_000) };
  const [id] = (await post(tenant, { actor, verb, object: { ...object, definition: { name } } })).body;
  const query = new URLSearchParams({ activityId: object.id });
  const known = await tenant.api('GET', `/xapi/activities?${query}`, undefined, v1);
  assert.deepEqual(known.body, { objectType: 'Activity', id: object.id });
  const stored = await tenant.api('GET', `/xapi/statements?statementId=${id}`, undefined, v1);
  assert.deepEqual(stored.body.object.definition.name, name);
});

test('merging cannot make a document larger than the maximum body size', async () => {
  const tenant = await newTenant(service);
  const query = new URLSearchParams({
    activityId: object.id,
    agent: JSON.stringify(actor),
    stateId: 'notes',
  });
  const add = (field: string) =>
    tenant.api('POST', `/xapi/activities/state?${query}`, { [field]: 'a'.repeat(3 * 1024 ** 2) }, v1);
  expectStatus(await add('one'), 204);
  expectInvalid(await add('two'), /4 MiB after merging/);
});

test("after an erasure, statements are no longer found through their references to the person's statements", async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user();
  const person = agentOf(service.ctx, LoginID);
  const id = randomUUID();
  expectStatus(await post(tenant, { id, actor: person, verb, object }), 200);
  expectStatus(
    await post(
      tenant,
      Array.from({ length: 50 }, () => reference(id)),
    ),
    200,
  );
  const query = new URLSearchParams({ agent: JSON.stringify(person), limit: '100' });
  const find = async () =>
    (await tenant.api('GET', `/xapi/statements?${query}`, undefined, v1)).body.statements;
  assert.equal((await find()).length, 51);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  assert.equal((await find()).length, 0);
  const left = await tenant.api('GET', '/xapi/statements?limit=100', undefined, v1);
  assert.equal(left.body.statements.length, 50);
});

const valuesOf = (count: number) => ({
  extensions: {
    'https://example.com/values': Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`k${at}`, at]),
    ),
  },
});

test('a statement or a merged document with too many values is rejected, and a batch does not block other requests', async () => {
  const tenant = await newTenant(service);
  expectInvalid(
    await post(tenant, { actor, verb, object, result: valuesOf(10_000) }),
    /more than 10000 values/,
  );
  const state = `/xapi/activities/state?activityId=${object.id}&stateId=s&agent=${encodeURIComponent(JSON.stringify(actor))}`;
  const values = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`k${at}`, at]));
  // A document that is only stored is kept as it is; one that is merged is parsed.
  expectStatus(await tenant.api('PUT', state, values, v1), 204);
  expectProblem(await tenant.api('POST', state, values, v1), 422, 'validation_failed');
  const statements = Array.from({ length: 20 }, () => ({
    id: randomUUID(),
    actor,
    verb,
    object,
    result: valuesOf(9_000),
  }));
  let [turns, isDone] = [0, false];
  const reply = post(tenant, statements).finally(() => {
    isDone = true;
  });
  for (; !isDone; turns++) await nextTurn();
  expectStatus(await reply, 200);
  assert.ok(turns > 20, `${turns} turns`);
  // The repeated request is compared with the stored statements.
  expectStatus(await post(tenant, statements), 200);
});

test('statements are stored quickly, even if many others refer to the same statement', async (context) => {
  const touched: Touched[] = [];
  const counted = await startService({
    over: (engine) => countTouched(engine, (one) => void touched.push(one)),
  });
  context.after(counted.close);
  const tenant = await newTenant(counted);
  const [id, plain] = [randomUUID(), { actor, verb, object }];
  for (let part = 0; part < 6; part++)
    expectStatus(await post(tenant, Array(1_000).fill(reference(id))), 200);
  await sql`/* across tenants: a test gathers statistics */ analyze statement`.execute(counted.ctx.db);
  touched.length = 0;
  expectStatus(await post(tenant, Array(50).fill(plain)), 200);
  const most = Math.max(...touched.map(({ rows }) => rows));
  assert.ok(most < 2_000, `${most} rows`);
});
