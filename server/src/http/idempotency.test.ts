import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { countTouched, type Touched } from '../../test/support/rows-touched.ts';
import { startService, type TestService } from '../../test/support/service.ts';
import { newTenant } from '../../test/support/tenant.ts';
import { once, type Prepare, valueOrThrow } from '../infra/calls/once.ts';
import { deleteExpiredResponses } from '../infra/calls/stored-responses.ts';

let service: TestService;
let now = new Date();
before(async () => {
  service = await startService({ now: () => now });
});
after(() => service.close());

const post = (path: string, body: unknown, key: string, headers: Record<string, string> = {}) =>
  service.api('POST', path, body, undefined, { 'idempotency-key': key, ...headers });
const tenant = () => ({ ...service.ctx, tenantId: 'test' });

test('a repeated POST gets the stored response with its status and headers', async () => {
  const first = await post('/user', { LoginID: 'i-1' }, 'one');
  assert.equal(first.status, 201);
  assert.equal(first.headers.get('idempotency-replayed'), null);
  await service.api('PUT', '/user/i-1', { FirstName: 'Changed' });
  const again = await post('/user', { LoginID: 'i-1' }, 'one');
  assert.equal(again.status, 201);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.equal(again.headers.get('location'), '/user/i-1');
  assert.deepEqual(again.body, first.body);
});

test('an error is also replayed, with the ID of the new request', async () => {
  const first = await post('/enrol/nobody/none', {}, 'two');
  const again = await post('/enrol/nobody/none', {}, 'two');
  assert.equal(again.status, 404);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual({ ...again.body, request_id: '' }, { ...first.body, request_id: '' });
  assert.equal(again.body.request_id, again.headers.get('x-request-id'));
});

test('a key that was used with another body or path is rejected', async () => {
  await post('/user', { LoginID: 'i-3' }, 'three');
  for (const [path, body] of [
    ['/user', { LoginID: 'i-3', FirstName: 'Other' }],
    ['/user/check/i-3', { Password: 'x' }],
  ] as const) {
    const refused = await post(path, body, 'three');
    assert.equal(refused.status, 422);
    assert.equal(refused.body.code, 'idempotency_key_reused');
  }
});

test('each tenant has its own keys', async () => {
  await service.api('POST', '/tenant', { TenantID: 'other' });
  await post('/user', { LoginID: 'i-4' }, 'four');
  const other = await post('/user', { LoginID: 'somebody' }, 'four', { tenant: 'other' });
  assert.equal(other.status, 201);
  assert.equal(other.body.LoginID, 'somebody');
});

test("the operator's calls can also have keys, and secrets in responses are stored encrypted", async () => {
  const first = await post('/tenant/test/key', { Name: 'once' }, 'five');
  const again = await post('/tenant/test/key', { Name: 'once' }, 'five');
  assert.equal(first.status, 201);
  assert.equal(again.body.Secret, first.body.Secret);
  const { rows } = await sql<{ text: string }>`
    /* across tenants: a test looks for a leak */
    select encode(answer, 'escape') as text from stored_answer where answer is not null
  `.execute(service.ctx.db);
  assert.ok(rows.length > 0);
  for (const { text } of rows) assert.ok(!text.includes(first.body.Secret) && !text.includes('LoginID'));
});

test('the header must be 1–255 printable characters', async () => {
  for (const key of ['x'.repeat(256), 'é']) {
    const refused = await post('/user', { LoginID: 'i-6' }, key);
    assert.equal(refused.status, 422);
    assert.equal(refused.body.param, 'Idempotency-Key');
  }
});

test('rejections before the operation runs are not stored', async () => {
  assert.equal((await post('/user', { LoginID: 5 }, 'seven')).status, 422);
  assert.equal((await post('/user', { LoginID: 'i-7' }, 'seven')).status, 201);
});

test('one of several concurrent requests does the work, and the others get a retryable error', async () => {
  const requests = Array.from({ length: 8 }, () => post('/tenant/test/key', { Name: 'race' }, 'eight'));
  const answers = await Promise.all(requests);
  for (const { status, body, headers } of answers) {
    if (status === 201) continue;
    assert.equal(body.code, 'in_progress');
    assert.equal(headers.get('retry-after'), '1');
  }
  const secrets = new Set(answers.flatMap(({ body }) => body.Secret ?? []));
  assert.equal(secrets.size, 1);
});

const asked = { key: 'nine', request: 'r', about: null };
const doing =
  (act: () => Promise<string>): Prepare<string> =>
  async () =>
    act;

test('a call that fails with an internal error leaves nothing behind, and a retry runs immediately', async () => {
  const fails = async () => {
    throw new Error('the database is unavailable');
  };
  await assert.rejects(once(tenant(), asked, doing(fails)), /unavailable/);
  const again = await once(
    tenant(),
    asked,
    doing(async () => 'done'),
  );
  assert.deepEqual(again, { outcome: { value: 'done' }, replayed: false });
});

test('a different request with a used key is rejected before any work is prepared', async () => {
  await once(
    tenant(),
    { ...asked, key: 'ten' },
    doing(async () => 'a'),
  );
  const prepare = () => assert.fail('prepared');
  const other = { key: 'ten', request: 'another', about: null };
  await assert.rejects(once(tenant(), other, prepare), { code: 'idempotency_key_reused' });
  const same = await once<string>(tenant(), { ...other, request: 'r' }, prepare);
  assert.equal(valueOrThrow(same.outcome), 'a');
});

test('a key can be used again after 24 hours, and the job removes the stored response', async () => {
  await post('/user', { LoginID: 'i-11' }, 'eleven');
  now = new Date(now.getTime() + 25 * 3_600_000);
  const later = await post('/user', { LoginID: 'i-11' }, 'eleven');
  assert.equal(later.status, 200);
  assert.equal(later.headers.get('idempotency-replayed'), null);
  await deleteExpiredResponses(service.ctx);
  const { rows } = await sql<{ left: number }>`
    select count(*)::int as left from stored_answer where tenant_id = 'test'`.execute(service.ctx.db);
  assert.equal(rows[0]?.left, 1);
});

test('a call looks its key up by the index, also if there were no keys when it was planned', async (t) => {
  const touched: Touched[] = [];
  const counted = await startService({ over: (engine) => countTouched(engine, (one) => touched.push(one)) });
  t.after(counted.close);
  const { TenantID, api } = await newTenant(counted);
  const call = (key: string) => api('POST', '/user', { LoginID: key }, { 'idempotency-key': key });
  await sql`/* across tenants: a test gathers statistics */ analyze stored_answer`.execute(counted.ctx.db);
  for (let n = 0; n < 30; n++) await call(`first-${n}`);
  await sql`
    insert into stored_answer (tenant_id, key_hash, request_hash, expires_at)
    select ${TenantID}, decode(md5(n::text), 'hex'), decode(md5(n::text), 'hex'), now() from generate_series(1, 3000) n
  `.execute(counted.ctx.db);
  touched.length = 0;
  assert.equal((await call('last')).status, 201);
  const most = Math.max(...touched.map(({ rows }) => rows));
  assert.ok(most < 100, `${most} rows`);
});
