import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { routes } from '../src/app/app.ts';
import { path } from '../src/http/routes.ts';
import { identifierPattern } from '../src/http/validation/schema.ts';
import { cleanFields, cleanText } from '../src/lib/unicode.ts';
import { startService, type TestService } from './support/service.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from './support/tenant.ts';

// Tests identifiers in every script, length and encoding, from their creation to every path that contains
// them.

const runs = Number(process.env.PROPERTY_RUNS ?? 40);
let service: TestService;
let tenant: TestTenant;
before(async () => {
  service = await startService();
  tenant = await newTenant(service);
});
after(() => service.close());

const taken = /^[^\p{Cc}\p{Cs}]+$/u;
const scripts = [
  'ann@example.org',
  'a/b?c#d%20e+f&g=h;i,j',
  '%2F%00%zz',
  '...',
  '.hidden',
  ' leading and trailing ',
  'O\'Brien "quoted" <b>',
  '\\windows\\path',
  'Жанна д’Арк',
  '王小明',
  'やまだ たろう',
  'عبد الله',
  'प्रिया',
  '𐐷𝒳😀',
  '👩‍👩‍👧',
  '\u202Eolleh',
  '\uFEFFbom',
  '__proto__',
  'constructor',
  'null',
  'check',
  'bulk',
  'session',
  'x'.repeat(255),
  '😀'.repeat(255),
];
const identifier = fc
  .oneof(
    fc.constantFrom(...scripts),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
  )
  .filter(
    (text) => taken.test(text) && !['.', '..'].includes(text) && [...text.normalize('NFC')].length <= 255,
  );

test('identifiers in any script work in bodies and in percent-encoded paths', async () => {
  let number = 0;
  const groups = fc.string({ unit: 'binary', maxLength: 100 }).filter((text) => /^[^\0\p{Cs}]*$/u.test(text));
  const property = fc.asyncProperty(
    identifier,
    identifier,
    identifier,
    groups,
    async (login, course, option, GroupName) => {
      // The generator may repeat a name. The number makes it unique.
      const mark = (text: string) => ([...text].length > 240 ? text : `${text}${++number}`);
      const [LoginID, CourseID, DurationID] = [mark(login), mark(course), mark(option)];
      const made = await tenant.api('POST', '/user', { LoginID, GroupName });
      assert.ok([200, 201, 409].includes(made.status), JSON.stringify(made.body));
      const read = await tenant.api('GET', path`/user/${LoginID}`);
      expectStatus(read, 200);
      assert.equal(read.body.LoginID, cleanText(LoginID));
      if (made.status === 201) {
        assert.equal(read.body.GroupName, cleanText(GroupName) || null);
        assert.equal(made.headers.get('location'), path`/user/${cleanText(LoginID)}`);
      }
      expectStatus(await tenant.api('GET', path`/user/check/${LoginID.normalize('NFD')}`), 200);
      await service.api('PUT', path`/course/${CourseID}`, { Title: 'x', URL: 'https://web.example/' });
      await service.api('PUT', path`/course/${CourseID}/option/${DurationID}`, {});
      const enrolled = await tenant.api('POST', path`/enrol/${LoginID}/${CourseID}/${DurationID}`);
      assert.ok(enrolled.status < 300, JSON.stringify(enrolled.body));
      const { EnrollID } = enrolled.body;
      const found = await tenant.api('GET', path`/enrolment/${LoginID.normalize('NFD')}/${EnrollID}`);
      expectStatus(found, 200);
      assert.equal(found.body.CourseID, cleanText(CourseID));
      assert.equal(found.body.DurationID, cleanText(DurationID));
      expectStatus(await tenant.api('GET', path`/catalogue/course/${CourseID}/${LoginID}`), 200);
      const listed = await tenant.api(
        'GET',
        `/enrolment?CourseID=${encodeURIComponent(CourseID.normalize('NFD'))}`,
      );
      assert.ok(listed.body.Items.some((item: { EnrollID: string }) => item.EnrollID === EnrollID));
    },
  );
  await fc.assert(property, { numRuns: runs });
});

