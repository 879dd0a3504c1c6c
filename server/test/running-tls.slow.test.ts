import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { writeCertificate } from './support/certificate.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  freePorts,
  type Running,
  runLectern,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { until } from './support/until.ts';

const key = { authorization: `Bearer ${bootstrapKey}` };
let service: Running;
let files: { certFile: string; keyFile: string };
let ca: Buffer;

before(async () => {
  files = writeCertificate(await temporaryFolder());
  ca = await readFile(files.certFile);
  const [port] = await freePorts(1);
  const tls = { TLS_CERT: files.certFile, TLS_KEY: files.keyFile, OPERATIONS_PORT: String(port) };
  service = await startProcess({ ...(await databaseSettings()), ...tls });
});
after(cleanUp);

type Answer = { headers: IncomingHttpHeaders; body: string };

function over2(session: ClientHttp2Session, path: string, headers = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const stream = session.request({ ':path': path, ':method': method, ...headers });
    let received: IncomingHttpHeaders = {};
    let text = '';
    stream.on('response', (headers) => {
      received = headers;
    });
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    stream.on('error', reject).on('end', () => resolve({ headers: received, body: text }));
    stream.end(body);
  });
}

function over1(url: string): Promise<{ status: number | undefined; version: string; body: string }> {
  return new Promise((resolve, reject) => {
    request(url, { ca, headers: key, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, version: response.httpVersion, body }));
    })
      .on('error', reject)
      .end();
  });
}

/** The serial number of the certificate that a new connection gets. */
function serialOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host: '127.0.0.1',
      port: Number(new URL(url).port),
      rejectUnauthorized: false,
    });
    socket.on('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

test('both origins use HTTP/2 with clients that support it', async () => {
  for (const [origin, path, expected] of [
    [service.baseUrl, '/tenant', 200],
    [service.contentUrl, '/play/nothing', 404],
  ] as const) {
    const session = connect(origin, { ca });
    const { headers } = await over2(session, path, key);
    assert.equal(session.alpnProtocol, 'h2');
    assert.equal(headers[':status'], expected);
    session.close();
  }
});

test('a write over HTTP/2 gets the same response as over HTTP/1.1', async () => {
  const session = connect(service.baseUrl, { ca });
  const json = { ...key, 'content-type': 'application/json' };
  const tenant = `tenant-${Date.now()}`;
  const { headers, body } = await over2(session, '/tenant', json, JSON.stringify({ TenantID: tenant }));
  assert.equal(headers[':status'], 201);
  assert.equal(JSON.parse(body).TenantID, tenant);
  session.close();
  const { status, body: read } = await over1(`${service.baseUrl}/tenant/${tenant}`);
  assert.deepEqual([status, JSON.parse(read).TenantID], [200, tenant]);
});

test('both origins still support HTTP/1.1 over TLS', async () => {
  const responses = [
    await over1(`${service.baseUrl}/tenant`),
    await over1(`${service.contentUrl}/play/nothing`),
  ];
  assert.deepEqual(
    responses.map(({ status, version }) => [status, version]),
    [
      [200, '1.1'],
      [404, '1.1'],
    ],
  );
});

test("the service's URLs use HTTPS, with HSTS for browsers", async () => {
  const session = connect(service.baseUrl, { ca });
  const { headers } = await over2(session, '/health/none');
  assert.match(String(headers['strict-transport-security']), /max-age=\d{7,}; includeSubDomains/);
  const document = await over2(session, '/openapi.json');
  assert.ok(document.body.includes(`"url":"${service.baseUrl}"`));
  session.close();
});

test('plain HTTP on an HTTPS port gets no response', async () => {
  await assert.rejects(fetch(service.baseUrl.replace('https', 'http')));
});

test('a renewed certificate is loaded without a restart, and open connections are kept', async () => {
  const open = connect(service.baseUrl, { ca });
  assert.equal((await over2(open, '/tenant', key)).headers[':status'], 200);
  const before = new X509Certificate(ca).serialNumber;
  assert.equal(await serialOf(service.baseUrl), before);

  writeCertificate(files.certFile.replace('/certificate.pem', ''));
  const { serialNumber } = new X509Certificate(await readFile(files.certFile));
  assert.notEqual(serialNumber, before);
  const operations = `https://127.0.0.1:${service.env.OPERATIONS_PORT}`;
  for (const origin of [service.baseUrl, service.contentUrl, operations])
    await until('the new certificate is served', async () => (await serialOf(origin)) === serialNumber);
  assert.equal(
    (await over2(open, '/tenant', key)).headers[':status'],
    200,
    'the open connection still works',
  );
  open.close();
});

test('an invalid renewed certificate is reported, and the previous one remains in use', async () => {
  const serial = await serialOf(service.baseUrl);
  await writeFile(files.certFile, 'half a certifi');
  await until('the log reports it', () =>
    service.stdout().includes('the renewed certificate cannot be used'),
  );
  assert.equal(await serialOf(service.baseUrl), serial);
});

test('the service does not start with a key for another certificate', async () => {
  const [one, other] = [writeCertificate(await temporaryFolder()), writeCertificate(await temporaryFolder())];
  const env = { DATA_DIR: await temporaryFolder(), TLS_CERT: one.certFile, TLS_KEY: other.keyFile };
  const refused = runLectern(['serve'], env);
  assert.equal((await refused.exited).code, 1);
  assert.match(refused.stderr(), /^TLS_KEY: is not the key of the certificate/);
});

test('over HTTP/2 a course also has its own host, and a certificate that does not cover that host is reported', async () => {
  const pair = writeCertificate(await temporaryFolder());
  const tls = { TLS_CERT: pair.certFile, TLS_KEY: pair.keyFile };
  const CONTENT_URL = 'https://*.courses.example';
  const own = await startProcess({ ...(await databaseSettings()), ...tls, CONTENT_URL });
  const api = connect(own.baseUrl, { rejectUnauthorized: false });
  const json = { ...key, 'content-type': 'application/json' };
  const course = JSON.stringify({ Title: 'Rules', URL: 'https://web.example/' });
  const put = await over2(api, '/course/rules', { ...json, ':method': 'PUT' }, course);
  assert.equal(put.headers[':status'], 201);
  const { body } = await over2(api, '/course/rules/preview', json, '{}');
  const { host, pathname, search } = new URL(JSON.parse(body).PreviewURL);
  assert.match(host, /^[0-9a-f]{40}\.courses\.example$/);
  const content = connect(own.contentUrl, { rejectUnauthorized: false });
  const statusAt = async (authority: string) =>
    (await over2(content, pathname + search, { ':authority': authority })).headers[':status'];
  assert.equal(await statusAt(host), 303);
  assert.equal(await statusAt('courses.example'), 421);
  assert.equal(await statusAt(host.replace(/^./, 'x')), 421);
  assert.match(own.stdout(), /TLS_CERT does not cover \*\.courses\.example/);
  for (const session of [api, content]) session.close();
  await stopProcess(own);
});

test('a shutdown closes idle HTTP/2 connections', async () => {
  const idle = connect(service.baseUrl, { rejectUnauthorized: false });
  await over2(idle, '/tenant', key);
  const begun = performance.now();
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
  assert.ok(performance.now() - begun < 9_000, 'closed immediately, not at the time limit');
  idle.destroy();
});
