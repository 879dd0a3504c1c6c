import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { aiccCourse } from '../../standards/aicc/test-support.ts';
import { au, courseStructure } from '../../standards/cmi5/test-support.ts';
import { openAicc } from './support/aicc.ts';
import { openAu, openXapiUnit } from './support/au.ts';
import { packFiles } from './support/packages.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  printedHint,
  printedLink,
  type Running,
  startProcess,
  stopProcess,
} from './support/process.ts';
import { until } from './support/until.ts';

let service: Running;
/** Values that no line may contain, each with a description. */
const secrets = new Map<string, string>([["the operator's key", bootstrapKey]]);
const requestIds: string[] = [];
/** The IDs of successful requests for course files, which are not logged. */
const fileIds: string[] = [];
/** The IDs of requests that are rejected before the route lookup. */
const unroutedIds: string[] = [];

const activityPackage =
  '<tincan><activities><activity id="urn:quiet:course"><name>A</name><launch>index.html</launch></activity></activities></tincan>';
const loginId = 'Søren.Secret+Name@people.example';
const hidden = (name: string, value: string) => {
  secrets.set(name, value);
  return value;
};

type Options = { key?: string; body?: unknown; type?: string; headers?: Record<string, string> };

/** Uses node:http, because `fetch` would correct the URLs under test. */
async function call(
  method: string,
  address: string,
  { key = bootstrapKey, body, type, headers }: Options = {},
) {
  const { hostname, port } = new URL(address);
  const path = address.slice(address.indexOf('/', 8));
  const sent = request({
    hostname,
    port,
    path,
    method,
    headers: {
      authorization: `Bearer ${key}`,
      tenant: 'quiet',
      ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
      ...headers,
    },
  });
  sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  const id = response.headers['x-request-id'];
  const unrouted = response.statusCode === 400 && /%($|ff)/.test(path);
  const tooLong = address.startsWith(service.contentUrl) && path.length > 8_192;
  const isFile = response.statusCode === 200 && path.includes('/content/');
  if (id) (unrouted || tooLong ? unroutedIds : isFile ? fileIds : requestIds).push(String(id));
  const json = /json/.test(response.headers['content-type'] ?? '');
  return { status: response.statusCode, headers: response.headers, body: json ? JSON.parse(text) : text };
}

before(async () => {
  service = await startProcess({ ...(await databaseSettings()), LOG_LEVEL: 'debug' });
});
after(cleanUp);

test('a request is logged as one line of JSON with its route', async () => {
  const { headers } = await call('POST', `${service.baseUrl}/tenant`, { body: { TenantID: 'quiet' } });
  const found = () => lines().find(({ request_id }) => request_id === headers['x-request-id']);
  await until('the line is written', () => found() !== undefined);
  const line = found() ?? {};
  const { time, ms, key, ...rest } = line;
  assert.deepEqual(rest, {
    level: 'info',
    request_id: headers['x-request-id'],
    method: 'POST',
    route: '/tenant',
    status: 201,
    tenant: null,
    address: '127.0.0.1',
    msg: 'request',
  });
  assert.ok(!Number.isNaN(Date.parse(String(time))) && typeof ms === 'number' && typeof key === 'string');
});

