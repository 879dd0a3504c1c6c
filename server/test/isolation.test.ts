import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { routes } from '../src/app/app.ts';
import { workImports } from '../src/domain/imports/work.ts';
import { removeUntouched } from '../src/domain/privacy/erase.ts';
import { countAccess } from '../src/domain/reports/count-access.ts';
import { countCompletion } from '../src/domain/reports/count-completion.ts';
import type { Route } from '../src/http/routes.ts';
import { fill, sameKey, sameUser, secret } from './support/filled-tenant.ts';
import { jpeg } from './support/images.ts';
import type { Reply } from './support/send.ts';
import { startService } from './support/service.ts';
import { browser, ownPage, signInUser } from './support/sign-in.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from './support/tenant.ts';
import { startReceiver } from './support/webhooks.ts';

// Calls every operation as one tenant with another tenant's data.

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);
const receiver = await startReceiver();
after(receiver.kill);
// Only test tenants can use all operations.
const victim = await newTenant(service, { Name: 'Victim', Status: 'test' });
const accomplice = await newTenant(service, { Status: 'test' });

const victimValues = await fill(service, receiver.url, victim);
const own = await fill(service, receiver.url, accomplice);

type JsonSchema = {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  properties?: Record<string, JsonSchema>;
};

function valueFor(name: string, schema: JsonSchema): unknown {
  if (name === 'Release' && [schema.type].flat().includes('integer')) return 1;
  if (name in victimValues) return victimValues[name];
  if (name === 'CourseIDs') return [victimValues.CourseID];
  if (name === 'Steps') return [{ CourseIDs: [victimValues.CourseID] }];
  if (name === 'DurationIDs') return [victimValues.DurationID];
  if (name === 'LoginIDs') return [victimValues.LoginID];
  if (name === 'Recipients') return [victimValues.LoginID];
  if (name === 'Attribute') return 'site:intruded';
  if (name === 'Time') return '07:00';
  if (name === 'TimeZone') return 'UTC';
  if (name === 'DueAt') return '2026-12-31';
  if (name === 'ExpiresAt') return '2090-12-31T00:00:00Z';
  if (name === 'CompletedAt' || name === 'Before') return '2020-01-01';
  if (name === 'EvidenceURL') return receiver.url;
  if (name === 'Path') return '/';
  if (['AuthURL', 'TokenURL', 'JWKSURL', 'LoginURL', 'TargetLinkURI'].includes(name))
    return 'http://127.0.0.1:9/';
  if (name === 'RedirectURIs') return ['http://127.0.0.1:9/'];
  if (name === 'DeploymentIDs') return ['intruded'];
  if (name === 'Advance') return 'P1D';
  if (name === 'Password') return 'ab'.repeat(32);
  if (name === 'URL') return receiver.url;
  if (name === 'Issuer') return 'http://127.0.0.1:9/';
  if (name === 'Colour') return '#112233';
  if (name === 'Logo') return jpeg().toString('base64');
  if (name === 'Types') return ['user.created'];
  if (name === 'EventIDs') return [victimValues.EventID];
  if (name === 'Override') return { Score: 100, Reason: 'intruded' };
  if (name === 'TimeFactor') return 1.5;
  if (name === 'CountsEarlier') return true;
  if (name === 'ErasedCertificates') return { Show: 'nothing', For: null };
  if (name === 'Serial') return '{Counter}';
  if (!('type' in schema) && (name === 'Title' || name === 'Text')) return 'intruded';
  if (name === 'DueAfter') return 'P1D';
  if (name === 'Exempt') return false;
  if (name === 'Until' && schema.format === undefined) return null;
  if (name === 'CompleteWhen') return { Percent: 90 };
  if (name === 'Certificate') return { On: 'passed' };
  if (name === 'ValidFor') return 'P1Y';
  if (name === 'ValidUntil') return '2031-01-01T00:00:00Z';
  if (schema.enum) return schema.enum[0];
  if (schema.format === 'date-time') return '2030-01-01T00:00:00Z';
  const type = [schema.type].flat()[0];
  const byType: Record<string, unknown> = {
    string: 'intruded',
    boolean: true,
    integer: 1,
    number: 1,
    array: [],
    object: {},
  };
  const value = byType[type ?? ''];
  assert.notEqual(value, undefined, `Add a value for ${name} to this test.`);
  return value;
}

