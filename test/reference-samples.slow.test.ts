import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { type Document, type Entry, entriesOf } from '../console/pages/reference/document.ts';
import { exampleRequest } from '../console/pages/reference/request.ts';
import { type LanguageId, languageIds, languages } from '../console/pages/reference/samples/languages.ts';
import { startReceiver } from '../server/src/domain/events/webhooks/test-support.ts';
import { packFiles } from '../server/test/support/packages.ts';
import { play } from '../server/test/support/player.ts';
import { startService, type TestService } from '../server/test/support/service.ts';
import { expectStatus } from '../server/test/support/tenant.ts';
import { au, courseStructure } from '../standards/cmi5/test-support.ts';
import { packCourse } from './journeys/course-packages.ts';
import { type Answer, type Call, startProxy } from './sample-proxy.ts';
import { againAfterCrash, runSamples, skipOf } from './sample-runners.ts';

// Runs the samples in the API reference in each language, and compares their requests and responses with those of curl.

const document: Document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const entries = new Map(entriesOf(document).map((entry) => [entry.operationId, entry]));
const zip = readFileSync(await packCourse('fire-safety'));
const cmi5Zip = await packFiles({
  'cmi5.xml': courseStructure(au({ attributes: 'moveOn="Passed"' })),
  'index.html': '',
});
const receiver = await startReceiver();
const services: TestService[] = [];
after(async () => {
  await receiver.kill();
  for (const service of services) await service.close();
});

/**
 * The operations in an order in which each one can succeed. The other operations need a browser session or
 * the ticket in a link.
 */
const steps = `
  createTenant readTenant listTenants updateTenant createKey listKeys createAccessToken revokeKey
  putCourse readCourse listCourses putOption deleteOption deleteCourse putCourse putOption importPackage
  readCurrentRelease listReleases readRelease putRelease listOfferedCourses
  createUser readUser listUsers listGroups updateUser setPassword checkUser checkPassword createUsers createUsers:text/csv
  readOffer enrolWithOption enrol listEnrolments listEnrolmentsOfUser readEnrolment explainEnrolment
  updateEnrolment enrolMany readTimeline readActivity listCourseInteractions readCourseQuestions resetEnrolment listAttempts readOverview listCompletion listAccess listActivity previewCourse previewOfferedCourse
  readBranding changeBranding readSettings changeSettings
  issueEnrolmentKeys listEnrolmentKeys readEnrolmentKey checkEnrolmentKey redeemEnrolmentKey issueEnrolmentKeys revokeEnrolmentKey
  createWebhook readWebhook listWebhooks updateWebhook rotateWebhookSecret pingWebhook
  listEvents replayEvents listDeliveries deleteWebhook listAudit exportUser exportTenant
  createInvitations createInvitation listInvitations listMails readInvitation createInvitationLink revokeInvitation reportBounce clearBounce createSignInLink listUserPasskeys removeUserPasskeys
  getAbout postStatements putStatement getStatements getAgents getActivities putState postState getState deleteState
  putActivityProfile postActivityProfile getActivityProfile deleteActivityProfile
  putAgentProfile postAgentProfile getAgentProfile deleteAgentProfile
  createReportSchedule listReportSchedules readReportSchedule updateReportSchedule runReportSchedule deleteReportSchedule
  waiveUnit eraseUser readClock moveClock playCourse deleteTenant`;

const sentByBrowsers =
  'openSignInLink signIn readOpenInvitation acceptInvitation forgetPassword readOpenReset resetPassword changeOwnPassword readPasswordFunction signInWithPassword createPasskeyChallenge usePasskey listOwnPasskeys addPasskey renamePasskey removePasskey readSession signOut createOwnKey listOwnKeys revokeOwnKey launch openPlayer openPreview openSession commit keepSessionAlive readCourseFile openUnit readSessionResults fetchToken returnFromUnit reportByHacp readPageBranding readLogo readPlayerLogo';

type Step = { entry: Entry; type?: string };
/** A media type may follow the operation. */
const stepList: Step[] = steps
  .trim()
  .split(/\s+/)
  .map((step) => {
    const [id = '', type] = step.split(':');
    const entry = entries.get(id);
    assert.ok(entry, id);
    return type ? { entry, type } : { entry };
  });