function lines(): Record<string, unknown>[] {
  return service
    .stdout()
    .replace(printedLink, '')
    .replace(printedHint, '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function useEverything(): Promise<void> {
  const { baseUrl, contentUrl } = service;
  const made = await call('POST', `${baseUrl}/tenant/quiet/key`, { body: { Name: 'quiet' } });
  const key = hidden("a tenant's key", made.body.Secret);
  const Password = hidden('a password', 'pass-8f14e45fceea167a5a36dedd4bea2543');
  const form = { type: 'application/x-www-form-urlencoded', key: 'x'.repeat(20) };
  const credentials = `grant_type=client_credentials&client_id=${made.body.KeyID}&client_secret=${key}`;
  const token = await call('POST', `${baseUrl}/oauth/token`, { ...form, body: credentials });
  assert.equal(token.status, 200);
  hidden('an access token', token.body.access_token);
  const basic = Buffer.from(`${made.body.KeyID}:${key}`).toString('base64');
  hidden('Basic credentials', basic);
  const headers = { authorization: `Basic ${basic}` };
  await call('POST', `${baseUrl}/oauth/token`, { ...form, body: 'grant_type=client_credentials', headers });
  await call('GET', `${baseUrl}/user`, { key: token.body.access_token });
  await call('GET', `${baseUrl}/user`, {
    key: hidden('a wrong key', 'lectern_wrong-key-0123456789-0123456789'),
  });

  hidden('a LoginID', loginId);
  hidden('a LoginID in a URL', encodeURIComponent(loginId));
  const Email = hidden('an email address', 'soren.mail@people.example');
  const user = `${baseUrl}/user/${encodeURIComponent(loginId)}`;
  await call('POST', `${baseUrl}/user`, {
    key,
    body: { LoginID: loginId, FirstName: 'Søren', Email, Password },
  });
  await call('POST', `${baseUrl}/user`, { key, body: { LoginID: loginId, FirstName: 'Other' } });
  await call('GET', `${baseUrl}/user?Email=${Email}&Search=${encodeURIComponent(loginId)}`, { key });
  const check = user.replace('/user/', '/user/check/');
  await call('POST', check, { key, body: { Password } });
  await call('POST', check, {
    key,
    body: { Password: hidden('a wrong password', 'wrong-c9f0f895fb98ab91') },
  });
  await call('POST', check, { key, body: `{"Password": "${Password}"` });
  await call('PUT', user, { key, body: { Passwort: Password } });

  await call('PUT', `${baseUrl}/course/web`, { body: { Title: 'Web', URL: 'https://course.example/' } });
  await call('PUT', `${baseUrl}/course/web/option/standard`, { body: {} });
  const enrolled = await call('POST', `${baseUrl}/enrol/${encodeURIComponent(loginId)}/web`, {
    key,
    body: {},
  });
  assert.equal(enrolled.status, 201);
  const link: string = enrolled.body.LaunchURL;
  hidden("a launch link's key", new URL(link).searchParams.get('key') ?? '');
  const back = hidden('a return URL', 'https://portal.example/back?token=return-secret-1');
  hidden('a return URL, encoded', encodeURIComponent(back));
  for (const tail of [
    '',
    `&returnURL=${back}`,
    `&returnURL=${encodeURIComponent(back)}`,
    'x',
    '&returnURL=%zz',
  ])
    await call('GET', link + tail, { key: 'x'.repeat(20) });
  const click = await call('GET', `${link}&returnURL=${back}`);
  const page = String(click.headers.location);
  hidden('a ticket', page.split('/').at(-1) ?? '');
  await call('GET', page);
  const opened = await call('POST', `${page}/session`);
  const session = hidden('a session', opened.body.Session);
  const commit = `${contentUrl}/play/${session}/commit`;
  const Data = {
    'lectern.completion': 'incomplete',
    'lectern.bookmark': hidden('run-time data', 'what-the-learner-wrote'),
  };
  assert.equal((await call('POST', commit, { body: { Number: 1, UnitID: 'web', Data } })).status, 200);
  await call('POST', commit, { body: { Number: 'one', UnitID: 'web', Data } });
  await call('POST', commit, { body: `{"Number": 1, "Data": "what-the-learner-wrote` });
  await call('GET', `${contentUrl}/play/${session}/alive`);
  await call('GET', `${contentUrl}/play/${session}/content/index.html`);
  await call('GET', `${contentUrl}/play/${session}/nothing`);
  await call('POST', `${page}/session`);
  await call('POST', commit, { body: { Number: 2, UnitID: 'web', Data } });
}

/** Plays courses whose units report directly to the service, with credentials of their own. */
async function playOtherStandards(): Promise<void> {
  const { baseUrl } = service;
  const packages = {
    aicc: aiccCourse(),
    cmi5: { 'cmi5.xml': courseStructure(au({})), 'index.html': '' },
    xapi: { 'tincan.xml': activityPackage, 'index.html': '' },
  };
  for (const [course, files] of Object.entries(packages)) {
    await call('PUT', `${baseUrl}/course/${course}`, { body: { Title: course } });
    const sent = await fetch(`${baseUrl}/course/${course}/package`, {
      ...{ method: 'PUT', body: await readFile(await packFiles(files)) },
      headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/zip' },
    });
    assert.equal(sent.status, 201);
    await call('PUT', `${baseUrl}/course/${course}/option/standard`, { body: {} });
  }
  const linkOf = async (course: string): Promise<string> =>
    (await call('POST', `${baseUrl}/enrol/${encodeURIComponent(loginId)}/${course}`, { body: {} })).body
      .LaunchURL;

  const unit = await openAicc(service, await linkOf('aicc'));
  hidden('the SID of AICC', unit.sid);
  hidden('the AICC_URL', unit.address.split('/').at(-2) ?? '');
  const data = `[Core]\r\nLesson_Location=${hidden('a bookmark', 'page-of-the-learner')}\r\n[Core_Lesson]\r\nx`;
  for (const command of ['GetParam', 'PutParam', 'PutComments', 'Nonsense', 'ExitAU', 'PutParam'])
    await unit.command(command, data);
  for (const body of ['', data, `session_id=${unit.sid}&command=`, 'x'.repeat(1_100_000) + unit.sid])
    await unit.send(body);
  for (const method of ['GET', 'PUT', 'OPTIONS']) {
    await call(method, unit.address);
    await call(method, `${unit.address}?session_id=${unit.sid}&command=GetParam`);
    await call(method, unit.url.href);
  }

  const opened = await openAu(service, await linkOf('cmi5'));
  hidden("an AU's token", opened.token);
  hidden('a fetch URL', (opened.url.searchParams.get('fetch') ?? '').split('/').at(-2) ?? '');
  await opened.preferences();
  await opened.send(opened.defined('initialized'));
  await opened.send(opened.defined('completed'), opened.defined('completed'));
  await call('POST', opened.url.searchParams.get('fetch') ?? '');
  const activity = await openXapiUnit(service, await linkOf('xapi'), 'urn:quiet:course');
  hidden("an activity's credentials", activity.token);
  await activity.request('POST', '/statements', {}, { actor: activity.actor });
}

async function requestUnknownAddresses(): Promise<void> {
  const { baseUrl, contentUrl } = service;
  const [, key = '', link = ''] = [...secrets.values()];
  for (const origin of [baseUrl, contentUrl])
    for (const path of [
      `/nowhere/${encodeURIComponent(loginId)}?key=${key}`,
      `/user/${encodeURIComponent(loginId)}/${encodeURIComponent(loginId)}/%ff`,
      `/user/${encodeURIComponent(loginId)}%`,
      `/launch/${link}`,
      `//${key}`,
      `/play/${key}/../../${key}`,
      `/play/${'a'.repeat(9_000)}`,
      `/${key}?${key}=${key}#${key}`,
    ])
      for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) await call(method, origin + path);
}