function pathOf(route: Route, all: Record<string, string>): string {
  const names = route.tag === 'Tools' ? { ...all, CourseID: all.ToolCourseID ?? '' } : all;
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    assert.ok(name in names, `Add a value for {${name}} in ${route.path} to this test.`);
    return encodeURIComponent(names[name] ?? '');
  });
}

function propertiesOf(schema: unknown): Record<string, JsonSchema> {
  return (schema as JsonSchema | undefined)?.properties ?? {};
}

/**
 * Filters that the test omits. Statements are read either by ID or by filters, and this test sends the ID. An import for
 * a course that the tenant does not have is rejected before its file is read.
 */
const omittedFilters: Record<string, string[]> = {
  getStatements: ['agent'],
  createImport: ['CourseID', 'DurationID'],
};

function queryOf(route: Route, names: Record<string, string>): string {
  const known = Object.keys(propertiesOf(route.query)).filter(
    (name) => name in names && !omittedFilters[route.name]?.includes(name),
  );
  return new URLSearchParams(known.map((name) => [name, names[name] ?? ''])).toString();
}

/** The rows of a bulk request by an intruder who knows all of the victim's identifiers. */
function rowsOf(route: Route): object[] | null {
  const { LoginID, CourseID, DurationID, GroupName } = victimValues;
  if (route.name === 'createInvitations') return [{ LoginID }];
  if (route.name === 'recordCompletions') return [{ LoginID, Title: 'intruded', CompletedAt: '2020-01-01' }];
  if (route.name === 'createUsers') return [{ LoginID, FirstName: 'Mine', GroupName }, sameUser];
  if (route.name === 'enrolMany')
    return [
      { LoginID, CourseID, DurationID },
      { LoginID, CourseID, IfEnrolled: 'extend' },
      { LoginID, CourseID, IfEnrolled: 'renew', Reference: 'intruded' },
    ];
  return null;
}

const importFile = (...rows: unknown[][]) =>
  ['LoginID,FirstName,GroupName,CourseID,DurationID', ...rows.map((row) => row.join(','))].join('\n');

const toLines = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

/**
 * Fields that the test omits. A replay takes either IDs or times, and this test sends IDs. Only endpoints for
 * statements have credentials. Reports on a schedule have fields that exclude each other.
 */
const leftOut: Record<string, string[]> = {
  replayEvents: ['From', 'Until'],
  createWebhook: ['Username', 'Password', 'TokenURL', 'Scope', 'Actor'],
  putTool: ['PublicKey', 'ClientID'],
  putRequirement: ['DueOn', 'ValidFor', 'Cycle', 'Window', 'DurationID', 'CountsFrom'],
  remind: ['Status', 'DueBefore'],
  // No administrator of the intruder has a passkey.
  putIdentityProvider: ['RequiredForAdministrators', 'Scopes'],
  // The intruder has no provider.
  changeSettings: ['RequireSignIn'],
  putCertificateTemplate: ['ValidTo'],
  previewCertificateTemplate: ['ValidTo'],
  createReportSchedule: ['RequirementID', 'Unit', 'Days', 'Weekday', 'MonthDay'],
  updateReportSchedule: ['RequirementID', 'Unit', 'Days', 'Weekday', 'MonthDay'],
};

function bodyOf(route: Route): unknown {
  const rows = rowsOf(route);
  if (route.name === 'createImport')
    return importFile([victimValues.LoginID, 'Mine', victimValues.GroupName]);
  if (route.raw) return Object.values(route.raw.examples ?? {})[0];
  if (route.streams) return rows ? toLines(rows) : 'intruded';
  if (!route.body) return undefined;
  const fields = Object.entries(propertiesOf(route.body)).filter(
    ([name]) => !leftOut[route.name]?.includes(name),
  );
  return Object.fromEntries(fields.map(([name, schema]) => [name, valueFor(name, schema)]));
}

