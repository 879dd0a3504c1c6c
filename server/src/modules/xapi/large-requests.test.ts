import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { type Reply, startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
import { countRows } from '../../platform/count-up-to.ts';
import { forTenant } from '../../platform/db/queues.ts';
import { agentOf } from './personal-data.ts';

// Small requests that would add or read very much.

const service = await startService({ env: { ANONYMOUS_RATE_LIMIT: '0' } });
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

function countMatches({ TenantID }: TestTenant, condition: string): Promise<number> {
  const ctx = forTenant(service.ctx, TenantID);
  const text = `select 1 from statement_match own where own.tenant_id = $1 and ${condition} limit $2`;
  return countRows(ctx, text, [1_000_000]);
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

test('a request cannot mention more agents and activities than the database stores quickly', async () => {
  const tenant = await newTenant(service);
  const large = { actor, verb, object, context: { team: team(2_000) } };
  expectInvalid(await post(tenant, large), /more than 2000 agents and activities/);
  const many = Array.from({ length: 6 }, () => ({ actor, verb, object, context: { team: team(1_900) } }));
  expectInvalid(await post(tenant, many), /Split it/);
  expectStatus(await post(tenant, many.slice(1)), 200);
});

test('an attachment of many statements counts once for each of them', async () => {
  const tenant = await newTenant(service);
  const content = 'a'.repeat(1024 ** 2);
  const sha2 = createHash('sha256').update(content).digest('hex');
  const attachment = {
    usageType: 'https://example.com/usage',
    display: { en: 'A text' },
    contentType: 'text/plain',
    length: content.length,
    sha2,
  };
  const sendTo = (statements: number) => {
    const one = { actor, verb, object, attachments: [attachment] };
    const body = [
      ...['--part', 'Content-Type: application/json', ''],
      ...[
        JSON.stringify(Array.from({ length: statements }, () => one)),
        '--part',
        'Content-Type: text/plain',
      ],
      ...['Content-Transfer-Encoding: binary', `X-Experience-API-Hash: ${sha2}`, '', content, '--part--', ''],
    ].join('\r\n');
    return tenant.api('POST', '/xapi/statements', body, {
      ...v1,
      'content-type': 'multipart/mixed; boundary=part',
    });
  };
  expectInvalid(await sendTo(9), /counted once for each statement/);
  expectStatus(await sendTo(8), 200);
});

test('a very large definition is kept in its statement only', async () => {
  const tenant = await newTenant(service);
  const name = { en: 'a'.repeat(40_000) };
  const [id] = (await post(tenant, { actor, verb, object: { ...object, definition: { name } } })).body;
  const query = new URLSearchParams({ activityId: object.id });
  const known = await tenant.api('GET', `/xapi/activities?${query}`, undefined, v1);
  assert.deepEqual(known.body, { objectType: 'Activity', id: object.id });
  const stored = await tenant.api('GET', `/xapi/statements?statementId=${id}`, undefined, v1);
  assert.deepEqual(stored.body.object.definition.name, name);
});

test('a document does not grow beyond the size of a body by merging', async () => {
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

test('an erasure leaves nothing by which others are found because they refer to the person', async () => {
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
