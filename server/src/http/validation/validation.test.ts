import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import { routes } from '../../app/app.ts';
import { wordedKeywords } from './validation-issues.ts';

const service = await startService();
after(service.close);
const tenant = await newTenant(service);

test('the response lists every invalid field with a sentence that says what to send', async () => {
  const reply = await tenant.api('POST', '/user', {
    LoginID: '..',
    FirstName: 'x'.repeat(256),
    Email: 5,
    Enabled: 'yes',
    GroupNam: 'Engineering',
  });
  expectProblem(reply, 422, 'unknown_field', 'GroupNam');
  const { param, code, detail, errors } = reply.body;
  assert.deepEqual(errors[0], { param, code, detail });
  const found = Object.fromEntries(
    errors.map((error: Record<string, string>) => [error.param, error.detail]),
  );
  assert.deepEqual(found, {
    GroupNam:
      'GroupNam is not a field of this request. Leave it out, or check its spelling: the fields are LoginID, ' +
      'FirstName, LastName, GroupName, Email, ManagerLoginID, Groups, Attributes, Password, IsAdmin, Register, ' +
      'Enabled, TimeFactor, IfExists and IfMissing.',
    LoginID: 'LoginID must not contain control characters, and must not be "." or "..".',
    FirstName: 'FirstName must have at most 255 characters.',
    Email: 'Email must be text or null.',
    Enabled: 'Enabled must be true, false or null.',
  });
});

test('an example that is a sentence ends with one full stop', async () => {
  const reply = await tenant.api('POST', '/certificate/x/revoke', {});
  assert.equal(reply.body.detail, 'Reason is missing. Send a value such as Issued for the wrong person.');
});

test('error details include an example for values with a format', async () => {
  const option = await service.api('PUT', '/course/none/option/none', { Duration: '30 days', Seats: -1 });
  assert.deepEqual(
    option.body.errors.map(({ detail }: { detail: string }) => detail),
    ['Duration does not match the format described in /docs, such as P30D.', 'Seats must be 0 or more.'],
  );
  const change = await tenant.api('PUT', `/enrolment/${unique('user')}/x`, {
    ExpiresAt: 'tomorrow',
    Override: { Reason: 'x' },
  });
  assert.deepEqual(
    change.body.errors.map(({ detail }: { detail: string }) => detail),
    [
      'ExpiresAt must be a day such as 2026-12-31, or a date and time such as 2026-12-31T09:00:00Z.',
      'Override must have at least 2 fields, such as {"Success":"passed","Reason":"Passed the practical exam."}.',
    ],
  );
  const query = await tenant.api('GET', '/enrolment?Limit=0&Order=up');
  assert.deepEqual(
    query.body.errors.map(({ detail }: { detail: string }) => detail),
    ['Limit must be 1 or more.', 'Order must be one of oldest, newest, due, status, status_descending.'],
  );
});

test('a large body with many errors reports the first twenty', async () => {
  const reply = await tenant.api('POST', '/webhook/x/replay', { EventIDs: Array(200).fill('x') });
  assert.equal(reply.body.errors.length, 20);
});

/** Keywords that only describe a schema, or whose parts report the errors instead. */
const silent = new Set(
  'title description deprecated default examples properties items patternProperties $id'.split(' '),
);

function keywordsOf(schema: object): string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (silent.has(keyword)) {
      const isGroup = keyword.toLowerCase().endsWith('properties');
      const inner = isGroup ? Object.values(value) : keyword === 'items' ? [value] : [];
      return inner.flatMap((one) => keywordsOf(Object(one)));
    }
    return [
      keyword,
      ...(typeof value === 'object' && !Array.isArray(value) ? keywordsOf(Object(value)) : []),
    ];
  });
}

/** Names of xAPI and LTI, and those in links, which the interface defines. `after` is a former name. */
const otherNames = /^\/(xapi|lti|launch|preview|play)\b/;

test('query parameters are named like fields, and a lower-case first letter is accepted', async () => {
  for (const { name, path, query } of routes)
    for (const parameter of Object.keys(Object(Object(query).properties)))
      if (!otherNames.test(path) && parameter !== 'after' && name !== 'openSignInLink')
        assert.match(parameter, /^[A-Z]/, name);
  const LoginID = await tenant.user({});
  for (const spelling of ['Plan', 'plan'])
    expectStatus(await tenant.api('DELETE', `/user/${LoginID}?${spelling}=true`), 200);
  expectStatus(await tenant.api('GET', `/user/${LoginID}`), 200);
  const both = await tenant.api('DELETE', `/user/${LoginID}?Plan=false&plan=true`);
  expectProblem(both, 422, 'unknown_field', 'plan');
  expectProblem(await tenant.api('GET', '/user?limit=0'), 422, 'validation_failed', 'Limit');
  expectProblem(await tenant.api('GET', '/user?constructor=0&__proto__=0'), 422, 'unknown_field');
});

test("every keyword in our schemas has its own error text, so that the validator's text is never returned", () => {
  for (const { name, params, query, body } of routes)
    for (const schema of [params, query, body])
      for (const keyword of schema ? keywordsOf(schema) : [])
        assert.ok(wordedKeywords.includes(keyword), `${name}: ${keyword}`);
});
