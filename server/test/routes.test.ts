import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPackage from 'ajv-formats';
import { routes } from '../src/app/app.ts';
import { auditActions } from '../src/domain/audit/actions.ts';
import { eventTypes } from '../src/domain/events/types.ts';
import { buildSerializers, buildValidators } from '../src/http/validation/validation.ts';
import { scopes } from '../src/infra/context/scopes.ts';
import { errorCodes } from '../src/lib/errors.ts';
import { readDocuments } from './support/openapi.ts';
import { startService } from './support/service.ts';

// Checks the declarations of every operation, and that the lists of event types and error codes are complete.

const service = await startService();
after(service.close);
const document = await readDocuments(service);

const sources = globSync('server/src/**/*.ts', { cwd: join(import.meta.dirname, '../..') })
  .filter((name) => !name.endsWith('.test.ts'))
  .map((name) => [name, readFileSync(join(import.meta.dirname, '../..', name), 'utf8')] as const);

function sourcesBut(file: string): string {
  return sources.flatMap(([name, text]) => (name === file ? [] : text)).join('\n');
}

/** Writes that need no scope, each with its reason. */
const withoutScope = new Set([
  'openUnit',
  'fetchToken',
  'reportByHacp',
  'createAccessToken', // the credentials are in the request itself
  'verifyCertificateFile', // anyone may check a file
  'signIn', // the link is the credential
  'readOpenInvitation', // the link is the credential
  'acceptInvitation', // the link is the credential
  'changeOwnPassword', // the cookie is the credential
  // the cookie is the credential
  ...['createPasskeyChallenge', 'usePasskey', 'addPasskey', 'renamePasskey', 'removePasskey'],
  'forgetPassword', // anyone can request a link, which is emailed
  'readOpenReset', // the link is the credential
  'resetPassword', // the link is the credential
  'signInWithPassword', // the tenant, name and password are in the request itself
  'signOut', // the cookie is the credential
  // the platform signs the message
  ...['postLtiLogin', 'launchFromPlatform', 'chooseCoursesForPlatform', 'receiveLtiNotices'],
  'openDispatch', // the key in the package is the credential
  'openSession', // the ticket in the path is the credential
  'commit', // the session in the path is the credential
]);

test('every schema of every operation can be compiled, which the service does only at the first request', () => {
  const [validator, serializer] = [buildValidators(), buildSerializers()];
  for (const { name, params, query, body, responses } of routes) {
    for (const [httpPart, schema] of Object.entries({ params, querystring: query, body }))
      if (schema) assert.doesNotThrow(() => validator({ schema, httpPart })({}), `${name}, ${httpPart}`);
    for (const [status, { schema, type }] of Object.entries(responses)) {
      if (!schema || type) continue;
      // A value may be rejected as invalid, but the schema must be accepted.
      try {
        serializer({ schema })({});
      } catch (error) {
        assert.match(String(error), /is required|does not match schema/, `${name}, ${status}`);
      }
    }
  }
});

test('every write declares its scope, success responses and events', () => {
  for (const { method, name, scope, responses, events } of routes) {
    const successes = Object.keys(responses).map(Number);
    assert.ok(
      successes.some((status) => status < 400),
      name,
    );
    if (method === 'GET') continue;
    assert.ok(scope !== null || withoutScope.has(name), `${name} has no scope`);
    assert.ok(
      Array.isArray(events),
      `${name} does not declare its events; use an empty list if there are none`,
    );
  }
});

/**
 * Write scopes without a read scope. Only administrators can see these records, and administrators may also
 * change them.
 */
const withoutReaders = ['connections:write', 'scim:write', 'tenants:write', 'webhooks:write'];

/**
 * Callers with a read scope may use these operations: they write nothing and show nothing that such a caller
 * could not see.
 */
const changesNothing = new Set(['checkPassword', 'previewCourse', 'previewOfferedCourse']);

