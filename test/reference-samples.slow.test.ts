import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { createLectern } from '../client/src/index.ts';
import { type Document, type Entry, entriesOf } from '../console/pages/reference/document.ts';
import { curlOf, exampleRequest, scriptOf } from '../console/pages/reference/request.ts';
import { startReceiver } from '../server/src/modules/webhooks/test-support.ts';
import { startService, type TestService } from '../server/test/support/service.ts';
import { packCourse } from './journeys/course-packages.ts';

// Sends the samples in the API reference as a reader would, with the reader's own IDs and key.

const document: Document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const entries = new Map(entriesOf(document).map((entry) => [entry.operationId, entry]));
const zip = await packCourse('fire-safety');
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
  createUser readUser listUsers listGroups updateUser setPassword checkUser checkPassword createUsers
  readOffer enrolWithOption enrol listEnrolments listEnrolmentsOfUser readEnrolment explainEnrolment
  updateEnrolment enrolMany readTimeline readActivity listCourseInteractions readCourseQuestions resetEnrolment listAttempts readOverview listCompletion previewCourse previewOfferedCourse
  issueEnrolmentKeys listEnrolmentKeys readEnrolmentKey checkEnrolmentKey redeemEnrolmentKey issueEnrolmentKeys revokeEnrolmentKey
  createWebhook readWebhook listWebhooks updateWebhook rotateWebhookSecret pingWebhook
  listEvents replayEvents listDeliveries deleteWebhook listAudit exportUser exportTenant
  createInvitations createInvitation listInvitations listMails readInvitation createInvitationLink revokeInvitation createSignInLink
  getAbout postStatements putStatement getStatements getAgents getActivities putState postState getState deleteState
  putActivityProfile postActivityProfile getActivityProfile deleteActivityProfile
  putAgentProfile postAgentProfile getAgentProfile deleteAgentProfile eraseUser`;

const sentByBrowsers =
  'openSignInLink signIn readOpenInvitation acceptInvitation forgetPassword readOpenReset resetPassword changeOwnPassword readPasswordFunction signInWithPassword readSession signOut createOwnKey listOwnKeys revokeOwnKey launch openPlayer openPreview openSession commit keepSessionAlive readCourseFile openUnit readSessionResults fetchToken returnFromUnit reportByHacp';

/**
 * `deleteTenant` needs a suspended tenant, `waiveUnit` an opened cmi5 course, and the others a test tenant.
 * `server/test/examples.test.ts` sends them.
 */
const sentElsewhere = 'deleteTenant waiveUnit readClock moveClock playCourse';

type Sent = { status: number; body: unknown };
type Sender = (
  entry: Entry,
  call: { service: TestService; key: string; withTenantValues: Substitute },
) => Promise<Sent>;
/** Replaces the IDs in the examples with the reader's own. */
type Substitute = (text: string) => string;

const withCurl: Sender = async (entry, { service, key, withTenantValues }) => {
  const line = withTenantValues(curlOf(exampleRequest(entry, service.baseUrl)));
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -sS -w '\n%{http_code}'`], {
    env: { ...process.env, KEY: key },
    maxBuffer: 1e8,
  });
  const end = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(end + 1)), body: parsed(stdout.slice(0, end)) };
};

const withScript: Sender = async (entry, { service, key, withTenantValues }) => {
  const results: { Status: number }[] = [];
  const lectern = createLectern({ baseUrl: service.baseUrl, key, retries: 0 });
  Object.assign(globalThis, { sample: { lectern, results } });
  process.env.KEY = key;
  const text = withTenantValues(scriptOf(entry, service.baseUrl)).replace('console.log(', 'results.push(');
  const name = /const (answer|response) =/.exec(text)?.[1] ?? 'results';
  // Node.js evaluates modules with the same text only once. The UUID makes each text unique.
  const source = `// ${randomUUID()}\nconst { lectern${name === 'results' ? ', results' : ''} } = globalThis.sample;\n${text}\nexport { ${name} as default };`;
  const { default: got } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  if (got instanceof Response) return { status: got.status, body: parsed(await got.text()) };
  return { status: Math.max(200, ...results.map(({ Status }) => Status)), body: got };
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

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

for (const [name, send] of Object.entries({ curl: withCurl, JavaScript: withScript }))
  test(`the service accepts each ${name} sample of the API reference`, async () => {
    const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
    services.push(service);
    const real = new Map([
      ['https://hr.example.com/lectern', receiver.url],
      ['package.zip', zip],
    ]);
    const withTenantValues: Substitute = (text) =>
      [...real].reduce((text, [from, to]) => text.replaceAll(from, to), text);
    let key = '';
    for (const step of steps.trim().split(/\s+/)) {
      const entry = entries.get(step);
      assert.ok(entry, step);
      if (step === 'revokeKey')
        key = (await service.api('POST', '/tenant/acme/key', { Name: 'samples' })).body.Secret;
      const isOperators = entry['x-access'] === 'operator';
      const { status, body } = await send(entry, {
        service,
        key: isOperators || !key ? service.operatorKey : key,
        withTenantValues,
      });
      assert.ok(status >= 200 && status < 300, `${step}: ${status} ${JSON.stringify(body)}`);
      const [, done] = Object.entries(entry.responses).find(([status]) => status.startsWith('2')) ?? [];
      remember(real, done?.content?.['application/json']?.example, body);
    }
  });

test('the test sends every operation that programs can call', () => {
  const sent = new Set(`${steps} ${sentByBrowsers} ${sentElsewhere}`.trim().split(/\s+/));
  const missing = [...entries.values()].filter(
    ({ method, operationId }) => method !== 'EVENT' && !sent.has(operationId),
  );
  assert.deepEqual(
    missing.map(({ operationId }) => operationId),
    [],
  );
});