const headersOf = ({ headers = {} }: Route) =>
  Object.fromEntries(Object.entries(headers).map(([name, { example }]) => [name, example]));

/**
 * Returns a function that calls the route with the tenant's key, or as its administrator if the route
 * requires a session.
 */
async function callerOf(tenant: TestTenant, { sessionsOnly }: Route): Promise<TestTenant['api']> {
  if (!sessionsOnly) return tenant.api;
  const cookie = await signInUser(service, tenant, await tenant.user({ IsAdmin: true }));
  return (method, path, body, headers) =>
    browser(service, cookie)(method, path, body, { ...ownPage, ...headers });
}

/**
 * Calls the route with the intruder's key, the victim's identifiers, and all other values that the route
 * needs.
 */
async function call(
  intruder: TestTenant,
  route: Route,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const api = await callerOf(intruder, route);
  const query = new URLSearchParams(queryOf(route, victimValues));
  if (query.has('key')) query.set('key', own.key ?? '');
  const type: Record<string, string> = route.streams ? { 'content-type': route.streams.types[0] ?? '' } : {};
  const address = `${pathOf(route, victimValues)}?${query}`;
  return api(route.method, address, bodyOf(route), { ...headersOf(route), ...type, ...headers });
}

/**
 * The actions in the victim's audit trail that were not taken with its own key, by the operator or by a
 * learner. Failed sign-ins are left out, because anyone can cause them.
 */
async function trailOfOthers(): Promise<string[]> {
  const { rows } = await service.ctx.engine.query<{ action: string }>({
    text: `select entry.action from audit_entry entry where entry.tenant_id = $1
      and entry.actor not in ('operator_key', 'learner') and entry.actor_id is distinct from $2 order by entry.number`,
    values: [victim.TenantID, victim.keyId],
  });
  return rows.map(({ action }) => action).filter((action) => action !== 'sign_in.failed');
}

/** All of the tenant's rows in every tenant table except its audit trail. */
async function dump(tenantId: string): Promise<Record<string, unknown[]>> {
  const { engine } = service.ctx;
  const tables = await engine.query<{ name: string }>({
    text: `select distinct table_name as name from information_schema.columns
      where column_name = 'tenant_id' and table_schema = 'public' order by 1`,
    values: [],
  });
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables.rows) {
    if (name.startsWith('audit_')) continue;
    const { rows } = await engine.query<object>({
      text: `select * from "${name}" t where tenant_id = $1 order by t::text`,
      values: [tenantId],
    });
    found[name] = rows;
  }
  return found;
}

const victimSession = await signInUser(service, victim, await victim.user({ IsAdmin: true }));
// Reading the overview or obligations updates what is stored, and jobs update the counts of the reports. Do both before
// the first dump.
for (const path of ['/overview', '/report/activity', '/obligation'])
  expectStatus(await victim.api('GET', path), 200);
await countCompletion(service.ctx);
await countAccess(service.ctx);
// Otherwise, the first reader would read the newest events for certificates.
expectStatus(await victim.api('GET', '/certificate'), 200);
const before = await dump(victim.TenantID);
const trailBefore = await trailOfOthers();
const sent = receiver.received.length;

const linesOf = ({ body }: Reply): Record<string, unknown>[] =>
  String(body)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Checks that each row was processed in the intruder's tenant, where the victim's users do not exist. */
function expectOwnRows(route: Route, reply: Reply, rows: readonly object[]): void {
  expectStatus(reply, 200);
  const expected = route.name === 'createUsers' ? [201, undefined] : [404, 'user_not_found'];
  const results = linesOf(reply).map(({ Status, code }) => [Status, code]);
  assert.deepEqual(
    results,
    rows.map(() => expected),
  );
}