/** Writes that are not in the audit trail, each with its reason. */
const notAudited = new Map([
  ['importFromURL', 'a job imports the package, which is audited'],
  ['openSession', "a learner's own action, reported by events"],
  ['commit', "a learner's own action, reported by events"],
  ['playCourse', "in the place of a test tenant's learner, reported by events"],
  ['openUnit', "a learner's own action, reported by events"],
  ['fetchToken', "part of a learner's own action"],
  ['reportByHacp', "a learner's own action, reported by events"],
  ['createAccessToken', 'use of an existing key, whose creation is audited'],
  ['enrolWithOption', 'day-to-day work, reported by events'],
  ['enrol', 'day-to-day work, reported by events'],
  ['enrolMany', 'day-to-day work, reported by events'],
  ['redeemEnrolmentKey', 'day-to-day work, reported by events'],
  ['checkEnrolmentKey', 'changes nothing'],
  ['readOpenInvitation', 'changes nothing'],
  ['readOpenReset', 'changes nothing'],
  ['createPasskeyChallenge', 'a step whose result is audited'],
  ['checkPassword', "sign-in to the tenant's own application"],
  ['pingWebhook', 'changes nothing'],
  ['testIdentityProvider', 'changes nothing'],
  ['testPlatform', 'changes nothing'],
  ['postLtiLogin', 'changes nothing'],
  ['chooseCoursesForPlatform', 'changes nothing in this service'],
  ['receiveLtiNotices', 'in the log of launches'],
  ['launchFromPlatform', 'day-to-day work, reported by events, in the log of launches'],
  ['openDispatch', 'day-to-day work, reported by events'],
  ...[
    ...['State', 'ActivityProfile', 'AgentProfile'].flatMap((noun) => [
      `put${noun}`,
      `post${noun}`,
      `delete${noun}`,
    ]),
  ].map((name) => [name, 'a record of learning, which is a log itself'] as const),
  ['verifyCertificateFile', 'changes nothing'],
  ['previewCourse', 'changes nothing'],
  ['previewCertificateTemplate', 'changes nothing'],
  ['previewReminder', 'changes nothing'],
  ['chooseToolContent', 'only makes a link; the choice is audited'],
  ['previewOfferedCourse', 'changes nothing'],
]);

test('each write declares its audited actions or is listed as not audited', () => {
  for (const { method, name, audits } of routes) {
    if (method === 'GET') continue;
    const isAudited = audits !== undefined && audits.length > 0;
    assert.equal(
      isAudited,
      !notAudited.has(name),
      `${name}: declare its audited actions, or add it to this list with the reason why it has none`,
    );
  }
  const known: readonly string[] = auditActions;
  for (const { name, audits = [] } of routes)
    for (const action of audits) assert.ok(known.includes(action), `${name}: ${action}`);
});

/** Operations after which the service emails somebody, and do not take Notify, each with the reason. */
const mailsOnPurpose = new Map([
  ['forgetPassword', 'the email is its purpose'],
  ['sendTestMail', 'the email is its purpose'],
  ['remind', 'the email is its purpose'],
  ['remindTeam', 'the email is its purpose'],
  ['runReportSchedule', 'the email is its purpose'],
  ['moveClock', 'only in test tenants, as the passing of time'],
  ['resetPassword', "the warning about a user's own change"],
  ['changeOwnPassword', "the warning about a user's own change"],
  ['addPasskey', "the warning about a user's own change"],
  ['removePasskey', "the warning about a user's own change"],
]);

