import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { au, courseStructure } from '../../standards/cmi5/test-support.ts';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { routes } from '../src/app/app.ts';
import { numberExample } from '../src/domain/certificates/record/number.ts';
import { sendMails } from '../src/domain/mail/send.ts';
import { knownTenant } from '../src/domain/tenants/tenants.ts';
import { plainBrowser, startProvider } from './support/identity-provider.ts';
import { claim, startPlatform } from './support/lti-platform.ts';
import { readDocuments } from './support/openapi.ts';
import { packFiles } from './support/packages.ts';
import { challengeOf, newAuthenticator, useHostName } from './support/passkeys.ts';
import type { Reply } from './support/send.ts';
import { startService } from './support/service.ts';
import { browser } from './support/sign-in.ts';
import { startMailServer } from './support/smtp.ts';
import { startReceiver } from './support/webhooks.ts';

// Sends the example of every operation in openapi.json, in an order in which each one can succeed, and
// compares the shape of the responses with their examples. Values in the examples are replaced with values
// that the service has generated.

type Media = Record<string, { example?: unknown }>;
type Parameter = { in: string; name: string; required?: boolean; example?: unknown };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Media };
  responses: Record<string, { content?: Media }>;
  servers?: object[];
  'x-access': string;
  security: Record<string, unknown>[];
};

const mailServer = await startMailServer();
const service = await startService({
  env: {
    WEBHOOK_ALLOW: '127.0.0.1',
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'noreply@lectern.example',
  },
});
const receiver = await startReceiver();
after(async () => {
  await receiver.kill();
  await service.close();
  await mailServer.close();
});
const document = await readDocuments(service);
const operations = new Map(
  Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      { ...operation, path, method: method.toUpperCase() },
    ]),
  ),
);
const zip = readFileSync(await packCourse('fire-safety'));

/** Generated values, keyed by the values in the examples. */
const real = new Map<unknown, unknown>([['https://hr.example.com/lectern', receiver.url]]);
const exampleValues = new Set([
  'CompletionID',
  'EnrollID',
  'ImportID',
  'InvitationID',
  'PasskeyID',
  'KeyID',
  'Key',
  'Secret',
  'WebhookID',
  'EventID',
  'ScheduleID',
  'PlatformID',
  'DispatchID',
]);
const token = 'eyJhbGciOiJkaXIifQ';
let cookie = '';

function withReal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReal);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withReal(part)]));
  return real.get(value) ?? value;
}

/** Fields whose contents vary. They are not compared with the example. */
const free = new Set(['Data', 'Options', 'Metadata', 'Tree', 'Evidence', 'Body', 'Request', 'Answer']);
/** Fields that a response contains only in some cases, such as a requested count. */
const optional = new Set(['Preview', 'Warning', 'Count']);
const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

function compare(place: string, example: unknown, answer: unknown): void {
  if ((example ?? null) === null || (answer ?? null) === null) return;
  assert.equal(kindOf(answer), kindOf(example), `${place} differs in type from its example`);
  if (Array.isArray(example) && Array.isArray(answer)) {
    if (answer.length > 0) compare(`${place}[]`, example[0], answer[0]);
  } else if (typeof example === 'object') {
    const [shown, found] = [example as Record<string, unknown>, answer as Record<string, unknown>];
    for (const name of Object.keys(found)) assert.ok(name in shown, `${place}.${name} is not in the example`);
    for (const [name, part] of Object.entries(shown)) {
      assert.ok(name in found || optional.has(name), `${place}.${name} is not in the response`);
      if (exampleValues.has(name) && found[name]) real.set(part, found[name]);
      if (!free.has(name)) compare(`${place}.${name}`, part, found[name]);
    }
  }
}

