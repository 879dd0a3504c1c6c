import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { packCourse } from '../../test/journeys/made-courses.ts';
import { routes } from '../src/app.ts';
import { startReceiver } from '../src/modules/webhooks/test-support.ts';
import { withoutReferences } from './support/openapi.ts';
import { type Reply, startService } from './support/service.ts';

// Sends the example of every operation as openapi.json shows it, in an order in which each can succeed, and compares the
// answers with their examples in shape. What the service makes up takes the place of what the examples show of it.

type Media = Record<string, { example?: unknown }>;
type Parameter = { in: string; name: string; required?: boolean; example?: unknown };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Media };
  responses: Record<string, { content?: Media }>;
  servers?: object[];
  'x-access': string;
};

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1', ANONYMOUS_RATE_LIMIT: '0' } });
const receiver = await startReceiver();
after(async () => {
  await receiver.kill();
  await service.close();
});
const document = withoutReferences((await service.api('GET', '/openapi.json')).body);
const operations = new Map(
  Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      { ...operation, path, method: method.toUpperCase() },
    ]),
  ),
);
const zip = readFileSync(await packCourse('fire-safety'));

/** What the service made up, by what the examples show in its place. */
const real = new Map<unknown, unknown>([['https://hr.example.com/lectern', receiver.url]]);
const madeUp = new Set(['EnrollID', 'KeyID', 'Key', 'Secret', 'WebhookID', 'EventID']);
const token = 'eyJhbGciOiJkaXIifQ';
let cookie = '';

function withReal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReal);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withReal(part)]));
  return real.get(value) ?? value;
}

/** Members of these depend on more than the schema. */
const free = new Set(['Data', 'Metadata', 'Tree', 'Evidence', 'Body', 'Request', 'Answer']);
const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

function compare(place: string, example: unknown, answer: unknown): void {
  if ((example ?? null) === null || (answer ?? null) === null) return;
  assert.equal(kindOf(answer), kindOf(example), `${place} has another type than its example`);
  if (Array.isArray(example) && Array.isArray(answer)) {
    if (answer.length > 0) compare(`${place}[]`, example[0], answer[0]);
  } else if (typeof example === 'object') {
    const [shown, found] = [example as Record<string, unknown>, answer as Record<string, unknown>];
    for (const name of Object.keys(found)) assert.ok(name in shown, `${place}.${name} is not in the example`);
    for (const [name, part] of Object.entries(shown)) {
      assert.ok(
        name in found || name === 'Preview' || name === 'Warning',
        `${place}.${name} is not in the answer`,
      );
      if (madeUp.has(name) && found[name]) real.set(part, found[name]);
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
  const headers = new Headers(cookie && operation['x-access'] === 'anyone' ? { cookie } : {});
  if (cookie) headers.set('origin', service.baseUrl);
  if (operation['x-access'] !== 'anyone') headers.set('authorization', `Bearer ${service.operatorKey}`);
  const tenant = parameters.find(({ name }) => name === 'Tenant');
  if (tenant) headers.set('tenant', String(tenant.example));
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  if (type) headers.set('content-type', type);
  const isZip = type === 'application/zip';
  const sent = type === 'application/json' ? JSON.stringify(withReal(media?.example)) : media?.example;
  assert.ok(!type || isZip || sent, `${name} has no example of its body`);
  const base = servers ? service.contentUrl : service.baseUrl;
  const reply = await fetch(base + address + query, {
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

test('the service accepts the example of every operation, and answers as its examples show', async () => {
  await sendAll(
    'createTenant readTenant listTenants updateTenant createKey listKeys createAccessToken revokeKey',
  );
  await sendAll(
    'putCourse readCourse listCourses putOption deleteOption deleteCourse putCourse importPackage',
  );
  await sendAll('readCurrentRelease listReleases readRelease putRelease putOption listOfferedCourses');
  await sendAll('createUser readUser listUsers listGroups updateUser checkUser checkPassword createUsers');
  await sendAll('readOffer enrolWithOption enrol listEnrolments listEnrolmentsOfUser explainEnrolment');
  await sendAll('updateEnrolment enrolMany readTimeline readOverview');

  const { body: enrolment } = await send('readEnrolment');
  const launched = await send('launch', queryOf(enrolment.LaunchURL));
  real.set(token, launched.headers.get('location')?.split('/play/')[1]);
  await send('openPlayer');
  const { body: session } = await send('openSession');
  const [unit] = (session.Tree as { Units: { UnitID: string; Href: string }[] }).Units;
  real.set('lesson-1', unit?.UnitID).set('lesson-1/index.html', unit?.Href.split('?')[0]);
  real.set(token, session.Session);
  await sendAll('commit keepSessionAlive readCourseFile previewCourse');
  const { body: preview } = await send('previewOfferedCourse');
  await send('openPreview', queryOf(preview.PreviewURL));

  await sendAll('issueEnrolmentKeys listEnrolmentKeys readEnrolmentKey redeemEnrolmentKey');
  await sendAll('issueEnrolmentKeys revokeEnrolmentKey');
  await sendAll('createWebhook readWebhook listWebhooks updateWebhook rotateWebhookSecret pingWebhook');
  await sendAll('listEvents replayEvents listDeliveries deleteWebhook listAudit exportUser exportTenant');

  const { body: link } = await send('createSignInLink');
  real.set(token, new URL(link.SignInURL).searchParams.get('token'));
  await send('openSignInLink', queryOf(link.SignInURL));
  cookie = (await send('signIn')).headers.get('set-cookie')?.split(';')[0] ?? '';
  await sendAll('readSession signOut');
  cookie = '';
  await service.api('PUT', '/tenant/acme', { PasswordHash: 'sha256-hex' });
  await sendAll('readPasswordFunction signInWithPassword eraseUser');
  await service.api('PUT', '/tenant/acme', { Status: 'suspended' });
  await send('deleteTenant');
  assert.deepEqual(
    routes.flatMap(({ name }) => (sentNames.has(name) ? [] : name)),
    [],
  );
});