test('the composed and decomposed forms of a text are the same identifier', async () => {
  const [composed, decomposed] = ['Zo\u00eb', 'Zoe\u0308'];
  expectStatus(await tenant.api('POST', '/user', { LoginID: decomposed }), 201);
  const again = await tenant.api('POST', '/user', { LoginID: composed });
  expectStatus(again, 200);
  assert.equal(again.body.LoginID, composed);
});

test('one rule for blanks and invisible characters applies to bodies, paths, filters, bulk and headers', async () => {
  const [LoginID, GroupName] = ['Zoe\u0308.\u202e', ' Bu\u0308ro\u200b '];
  expectStatus(await tenant.api('POST', '/user', { LoginID: `\u200b ${LoginID}`, GroupName }), 201);
  const user = await tenant.api('GET', path`/user/${`${LoginID}\ufeff `}`);
  assert.deepEqual([user.body.LoginID, user.body.GroupName], ['Zo\u00eb.', 'B\u00fcro']);
  const csv = `LoginID,GroupName\n\u2066${LoginID} ,B\u00fcro\nzo2,${GroupName}\n`;
  const bulk = await tenant.api('POST', '/user/bulk', csv, { 'content-type': 'text/csv' });
  const [one, two] = bulk.body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  assert.deepEqual(one, { Row: 1, Status: 200, LoginID: 'Zo\u00eb.', Trimmed: ['LoginID'] });
  assert.equal(two.Status, 201);
  const listed = await tenant.api('GET', `/user?GroupName=${encodeURIComponent(GroupName)}`);
  assert.equal(listed.body.Items.length, 2);
  const groups = await tenant.api('GET', '/group?Search=Bu%CC%88');
  assert.deepEqual(groups.body.Items, [{ GroupName: 'B\u00fcro' }]);
  const changed = await tenant.api('PUT', path`/user/${LoginID}`, {
    LoginID,
    FirstName: ' Zo\u00eb ',
    LastName: '\u200b',
  });
  assert.deepEqual([changed.body.FirstName, changed.body.LastName], ['Zo\u00eb', null]);
  const named = { tenant: encodeURIComponent(`${tenant.TenantID}\u200b `) };
  expectStatus(await service.api('GET', path`/user/${LoginID}`, undefined, undefined, named), 200);
  await service.api('PUT', '/course/%20invisible%E2%80%8B', {
    Title: ' U\u0308ber\u00ad uns ',
    URL: 'https://x.example/',
  });
  assert.equal((await service.api('GET', '/course/invisible')).body.Title, '\u00dcber uns');
});

test('every field with an identifier is cleaned', () => {
  const identifiers: string[] = [];
  const visit = (schema: unknown, name: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { pattern, properties, items } = schema as Record<string, unknown>;
    if (pattern === identifierPattern) identifiers.push(name);
    visit(items, name);
    for (const [inner, one] of Object.entries(properties ?? {})) visit(one, inner);
  };
  for (const { params, query, body } of routes) for (const part of [params, query, body]) visit(part, '');
  assert.ok(identifiers.length > 20);
  for (const name of identifiers) {
    const fields = { [name]: ' a\u200b' };
    cleanFields(fields);
    assert.deepEqual(fields, { [name]: 'a' });
  }
});

test('identifiers that cannot be used in a path are rejected on creation', async () => {
  for (const name of ['.', '..', '', '\0', 'a\u0085', '\ud800', 'x'.repeat(256), '😀'.repeat(256)]) {
    expectProblem(await tenant.api('POST', '/user', { LoginID: name }), 422, 'validation_failed', 'LoginID');
    expectProblem(
      await service.api('POST', '/tenant', { TenantID: name }),
      422,
      'validation_failed',
      'TenantID',
    );
  }
  const lines = ['{"LoginID":".."}', '{"LoginID":"fine"}'].join('\n');
  const bulk = await tenant.api('POST', '/user/bulk', lines, { 'content-type': 'application/x-ndjson' });
  assert.match(bulk.body, /"Row":1,"Status":422.*\n.*"Row":2,"Status":201/);
});
