import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { generateKeyPair } from 'jose';
import { movableClock } from '../../../test/support/clock.ts';
import { claim, login, platformAt, startPlatform } from '../../../test/support/lti-platform.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const platform = await startPlatform(clock.now);
after(async () => {
  await platform.close();
  await service.close();
});
const { baseUrl } = service.ctx.config;
const tenant = await newTenant(service);
const { api } = tenant;
const made = await api('POST', '/platform', platformAt(platform.origin));
expectStatus(made, 201);
const { PlatformID } = made.body;
const course = await newCourse(service);
const loginId = `lti:${platform.origin.replace('http://', '')}:ada`;

const launches = async () => (await api('GET', `/platform/${PlatformID}/launch`)).body.Items;

/** A launch with these claims. */
async function launch(more: Record<string, unknown> = {}, fields: Record<string, string> = {}) {
  const started = await login(baseUrl, platform, fields);
  const payload = platform.claims(started.nonce, { [claim('custom')]: { course }, ...more });
  const id_token = await platform.sign(payload);
  return { ...started, id_token, reply: await started.post({ id_token }) };
}

test('a launch creates the user and the enrolment once, and opens the player', async () => {
  const started = await login(baseUrl, platform);
  assert.equal(started.reply.status, 303);
  assert.equal(started.asked.get('response_mode'), 'form_post');
  assert.equal(started.asked.get('redirect_uri'), `${baseUrl}/lti/launch`);
  for (const _ of [1, 2]) {
    const { reply } = await launch();
    assert.equal(reply.status, 303, await reply.text());
    assert.ok(reply.headers.get('location')?.startsWith(`${service.ctx.config.contentUrl}/play/`));
  }
  const user = (await api('GET', `/user/${encodeURIComponent(loginId)}`)).body;
  assert.deepEqual([user.FirstName, user.LastName, user.Email], ['Ada', 'Lovelace', 'ada@example.com']);
  const { Items } = (await api('GET', `/enrolment?LoginID=${encodeURIComponent(loginId)}`)).body;
  assert.deepEqual(
    Items.map(({ CourseID }: { CourseID: string }) => CourseID),
    [course],
  );
  const [last] = await launches();
  assert.deepEqual(
    [last.Message, last.Problem, last.LoginID, last.CourseID, last.ResourceLinkID],
    ['launch', null, loginId, course, 'link-1'],
  );
});

test('the target link URI names the course too, and names are kept if the platform sends none', async () => {
  const { reply } = await launch({
    [claim('custom')]: {},
    [claim('target_link_uri')]: `${baseUrl}/lti/launch?course=${course}`,
    given_name: undefined,
    family_name: undefined,
    email: undefined,
  });
  assert.equal(reply.status, 303);
  assert.equal((await api('GET', `/user/${encodeURIComponent(loginId)}`)).body.FirstName, 'Ada');
});

test('each launch is logged, and what the platform has changed since the last one is taken over', async () => {
  const sub = 'hopper';
  const own = encodeURIComponent(loginId.replace(/ada$/, sub));
  const before = (await launches()).length;
  for (const given_name of ['Grace', 'Grace', 'Amazing Grace']) {
    assert.equal((await launch({ sub, given_name })).reply.status, 303);
    assert.equal((await api('GET', `/user/${own}`)).body.FirstName, given_name);
  }
  expectStatus(await api('PUT', `/user/${own}`, { Enabled: false }), 200);
  assert.equal((await launch({ sub, given_name: 'Amazing Grace' })).reply.status, 403);
  expectStatus(await api('PUT', `/user/${own}`, { Enabled: true }), 200);
  const [enrolment] = (await api('GET', `/enrolment/${own}`)).body.Items;
  expectStatus(await api('PUT', `/enrolment/${own}/${enrolment.EnrollID}`, { Withdrawn: true }), 200);
  assert.equal((await launch({ sub, given_name: 'Amazing Grace' })).reply.status, 303);
  assert.equal((await api('GET', `/enrolment/${own}`)).body.Items.length, 2);
  assert.equal((await launches()).length - before, 5);
});

test('a changed platform is used immediately', async () => {
  const { origin } = platform;
  expectStatus(await api('PUT', `/platform/${PlatformID}`, { AuthURL: `${origin}/elsewhere` }), 200);
  const { reply } = await login(baseUrl, platform);
  assert.equal(new URL(reply.headers.get('location') ?? '').pathname, '/elsewhere');
  expectStatus(await api('PUT', `/platform/${PlatformID}`, { AuthURL: `${origin}/auth` }), 200);
});