function countsNothing({ status, body }: Reply): boolean {
  if (body.Items) {
    const zero = ({ From, To, ...counts }: object & { From: string; To: string }) =>
      Object.values(counts).every((count) => count === 0);
    return status === 200 && body.Items.length > 0 && body.Items.every(zero);
  }
  const { Webhooks, Seats, Expiring, FailedDeliveries } = body.Attention;
  const counted = body.Days.flatMap((day: Record<string, number>) => [
    day.Enrolments,
    day.Starts,
    day.Completions,
  ]);
  assert.deepEqual([Webhooks, Seats, Expiring.Enrolments, FailedDeliveries], [[], [], 0, 0]);
  return status === 200 && counted.length > 0 && counted.every((count: number) => count === 0);
}

test('the victim has rows in every tenant table, so that no check passes for lack of data', () => {
  assert.ok(Object.keys(before).length >= 9, Object.keys(before).join());
  for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, table);
});

test("the same calls succeed with the victim's own key, so that the rejections are meaningful", async () => {
  const page = browser(service, victimSession);
  const as = ({ sessionsOnly }: Route) => (sessionsOnly ? page : victim.api);
  for (const route of routes) {
    if (route.access !== 'tenant' || route.method !== 'GET') continue;
    const address = `${pathOf(route, victimValues)}?${queryOf(route, victimValues)}`;
    const reply = await as(route)('GET', address, undefined, headersOf(route));
    assert.equal(reply.status, 200, `${route.name} ${JSON.stringify(reply.body)}`);
    if (reply.body.Items) assert.ok(reply.body.Items.length > 0, route.name);
  }
});

// On the content origin, the only credential is the ticket or session in the path. It also identifies the
// tenant.
for (const route of routes.filter(({ origin }) => origin !== 'content'))
  test(`${route.name}: another tenant's rows are neither shown nor changed`, async () => {
    // A new tenant for each call, because the intruder's earlier calls may have created rows of their own.
    const intruder = await newTenant(service, { Status: 'test' });
    const reply = await call(intruder, route);
    const text = JSON.stringify(reply.body);
    // The link, session or key does not exist.
    const isUnknownCredential = route.access === 'anyone' && [204, 303, 400, 410, 502].includes(reply.status);
    const isRefused = ['key_mistyped', 'mail_not_configured'].includes(reply.body?.code);
    const hidden = isUnknownCredential || [401, 403, 404].includes(reply.status) || isRefused;
    const nothing =
      reply.status === 200 &&
      (reply.body.Result === -1 || (reply.body.Items ?? reply.body.Questions)?.length === 0);
    // The intruder may have a user with the same LoginID, a file about it, and an endpoint with the same address.
    const isOwn =
      ['createUser', 'createImport', 'createWebhook', 'putIdentityProvider', 'createPlatform'].includes(
        route.name,
      ) && reply.status === 201;
    // Public, because anyone who signs in needs it.
    const isPublic =
      (route.name === 'readPasswordFunction' && text === '{"PasswordHash":"sha256-hex"}') ||
      // Anyone who knows the number of a certificate may check it.
      ['readPageBranding', 'readLogo', 'listSignInProviders', 'verifyCertificate'].includes(route.name) ||
      ['openCertificateCheck', 'verifyCertificateFile'].includes(route.name) ||
      route.path.startsWith('/issuer/');
    const isOwnSettings =
      [
        ...['readBranding', 'changeBranding', 'readSettings', 'changeSettings'],
        ...['readProvisioning', 'changeProvisioning', 'confirmDisabling', 'testDirectory'],
        ...['listReminderTexts', 'changeReminderText', 'previewReminder'],
      ].includes(route.name) && reply.status === 200;
    const isOwnKey = route.name === 'createOwnKey' && reply.body.TenantID === intruder.TenantID;
    const isOwnTrail =
      ['listAudit', 'listOwnKeys'].includes(route.name) &&
      reply.body.Items.every(({ TenantID }: { TenantID: string }) => TenantID === intruder.TenantID);
    // A new key or link of the intruder, or a zip without files.
    const isOwnFile =
      [
        'rotateCertificateKeys',
        'downloadCertificates',
        'exportEvidence',
        'createPlatformRegistration',
      ].includes(route.name) && reply.status < 300;
    const isOwnClock = ['readClock', 'moveClock'].includes(route.name) && reply.status === 200;
    const isNobody = route.name === 'remind' && reply.body.Reminded === 0;
    const isUnknownKey = route.name === 'openDispatch' && reply.body.PlayerURL === null;
    const isZero = ['readOverview', 'listActivity'].includes(route.name) && countsNothing(reply);
    const rejectedGrant = route.name === 'createAccessToken' && reply.status === 400;
    // Statements and documents are written in the intruder's tenant, which contains nothing about the victim's activity.
    const isOwnLrs = route.path.startsWith('/xapi') && (route.raw !== undefined || reply.status === 204);
    const { name, definition } = reply.body ?? {};
    const isUnknown = ['getAgents', 'getActivities'].includes(route.name) && !definition && !name;
    const isAbout = route.name === 'getAbout';
    // The course is not offered to the intruder.
    const isUnknownCourse = route.name === 'putRequirement' && reply.body.param === 'CourseIDs';
    const rows = rowsOf(route);
    if (rows) expectOwnRows(route, reply, rows);
    else {
      const isHarmless =
        hidden ||
        nothing ||
        isOwn ||
        isUnknownKey ||
        isPublic ||
        isOwnKey ||
        isOwnTrail ||
        isOwnClock ||
        isOwnFile ||
        isOwnSettings ||
        isNobody ||
        isZero ||
        rejectedGrant ||
        isOwnLrs ||
        isUnknown ||
        isUnknownCourse ||
        isAbout;
      assert.ok(isHarmless, `${reply.status} ${text}`);
    }
    for (const mark of [
      ...(route.name === 'verifyCertificate' ? [] : [`${secret} ${victim.TenantID}`]),
      `${secret} reference`,
      `${secret} order`,
      `${secret} endpoint`,
      victimValues.webhookSecret ?? '',
      `${secret}.example`,
      victim.key,
    ])
      assert.ok(!text.includes(mark), mark);
    if (route.access === 'tenant' || route.access === 'either') {
      const named = await call(intruder, route, { tenant: victim.TenantID });
      assert.equal(named.status, 403, JSON.stringify(named.body));
    }
    assert.deepEqual(await dump(victim.TenantID), before);
    assert.deepEqual(await trailOfOthers(), trailBefore);
    assert.equal(receiver.received.length, sent);
  });

