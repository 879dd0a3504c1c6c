import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { manifest12, oneItem, oneResource } from '../../standards/test-support.ts';
import { buildApp } from '../src/app/app.ts';
import { packFiles } from './support/packages.ts';
import { startService } from './support/service.ts';
import { newTenant } from './support/tenant.ts';

const service = await startService();
after(service.close);

type Line = {
  route: string | null;
  status: number;
  key: string | null;
  address: string;
  tenant: string | null;
  enrolment?: string;
};

type TreeUnit = { UnitID: string; Children: TreeUnit[] };
const firstUnit = ([unit]: TreeUnit[]): TreeUnit =>
  unit?.Children.length ? firstUnit(unit.Children) : (unit ?? { UnitID: '', Children: [] });

/** A node whose request log is recorded. */
async function loggedNode() {
  const lines: Line[] = [];
  const log = Object.assign(Object.create(service.ctx.log), {
    info: (line: Line) => void lines.push(line),
    isLevelEnabled: () => true,
  });
  const { api, content } = await buildApp({ ...service.ctx, log });
  after(() => Promise.all([api.close(), content.close()]));
  const call = async (method: 'GET' | 'POST', url: string, key: string | null) => {
    await api.inject({ method, url, headers: key === null ? {} : { authorization: `Bearer ${key}` } });
    return lines.at(-1);
  };
  const visit = async (url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET', body?: object) => {
    const { pathname, search, origin, host } = new URL(url, service.baseUrl);
    const app = origin === service.contentUrl ? content : api;
    const { server } = app;
    if (!server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.address() as AddressInfo;
    lines.length = 0;
    const headers = { host, ...(body ? { 'content-type': 'application/json' } : {}) };
    const path = pathname + search;
    const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false });
    const connected = once(server, 'connection');
    sent.end(body && JSON.stringify(body));
    const [socket] = await connected;
    const closed = once(socket, 'close');
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    // By now, the line has been written.
    await closed;
    return { logged: [...lines], headers: response.headers, text };
  };
  return { call, visit };
}

test('the log names the caller and the address of rejected requests, and contains no secret', async () => {
  const { call } = await loggedNode();
  const tenant = await newTenant(service);
  const made = async (fields: object) =>
    (await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'x', ...fields })).body;
  const narrow = await made({ Scopes: ['users:read'] });
  const revoked = await made({});
  await service.api('DELETE', `/tenant/${tenant.TenantID}/key/${revoked.KeyID}`);
  const seen = [
    await call('GET', '/user', tenant.key),
    await call('GET', '/webhook', narrow.Secret),
    await call('GET', '/tenant', narrow.Secret),
    await call('GET', '/user', revoked.Secret),
    await call('GET', '/user', 'lectern_nobody-has-this-key-0123456789'),
    await call('GET', '/user', null),
  ];
  assert.deepEqual(
    seen.map((line) => line && [line.status, line.key, line.address]),
    [
      [200, tenant.keyId, '127.0.0.1'],
      [403, narrow.KeyID, '127.0.0.1'],
      [403, narrow.KeyID, '127.0.0.1'],
      [401, revoked.KeyID, '127.0.0.1'],
      [401, null, '127.0.0.1'],
      [401, null, '127.0.0.1'],
    ],
  );
  const text = JSON.stringify(seen);
  for (const secret of [tenant.key, narrow.Secret, revoked.Secret]) assert.ok(!text.includes(secret));
});

test('files and probes are logged only if they fail', async () => {
  const { visit } = await loggedNode();
  const { text } = await visit('/console');
  const script = /\/console\/assets\/[^"]+\.js/.exec(text)?.[0] ?? '';
  const silent = [
    ...['/console', '/console/users', '/console/icon.svg', '/docs', '/docs/guide', '/docs/guide/monitoring'],
    ...['/health/live', '/health/ready', '/metrics', '/openapi.json', script],
  ];
  for (const path of silent)
    for (const method of ['GET', 'HEAD'] as const)
      assert.deepEqual((await visit(path, method)).logged, [], `${method} ${path}`);
  const cached = await visit(script);
  assert.equal(cached.headers['cache-control'], 'public, max-age=31536000, immutable');
  for (const path of [
    '/console/assets/none.js',
    '/docs/guide/none',
    '/docs/guide/images/none.png',
    '/none',
  ]) {
    const { logged } = await visit(path);
    assert.deepEqual(
      logged.map(({ status }) => status),
      [404],
      path,
    );
  }
});

test('a launch, its session and its commits are logged with tenant and enrolment, and course files are not', async () => {
  const { visit } = await loggedNode();
  const zip = await packFiles({
    'imsmanifest.xml': manifest12(oneItem, oneResource),
    'index.html': '<p>',
    'a.js': '',
  });
  const imported = await service.importPackage('files', zip);
  assert.equal(imported.status, 201);
  const { LaunchURL, EnrollID } = await service.enrol('files');
  const own = { tenant: 'test', enrolment: EnrollID };
  const fields = ({ logged }: { logged: Line[] }) =>
    logged.map(({ route, status, tenant, enrolment }) => ({ route, status, tenant, enrolment }));

  const clicked = await visit(LaunchURL);
  assert.deepEqual(fields(clicked), [{ route: '/launch', status: 303, ...own }]);
  const page = String(clicked.headers.location);
  assert.deepEqual(fields(await visit(page)), [{ route: '/play/:token', status: 200, ...own }]);
  const opened = await visit(`${page}/session`, 'POST');
  assert.deepEqual(fields(opened), [{ route: '/play/:token/session', status: 201, ...own }]);
  const { Session, Tree } = JSON.parse(opened.text);
  const session = `${service.contentUrl}/play/${Session}`;
  assert.deepEqual(fields(await visit(`${session}/content/index.html`)), []);
  assert.deepEqual(fields(await visit(`${session}/content/none.html`)), [
    { route: '/play/:token/content/*', status: 404, ...own },
  ]);
  const { UnitID } = firstUnit(Tree.Units);
  for (const Exit of [false, true]) {
    const body = { Number: Exit ? 2 : 1, UnitID, Data: { 'cmi.core.lesson_status': 'incomplete' }, Exit };
    assert.deepEqual(fields(await visit(`${session}/commit`, 'POST', body)), [
      { route: '/play/:token/commit', status: 200, ...own },
    ]);
  }
  assert.deepEqual(fields(await visit(`${session}/alive`)), [
    { route: '/play/:token/alive', status: 410, ...own },
  ]);
  // A preview by the operator belongs to no tenant.
  const preview = await service.api('POST', '/course/files/preview', {});
  assert.equal(preview.status, 201);
  const previewed = await visit(preview.body.PreviewURL);
  assert.deepEqual(fields(previewed), [
    { route: '/preview', status: 303, tenant: null, enrolment: undefined },
  ]);
  const forged = await visit(`${LaunchURL}x`);
  assert.deepEqual(fields(forged), [{ route: '/launch', status: 404, tenant: null, enrolment: undefined }]);
});