const other = await generateKeyPair('RS256');

const bad: [problem: string, status: number, more: Record<string, unknown>][] = [
  ['wrong_audience', 401, { aud: 'another' }],
  ['wrong_audience', 401, { aud: ['lectern', 'another'] }],
  ['wrong_audience', 401, { azp: 'another' }],
  ['wrong_issuer', 401, { iss: 'https://evil.example' }],
  ['unknown_deployment', 403, { [claim('deployment_id')]: '2' }],
  ['wrong_nonce', 401, { nonce: 'another' }],
  ['token_expired', 401, { exp: Math.floor(clock.now().getTime() / 1000) - 3_600 }],
  ['clock_off', 401, { iat: Math.floor(clock.now().getTime() / 1000) + 3_600 }],
  ['malformed', 400, { [claim('version')]: '1.1' }],
  ['malformed', 400, { [claim('message_type')]: 'LtiStartAssessment' }],
  ['malformed', 400, { [claim('resource_link')]: undefined }],
  ['no_user', 400, { sub: undefined }],
  ['no_course', 400, { [claim('custom')]: {} }],
  ['not_enrolled', 403, { [claim('custom')]: { course: 'none' }, sub: 'nobody' }],
];
for (const [problem, status, more] of bad)
  test(`${problem}: ${JSON.stringify(more)} is rejected, logged, and creates nothing`, async () => {
    const { reply } = await launch(more);
    const html = await reply.text();
    assert.equal(reply.status, status, html);
    assert.ok(html.includes(problem));
    const [last] = await launches();
    assert.equal(last.Problem, problem);
    const nobody = `lti:${platform.origin.replace('http://', '')}:nobody`;
    expectProblem(await api('GET', `/user/${encodeURIComponent(nobody)}`), 404, 'user_not_found');
  });

test('signatures by other keys, unknown keys and unlisted methods are rejected', async () => {
  const attempts: [string, Parameters<typeof platform.sign>[1]][] = [
    ['bad_signature', { key: other.privateKey }],
    ['key_not_found', { header: { kid: 'unknown' } }],
    ['bad_algorithm', { header: { alg: 'HS256' }, key: Buffer.alloc(32, 'k') }],
  ];
  for (const [problem, changes] of attempts) {
    const { nonce, post } = await login(baseUrl, platform);
    const id_token = await platform.sign(platform.claims(nonce), changes);
    const reply = await post({ id_token });
    assert.equal(reply.status, 401);
    assert.ok((await reply.text()).includes(problem), problem);
  }
});

test('a launch is used once', async () => {
  const { post, id_token } = await launch();
  const again = await post({ id_token });
  assert.equal(again.status, 401);
  assert.ok((await again.text()).includes('replayed'));
});

test('a state of another browser, or none, or an old one is rejected', async () => {
  const [one, two] = [await login(baseUrl, platform), await login(baseUrl, platform)];
  const id_token = await platform.sign(platform.claims(one.nonce, { [claim('custom')]: { course } }));
  const stolen = await one.post({ id_token }, { cookie: two.cookie });
  assert.equal(stolen.status, 401);
  assert.ok((await stolen.text()).includes('other_browser'));
  assert.equal((await one.post({ id_token, state: 'forged' })).status, 400);
  clock.advance({ minutes: 11 });
  const late = await one.post({ id_token });
  assert.ok((await late.text()).includes('state_expired'));
});

test('without cookies, a launch proves itself by the storage of the platform, else opens a window', async () => {
  const stored = await login(baseUrl, platform, { lti_storage_target: '_parent' });
  assert.equal(stored.reply.status, 200);
  const secret = /data-value="([^"]+)"/.exec(stored.html)?.[1] ?? '';
  const id_token = await platform.sign(platform.claims(stored.nonce, { [claim('custom')]: { course } }));
  const asked = await stored.post({ id_token }, {});
  assert.match(await asked.text(), /name="proof"/);
  const fromElsewhere = await stored.post(
    { id_token, proof: secret, tried: 'true' },
    { 'sec-fetch-site': 'cross-site' },
  );
  assert.equal(fromElsewhere.status, 401);
  const window = await stored.post(
    { id_token, proof: '', tried: 'true' },
    { 'sec-fetch-site': 'same-origin' },
  );
  assert.equal(window.status, 401);
  const address = /href="([^"]+lectern_window=true)"/
    .exec(await window.text())?.[1]
    ?.replaceAll('&amp;', '&');
  assert.ok(address?.includes('login_hint=3'));
  const proven = await stored.post(
    { id_token, proof: secret, tried: 'true' },
    { 'sec-fetch-site': 'same-origin' },
  );
  assert.equal(proven.status, 303, await proven.text());
  const alone = await login(baseUrl, platform, { lectern_window: 'true' });
  const blocked = await alone.post({ id_token: await platform.sign(platform.claims(alone.nonce)) }, {});
  assert.ok((await blocked.text()).includes('cookie_blocked'));
});