async function send(name: string, query = ''): Promise<{ headers: Headers; body: Reply['body'] }> {
  const operation = operations.get(name);
  assert.ok(operation, name);
  const { path, method, parameters = [], requestBody, servers, responses } = operation;
  const needed = parameters.filter(({ in: place, required }) => place === 'path' || required);
  const address = needed.reduce(
    (text, { name, example }) =>
      text.replace(`{${name}}`, encodeURIComponent(String(withReal(example))).replaceAll('%2F', '/')),
    path,
  );
  const isKeyed = operation.security.some((credentials) => 'key' in credentials);
  const headers = new Headers(cookie && !isKeyed ? { cookie } : {});
  if (cookie) headers.set('origin', service.ctx.config.baseUrl);
  if (isKeyed) headers.set('authorization', `Bearer ${service.operatorKey}`);
  const tenant = parameters.find(({ name }) => name === 'Tenant');
  if (tenant) headers.set('tenant', String(tenant.example));
  for (const { name, in: place, required, example } of parameters)
    if (place === 'header' && required) headers.set(name, String(example));
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  if (type) headers.set('content-type', type);
  const isZip = type === 'application/zip';
  const sent = type === 'application/json' ? JSON.stringify(withReal(media?.example)) : media?.example;
  assert.ok(!type || isZip || sent, `${name} has no example for its body`);
  const searched = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const search = new URLSearchParams(searched.map(({ name, example }) => [name, String(example)]));
  const asked = searched.length > 0 ? `?${search}` : query;
  const base = servers ? service.contentUrl : service.baseUrl;
  const reply = await fetch(base + address + asked, {
    method,
    headers,
    redirect: 'manual',
    ...(type ? { body: isZip ? zip : String(sent) } : {}),
  });
  const text = await reply.text();
  assert.ok(reply.status < 400, `${name}: ${reply.status} ${text.slice(0, 500)}`);
  const shown = responses[reply.status];
  assert.ok(shown, `${name}: ${reply.status} is not described`);
  const isJson = reply.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body = isJson ? JSON.parse(text) : {};
  if (isJson && name !== 'exportUser') {
    assert.ok(shown.content?.['application/json']?.example, `${name} ${reply.status} has no example`);
    compare(name, shown.content['application/json'].example, body);
  }
  sentNames.add(name);
  return { headers: reply.headers, body };
}

const sentNames = new Set<string>();
const sendAll = async (names: string) => {
  for (const name of names.split(' ')) await send(name);
};
const queryOf = (address: string) => new URL(address).search;
const ticketOf = (address: string) => /\/play\/([^/]+)/.exec(address)?.[1];

/** Sends the operations for units that report through xAPI. They need a cmi5 course. */
async function sendUnitOperations(): Promise<void> {
  const files = { 'cmi5.xml': courseStructure(au({ attributes: 'moveOn="Passed"' })), 'index.html': '' };
  await service.importPackage('first-aid', await packFiles(files));
  await service.api('PUT', '/course/first-aid/option/open', {});
  const { body: enrolment } = await service.api('POST', '/enrol/ada/first-aid', {}, undefined, {
    tenant: 'acme',
  });
  const launched = await send('launch', queryOf(enrolment.LaunchURL));
  real.set(token, ticketOf(launched.headers.get('location') ?? ''));
  const { body: session } = await send('openSession');
  real.set(token, session.Session).set('lesson-1', session.Tree.Units[0].UnitID);
  const { body: opened } = await send('openUnit');
  await send('readSessionResults');
  real.set(token, ticketOf(new URL(opened.URL).searchParams.get('fetch') ?? ''));
  await send('fetchToken');
  await send('returnFromUnit');
  await send('reportByHacp');
  real.set('01994a5e-7c00-7000-8000-000000000001', enrolment.EnrollID);
  await send('waiveUnit');
}

/** Sends the operations for passkeys with the answers of an authenticator. */
async function sendPasskeyOperations(): Promise<void> {
  useHostName(service);
  const key = newAuthenticator(service);
  const answerWith = (name: string, answer: object) => {
    const [media] = Object.values(operations.get(name)?.requestBody?.content ?? {});
    const example = Object(media?.example);
    for (const [field, value] of Object.entries(answer))
      if (typeof value === 'string' && field in example) real.set(example[field], value);
  };
  const challenge = (await send('createPasskeyChallenge')).body.Challenge;
  answerWith('addPasskey', key.create(challenge));
  const added = await send('addPasskey');
  cookie = added.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = browser(service, cookie);
  answerWith('usePasskey', key.get(await challengeOf(page, 'use')));
  cookie = (await send('usePasskey')).headers.get('set-cookie')?.split(';')[0] ?? '';
  await send('listOwnPasskeys');
  await sendAll('listUserPasskeys renamePasskey removePasskey removeUserPasskeys');
}