/** Fields whose values the service generates. The samples contain example values for these fields. */
const made = ['EnrollID', 'InvitationID', 'KeyID', 'Key', 'Secret', 'WebhookID', 'EventID', 'ScheduleID'];

/** What the proxy knows while the samples of a language are sent. */
type World = {
  service: TestService;
  /** The key with which the samples call operations of a tenant. */
  key: string;
  /** Example values that the samples print, and the values that the service generated for them. */
  real: Map<string, string>;
  /** Other example values, and their replacements. */
  given: Map<string, string>;
};

const exampleEnrolment = '01994a5e-7c00-7000-8000-000000000001';

/** Enrols a user in the cmi5 course, as the tenant of the key. */
async function enrolInCmi5({ service, key, real }: World, loginId: string): Promise<string> {
  const enrolled = await service.api('POST', `/enrol/${loginId}/cmi5/open`, {}, key);
  expectStatus(enrolled, 201);
  real.set(exampleEnrolment, enrolled.body.EnrollID);
  return enrolled.body.LaunchURL;
}

/** What some operations need, and the samples before them do not create. */
const preparations: Record<string, (world: World) => Promise<void>> = {
  async revokeKey(world) {
    const made = await world.service.api('POST', '/tenant/acme/key', { Name: 'samples' });
    expectStatus(made, 201);
    world.key = made.body.Secret;
  },
  async createReportSchedule({ service, key }) {
    expectStatus(await service.api('PUT', '/user/ada', { IsAdmin: true }, key), 200);
  },
  async waiveUnit(world) {
    expectStatus(await world.service.importPackage('cmi5', cmi5Zip), 201);
    expectStatus(await world.service.api('PUT', '/course/cmi5/option/open', {}), 201);
    const { session } = await play(world.service, await enrolInCmi5(world, 'ada'));
    world.given.set('lesson-1', session.Tree.Units[0]?.UnitID ?? '');
  },
  async readClock(world) {
    const { service } = world;
    expectStatus(await service.api('POST', '/tenant', { TenantID: 'acme-test', Status: 'test' }), 201);
    const made = await service.api('POST', '/tenant/acme-test/key', { Name: 'samples' });
    expectStatus(made, 201);
    world.key = made.body.Secret;
  },
  async playCourse(world) {
    expectStatus(await world.service.api('POST', '/user', { LoginID: 'bo' }, world.key), 201);
    await enrolInCmi5(world, 'bo');
  },
  async deleteTenant({ service }) {
    expectStatus(await service.api('PUT', '/tenant/acme', { Status: 'suspended' }), 200);
  },
};

function remember(real: Map<string, string>, example: unknown, body: unknown): void {
  if (typeof example !== 'object' || example === null || typeof body !== 'object' || body === null) return;
  for (const [name, part] of Object.entries(example)) {
    const value: unknown = Reflect.get(body, name);
    if (made.includes(name) && typeof part === 'string' && typeof value === 'string') real.set(part, value);
    else remember(real, part, value);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The value of the environment variable KEY. The proxy replaces it with a key of the service. */
const readersKey = 'the-key-of-the-reader';

/** What the samples of all languages have in common. Clients may add headers, and may format JSON in other ways. */
function requestOf({ entry, type }: Step, { method, url, headers, body }: Call) {
  const { isAuthorized, headers: shown, body: shownBody } = exampleRequest(entry, '', type);
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  return {
    operation: entry.operationId,
    method,
    path: decodeURIComponent(pathname),
    query: Object.fromEntries(searchParams),
    authorization: isAuthorized ? headers.authorization : null,
    type: shownBody ? headers['content-type']?.split(';')[0] : null,
    headers: Object.keys(shown).map((name) => headers[name.toLowerCase()]),
    body: shownBody && 'file' in shownBody ? body.toString('base64') : parsed(body.toString().trimEnd()),
  };
}

/** The names of all fields. Values such as IDs and times differ, and webhooks are delivered in the background. */
function fieldsOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fieldsOf(part)]));
}

type Result = { request: ReturnType<typeof requestOf>; status: number; fields: unknown };

