import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect as connect2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectSecurely, TLSSocket } from 'node:tls';
import { packFolder } from '../src/lib/pack-folder.ts';
import { writeCertificate } from './support/certificate.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  type Running,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { slackSeconds, until } from './support/until.ts';

const key = { authorization: `Bearer ${bootstrapKey}` };
let zip: Buffer;

before(async () => {
  const file = join(await temporaryFolder(), 'course.zip');
  await packFolder(join(import.meta.dirname, '../../courses/phishing'), file);
  zip = await readFile(file);
});
after(cleanUp);

async function call(service: Running, method: string, path: string, body: unknown): Promise<number> {
  const headers = { ...key, tenant: 'stop', 'content-type': 'application/json' };
  const answer = await fetch(service.baseUrl + path, { method, headers, body: JSON.stringify(body) });
  await answer.text();
  return answer.status;
}

function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject).on('response', (response: IncomingMessage) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode, body }));
    });
  });
}

/** Starts an upload, sends its first half, and waits until the service has written some of it. */
async function halfAnUpload(service: Running, agent?: Agent) {
  await call(service, 'PUT', '/course/slow', { Title: 'Slow' });
  const headers = { ...key, 'content-type': 'application/zip', 'content-length': zip.length };
  const sent = request(`${service.baseUrl}/course/slow/package`, {
    method: 'PUT',
    headers,
    ...(agent ? { agent } : {}),
  });
  const answer = answerOf(sent);
  answer.catch(() => {});
  sent.write(zip.subarray(0, zip.length >> 1));
  const scratch = join(String(service.env.DATA_DIR), 'scratch');
  await until('the upload has begun', async () => (await readdir(scratch)).length > 0);
  return { answer, finish: () => sent.end(zip.subarray(zip.length >> 1)) };
}

