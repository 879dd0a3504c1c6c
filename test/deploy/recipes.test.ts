import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import {
  launchBrowser,
  newContext,
  openPage,
  press,
  waitForState,
} from '../../server/test/support/browser.ts';
import { writeCertificate } from '../../server/test/support/certificate.ts';
import { writeStandAlone } from '../../server/test/support/nginx.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  freePorts,
  lectern,
  type Running,
  runProcess,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { until } from '../../server/test/support/until.ts';
import { packCourse } from '../journeys/course-packages.ts';

const recipes = join(import.meta.dirname, '../../deploy');
const recipe = (name: string) => readFileSync(join(recipes, name), 'utf8');

let folder: string;
let certificate: ReturnType<typeof writeCertificate>;

before(async () => {
  folder = await temporaryFolder();
  certificate = writeCertificate(folder, 'DNS:lectern.example,DNS:*.courses.example');
});
after(cleanUp);

/** Runs a checking program. If it fails, the test fails with the program's output. */
function check(program: string, args: string[], env: Record<string, string> = {}): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder, ...env },
  });
  if (error)
    throw new Error(
      `${program} cannot be run. Install it (apt-get install nginx caddy systemd prometheus).`,
      {
        cause: error,
      },
    );
  assert.equal(status, 0, `${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

/** The recipe with this machine's ports and files, as a stand-alone configuration. */
function writeNginx(ports: { http: number; https: number; api: number; content: number }): string {
  const local = recipe('nginx.conf')
    .replaceAll('listen 80;', `listen 127.0.0.1:${ports.http};`)
    .replaceAll('listen 443 ', `listen 127.0.0.1:${ports.https} `)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.api}`)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${ports.content}`)
    .replaceAll('/var/log/nginx', folder)
    .replaceAll('/etc/ssl/lectern/fullchain.pem', certificate.certFile)
    .replaceAll('/etc/ssl/lectern/privkey.pem', certificate.keyFile);
  return writeStandAlone(folder, local);
}

async function call(service: Running, method: string, path: string, body: unknown, more = {}) {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${bootstrapKey}`,
      'content-type': 'application/json',
      'x-forwarded-for': '192.0.2.1',
      ...more,
    },
    body: body instanceof Buffer ? new Uint8Array(body) : body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${text}`);
  return JSON.parse(text);
}

/** A course with an enrolled learner. */
async function enrolled(
  service: Running,
): Promise<{ LaunchURL: string; read: () => Promise<{ Status: string }> }> {
  const tenant = { tenant: 'shop' };
  await call(service, 'POST', '/tenant', { TenantID: 'shop' });
  await call(service, 'PUT', '/course/phishing', { Title: 'Spot the phish' });
  const zip = readFileSync(await packCourse('phishing'));
  await call(service, 'PUT', '/course/phishing/package', zip, { 'content-type': 'application/zip' });
  await call(service, 'PUT', '/course/phishing/option/standard', {});
  await call(service, 'POST', '/user', { LoginID: 'bob' }, tenant);
  const { EnrollID, LaunchURL } = await call(service, 'POST', '/enrol/bob/phishing', {}, tenant);
  return { LaunchURL, read: () => call(service, 'GET', `/enrolment/bob/${EnrollID}`, undefined, tenant) };
}

test("with the recipe, a course plays through nginx over HTTPS, with two host names and the course's own origin", async () => {
  const [http = 0, https = 0] = await freePorts(2);
  const service = await startProcess({
    ...(await databaseSettings()),
    BASE_URL: 'https://lectern.example',
    CONTENT_URL: 'https://*.courses.example',
    TRUST_PROXY: 'true',
  });
  const [api, content] = [service.env.PORT, service.env.CONTENT_PORT].map(Number) as [number, number];
  const file = writeNginx({ http, https, api, content });
  check('nginx', ['-t', '-p', folder, '-c', file]);
  const nginx = runProcess('/usr/sbin/nginx', ['-p', folder, '-c', file], {});
  const redirected = () => fetch(`http://127.0.0.1:${http}/a`, { redirect: 'manual' });
  await until('nginx listens', async () => (await redirected().catch(() => null))?.status === 301);

  const { LaunchURL, read } = await enrolled(service);
  assert.ok(LaunchURL.startsWith('https://lectern.example/launch?'));
  await launchBrowser([`--host-resolver-rules=MAP *.example 127.0.0.1:${https}`]);
  const page = await openPage(await newContext({ ignoreHTTPSErrors: true }));
  await page.goto(`${LaunchURL}&returnURL=https://lectern.example/docs/guide`);
  assert.match(page.url(), /^https:\/\/[0-9a-f]{40}\.courses\.example\/play\//);
  await press(page, 'next', 'next');
  await waitForState(page, 'saved');
  await page.click('#exit-button');
  await page.waitForURL('https://lectern.example/docs/guide');
  await page.getByRole('heading', { name: 'Lectern guide' }).waitFor();
  assert.equal((await read()).Status, 'in_progress');
  nginx.child.kill('SIGTERM');
  await nginx.exited;
  const log = readFileSync(join(folder, 'lectern.log'), 'utf8');
  assert.match(log, /"GET lectern\.example" 303 /);
  assert.doesNotMatch(log, /key=|\/play\//);
});