/** Sends the operations for identity providers, and signs in at one. */
async function sendProviderOperations(): Promise<void> {
  const provider = await startProvider([`${service.ctx.config.baseUrl}/sso/acme/callback/entra`]);
  after(provider.close);
  real.set('https://login.example.com/tenant/v2.0', provider.issuer);
  await sendAll('putIdentityProvider readIdentityProvider listIdentityProviders testIdentityProvider');
  await send('listSignInProviders');
  const started = await send('startSignIn');
  cookie = started.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { at } = await plainBrowser().signIn(started.headers.get('location') ?? '', 'ada', /\/callback\//);
  await send('finishSignIn', queryOf(at));
  cookie = '';
  await sendAll('signOutAtProvider unlinkUser deleteIdentityProvider');
}

/** Sends the operations for learning platforms, and launches a course from one. */
async function sendPlatformOperations(): Promise<void> {
  const platform = await startPlatform(service.ctx.now);
  after(platform.close);
  real.set('https://moodle.example.com', platform.origin);
  for (const [name, path] of [
    ['auth', 'auth'],
    ['token', 'token'],
    ['certs', 'certs'],
  ])
    real.set(`https://moodle.example.com/mod/lti/${name}.php`, `${platform.origin}/${path}`);
  real.set('x9hVqDpwU2WbiQX', 'lectern');
  await sendAll('createPlatform readPlatform listPlatforms updatePlatform testPlatform');
  await sendAll('readPlatformRoster syncPlatformRoster');
  const { body: link } = await send('createPlatformRegistration');
  const configuration = encodeURIComponent(`${platform.origin}/.well-known/openid-configuration`);
  await send(
    'registerPlatform',
    `${new URL(link.RegistrationURL).search}&openid_configuration=${configuration}`,
  );
  const asAcme = { tenant: 'acme' };
  const { Items } = (await service.api('GET', '/platform', undefined, undefined, asAcme)).body;
  const made = Items.find(({ ClientID }: { ClientID: string }) => ClientID === 'registered');
  await service.api('DELETE', `/platform/${made.PlatformID}`, undefined, undefined, asAcme);
  const query = new URLSearchParams({ iss: platform.origin, client_id: 'lectern', login_hint: '3' });
  await send('startLtiLogin', `?${query}`);
  const started = await send('postLtiLogin');
  cookie = started.headers.get('set-cookie')?.split(';')[0] ?? '';
  const asked = new URL(started.headers.get('location') ?? '').searchParams;
  const [media] = Object.values(operations.get('launchFromPlatform')?.requestBody?.content ?? {});
  const example = Object(media?.example);
  const claims = platform.claims(asked.get('nonce') ?? '', { [claim('custom')]: { course: 'first-aid' } });
  real.set(example.id_token, await platform.sign(claims)).set(example.state, asked.get('state'));
  await send('launchFromPlatform');
  const [noticed] = Object.values(operations.get('receiveLtiNotices')?.requestBody?.content ?? {});
  const notice = platform.claims('notice-1', { [claim('notice')]: { type: 'LtiContextCopyNotice' } });
  real.set(Object(noticed?.example).notices[0].jwt, await platform.sign(notice));
  await send('receiveLtiNotices');
  const selecting = await send('postLtiLogin');
  cookie = selecting.headers.get('set-cookie')?.split(';')[0] ?? '';
  const wanted = new URL(selecting.headers.get('location') ?? '').searchParams;
  const choice = platform.claims(wanted.get('nonce') ?? '', {
    [claim('message_type')]: 'LtiDeepLinkingRequest',
    'https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings': {
      deep_link_return_url: `${platform.origin}/return`,
      accept_types: ['ltiResourceLink'],
    },
  });
  const answer = await fetch(`${service.baseUrl}/lti/launch`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ state: wanted.get('state') ?? '', id_token: await platform.sign(choice) }),
  });
  const [shown] = Object.values(operations.get('chooseCoursesForPlatform')?.requestBody?.content ?? {});
  real.set(
    Object(shown?.example).selection,
    /name="selection" value="([^"]+)"/.exec(await answer.text())?.[1],
  );
  await send('chooseCoursesForPlatform');
  cookie = '';
  await sendAll('listPlatformLaunches deletePlatform');
}

/** Sends the operations for tools of others, in a course of the tenant's own. */
async function sendToolOperations(): Promise<void> {
  real.set('fire-safety', 'elsewhere').set('https://tool.example.com/jwks', receiver.url);
  await sendAll('putTool readTool listTools chooseToolContent deleteTool');
  real.delete('fire-safety');
}