test('in a frame, a login tries a cookie before the platform is asked, and opens a window without one', async () => {
  const framed = { 'sec-fetch-dest': 'iframe' };
  const first = await login(baseUrl, platform, {}, framed);
  assert.equal(first.reply.status, 303);
  const again = first.reply.headers.get('location') ?? '';
  assert.ok(again.startsWith(`${baseUrl}/lti/login?`));
  const open = (cookie: Record<string, string>) =>
    fetch(again, { headers: { ...framed, ...cookie }, redirect: 'manual' });
  const kept = await open({ cookie: first.cookie });
  assert.ok(kept.headers.get('location')?.startsWith(`${platform.origin}/auth?`));
  const blocked = await open({});
  assert.equal(blocked.status, 401);
  assert.match(await blocked.text(), /login_hint=3\S+lectern_window=true"/);
});

test('two tenants share a client, and each launch reaches the tenant of its deployment', async () => {
  const second = await newTenant(service);
  const taken = await second.api('POST', '/platform', platformAt(platform.origin));
  expectProblem(taken, 409, 'platform_exists', 'DeploymentIDs');
  const evil = { ...platformAt(platform.origin, '7'), AuthURL: 'https://evil.example/auth' };
  expectProblem(await second.api('POST', '/platform', evil), 409, 'platform_exists', 'AuthURL');
  expectStatus(await second.api('POST', '/platform', platformAt(platform.origin, '7')), 201);
  const { reply } = await launch({ [claim('deployment_id')]: '7', sub: 'grace' });
  assert.equal(reply.status, 303);
  const grace = encodeURIComponent(`lti:${platform.origin.replace('http://', '')}:grace`);
  expectStatus(await second.api('GET', `/user/${grace}`), 200);
  expectStatus(await api('GET', `/user/${grace}`), 404);
});

test('a login of an unknown platform is answered with a page', async () => {
  const reply = await fetch(`${baseUrl}/lti/login?iss=https%3A%2F%2Funknown.example&login_hint=1`);
  assert.equal(reply.status, 404);
  assert.match(await reply.text(), /unknown_platform/);
});

test('a platform is changed, listed and deleted', async () => {
  const mine = await newTenant(service);
  const added = await mine.api('POST', '/platform', platformAt('http://127.0.0.1:9', 'x'));
  const address = `/platform/${added.body.PlatformID}`;
  const changed = await mine.api('PUT', address, { Name: 'Canvas', DeploymentIDs: ['y', 'z'] });
  assert.deepEqual([changed.body.Name, changed.body.DeploymentIDs], ['Canvas', ['y', 'z']]);
  assert.equal((await mine.api('GET', '/platform')).body.Items.length, 1);
  expectStatus(await api('GET', address), 404);
  expectStatus(await mine.api('DELETE', address), 200);
  expectProblem(await mine.api('GET', address), 404, 'platform_not_found');
  const refused = await mine.api('POST', '/platform', {
    ...platformAt('http://127.0.0.1:9'),
    JWKSURL: 'http://10.0.0.1/certs',
  });
  expectProblem(refused, 422, 'webhook_address_refused', 'JWKSURL');
  const later = await mine.api('POST', '/platform', platformAt('https://not-yet.invalid'));
  expectStatus(later, 201);
});

for (const version of ['4.2', '4.5'])
  test(`messages recorded from Moodle ${version} open a course and the choice of courses`, async () => {
    const folder = join(import.meta.dirname, '../../../test/support/recorded');
    const recorded = JSON.parse(readFileSync(join(folder, `moodle-${version}.json`), 'utf8'));
    for (const [message, status] of [
      ['launch', 303],
      ['deepLink', 200],
    ] as const) {
      const started = await login(baseUrl, platform);
      const { iss, aud, iat, exp, nonce } = platform.claims(started.nonce);
      const text = JSON.stringify(recorded[message]).replaceAll('"aid"', JSON.stringify(course));
      const own = { iss, aud, iat, exp, nonce, [claim('deployment_id')]: '1' };
      const reply = await started.post({ id_token: await platform.sign({ ...JSON.parse(text), ...own }) });
      assert.equal(reply.status, status, await reply.text());
    }
  });