test('each alert fires when it should, and none for a healthy deployment', () => {
  check('promtool', ['check', 'rules', join(recipes, 'alerts.yaml')]);
  check('promtool', ['test', 'rules', join(recipes, 'alerts.test.yaml')]);
});

test('with the recipe, nginx limits requests and connections per address', async () => {
  const [http = 0, https = 0, nobody = 0] = await freePorts(3);
  const file = writeNginx({ http, https, api: nobody, content: nobody });
  const limits = readFileSync(file, 'utf8');
  writeFileSync(file, limits.replaceAll(/rate=\d+r/g, 'rate=1r').replaceAll(/burst=\d+/g, 'burst=10'));
  check('nginx', ['-t', '-p', folder, '-c', file]);
  assert.equal(limits.match(/^ +limit_conn lectern_\w+ \d+;$/gm)?.length, 2);
  const nginx = runProcess('/usr/sbin/nginx', ['-p', folder, '-c', file], {});
  const send = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { port: https, host: '127.0.0.1', headers: { host }, rejectUnauthorized: false };
      get(options, (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
  await until('nginx listens', () => send('lectern.example').then(Boolean, () => false));
  for (const host of ['lectern.example', 'a.courses.example']) {
    const statuses = await Promise.all(Array.from({ length: 40 }, () => send(host)));
    const taken = statuses.filter((status) => status === 502).length;
    assert.ok(taken >= 10 && taken < 20, `${taken} requests were passed on`);
    assert.equal(statuses.filter((status) => status === 429).length, 40 - taken);
  }
  nginx.child.kill('SIGTERM');
  await nginx.exited;
});

/** The recipe with this machine's ports and files. The API's site needs no certificate. */
function writeCaddy(ports: { https: number; content: number }): string {
  const local = recipe('Caddyfile')
    .replaceAll('{$DOMAIN:lectern.example}', 'http://127.0.0.1:0')
    .replaceAll('*.{$COURSES_DOMAIN:courses.example}', `https://*.courses.example:${ports.https}`)
    .replaceAll('{$LECTERN:127.0.0.1}:3001', `127.0.0.1:${ports.content}`);
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${local}`);
  return file;
}

const video = 256 * 1024 ** 2;

/** Serves a large file. Reports how much of it has been read, and the headers of the last request. */
async function serveVideo() {
  const seen = { taken: 0, forwardedHost: undefined as unknown };
  const server = createServer((request, response) => {
    seen.taken = 0;
    seen.forwardedHost = request.headers['x-forwarded-host'];
    const chunk = Buffer.alloc(64 * 1024);
    const body = new Readable({
      read() {
        seen.taken += chunk.length;
        this.push(seen.taken > video ? null : chunk);
      },
    });
    response.writeHead(200, { 'content-length': video });
    response.on('close', () => body.destroy());
    body.pipe(response);
  }).listen(0, '127.0.0.1');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  await until('the video server listens', () => server.listening);
  return { seen, port: (server.address() as AddressInfo).port };
}

test('with the recipes, a proxy reads only as much of a video as its client does, and removes X-Forwarded-Host', async () => {
  const [http = 0, https = 0, caddyPort = 0, api = 0] = await freePorts(4);
  const { seen, port } = await serveVideo();
  const nginxFile = writeNginx({ http, https, api, content: port });
  const caddyFile = writeCaddy({ https: caddyPort, content: port });
  const proxies = [
    { at: https, program: '/usr/sbin/nginx', args: ['-p', folder, '-c', nginxFile] },
    { at: caddyPort, program: 'caddy', args: ['run', '--adapter', 'caddyfile', '--config', caddyFile] },
  ];
  for (const { at, program, args } of proxies) {
    const env = { COURSES_CERT: certificate.certFile, COURSES_KEY: certificate.keyFile, HOME: folder };
    const proxy = runProcess(program, args, env);
    const open = () =>
      new Promise<ReturnType<typeof get>>((resolve, reject) => {
        const headers = { host: 'a.courses.example', 'x-forwarded-host': 'b.courses.example' };
        const options = { port: at, host: '127.0.0.1', servername: 'a.courses.example', headers };
        const sent = get({ ...options, rejectUnauthorized: false, agent: false });
        sent.on('error', reject).on('response', () => resolve(sent));
      });
    let unread: ReturnType<typeof get> | null = null;
    await until(`${program} listens`, async () => {
      unread = await open().catch(() => null);
      return unread !== null;
    });
    let [last, unchanged] = [-1, 0];
    await until('the proxy stops reading', () => {
      unchanged = seen.taken === last ? unchanged + 1 : 0;
      last = seen.taken;
      return unchanged === 25;
    });
    assert.ok(seen.taken < video / 4, `${program} read ${seen.taken} bytes that its client did not read`);
    assert.notEqual(seen.forwardedHost, 'b.courses.example', program);
    (unread as ReturnType<typeof get> | null)?.destroy();
    proxy.child.kill('SIGTERM');
    await proxy.exited;
  }
});

test('Caddy accepts its recipe', () => {
  const env = { COURSES_CERT: certificate.certFile, COURSES_KEY: certificate.keyFile };
  const said = check(
    'caddy',
    ['validate', '--adapter', 'caddyfile', '--config', join(recipes, 'Caddyfile')],
    env,
  );
  assert.match(said, /Valid configuration/);
});

test('systemd accepts the unit and rates its exposure as low', () => {
  const unit = join(folder, 'lectern.service');
  writeFileSync(unit, recipe('lectern.service').replace('/usr/bin/lectern', process.execPath));
  assert.equal(check('systemd-analyze', ['verify', unit]), '');
  check('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
});

test('the commands of the guide back up a node, restart it, and leave a backup that can be restored', async () => {
  const guide = readFileSync(join(recipes, '../docs/guide/upgrade.md'), 'utf8');
  const [, commands = ''] = /```bash\n([^`]+)```/.exec(guide) ?? [];
  const settings = await databaseSettings();
  await stopProcess(await startProcess(settings));
  const [bin, backups, calls] = [join(folder, 'bin'), join(folder, 'backups'), join(folder, 'calls')];
  mkdirSync(bin);
  const program = (name: string, line: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  program('lectern', `exec "${process.execPath}" "${lectern}" "$@"`);
  program('systemctl', `echo "$@" >> "${calls}"`);
  const env = { ...(settings as Record<string, string>), PATH: `${bin}:${process.env.PATH}` };
  check('bash', ['-euc', commands.replaceAll('/var/backups', backups)], env);
  assert.equal(readFileSync(calls, 'utf8'), 'restart lectern\n');
  const [made = ''] = readdirSync(backups);
  assert.match(check('lectern', ['backup', 'verify', join(backups, made)], env), /"Verified": true/);
  await stopProcess(await startProcess(settings));
});

test('the compose file contains only known settings, and its proxy has what its recipe requires', () => {
  const compose = recipe('compose.yaml');
  for (const name of ['DOMAIN', 'COURSES_DOMAIN', 'LECTERN'])
    assert.match(compose, new RegExp(`      ${name}: `));
  for (const [, name = ''] of recipe('Caddyfile').matchAll(/\{\$(\w+):/g))
    assert.match(compose, new RegExp(`\\b${name}\\b|COURSES_TLS`));
});
