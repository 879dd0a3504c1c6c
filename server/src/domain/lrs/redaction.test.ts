import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { identityOf } from '../../../../standards/xapi/actors.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { redacted } from './refusals.ts';

const service = await startService();
after(service.close);

const account = { homePage: service.baseUrl, name: 'erased-person' };
const identity = identityOf({ account }) ?? '';

/** JSON whose objects often have the properties of an agent, with values of any type. */
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, 1, true, '', 'mailto:a@example.com', account),
    fc.jsonValue(),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('account', 'mbox', 'mbox_sha1sum', 'openid', 'name', 'member', '__proto__', 'toString'),
      tie('json'),
      { maxKeys: 4 },
    ),
  ),
}));

test('a person can be removed from any JSON', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = redacted(JSON.stringify({ value, agent: { account } }), identity);
      assert.ok(text !== null && !text.includes('erased-person'), text ?? '');
    }),
    { numRuns: 2_000 },
  );
});

test('the other values of a statement keep their digits', () => {
  const text = (agent: string) =>
    `{"actor":${agent},"result":{"score":{"raw":1.0},"extensions":[1e5,{"a":2.50}]}}`;
  const erased = '{"objectType":"Agent","account":{"homePage":"about:blank","name":"erased"}}';
  assert.equal(redacted(text(JSON.stringify({ account })), identity), text(erased));
});

test('a statement that cannot be read is not kept', () => {
  assert.equal(redacted('{', identity), null);
});

test('a person can be erased whatever is in the statements that mention them', async () => {
  const { api, user } = await newTenant(service);
  const LoginID = await user();
  const victim = { account: { homePage: service.baseUrl, name: LoginID } };
  const values = [
    { account: {}, mbox_sha1sum: 1 },
    { account: victim.account, mbox: {} },
    ...fc.sample(json, 50),
  ];
  const statements = values.map((value) => ({
    id: randomUUID(),
    actor: { mbox: 'mailto:other@example.com' },
    verb: { id: 'https://example.com/verbs/answered' },
    object: { id: 'https://example.com/activities/one' },
    context: { instructor: victim, extensions: { 'https://example.com/extension': value } },
  }));
  const headers = { 'x-experience-api-version': '1.0.3' };
  expectStatus(await api('POST', '/xapi/statements', statements, headers), 200);
  expectStatus(await api('DELETE', `/user/${LoginID}`), 200);
  for (const { id } of statements) {
    const found = await api('GET', `/xapi/statements?statementId=${id}`, undefined, headers);
    expectStatus(found, 200);
    assert.ok(!JSON.stringify(found.body).includes(LoginID));
  }
});