test('every other operation that may write to a person takes Notify', () => {
  const taking = routes.filter(({ query, body, streams }) => {
    const known = [query, body].flatMap((schema) =>
      Object.keys((schema as { properties?: object } | undefined)?.properties ?? {}),
    );
    return known.includes('Notify') || streams?.description.includes('Notify');
  });
  assert.deepEqual(taking.map(({ name }) => name).sort(), [
    'createInvitation',
    'createInvitations',
    'removeUserPasskeys',
    'setPassword',
  ]);
  // Whatever queues an email is called by one of these operations, or by a job.
  const isCaller = ([, text]: readonly [string, string]) => /\b(queueMails|mailAccountChange)\(/.test(text);
  const callers = sources.filter(isCaller).map(([name]) => name.replace('server/src/domain/', ''));
  assert.deepEqual(callers.sort(), [
    ...['mail/queue.ts', 'reminders/queue.ts', 'reports/schedules/run-next.ts'],
    ...['sign-in/passkeys/manage.ts', 'sign-in/passkeys/user-store.ts', 'users/account-mails.ts'],
    ...['users/choose-password.ts', 'users/invitations/invite.ts', 'users/invitations/resets.ts'],
    'users/test-mail.ts',
  ]);
  for (const name of mailsOnPurpose.keys())
    assert.ok(
      routes.some((route) => route.name === name),
      name,
    );
});

test('scopes match access: only keys have scopes, and a read scope permits no write', () => {
  const readerOf = (scope: string) => scope.replace(/:write$/, ':read');
  const lacking = scopes.filter((scope) => !scopes.some((other) => other === readerOf(scope)));
  assert.deepEqual(lacking.sort(), withoutReaders);
  for (const { method, name, scope, access } of routes) {
    assert.equal(scope === null, ['anyone', 'session'].includes(access), name);
    if (scope === null) continue;
    assert.ok(scopes.includes(scope), name);
    if (method !== 'GET' && !changesNothing.has(name)) assert.ok(scope.endsWith(':write'), name);
    if (method === 'GET') assert.ok(scope.endsWith(':read') || withoutReaders.includes(scope), name);
  }
});

test('only routes of the content origin have the credential in their path', () => {
  for (const { name, access, origin, runTime, path, tag } of routes) {
    assert.equal(access === 'session', runTime !== undefined, name);
    assert.equal(tag === 'Player', origin === 'content', name);
    if (access === 'session') assert.ok(origin === 'content' && path.startsWith('/play/{token}'), name);
  }
});

test('learners can call only the listed operations, on their own data', () => {
  for (const { allowsLearners, name, access, path } of routes)
    if (allowsLearners) assert.ok(access === 'tenant' && path.includes('{LoginID}'), name);
  assert.deepEqual(
    routes.flatMap(({ allowsLearners, method, path }) => (allowsLearners ? `${method} ${path}` : [])).sort(),
    [
      'GET /catalogue/course/{CourseID}/{LoginID}',
      'GET /certificate/user/{LoginID}',
      'GET /enrolment/{LoginID}',
      'GET /enrolment/{LoginID}/{EnrollID}',
      'GET /enrolment/{LoginID}/{EnrollID}/activity',
      'GET /enrolment/{LoginID}/{EnrollID}/attempt',
      'GET /enrolment/{LoginID}/{EnrollID}/certificate',
      'GET /enrolment/{LoginID}/{EnrollID}/explain',
      'GET /enrolment/{LoginID}/{EnrollID}/timeline',
      'GET /obligation/{LoginID}',
      'GET /report/record/{LoginID}',
      'GET /team/{LoginID}',
      'GET /team/{LoginID}/{MemberLoginID}',
      'GET /user/{LoginID}',
      'POST /enrol/key/{LoginID}/{Key}',
      'POST /enrol/key/{LoginID}/{Key}/check',
      'POST /enrolment/{LoginID}/{EnrollID}/certificate/offer',
      'POST /team/{LoginID}/remind',
    ],
  );
});

test('only the management of keys requires a session', () => {
  const names = routes.flatMap(({ sessionsOnly, name }) => (sessionsOnly ? name : []));
  assert.deepEqual(names.sort(), ['createOwnKey', 'listOwnKeys', 'revokeOwnKey']);
});

test('event types are a closed list, and each of them is written somewhere', () => {
  const types: readonly string[] = eventTypes;
  for (const { name, events = [] } of routes)
    for (const type of events) assert.ok(types.includes(type), `${name}: ${type}`);
  const text = sourcesBut('server/src/domain/events/types.ts');
  for (const type of types) assert.ok(text.includes(`'${type}'`), type);
});

test('operation names are unique', () => {
  const names = routes.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const addresses = routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  assert.equal(new Set(addresses).size, addresses.length);
});

test('each operation is in the document as declared', () => {
  assert.equal(document.openapi, '3.1.0');
  for (const route of routes) {
    const path = route.path.replace('*', '{Path}');
    const operation = document.paths[path]?.[route.method.toLowerCase()];
    assert.ok(operation, `${route.method} ${path}`);
    assert.equal(operation.operationId, route.name);
    for (const status of Object.keys(route.responses))
      assert.ok(operation.responses[status], `${route.name} ${status}`);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = (operation.parameters ?? []).filter(
      (parameter: { in: string }) => parameter.in === 'path',
    );
    assert.deepEqual(inPath.map((parameter: { name: string }) => parameter.name).sort(), named.sort());
    if (route.body) assert.ok(operation.requestBody, route.name);
    const isOpen = ['anyone', 'session'].includes(route.access);
    const callers = route.sessionsOnly ? [{ session: [] }] : [{ key: [] }, { session: [] }];
    assert.deepEqual(operation.security, isOpen ? [] : callers, route.name);
    const takesTenant = (operation.parameters ?? []).some(
      (parameter: { name: string; in: string }) => parameter.in === 'header' && parameter.name === 'Tenant',
    );
    assert.equal(takesTenant, ['tenant', 'either'].includes(route.access), route.name);
  }
  const described = Object.values<object>(document.paths).flatMap((path) => Object.keys(path));
  assert.equal(described.length, routes.length);
});

test('what only sessions of the console can use is not in the document for clients', async () => {
  const { body } = await service.api('GET', '/openapi.json');
  for (const { method, path, access, sessionsOnly, tag } of routes) {
    const described = body.paths[path.replace('*', '{Path}')]?.[method.toLowerCase()] !== undefined;
    const isOfConsole = sessionsOnly === true || (tag === 'Sessions' && access === 'anyone');
    assert.equal(described, !isOfConsole, `${method} ${path}`);
  }
});

test('each operation in the document satisfies Redocly and Spectral and has valid examples', () => {
  // Without the `u` flag, because many tools compile patterns without it.
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: false });
  formatsPackage.default(ajv as never);
  const tags = document.tags.map(({ name }: { name: string }) => name);
  let examples = 0;
  for (const item of [...Object.values<object>(document.paths), ...Object.values<object>(document.webhooks)])
    for (const operation of Object.values(item)) {
      const { operationId: name, description, security, requestBody, responses, parameters = [] } = operation;
      assert.ok(typeof description === 'string' && description.length > 0, `${name} has no description`);
      assert.ok(Array.isArray(security), `${name} does not declare its security`);
      for (const tag of operation.tags)
        assert.ok(tags.includes(tag), `${name}: the tag ${tag} is not declared`);
      const answers = Object.values<{ content?: object }>(responses).map(({ content }) => content);
      const media = [requestBody?.content, ...answers].flatMap((content) => Object.values(content ?? {}));
      for (const { schema, example } of [...media, ...parameters]) {
        if (example === undefined || !schema) continue;
        const takes = ajv.compile(schema);
        assert.ok(takes(example), `${name}: ${JSON.stringify(example)} ${ajv.errorsText(takes.errors)}`);
        examples++;
      }
    }
  assert.ok(examples > 2 * routes.length);
});