/** Sends input that no HTTP parser accepts, so it never becomes a request. */
async function sendBrokenHttp(): Promise<void> {
  for (const text of [
    `GET /${bootstrapKey} HTTP/9\r\n\r\n`,
    `${bootstrapKey}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
  ]) {
    const socket = connect(Number(service.env.PORT), '127.0.0.1');
    socket.on('error', () => {}).write(text);
    socket.resume();
    await once(socket, 'close');
  }
}

test('a rejected request is logged with its caller and address', async () => {
  const { body } = await call('POST', `${service.baseUrl}/tenant/quiet/key`, {
    body: { Name: 'narrow', Scopes: ['users:read'] },
  });
  hidden('a narrow key', body.Secret);
  const narrow = await call('POST', `${service.baseUrl}/user`, { key: body.Secret, body: { LoginID: 'x' } });
  const unknown = await call('GET', `${service.baseUrl}/user`, { key: 'a-key-that-nobody-has-0123456789' });
  for (const [reply, status, key] of [
    [narrow, 403, body.KeyID],
    [unknown, 401, null],
  ] as const) {
    const found = () => lines().find(({ request_id }) => request_id === reply.headers['x-request-id']);
    await until('the line is written', () => found() !== undefined);
    assert.deepEqual([found()?.status, found()?.key, found()?.address], [status, key, '127.0.0.1']);
  }
});

test('a request whose client disconnects is logged as aborted', async () => {
  const before = lines().filter(({ aborted }) => aborted).length;
  const { PORT } = service.env;
  for (let n = 0; n < 5; n++) {
    const socket = connect(Number(PORT), '127.0.0.1');
    socket.on('error', () => {});
    const body = JSON.stringify({ TenantID: `gone-${n}` });
    socket.write(
      `POST /tenant HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${bootstrapKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      () => setTimeout(() => socket.resetAndDestroy(), n),
    );
    await once(socket, 'close');
  }
  const aborted = () => lines().filter(({ aborted }) => aborted);
  await until('the lines are written', () => aborted().length - before >= 1);
  // A connection that was reset before it was accepted has no address.
  assert.ok(aborted().some(({ address }) => address === '127.0.0.1'));
});