/** Sends the operations for dispatches, and opens a course like a package. */
async function sendDispatchOperations(): Promise<void> {
  await send('createDispatch');
  await sendAll('readDispatch listDispatches readDispatchPackage openDispatch listDispatchLearners');
  await sendAll('updateDispatch deleteDispatch');
}

/** The example tenant is a normal one, so the operations for test tenants need another. */
async function becomeTestTenant(): Promise<void> {
  await service.ctx.db
    .updateTable('tenant')
    .set({ clock_offset: 0 })
    .where('tenant_id', '=', 'acme')
    .execute();
  knownTenant.forget(service.ctx, 'acme');
}

test('the service accepts the example of every operation and responds as the examples show', async () => {
  await sendAll(
    'createTenant readTenant listTenants updateTenant createKey listKeys createAccessToken revokeKey',
  );
  await sendAll('changeBranding readBranding readPageBranding readLogo changeSettings readSettings');
  await sendAll(
    'putCourse readCourse listCourses putOption deleteOption deleteCourse putCourse importPackage',
  );
  real.set('https://files.example.com/fire-safety.zip', receiver.url);
  await sendAll('downloadPackage listReleaseFiles putFile importFromURL readPackageImport');
  real.delete('https://files.example.com/fire-safety.zip');
  await sendAll(
    'readCurrentRelease listReleases readRelease putRelease putOption listOfferedCourses listContent',
  );
  await sendAll('createUser readUser listUsers listGroups updateUser checkUser checkPassword createUsers');
  await sendAll('createImport listImports readImport applyImport undoImport');
  await sendAll('putCertificateTemplate previewCertificateTemplate');
  for (const CourseID of ['phishing', 'first-aid', 'lifting', 'ladders'])
    await service.api('PUT', `/course/${CourseID}`, { Title: CourseID });
  real.set('fire-safety', 'induction');
  await sendAll('putPath readPath');
  real.set('fire-safety', 'own-path');
  const own = { Steps: [{ CourseIDs: ['phishing'] }] };
  await service.api('PUT', '/course/phishing/option/open', {});
  const { Secret } = (await service.api('POST', '/tenant/acme/key', { Name: 'own' })).body;
  const made = await service.api('PUT', '/course/own-path/path', own, Secret);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await send('deletePath');
  real.delete('fire-safety');
  await sendAll('listUsage readDeployment');
  await sendAll('readOffer enrolWithOption enrol listEnrolments listEnrolmentsOfUser explainEnrolment');
  await sendAll('updateEnrolment enrolMany readTimeline readOverview listCompletion listAccess listActivity');

  await sendAll('putRequirement readRequirement listRequirements listObligations listObligationsOfUser');
  await sendAll('explainObligation listCompliance exemptUser');
  const member = { LoginID: 'bob', ManagerLoginID: 'ada' };
  await service.api('POST', '/user', member, undefined, { tenant: 'acme' });
  await sendAll('remind listTeam readTeamRecord remindTeam');
  await sendAll('listReminderTexts changeReminderText previewReminder');
  await sendAll('placeLegalHold listLegalHolds releaseLegalHold');
  await sendAll('listRecordOfUser listRecords');
  await send('voidRelease', '?Plan=true');
  await sendAll('recordCompletion listCompletions readCompletion recordCompletions deleteCompletion');
  const { body: enrolment } = await send('readEnrolment');
  const override = (Override: object | null) =>
    service.api('PUT', `/enrolment/ada/${enrolment.EnrollID}`, { Override }, undefined, { tenant: 'acme' });
  await override({ Success: 'passed', Reason: 'Passed on paper.' });
  const { body: certificate } = await send('readCertificateOfEnrolment');
  await send('offerCertificate');
  await override(null);
  real.set(numberExample, certificate.Number);
  await sendAll('listCertificates listCertificatesOfUser readCertificate verifyCertificate');
  await sendAll('reissueCertificate revokeCertificate');
  await sendAll(
    'issueEarlierCertificates downloadCertificates exportEvidence rotateCertificateKeys openCertificateCheck',
  );
  await sendAll('verifyCertificateFile readCertificateTemplate deleteCertificateTemplate');
  await sendAll('readRevocations readIssuer readIssuerKeys');
  const IssuerDomains = [new URL(service.baseUrl).hostname];
  await service.api('PUT', '/tenant/acme', { IssuerDomains });
  await send('readIssuerOfDomain');
  await service.api('PUT', '/tenant/acme', { IssuerDomains: [] });
  const launched = await send('launch', queryOf(enrolment.LaunchURL));
  real.set(token, launched.headers.get('location')?.split('/play/')[1]);
  await send('openPlayer');
  const { body: session } = await send('openSession');
  const [unit] = (session.Tree as { Units: { UnitID: string; Href: string }[] }).Units;
  real.set('lesson-1', unit?.UnitID).set('lesson-1/index.html', unit?.Href.split('?')[0]);
  real.set(token, session.Session);
  await sendAll(
    'commit keepSessionAlive readCourseFile readPlayerLogo readActivity listCourseInteractions readCourseQuestions',
  );
  await sendAll('readPlayerCertificate resetEnrolment listAttempts previewCourse');
  const { body: preview } = await send('previewOfferedCourse');
  await send('openPreview', queryOf(preview.PreviewURL));
  await becomeTestTenant();
  await send('playCourse');

  await sendUnitOperations();
  await sendPlatformOperations();
  await sendToolOperations();
  await sendDispatchOperations();
  await sendAll('putStatement postStatements getStatements getAgents getActivities getAbout');
  for (const noun of ['State', 'ActivityProfile', 'AgentProfile'])
    await sendAll(`put${noun} get${noun} post${noun} delete${noun}`);
  await sendAll('issueEnrolmentKeys listEnrolmentKeys readEnrolmentKey checkEnrolmentKey redeemEnrolmentKey');
  await sendAll('issueEnrolmentKeys revokeEnrolmentKey');
  await sendAll('createWebhook readWebhook listWebhooks updateWebhook rotateWebhookSecret pingWebhook');
  await sendAll('listEvents replayEvents listDeliveries deleteWebhook listAudit exportUser exportTenant');

  await sendProviderOperations();
  await service.api('POST', '/scim/v2/Users', { userName: 'scim' }, undefined, { tenant: 'acme' });
  await sendAll('changeProvisioning readProvisioning listProvisioningLog confirmDisabling testDirectory');
  const setAdmin = (IsAdmin: boolean) =>
    service.api('PUT', '/user/ada', { IsAdmin }, undefined, { tenant: 'acme' });
  await setAdmin(true);
  await sendAll('createReportSchedule listReportSchedules readReportSchedule updateReportSchedule');
  await sendAll('runReportSchedule deleteReportSchedule');
  const { body: link } = await send('createSignInLink');
  real.set(token, new URL(link.SignInURL).searchParams.get('token'));
  await send('openSignInLink', queryOf(link.SignInURL));
  cookie = (await send('signIn')).headers.get('set-cookie')?.split(';')[0] ?? '';
  await sendAll('readSession createOwnKey listOwnKeys revokeOwnKey');
  await sendPasskeyOperations();
  await send('signOut');
  await setAdmin(false);
  cookie = '';
  await service.api('PUT', '/tenant/acme', { PasswordHash: 'sha256-hex' });
  await sendAll('readPasswordFunction signInWithPassword');
  await sendAll(
    'createInvitations createInvitation sendTestMail listInvitations listMails readInvitation revokeInvitation',
  );
  await sendAll('reportBounce clearBounce');
  await send('createInvitation');
  const { body: more } = await send('createInvitationLink');
  real.set(token, new URL(more.InvitationURL).hash.slice(1));
  await send('readOpenInvitation');
  cookie = (await send('acceptInvitation')).headers.get('set-cookie')?.split(';')[0] ?? '';
  await send('changeOwnPassword');
  cookie = '';
  await sendAll('setPassword forgetPassword');
  mailServer.mails = [];
  await sendMails(service.ctx);
  const texts = mailServer.mails.map(({ text }) => text);
  const reset = texts.find((text) => text.includes('/console/reset#'));
  real.set(token, /\/console\/reset#(\S+)/.exec(reset ?? '')?.[1]);
  await sendAll('readOpenReset resetPassword');
  cookie = '';
  await sendAll('readClock moveClock');
  await send('eraseUser');
  await service.api('PUT', '/tenant/acme', { Status: 'suspended' });
  await send('deleteTenant');
  assert.deepEqual(
    routes.flatMap(({ name }) => (sentNames.has(name) ? [] : name)),
    [],
  );
});
