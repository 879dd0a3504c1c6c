import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  freePorts,
  type Running,
  startProcess,
  stopProcess,
} from './support/process.ts';
import { relayTo } from './support/relay.ts';
import { until } from './support/until.ts';

const key = { authorization: `Bearer ${bootstrapKey}` };
let service: Running;

before(async () => {
  service = await startProcess(await databaseSettings());
});
after(cleanUp);

test('the process reports that it is alive and ready', async () => {
  const live = await fetch(`${service.baseUrl}/health/live`);
  assert.deepEqual([live.status, await live.json()], [200, { Status: 'live' }]);
  const ready = await fetch(`${service.baseUrl}/health/ready`);
  assert.deepEqual([ready.status, await ready.json()], [200, { Status: 'ready' }]);
});

/** Matches a sample in Prometheus text format 0.0.4. All other lines are comments. */
const sample =
  /^[a-zA-Z_:][\w:]*(\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*")*\})? \S+$/;

test('metrics are exposed as Prometheus text, by route and without names', async () => {
  await fetch(`${service.baseUrl}/user/a-person@people.example`, { headers: key });
  await fetch(`${service.baseUrl}/a-person@people.example`);
  await fetch(`${service.contentUrl}/play/a-token/content/page.html`);
  const response = await fetch(`${service.baseUrl}/metrics`);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  for (const line of text.split('\n').filter((line) => line !== '' && !line.startsWith('#')))
    assert.match(line, sample);
  assert.doesNotMatch(text, /a-person|a-token/);
  const count = (labels: string) =>
    Number(new RegExp(`lectern_http_request_seconds_count\\{${labels}\\} (\\d+)`).exec(text)?.[1]);
  assert.equal(count('origin="api",method="GET",route="/user/:LoginID",status="400"'), 1);
  assert.equal(count('origin="api",method="GET",route="none",status="404"'), 1);
  assert.equal(count('origin="content",method="GET",route="/play/:token/content/\\*",status="410"'), 1);
  assert.match(text, /^process_resident_memory_bytes \d+/m);
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m);
});

const everywhere = { 'x-content-type-options': /^nosniff$/, 'x-request-id': /^[0-9a-f-]{36}$/ };
const ofApi = {
  ...everywhere,
  'referrer-policy': /^no-referrer$/,
  'content-security-policy': /frame-ancestors/,
  'cache-control': /no-store/,
};
const ofContent = { ...everywhere, 'referrer-policy': /^strict-origin-when-cross-origin$/ };

const headerTable: [string, 'baseUrl' | 'contentUrl', string, number, Record<string, RegExp>][] = [
  ['a record', 'baseUrl', '/tenant', 200, ofApi],
  ['a problem', 'baseUrl', '/user', 400, ofApi],
  ['an unknown operation', 'baseUrl', '/nothing', 404, ofApi],
  ['an invalid URL', 'baseUrl', '/user/%ff', 400, ofApi],
  ['the OpenAPI document', 'baseUrl', '/openapi.json', 200, ofApi],
  ['the API reference', 'baseUrl', '/docs', 200, ofApi],
  [
    'a broken launch link',
    'baseUrl',
    '/launch?enrolment=a&key=b',
    404,
    { ...ofApi, 'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/ },
  ],
  ['health', 'baseUrl', '/health/live', 200, ofApi],
  [
    'an expired player page',
    'contentUrl',
    '/play/nothing',
    404,
    { ...ofContent, 'content-security-policy': /frame-ancestors/, 'cache-control': /no-store/ },
  ],
  ['a course file without a session', 'contentUrl', '/play/nothing/content/a.html', 410, ofContent],
  ['an unknown page', 'contentUrl', '/nothing', 404, ofContent],
  ['an invalid URL on the content origin', 'contentUrl', '/play/%ff', 400, ofContent],
];

for (const [what, origin, path, status, headers] of headerTable)
  test(`responses to ${what} have security headers`, async () => {
    const response = await fetch(service[origin] + path, { headers: key, redirect: 'manual' });
    assert.equal(response.status, status, await response.text());
    for (const [name, value] of Object.entries(headers))
      assert.match(response.headers.get(name) ?? 'missing', value, name);
    for (const name of ['server', 'x-powered-by', 'access-control-allow-origin'])
      assert.equal(response.headers.get(name), null, name);
  });

test('OPERATIONS_PORT moves health and metrics to a separate port', async () => {
  const [port] = await freePorts(1);
  const apart = await startProcess({ ...(await databaseSettings()), OPERATIONS_PORT: String(port) });
  for (const path of ['/health/live', '/health/ready', '/metrics']) {
    assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path);
    assert.equal((await fetch(apart.baseUrl + path)).status, 404, path);
    assert.equal((await fetch(apart.contentUrl + path)).status, 404, path);
  }
  assert.equal((await fetch(`http://127.0.0.1:${port}/tenant`, { headers: key })).status, 404);
  await stopProcess(apart);
});

test('while the database is down, the process is alive but not ready, and it recovers automatically', {
  skip: !process.env.TEST_DATABASE_URL && 'runs with --postgres',
}, async () => {
  const env = await databaseSettings();
  const database = new URL(env.DATABASE_URL ?? '');
  const between = await relayTo({ host: database.hostname, port: Number(database.port || 5432) });
  database.host = `127.0.0.1:${between.port}`;
  const node = await startProcess({ ...env, DATABASE_URL: database.href });
  await between.cut();
  const gone = await fetch(`${node.baseUrl}/health/ready`);
  assert.equal(gone.status, 503);
  assert.match(gone.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal((await fetch(`${node.baseUrl}/health/live`)).status, 200);
  const call = await fetch(`${node.baseUrl}/tenant`, { headers: key });
  assert.deepEqual([call.status, call.headers.has('retry-after')], [503, true]);
  await between.join();
  await until(
    'the service is ready again',
    async () => (await fetch(`${node.baseUrl}/health/ready`)).status === 200,
  );
  assert.equal((await fetch(`${node.baseUrl}/tenant`, { headers: key })).status, 200);
  assert.deepEqual(await stopProcess(node), { code: 0, signal: null });
  await between.cut();
});