/** Sends the samples of a language to a new service. */
async function resultsOf(language: LanguageId): Promise<Result[]> {
  // Emails are only queued: no job sends them here.
  const env = {
    WEBHOOK_ALLOW: '127.0.0.1',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'noreply@lectern.example',
  };
  const service = await startService({ env });
  services.push(service);
  const results: Result[] = [];
  const real = new Map<string, string>();
  const given = new Map([['https://hr.example.com/lectern', receiver.url]]);
  const world: World = { service, key: service.operatorKey, real, given };
  const withRealValues = (text: string) =>
    [...given, ...real].reduce((text, [from, to]) => text.replaceAll(from, to), text);
  /** Parses JSON first, because PHP escapes the slashes of URLs. */
  function withRealBody(body: Buffer, type: string): Buffer {
    if (type === 'application/zip' || body.length === 0) return body;
    const text = body.toString();
    const isJson = type.startsWith('application/json');
    return Buffer.from(withRealValues(isJson ? JSON.stringify(JSON.parse(text)) : text));
  }

  async function forward(call: Call): Promise<Answer> {
    // Our client reads lists to their end. The event log ends with an empty page.
    const isNextPage = /[?&]Cursor=/.test(call.url);
    const step = stepList[results.length - (isNextPage ? 1 : 0)];
    assert.ok(step, `${call.method} ${call.url} is an additional request`);
    const { entry } = step;
    if (!isNextPage) await preparations[entry.operationId]?.(world);
    const authorized = entry['x-access'] === 'operator' ? service.operatorKey : world.key;
    const headers = new Headers();
    for (const [name, value] of Object.entries(call.headers))
      if (
        typeof value === 'string' &&
        !['host', 'connection', 'content-length', 'expect', 'transfer-encoding'].includes(name)
      )
        headers.set(name, value.replace(readersKey, authorized));
    const body = withRealBody(call.body, headers.get('content-type') ?? '');
    const response = await fetch(service.baseUrl + withRealValues(call.url), {
      method: call.method,
      headers,
      redirect: 'manual',
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    });
    const answer = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    assert.ok(status >= 200 && status < 300, `${entry.operationId}: ${status} ${answer}`);
    const [, done] = Object.entries(entry.responses).find(([status]) => status.startsWith('2')) ?? [];
    const value = parsed(answer.toString());
    remember(real, done?.content?.['application/json']?.example, value);
    if (!isNextPage) results.push({ request: requestOf(step, call), status, fields: fieldsOf(value) });
    return { status, headers: response.headers, body: answer };
  }

  const proxy = await startProxy(forward);
  try {
    const { sampleOf } = languages[language];
    const samples = stepList.map(({ entry, type }) => sampleOf(entry, proxy.origin, type));
    const running = runSamples(language, samples, { key: readersKey, files: { 'package.zip': zip } });
    const printed = await running.catch((error: unknown) => {
      throw proxy.failure() ?? error;
    });
    assert.ifError(proxy.failure());
    for (const [example, value] of real)
      assert.ok(printed.includes(value), `the samples do not print ${example}`);
  } finally {
    await proxy.close();
  }
  assert.equal(results.length, stepList.length);
  return results;
}

let withCurl: Promise<Result[]> | undefined;

for (const language of languageIds)
  test(`the service accepts each ${languages[language].name} sample of the API reference`, {
    skip: skipOf(language),
  }, async () => {
    withCurl ??= resultsOf('curl');
    const expected = await withCurl;
    for (const { request } of expected)
      if (request.authorization !== null) assert.equal(request.authorization, `Bearer ${readersKey}`);
    if (language !== 'curl') assert.deepEqual(await againAfterCrash(() => resultsOf(language)), expected);
  });

test('the test sends every operation that programs can call', () => {
  const sent = new Set([...stepList.map(({ entry }) => entry.operationId), ...sentByBrowsers.split(' ')]);
  const missing = [...entries.values()].filter(
    ({ method, operationId }) => method !== 'EVENT' && !sent.has(operationId),
  );
  assert.deepEqual(
    missing.map(({ operationId }) => operationId),
    [],
  );
});