test('openapi.json and the API reference are available without a key', async () => {
  for (const address of ['/openapi.json', '/openapi-console.json', '/docs', '/docs/errors']) {
    const response = await fetch(service.baseUrl + address);
    assert.equal(response.status, 200, address);
    await response.arrayBuffer();
  }
});

test('every operation in INTERFACE.md exists exactly as written', () => {
  const there = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  for (const operation of [
    'POST /user',
    'GET /user/{LoginID}',
    'PUT /user/{LoginID}',
    'POST /user/check/{LoginID}',
    'POST /enrol/{LoginID}/{CourseID}/{DurationID}',
    'POST /enrol/{LoginID}/{CourseID}',
    'GET /enrolment/{LoginID}/{EnrollID}',
    'GET /catalogue/course/{CourseID}/{LoginID}',
  ])
    assert.ok(there.has(operation), operation);
});

test('every error code is used, and every code used is in the list', () => {
  const text = sourcesBut('server/src/lib/errors.ts');
  for (const code of Object.keys(errorCodes)) assert.ok(text.includes(`'${code}'`), `${code} is not used`);
  for (const [, code] of text.matchAll(/new Problem\(\s*'(\w+)'/g))
    assert.ok(code && code in errorCodes, code);
});

test('every error code is explained at the URL in its problem type', async () => {
  const page = await (await fetch(`${service.baseUrl}/docs/errors`)).text();
  for (const [code, [status]] of Object.entries(errorCodes)) {
    assert.ok(page.includes(`id="${code}"`), code);
    assert.ok(status >= 400 && status < 600, code);
  }
  const refused = await service.api('GET', '/user/nobody');
  const target = new URL(refused.body.type, service.baseUrl);
  assert.ok(page.includes(`id="${target.hash.slice(1)}"`));
  assert.equal((await fetch(target)).status, 200);
});
