import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';

const service = await startService();
after(() => service.close());

const v1 = { 'x-experience-api-version': '1.0.3' };
const verb = (name: string) => ({ id: `http://adlnet.gov/expapi/verbs/${name}` });

/** A course hosted by a content vendor, and a statement about it. */
async function vendorCourse(fields: object = {}) {
  const ActivityID = `urn:li:lyndaCourse:${unique('n')}`;
  const CourseID = await newCourse(service, { ActivityID, ...fields });
  const statement = (Email: string, more: object = {}) => ({
    id: randomUUID() as string,
    actor: { mbox: `mailto:${Email}` },
    verb: verb('completed'),
    object: { id: ActivityID },
    timestamp: '2026-02-03T09:00:00.000Z',
    context: { platform: 'LinkedIn Learning' },
    ...more,
  });
  return { ActivityID, CourseID, statement };
}

const send = (tenant: TestTenant, body: object, key?: string) =>
  service.api('POST', '/xapi/statements', body, key ?? tenant.key, v1);
const completionsOf = async (tenant: TestTenant, LoginID: string) =>
  (await tenant.api('GET', `/completion?LoginID=${LoginID}`)).body.Items;

test('a statement of a content vendor is recorded as a completion from elsewhere, once', async () => {
  const tenant = await newTenant(service);
  const Email = `${unique('Ann')}@example.com`;
  const LoginID = await tenant.user({ Email });
  const { CourseID, statement } = await vendorCourse();
  const sent = statement(Email.toUpperCase(), { result: { completion: true, score: { scaled: 0.9 } } });
  const many = await Promise.all([1, 2, 3].map(() => send(tenant, [sent])));
  for (const reply of many) expectStatus(reply, 200);
  const [completion, ...more] = await completionsOf(tenant, LoginID);
  assert.deepEqual(more, []);
  const { CompletedAt, Success, Score, Source, Reference, CreatedBy } = completion;
  assert.deepEqual(
    [completion.CourseID, CompletedAt, Success, Score, Source, Reference, CreatedBy],
    [CourseID, sent.timestamp, 'unknown', 90, 'LinkedIn Learning', sent.id, 'key'],
  );
  assert.ok((await tenant.events({ LoginID })).some(({ type }) => type === 'completion.recorded'));
  // An administrator deletes it, and the vendor repeats the statement.
  const path = `/completion/${completion.CompletionID}`;
  expectStatus(await tenant.api('DELETE', `${path}?Reason=wrong`), 200);
  expectStatus(await send(tenant, sent), 200);
  assert.deepEqual(await completionsOf(tenant, LoginID), []);
});

test('a passed course is recorded by PUT, and by the account of a user', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user();
  const { statement } = await vendorCourse();
  const sent = statement('', {
    actor: { account: { homePage: service.baseUrl, name: LoginID } },
    verb: verb('passed'),
    // The end of the name is in the middle of a character.
    context: { platform: `x${'😀'.repeat(200)}` },
  });
  const path = `/xapi/statements?statementId=${sent.id}`;
  expectStatus(await tenant.api('PUT', path, sent, v1), 204);
  const [{ Success, Source }] = await completionsOf(tenant, LoginID);
  assert.deepEqual([Success, Source.length, Source.slice(0, 3)], ['passed', 255, 'x😀']);
});

test('a different statement with the same ID changes nothing', async () => {
  const tenant = await newTenant(service);
  const Email = `${unique('ann')}@example.com`;
  const LoginID = await tenant.user({ Email });
  const { statement } = await vendorCourse();
  const sent = statement(Email);
  expectStatus(await send(tenant, { ...sent, verb: verb('progressed') }), 200);
  expectProblem(await send(tenant, sent), 409, 'statement_conflict');
  const other = statement(Email);
  expectProblem(await send(tenant, [other, sent]), 409, 'statement_conflict');
  assert.deepEqual(await completionsOf(tenant, LoginID), []);
});

test('other verbs, activities, people and tenants complete nothing, but the statements are stored', async () => {
  const tenant = await newTenant(service);
  const [Email, twice] = [`${unique('ann')}@example.com`, `${unique('two')}@example.com`];
  const LoginID = await tenant.user({ Email });
  const sharing = [await tenant.user({ Email: twice }), await tenant.user({ Email: twice })];
  const { statement, ActivityID } = await vendorCourse();
  const elsewhere = await vendorCourse({ Tenants: [(await newTenant(service)).TenantID] });
  const all = [
    statement(Email, { verb: verb('progressed') }),
    statement(Email, { result: { completion: false } }),
    statement(Email, { object: { id: `${ActivityID}/2` } }),
    statement(Email, { actor: { objectType: 'Group', mbox: `mailto:${Email}` } }),
    statement(Email, { actor: { account: { homePage: 'https://vendor.example', name: LoginID } } }),
    statement('nobody@example.com'),
    statement(twice),
    elsewhere.statement(Email),
  ];
  expectStatus(await send(tenant, all), 200);
  for (const who of [LoginID, ...sharing]) assert.deepEqual(await completionsOf(tenant, who), []);
  const { body } = await tenant.api('GET', '/xapi/statements', undefined, v1);
  assert.equal(body.statements.length, all.length);
});

test('a vendor authorises with client credentials and only the scope xapi:write', async () => {
  const tenant = await newTenant(service);
  const Email = `${unique('ann')}@example.com`;
  const LoginID = await tenant.user({ Email });
  const { statement } = await vendorCourse();
  const { body: key } = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'Content vendor',
    Scopes: ['xapi:write'],
  });
  const reply = await fetch(`${service.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: key.KeyID,
      client_secret: key.Secret,
      scope: 'xapi:write',
    }),
  });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  expectStatus(await send(tenant, statement(Email), token), 200);
  assert.equal((await completionsOf(tenant, LoginID)).length, 1);
  // Without a platform, the source is the key.
  expectStatus(await send(tenant, statement(Email, { context: {} }), token), 200);
  const sources = (await completionsOf(tenant, LoginID)).map(({ Source }: { Source: string }) => Source);
  assert.deepEqual(sources, ['LinkedIn Learning', key.KeyID]);
});