async function refusesConnections(service: Running): Promise<boolean> {
  const socket = connect(Number(service.env.PORT), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

test('requests in progress finish, and new ones are not accepted', async () => {
  const service = await startProcess(await databaseSettings());
  await call(service, 'POST', '/tenant', { TenantID: 'stop' });
  assert.equal(await call(service, 'POST', '/user', { LoginID: 'ann', Password: 'a'.repeat(64) }), 201);
  const agent = new Agent({ keepAlive: true });
  const upload = await halfAnUpload(service, agent);
  const checks = Array.from({ length: 8 }, () =>
    call(service, 'POST', '/user/check/ann', { Password: 'a'.repeat(64) }),
  );
  await Promise.race(checks);

  service.child.kill('SIGTERM');
  await until('new connections are refused', () => refusesConnections(service));
  const begun = performance.now();
  upload.finish();
  const { status, body } = await upload.answer;
  assert.equal(status, 201, body);
  assert.equal(JSON.parse(body).Standard, 'scorm12');
  assert.deepEqual(new Set(await Promise.all(checks)), new Set([200]));
  assert.deepEqual(await service.exited, { code: 0, signal: null });
  assert.ok(performance.now() - begun < 9_000, 'the kept-alive connection does not delay the shutdown');
  agent.destroy();
});

test('a commit in progress finishes', async () => {
  const service = await startProcess(await databaseSettings());
  await call(service, 'POST', '/tenant', { TenantID: 'stop' });
  await call(service, 'PUT', '/course/web', { Title: 'Web', URL: 'https://course.example/' });
  await call(service, 'PUT', '/course/web/option/standard', {});
  await call(service, 'POST', '/user', { LoginID: 'ann' });
  const headers = { ...key, tenant: 'stop' };
  const enrolled = await fetch(`${service.baseUrl}/enrol/ann/web`, { method: 'POST', headers });
  const { LaunchURL } = (await enrolled.json()) as { LaunchURL: string };
  const click = await fetch(LaunchURL, { redirect: 'manual' });
  const opened = await fetch(`${click.headers.get('location')}/session`, { method: 'POST' });
  const { Session } = (await opened.json()) as { Session: string };
  const body = JSON.stringify({
    Number: 1,
    UnitID: 'web',
    Data: { 'lectern.completion': 'completed' },
    Exit: true,
  });
  const sent = request(`${service.contentUrl}/play/${Session}/commit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
  });
  const answer = answerOf(sent);
  await new Promise<void>((resolve) => sent.write(body.slice(0, 10), () => resolve()));
  await until(
    'its connection is accepted',
    async () => (await fetch(`${service.contentUrl}/none`)).status === 404,
  );
  service.child.kill('SIGTERM');
  await until('new connections are refused', () => refusesConnections(service));
  sent.end(body.slice(10));
  const { status, body: receipt } = await answer;
  assert.equal(status, 200, receipt);
  assert.equal(JSON.parse(receipt).Status, 'completed');
  assert.deepEqual(await service.exited, { code: 0, signal: null });
});

test('a second SIGTERM exits immediately', async () => {
  const service = await startProcess(await databaseSettings());
  const upload = await halfAnUpload(service);
  service.child.kill('SIGTERM');
  await until('new connections are refused', () => refusesConnections(service));
  const begun = performance.now();
  service.child.kill('SIGTERM');
  assert.deepEqual(await service.exited, { code: 1, signal: null });
  assert.ok(performance.now() - begun < 5_000, 'well before the ten seconds that requests are given');
  await assert.rejects(upload.answer);
});

test('connections opened in advance and never used do not delay the shutdown', async () => {
  const { certFile, keyFile } = writeCertificate(await temporaryFolder());
  for (const tls of [{}, { TLS_CERT: certFile, TLS_KEY: keyFile }]) {
    const service = await startProcess({ ...(await databaseSettings()), ...tls });
    const address = { port: Number(service.env.PORT), host: '127.0.0.1' };
    const unused = [connect(address)];
    if (service.env.TLS_CERT) unused.push(connectSecurely({ ...address, rejectUnauthorized: false }));
    await Promise.all(
      unused.map((socket) => once(socket, socket instanceof TLSSocket ? 'secureConnect' : 'connect')),
    );
    for (const socket of unused) socket.on('error', () => {});
    const begun = performance.now();
    assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
    assert.ok(performance.now() - begun < 7_000, 'well before the ten seconds that requests are given');
    for (const socket of unused) socket.destroy();
  }
});

test('hanging clients delay the shutdown by at most ten seconds', async () => {
  const tls = writeCertificate(await temporaryFolder());
  const env = { TLS_CERT: tls.certFile, TLS_KEY: tls.keyFile };
  const [plain, secure] = await Promise.all([
    startProcess(await databaseSettings()),
    startProcess({ ...(await databaseSettings()), ...env }),
  ]);
  const upload = await halfAnUpload(plain);
  const headless = connect(Number(plain.env.PORT), '127.0.0.1');
  headless.on('error', () => {}).write('GET /tenant HTTP/1.1\r\nHost: 127.0.0.1\r\n');
  const session = connect2(secure.baseUrl, { rejectUnauthorized: false });
  const stream = session.request({
    ':path': '/tenant',
    ':method': 'POST',
    'content-type': 'application/json',
    ...key,
  });
  session.on('error', () => {});
  stream.on('error', () => {}).write('{"Tenant');
  await once(session, 'remoteSettings');
  const answered = session.request({ ':path': '/health/live' });
  await once(answered.resume(), 'end');

  const begun = performance.now();
  await Promise.all(
    [plain, secure].map(async (service) => {
      assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
      const seconds = (performance.now() - begun) / 1_000;
      assert.ok(seconds > 5, 'the clients got most of the ten seconds');
      assert.ok(seconds < 10 + slackSeconds, `the shutdown took ${seconds} s`);
    }),
  );
  await assert.rejects(upload.answer);
  session.destroy();
});