test('an internal error returns fixed text, and its cause is logged', async () => {
  const scratch = join(String(service.env.DATA_DIR), 'scratch');
  await rm(scratch, { recursive: true });
  await call('PUT', `${service.baseUrl}/course/broken`, { body: { Title: 'Broken' } });
  const { status, body, headers } = await call('PUT', `${service.baseUrl}/course/broken/package`, {
    body: 'PK',
    type: 'application/zip',
  });
  await mkdir(scratch);
  assert.equal(status, 500);
  assert.equal(body.request_id, headers['x-request-id']);
  assert.ok(!JSON.stringify(body).includes('ENOENT') && !JSON.stringify(body).includes(scratch));
  const reported = () =>
    lines().find(({ level, request_id }) => level === 'error' && request_id === body.request_id);
  await until('the line is written', () => reported() !== undefined);
  assert.match(JSON.stringify(reported()), /ENOENT/);
});

test('no line of the log contains a secret, a name or an address, regardless of the request', async () => {
  await useEverything();
  await playOtherStandards();
  await requestUnknownAddresses();
  await sendBrokenHttp();
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
  const output = service.stdout() + service.stderr();
  assert.ok(secrets.size >= 15, [...secrets.keys()].join());
  for (const [name, secret] of secrets) {
    assert.ok(secret.length >= 8, `${name} is too short to be searched for`);
    const line = output
      .split('\n')
      .find((line) => line.includes(secret) || line.includes(JSON.stringify(secret).slice(1, -1)));
    assert.equal(line, undefined, `${name} is in the log`);
  }
});

test('the guide lists the fields of the request log', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../docs/guide/monitoring.md'), 'utf8');
  const section = guide.split('## Request log\n')[1]?.split('\n## ')[0] ?? '';
  const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, field = '']) => field);
  const logged = lines().filter(({ msg }) => msg === 'request');
  const fields = new Set(logged.flatMap((line) => Object.keys(line)));
  assert.deepEqual([...fields].toSorted(), listed.toSorted());
});

function withoutOneLine(ids: string[]): string[] {
  const reported = lines().filter(({ msg }) => msg === 'request');
  const counted = Map.groupBy(reported, ({ request_id }) => request_id);
  return ids.filter((id) => counted.get(id)?.length !== 1);
}

test('each request is logged in one line, except for course files', () => {
  assert.ok(requestIds.length > 80 && fileIds.length > 0);
  assert.deepEqual(withoutOneLine(requestIds), []);
  assert.deepEqual(withoutOneLine(fileIds), fileIds);
});

test('a request with an invalid URL is also logged in one line', () => {
  assert.ok(unroutedIds.length > 10);
  assert.deepEqual(withoutOneLine(unroutedIds), []);
});
