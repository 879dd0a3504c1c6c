import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { type Asked, ask } from '../../../../test/support/ask.ts';
import { packSecondRelease } from '../../../../test/support/packages.ts';
import { click, play, post, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../../test/support/tenant.ts';
import { newKey, openKey } from '../../../infra/keys/key-ring.ts';

const service = await startService({ env: { CONTENT_URL: 'http://*.courses.localhost' } });
const proxied = await startService({
  env: { CONTENT_URL: 'http://*.courses.localhost', TRUST_PROXY: 'true' },
});
after(() => Promise.all([service.close(), proxied.close()]));
const zip = await packCourse('phishing');
for (const courseId of ['one', 'two']) {
  expectStatus(await service.importPackage(courseId, zip), 201);
  expectStatus(await service.api('PUT', `/course/${courseId}/option/standard`, {}), 201);
}
const [ours, theirs] = [await newTenant(service), await newTenant(service)];

type Tenant = typeof ours;

async function launchUrl(tenant: Tenant, courseId: string, LoginID?: string): Promise<string> {
  const made = await tenant.api('POST', `/enrol/${LoginID ?? (await tenant.user())}/${courseId}`);
  expectStatus(made, 201);
  return made.body.LaunchURL;
}

const originOf = (address: string | null) => new URL(address ?? '').origin;

async function launchedAt(tenant: Tenant, courseId: string, LoginID?: string): Promise<string> {
  return originOf((await click(await launchUrl(tenant, courseId, LoginID))).location);
}

async function previewUrl(path: string, tenant?: Tenant): Promise<string> {
  const made = await (tenant?.api ?? service.api)('POST', path);
  expectStatus(made, 201);
  return made.body.PreviewURL;
}

test('each course of each tenant has its own origin, and its previews use different origins', async () => {
  const origins = [
    await launchedAt(ours, 'one'),
    await launchedAt(ours, 'two'),
    await launchedAt(theirs, 'one'),
    await launchedAt(theirs, 'two'),
    originOf(await previewUrl('/catalogue/course/one/preview', ours)),
    originOf(await previewUrl('/catalogue/course/one/preview', theirs)),
    originOf(await previewUrl('/course/one/preview')),
  ];
  assert.equal(new Set(origins).size, origins.length);
  const { port } = new URL(service.contentUrl);
  for (const origin of origins)
    assert.match(origin, new RegExp(`^http://[0-9a-f]{40}\\.courses\\.localhost:${port}$`));
});

test('a course has the same origin for every learner, launch and release', async () => {
  const [LoginID, other] = [await ours.user(), await ours.user()];
  const origin = await launchedAt(ours, 'one', LoginID);
  const address = await launchUrl(ours, 'one', other);
  const link = await previewUrl('/catalogue/course/one/preview', ours);
  for (let launch = 1; launch <= 2; launch++) assert.equal(originOf((await click(address)).location), origin);
  expectStatus(await service.importPackage('one', await packSecondRelease()), 200);
  assert.equal(originOf((await click(address)).location), origin);
  const renewed = await ours.api('POST', `/enrol/${LoginID}/one`, { IfEnrolled: 'renew' });
  expectStatus(renewed, 201);
  assert.equal(originOf((await click(renewed.body.LaunchURL)).location), origin);
  assert.equal(originOf((await click(link)).location), originOf(link));
});

test("rotating the signing keys changes no course's origin, and earlier links still work", async () => {
  const address = await launchUrl(ours, 'one');
  const { location } = await click(address);
  const { keys } = service.ctx;
  keys.keys = [openKey(newKey(new Date())), ...keys.keys];
  assert.equal((await ask(location ?? '')).status, 200);
  assert.equal(originOf((await click(address)).location), originOf(location));
  assert.equal(await launchedAt(ours, 'one'), originOf(location));
});

test("a course and all of its requests use the course's origin: page, session, commits, files", async () => {
  const address = await launchUrl(ours, 'one');
  const { location } = await click(address);
  const page = await ask(location ?? '');
  assert.equal(page.status, 200);
  const player = /\/player\/assets\/[^"]+\.js/.exec(await page.text())?.[0];
  assert.equal((await ask(originOf(location) + player)).status, 200);
  for (const link of [address, await previewUrl('/course/one/preview')]) {
    const { commit, file, alive } = await play(service, link);
    expectStatus(await commit({ Data: scorm12('incomplete') }), 200);
    assert.equal((await file('index.html')).status, 200);
    assert.equal(await alive(), 204);
  }
});

/** Returns all requests, each with the origin that serves it. */
async function requests(): Promise<{ what: string; origin: string; path: string; sent?: Asked }[]> {
  const { location } = await click(await launchUrl(ours, 'one'));
  const origin = originOf(location);
  const { pathname } = new URL(location ?? '');
  const { session } = await play(service, await launchUrl(ours, 'one'));
  const preview = await previewUrl('/catalogue/course/one/preview', ours);
  const played = await play(service, preview);
  const body = JSON.stringify({ Number: 1, UnitID: Object.keys(session.Data)[0], Data: {} });
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const html = await (await ask(location ?? '')).text();
  const player = /\/player\/assets\/[^"]+\.js/.exec(html)?.[0] ?? '';
  const ticket = new URL(preview).searchParams.get('ticket');
  return [
    { what: 'page', origin, path: pathname },
    { what: 'head of a page', origin, path: pathname, sent: { method: 'HEAD' } },
    { what: 'session', origin, path: `${pathname}/session`, sent: { method: 'POST' } },
    { what: 'file', origin, path: `${session.ContentPath}index.html` },
    { what: 'no such file', origin, path: `${session.ContentPath}sw.js` },
    { what: 'alive', origin, path: `/play/${session.Session}/alive` },
    { what: 'commit', origin, path: `/play/${session.Session}/commit`, sent: { ...json, body } },
    { what: 'bad commit', origin, path: `/play/${session.Session}/commit`, sent: { ...json, body: '{' } },
    { what: 'preview', origin: originOf(preview), path: `/preview?ticket=${ticket}` },
    { what: 'two tickets', origin: originOf(preview), path: `/preview?ticket=${ticket}&ticket=x` },
    { what: 'file of a preview', origin: originOf(preview), path: `${played.session.ContentPath}index.html` },
    { what: 'player', origin, path: player },
    { what: 'nothing', origin, path: '/nothing' },
    { what: 'unknown token', origin, path: '/play/none/alive' },
  ];
}

/** Responses that are the same on all of our origins. */
const general = ['player', 'nothing', 'unknown token'];

test('a request to any other host is rejected before it is processed', async () => {
  const { host, port } = new URL(service.contentUrl.replace('*.', ''));
  const own = new URL(await launchedAt(ours, 'one')).host;
  const foreign = [
    new URL(await launchedAt(ours, 'two')).host,
    new URL(await launchedAt(theirs, 'one')).host,
    new URL(await previewUrl('/course/one/preview')).host,
  ];
  const never = [
    host,
    `*.${host}`,
    `${'0'.repeat(40)}.${host}`,
    `x${own}`,
    `x.${own}`,
    own.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
    own.replace('.courses', ''),
    own.replace(`:${port}`, `.:${port}`),
    own.replace('courses.localhost', 'courses.localhost.evil.example'),
    `127.0.0.1:${port}`,
    `[::1]:${port}`,
    `localhost:${port}`,
    'evil.example',
  ];
  for (const { what, origin, path, sent } of await requests()) {
    for (const other of [...never, ...(general.includes(what) ? [] : foreign)]) {
      const { headers = {}, ...rest } = sent ?? {};
      const refused = await ask(origin + path, { ...rest, headers: { ...headers, host: other } });
      const text = await refused.text();
      assert.equal(refused.status, 421, `${what} at ${other}: ${text}`);
      assert.doesNotMatch(text, /<script|import /, `${what} at ${other}`);
      assert.equal(refused.headers.get('location'), null);
    }
    const answered = await ask(origin + path, sent);
    assert.notEqual(answered.status, 421, what);
  }
});

test('the case of a host name does not matter', async () => {
  const { location } = await click(await launchUrl(ours, 'one'));
  const host = new URL(location ?? '').host.toUpperCase();
  assert.equal((await ask(location ?? '', { headers: { host } })).status, 200);
});

test("no origin can read another origin's data or widen its document.domain", async () => {
  const { location } = await click(await launchUrl(ours, 'one'));
  const { session } = await play(service, await launchUrl(ours, 'one'));
  const file = `${originOf(location)}${session.ContentPath}index.html`;
  for (const address of [location ?? '', file]) {
    const { headers } = await ask(address, { headers: { origin: await launchedAt(theirs, 'two') } });
    for (const name of [...headers.keys()]) assert.ok(!name.startsWith('access-control-'), name);
    const policy = address === file ? 'cross-origin' : 'same-origin';
    assert.equal(headers.get('cross-origin-resource-policy'), policy);
    assert.equal(headers.get('origin-agent-cluster'), '?1');
    assert.equal(headers.get('service-worker-allowed'), null);
    assert.equal(headers.get('set-cookie'), null);
  }
});

test('the host comes from the Host header even behind a proxy, whatever X-Forwarded-Host contains', async () => {
  const { body } = await proxied.api('POST', '/course/one/preview');
  assert.equal(body.code, 'course_not_found');
  expectStatus(await proxied.importPackage('one', zip), 201);
  const link = (await proxied.api('POST', '/course/one/preview')).body.PreviewURL;
  const { host } = new URL(link);
  const inside = { host: '10.0.0.1' };
  assert.equal((await ask(link, { headers: inside })).status, 421);
  assert.equal((await ask(link, { headers: { ...inside, 'x-forwarded-host': host } })).status, 421);
  assert.equal((await ask(link, { headers: { 'x-forwarded-host': '10.0.0.1' } })).status, 303);
  const direct = await previewUrl('/course/one/preview');
  const forged = { ...inside, 'x-forwarded-host': new URL(direct).host };
  assert.equal((await ask(direct, { headers: forged })).status, 421);
});

test("a ticket for one course does not open a session at another course's origin", async () => {
  const { location } = await click(await launchUrl(ours, 'one'));
  const other = await launchedAt(ours, 'two');
  const refused = await post(`${other}${new URL(location ?? '').pathname}/session`);
  assert.deepEqual([refused.status, refused.body.code], [421, 'wrong_host']);
});
