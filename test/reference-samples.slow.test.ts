import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { type Document, type Entry, entriesOf } from '../console/pages/reference/document.ts';
import { exampleRequest } from '../console/pages/reference/request.ts';
import { type LanguageId, languageIds, languages } from '../console/pages/reference/samples/languages.ts';
import { startReceiver } from '../server/src/modules/webhooks/test-support.ts';
import { startService, type TestService } from '../server/test/support/service.ts';
import { packCourse } from './journeys/course-packages.ts';
import { type Answer, type Call, startProxy } from './sample-proxy.ts';
import { againAfterCrash, runSamples, skipOf } from './sample-runners.ts';

// Runs the samples in the API reference in each language, and compares their requests and responses with those of curl.

const document: Document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const entries = new Map(entriesOf(document).map((entry) => [entry.operationId, entry]));
const zip = readFileSync(await packCourse('fire-safety'));
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
  putAgentProfile postAgentProfile getAgentProfile deleteAgentProfile eraseUser`;

const sentByBrowsers =
  'openSignInLink signIn readOpenInvitation acceptInvitation forgetPassword readOpenReset resetPassword changeOwnPassword readPasswordFunction signInWithPassword createPasskeyChallenge usePasskey listOwnPasskeys addPasskey renamePasskey removePasskey readSession signOut createOwnKey listOwnKeys revokeOwnKey launch openPlayer openPreview openSession commit keepSessionAlive readCourseFile openUnit readSessionResults fetchToken returnFromUnit reportByHacp readPageBranding readLogo readPlayerLogo';

/**
 * `deleteTenant` needs a suspended tenant, `waiveUnit` an opened cmi5 course, scheduled reports an administrator with
 * an email address, and the others a test tenant.
 * `server/test/examples.test.ts` sends them.
 */
const sentElsewhere =
  'deleteTenant waiveUnit readClock moveClock playCourse createReportSchedule listReportSchedules readReportSchedule updateReportSchedule runReportSchedule deleteReportSchedule';

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
const made = ['EnrollID', 'InvitationID', 'KeyID', 'Key', 'Secret', 'WebhookID', 'EventID'];

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
  const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  services.push(service);
  const results: Result[] = [];
  const real = new Map([['https://hr.example.com/lectern', receiver.url]]);
  const withRealValues = (text: string) =>
    [...real].reduce((text, [from, to]) => text.replaceAll(from, to), text);
  /** Parses JSON first, because PHP escapes the slashes of URLs. */
  function withRealBody(body: Buffer, type: string): Buffer {
    if (type === 'application/zip' || body.length === 0) return body;
    const text = body.toString();
    const isJson = type.startsWith('application/json');
    return Buffer.from(withRealValues(isJson ? JSON.stringify(JSON.parse(text)) : text));
  }
  let key = service.operatorKey;

  async function forward(call: Call): Promise<Answer> {
    // Our client reads lists to their end. The event log ends with an empty page.
    const isNextPage = /[?&]Cursor=/.test(call.url);
    const step = stepList[results.length - (isNextPage ? 1 : 0)];
    assert.ok(step, `${call.method} ${call.url} is an additional request`);
    const { entry } = step;
    if (entry.operationId === 'revokeKey')
      key = (await service.api('POST', '/tenant/acme/key', { Name: 'samples' })).body.Secret;
    const authorized = entry['x-access'] === 'operator' ? service.operatorKey : key;
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
      if (value !== receiver.url) assert.ok(printed.includes(value), `the samples do not print ${example}`);
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
  const sent = new Set([
    ...stepList.map(({ entry }) => entry.operationId),
    ...`${sentByBrowsers} ${sentElsewhere}`.split(' '),
  ]);
  const missing = [...entries.values()].filter(
    ({ method, operationId }) => method !== 'EVENT' && !sent.has(operationId),
  );
  assert.deepEqual(
    missing.map(({ operationId }) => operationId),
    [],
  );
});