test('a launch link is rejected if its signature belongs to another tenant or another enrolment', async () => {
  const tenantOf = ({ key }: { key?: string }) => key?.split('.')[0];
  const signatureOf = ({ key }: { key?: string }) => key?.split('.').slice(1).join('.');
  const attempts = [
    [victimValues.enrolment, own.key],
    [own.enrolment, victimValues.key],
    [victimValues.enrolment, `${tenantOf(victimValues)}.${signatureOf(own)}`],
    [victimValues.enrolment, `${tenantOf(own)}.${signatureOf(victimValues)}`],
  ];
  for (const [enrolment, key] of attempts) {
    const response = await fetch(`${service.baseUrl}/launch?enrolment=${enrolment}&key=${key}`, {
      redirect: 'manual',
    });
    assert.equal(response.status, 404);
  }
});

test('users with the same LoginID in different tenants remain separate', async () => {
  const intruder = await newTenant(service);
  const { LoginID = '', EnrollID = '' } = victimValues;
  assert.equal((await intruder.api('POST', '/user', { LoginID, FirstName: 'Mine' })).status, 201);
  assert.equal((await intruder.api('GET', `/user/${LoginID}`)).body.FirstName, 'Mine');
  assert.equal((await intruder.api('GET', `/enrolment/${LoginID}/${EnrollID}`)).status, 404);
  assert.deepEqual((await intruder.api('GET', `/enrolment/${LoginID}`)).body.Items, []);
});

