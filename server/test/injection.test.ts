import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { path } from '../src/http/routes.ts';
import { type Described, operationsOf } from './support/fuzz-requests.ts';
import type { JsonSchema } from './support/fuzz-values.ts';
import { escaped, fillWithPayloads, hostileAddress, hostileBodies } from './support/injection.ts';
import { readDocuments } from './support/openapi.ts';
import { startService, type TestService } from './support/service.ts';
import { expectStatus } from './support/tenant.ts';

let service: TestService;
let operations: Described[];
let filled: Awaited<ReturnType<typeof fillWithPayloads>>;
before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  operations = operationsOf(await readDocuments(service));
  filled = await fillWithPayloads(service);
});
after(() => service.close());

/**
 * Matches the patterns of fields with a fixed format: codes, amounts, durations, origins, event types,
 * secrets and tokens.
 */
const fixedFormat = /^\^(P|\\d|\[A-Z\]|\[A-Za-z\]|https\?:\/\/\(|\(\?<)/;
const notStored = new Set([
  ...['postLtiLogin', 'launchFromPlatform', 'chooseCoursesForPlatform', 'receiveLtiNotices', 'openDispatch'],
  ...['createAccessToken', 'checkPassword', 'signIn', 'signInWithPassword'],
  ...['readOpenInvitation', 'acceptInvitation', 'changeOwnPassword'],
  // Only credentials that a browser has created pass; `renamePasskey` stores the same name.
  ...['addPasskey', 'usePasskey'],
  ...['setPassword', 'forgetPassword', 'readOpenReset', 'resetPassword'],
  ...['remind', 'remindTeam', 'previewReminder', 'previewCertificateTemplate'],
]);

function freeTexts(schema: JsonSchema & { pattern?: string }, name = ''): string[] {
  const types = [schema.type ?? []].flat();
  if (types.includes('object') && !schema.properties) return [name];
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([inner, property]) =>
      freeTexts(property, name ? `${name}.${inner}` : inner),
    );
  if (types.includes('array') && schema.items) return freeTexts(schema.items, name);
  const free =
    types.includes('string') && !schema.enum && !schema.format && !fixedFormat.test(schema.pattern ?? '');
  return free ? [name] : [];
}

test('the injected texts fill every free-text field of the API', () => {
  const bodies: Record<string, object> = hostileBodies;
  for (const { operation } of operations) {
    const schema = operation.requestBody?.content['application/json']?.schema;
    if (!schema || notStored.has(operation.operationId)) continue;
    const known = new Set(
      ['LoginID', 'MessageID', 'Tenants', 'TimeZone', 'Types', 'EventIDs', 'Recipients']
        // They have to exist, or have a fixed format.
        .concat('Steps.CourseIDs', 'Steps.DurationID', 'PublicKey', 'IssuerDomains'),
    );
    for (const name of freeTexts(schema)) {
      const value = name
        .split('.')
        .reduce<unknown>(
          (inner, part) => Object(Array.isArray(inner) ? inner[0] : inner)[part],
          bodies[operation.operationId],
        );
      assert.ok(value !== undefined || known.has(name), `${operation.operationId} ${name} is not filled`);
    }
  }
});

async function page(
  address: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(address, { redirect: 'manual', ...init });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

function checkPage({ text, headers }: Awaited<ReturnType<typeof page>>): void {
  assert.match(headers.get('content-type') ?? '', /^text\/html; charset=utf-8/);
  assert.doesNotMatch(text, escaped);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src '(none|self)'/);
  assert.doesNotMatch(policy, /script-src[^;]*'unsafe-inline'/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
}

const back = [hostileAddress, encodeURIComponent(hostileAddress), 'javascript:window.hostile=1'];

test('no HTML response of the service contains a hostile text as markup', async () => {
  const { LaunchURL, SignInURL, tenant, LoginID, EnrollID } = filled;
  const launched = await page(`${LaunchURL}&returnURL=${hostileAddress}`);
  assert.equal(launched.status, 303);
  checkPage(await page(launched.headers.get('location') ?? ''));
  checkPage(await page(SignInURL));
  for (const token of ['"><img src=x onerror=window.hostile=1>', '</title><svg onload=window.hostile=1>'])
    checkPage(await page(`${service.baseUrl}/session/sign-in?token=${encodeURIComponent(token)}`));
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' };
  checkPage(
    await page(`${service.baseUrl}/session/sign-in`, {
      method: 'POST',
      headers: form,
      body: 'token=<img src=x>',
    }),
  );
  checkPage(
    await page(`${service.baseUrl}/lti/login?iss=%22%3E%3Cimg%20src=x%20onerror=window.hostile=1%3E`),
  );
  checkPage(await page(`${service.baseUrl}/docs/guide/reference/errors`));
  checkPage(await page(`${service.contentUrl}/play/%22%3E%3Cimg%20src=x%20onerror=window.hostile=1%3E`));
  expectStatus(await tenant.api('PUT', path`/enrolment/${LoginID}/${EnrollID}`, { Withdrawn: true }), 200);
  for (const address of back) {
    const refused = await page(`${LaunchURL}&returnURL=${address}`);
    assert.equal(refused.status, 403);
    checkPage(refused);
    assert.doesNotMatch(refused.text, /href="javascript:/i);
    checkPage(
      await page(
        `${service.baseUrl}/launch?enrolment=%22%3E%3Cimg%20src=x%3E&key=<script>&returnURL=${address}`,
      ),
    );
  }
});

test('other responses are never interpreted as HTML', async () => {
  const { tenant, LoginID, EnrollID, CourseID } = filled;
  const reads = [
    path`/user/${LoginID}`,
    path`/enrolment/${LoginID}/${EnrollID}`,
    path`/enrolment/${LoginID}/${EnrollID}/timeline`,
    path`/catalogue/course/${CourseID}/${LoginID}`,
    path`/user/${LoginID}/export`,
    '/user',
    '/events',
    '/webhook',
    '/xapi/statements',
    path`/user/${'<img src=x onerror=window.hostile=1>'}`,
    '/<img/src=x/onerror=window.hostile=1>',
  ];
  for (const address of reads)
    for (const accept of ['text/html', 'text/csv', '*/*']) {
      const asked = { accept, 'x-experience-api-version': '2.0.0' };
      const { headers } = await tenant.api('GET', address, undefined, asked);
      assert.doesNotMatch(headers.get('content-type') ?? '', /html|svg|xml/, address);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
    }
});

test('an HTML document in the LRS is downloaded instead of displayed', async () => {
  const { tenant } = filled;
  const query = new URLSearchParams({ activityId: 'https://web.example/', profileId: 'page' });
  const address = `/xapi/activities/profile?${query}`;
  const headers = { 'x-experience-api-version': '2.0.0' };
  const html = { ...headers, 'content-type': 'text/html' };
  expectStatus(await tenant.api('PUT', address, '<script>window.hostile=1</script>', html), 204);
  const read = await tenant.api('GET', address, undefined, headers);
  expectStatus(read, 200);
  assert.equal(read.headers.get('content-disposition'), 'attachment');
  assert.equal(read.headers.get('x-content-type-options'), 'nosniff');
  assert.match(read.headers.get('content-security-policy') ?? '', /default-src 'none'/);
});