test('bulk calls create and find only users of their own tenant', async () => {
  const intruder = await newTenant(service);
  const post = async (path: string, rows: object[]) =>
    linesOf(await intruder.api('POST', path, toLines(rows), { 'content-type': 'application/x-ndjson' }));
  const { LoginID = '', CourseID } = victimValues;
  const users = [{ LoginID, FirstName: 'Mine' }, sameUser];
  const planned = await post('/user/bulk?Plan=true', users);
  assert.deepEqual(
    planned.map(({ Plan }) => Plan),
    ['created', 'created'],
  );
  const made = await post('/user/bulk', users);
  assert.deepEqual(
    made.map(({ Status }) => Status),
    [201, 201],
  );
  assert.equal((await intruder.api('GET', `/user/${LoginID}`)).body.FirstName, 'Mine');
  assert.equal((await intruder.api('GET', '/user')).body.Items.length, 2);
  for (const query of ['', '?Plan=true']) {
    const enrolled = await post(`/enrol/bulk${query}`, [{ LoginID, CourseID }]);
    assert.deepEqual(
      enrolled.map(({ Status, code }) => [Status, code]),
      [[404, 'course_not_found']],
    );
  }
  assert.deepEqual(await dump(victim.TenantID), before);
});

test('imports find only users, groups and courses of their own tenant', async () => {
  const intruder = await newTenant(service);
  const { LoginID = '', GroupName = '', CourseID = '' } = victimValues;
  const type = { 'content-type': 'text/csv' };
  const send = async (of: string, ...rows: string[][]) => {
    const made = await intruder.api('POST', `/import?Of=${of}`, importFile(...rows), type);
    expectStatus(made, 201);
    await workImports(service.ctx, removeUntouched);
    const read = await intruder.api('GET', `/import/${made.body.ImportID}`);
    expectStatus(read, 200);
    assert.deepEqual([read.body.Status, read.body.Questions], ['applied', []]);
    return read.body.Rows.map(({ Outcome, code, Nearest, Notes }: Record<string, unknown>) => [
      code ?? Outcome,
      Nearest,
      Notes,
    ]);
  };
  const [near, group] = [LoginID.slice(0, -1), GroupName.toUpperCase()];
  assert.deepEqual(
    await send('enrolments', [LoginID, '', '', CourseID], [near, '', '', CourseID.toUpperCase()]),
    [
      ['course_not_found', null, []],
      ['course_not_found', null, []],
    ],
  );
  assert.deepEqual(await send('users', [LoginID.toUpperCase(), 'Mine', group, '']), [
    ['created', null, [{ Kind: 'new_group', Value: group, Nearest: null }]],
  ]);
  expectStatus(await intruder.api('GET', `/user/${LoginID}`), 404);
  assert.deepEqual(await dump(victim.TenantID), before);
});

test("an enrolment key, redeemed or not, cannot enrol another tenant's users", async () => {
  const intruder = await newTenant(service);
  const { LoginID } = victimValues;
  expectStatus(await intruder.api('POST', '/user', { LoginID }), 201);
  for (const key of [victimValues.unusedKey, victimValues.redeemedKey])
    for (const action of ['', '/check'])
      expectProblem(
        await intruder.api('POST', `/enrol/key/${LoginID}/${key}${action}`),
        404,
        'key_not_found',
      );
  assert.deepEqual(await dump(victim.TenantID), before);
});

test("a tenant's endpoint receives no events of another tenant", async () => {
  const intruder = await newTenant(service);
  const { WebhookID } = (await intruder.api('POST', '/webhook', { URL: receiver.url })).body;
  for (const body of [{ EventIDs: [victimValues.EventID] }, { From: '2000-01-01T00:00:00Z' }]) {
    const reply = await intruder.api('POST', `/webhook/${WebhookID}/replay`, body);
    assert.deepEqual([reply.status, reply.body], [200, { Deliveries: 0 }]);
  }
  assert.deepEqual((await intruder.api('GET', `/webhook/${WebhookID}/delivery`)).body.Items, []);
});

test("the same request with the same Idempotency-Key never returns another tenant's response", async () => {
  const intruder = await newTenant(service);
  for (const replayed of [null, 'true']) {
    const reply = await intruder.api('POST', '/user', sameUser, sameKey);
    expectStatus(reply, 201);
    assert.equal(reply.headers.get('idempotency-replayed'), replayed);
  }
  assert.equal((await intruder.api('GET', '/user')).body.Items.length, 1);
  assert.deepEqual(await dump(victim.TenantID), before);
});
