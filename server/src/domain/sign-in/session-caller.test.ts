import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import type { Reply } from '../../../test/support/send.ts';
import { startService } from '../../../test/support/service.ts';
import { type Browser, browser, signInOperator, signInUser } from '../../../test/support/sign-in.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { routes } from '../../app/app.ts';
import type { Route } from '../../http/routes.ts';
import { learnerScopes } from '../../infra/context/scopes.ts';
import { isId } from '../../lib/ids.ts';
import { sessionCaller } from './sessions.ts';

// These tests check which operations each role may call with a session cookie.

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service);
const other = await newTenant(service);
const CourseID = await newCourse(service, { Certificate: { On: 'passed' } });

const enrolled = async (LoginID: string) =>
  (await tenant.api('POST', `/enrol/${encodeURIComponent(LoginID)}/${CourseID}`)).body.EnrollID as string;
/** Contains é as one character, as it is stored. */
const learner = 'Ren\u00e9e';
expectStatus(await tenant.api('POST', '/user', { LoginID: learner }), 201);
const otherUser = await tenant.user();
const member = await tenant.user({ ManagerLoginID: learner });
const own = { LoginID: learner, MemberLoginID: member, CourseID, EnrollID: await enrolled(learner) };
const passed = { Override: { Success: 'passed', Reason: 'Exam' } };
expectStatus(
  await tenant.api('PUT', `/enrolment/${encodeURIComponent(learner)}/${own.EnrollID}`, passed),
  200,
);
const theirs = { LoginID: otherUser, CourseID, EnrollID: await enrolled(otherUser) };

const as = async (LoginID: string) => browser(service, await signInUser(service, tenant, LoginID));
const asAdministrator = async () => as(await tenant.user({ IsAdmin: true }));
const asOperator = async () => browser(service, await signInOperator(service));

const addressOf = (route: Route, names: Record<string, string> = {}) =>
  route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? 'x'));

/** Sends reads, and writes without a body, with the headers of our own page and any additional ones. */
function call(page: Browser, route: Route, names?: Record<string, string>, headers = {}): Promise<Reply> {
  const body = route.method === 'GET' || route.streams ? undefined : {};
  return page(route.method, addressOf(route, names), body, { 'sec-fetch-site': 'same-origin', ...headers });
}

const guarded = routes.filter(({ access }) => access !== 'anyone' && access !== 'session');
const ofTenants = guarded.filter(({ access }) => access === 'tenant');

test('a cookie with the same name set by another page on the host is never accepted as the session', async () => {
  const session = await signInOperator(service);
  const [name = ''] = session.split('=');
  const planted = `${name}=${(await signInUser(service, tenant, learner)).slice(name.length + 1)}`;
  for (const cookies of [
    [planted, session],
    [session, planted],
    [`${name}=x`, session],
    [session, session],
    [`${name}=`, 'other=1', session],
  ]) {
    const page = browser(service, cookies.join('; '));
    for (const [method, path] of [
      ['GET', '/tenant'],
      ['GET', '/session'],
      ['POST', '/tenant'],
      ['DELETE', '/session'],
    ] as const) {
      const reply = await page(method, path, method === 'POST' ? { TenantID: 'planted' } : undefined);
      expectProblem(reply, 400, 'session_ambiguous');
      assert.match(reply.body.detail, /Delete this site's cookies/);
    }
  }
  const page = browser(service, `a=1; ${session}; my${name}=2`);
  expectStatus(await page('GET', '/tenant'), 200);
  expectStatus(
    await service.api('GET', '/tenant', undefined, undefined, { cookie: `${planted}; ${session}` }),
    200,
  );
});

const newKeyFor = async (course: string) => {
  const keys = { CourseIDs: [course], DurationIDs: ['standard'] };
  return (await tenant.api('POST', '/enrolment/key', keys)).body.Items[0].Key as string;
};

test('a learner can use only their own data', async () => {
  const page = await as(learner);
  const Key = await newKeyFor(await newCourse(service));
  for (const route of guarded) {
    if (!route.allowsLearners) {
      for (const names of [own, {}]) expectProblem(await call(page, route, names), 403, 'own_only');
      continue;
    }
    const names = { ...own, Key };
    const makes = 201 in route.responses;
    const again = route.name === 'redeemEnrolmentKey' ? 200 : makes ? 201 : 200;
    expectStatus(await call(page, route, names), makes ? 201 : 200);
    expectStatus(await call(page, route, { ...names, LoginID: learner.normalize('NFD') }), again);
    expectProblem(await call(page, route, { ...theirs, Key }), 403, 'own_only');
    expectProblem(await call(page, route, { ...names, LoginID: 'ren\u00e9e' }), 403, 'own_only');
    expectProblem(await call(page, route, names, { tenant: other.TenantID }), 403, 'tenant_not_allowed');
  }
  const foreign = { ...theirs, LoginID: learner };
  for (const route of guarded.filter(
    ({ allowsLearners, path }) => allowsLearners && path.includes('{EnrollID}'),
  ))
    expectProblem(await call(page, route, foreign), 404, 'enrolment_not_found');
  const listed = await page('GET', `/enrolment/${encodeURIComponent(learner)}`);
  const listedIds = listed.body.Items.map(({ EnrollID }: { EnrollID: string }) => EnrollID);
  assert.deepEqual([listedIds.length, listedIds.includes(own.EnrollID)], [2, true]);
});

test('a manager can read and remind exactly their team', async () => {
  const page = await as(learner);
  const EnrollID = await enrolled(member);
  for (const route of guarded)
    for (const LoginID of [member, otherUser])
      expectProblem(await call(page, route, { ...own, LoginID, EnrollID }), 403, 'own_only');
  const team = `/team/${encodeURIComponent(learner)}`;
  const listed = await page('GET', team);
  assert.deepEqual(
    listed.body.Items.map(({ LoginID }: { LoginID: string }) => LoginID),
    [member],
  );
  const record = await page('GET', `${team}/${member}`);
  assert.deepEqual(
    record.body.Enrolments.map((one: { EnrollID: string }) => one.EnrollID),
    [EnrollID],
  );
  expectProblem(await page('GET', `${team}/${otherUser}`), 404, 'user_not_found');
  const remind = (LoginIDs: string[]) =>
    page('POST', `${team}/remind`, { LoginIDs }, { 'sec-fetch-site': 'same-origin' });
  const { People } = (await remind([otherUser])).body;
  assert.deepEqual(People, [{ LoginID: otherUser, Reason: 'unknown_user' }]);
  expectStatus(await tenant.api('PUT', `/user/${member}`, { ManagerLoginID: null }), 200);
  expectProblem(await page('GET', `${team}/${member}`), 404, 'user_not_found');
  assert.deepEqual((await page('GET', team)).body.Items, []);
});

test('a user with the same LoginID in another tenant gets no data about this user', async () => {
  expectStatus(await other.api('POST', '/user', { LoginID: learner, FirstName: 'Other' }), 201);
  const page = browser(service, await signInUser(service, other, learner));
  assert.equal((await page('GET', `/user/${encodeURIComponent(learner)}`)).body.FirstName, 'Other');
  const read = `/enrolment/${encodeURIComponent(learner)}`;
  assert.deepEqual((await page('GET', read)).body.Items, []);
  expectProblem(await page('GET', `${read}/${own.EnrollID}`), 404, 'enrolment_not_found');
});

test('an administrator can act on their own tenant, but not on another one or as the operator', async () => {
  const page = await asAdministrator();
  for (const route of guarded) {
    const reply = await call(page, route);
    if (route.access === 'operator') expectProblem(reply, 403, 'operator_only');
    else assert.ok(![401, 403].includes(reply.status), `${route.name} ${JSON.stringify(reply.body)}`);
  }
  for (const route of ofTenants)
    expectProblem(await call(page, route, {}, { tenant: other.TenantID }), 403, 'tenant_not_allowed');
  expectProblem(await page('GET', `/user/${await other.user()}`), 404, 'user_not_found');
  expectStatus(await page('GET', `/user/${otherUser}/export`), 200);
  expectStatus(await page('POST', '/user', { LoginID: 'made by hand' }), 201);
  expectStatus(await tenant.api('GET', '/user/made%20by%20hand'), 200);
});

test('a user who is no longer an administrator is treated as a learner from the next request on', async () => {
  const LoginID = await tenant.user({ IsAdmin: true });
  const page = await as(LoginID);
  expectStatus(await page('GET', '/user'), 200);
  await tenant.api('PUT', `/user/${LoginID}`, { IsAdmin: false });
  expectProblem(await page('GET', '/user'), 403, 'own_only');
  expectStatus(await page('GET', `/user/${LoginID}`), 200);
  await tenant.api('PUT', `/user/${LoginID}`, { Enabled: false });
  expectProblem(await page('GET', `/user/${LoginID}`), 401, 'signed_out');
});

test('the operator can act on the named tenant and on the deployment', async () => {
  const page = await asOperator();
  for (const route of guarded) {
    const reply = await call(page, route, {}, { tenant: tenant.TenantID });
    assert.ok(![401, 403].includes(reply.status), `${route.name} ${JSON.stringify(reply.body)}`);
  }
  for (const route of ofTenants) expectProblem(await call(page, route), 400, 'tenant_required');
  expectStatus(await page('PUT', '/course/by-hand', { Title: 'By hand' }), 201);
  const read = await page('GET', `/user/${otherUser}`, undefined, {
    'sec-fetch-site': 'same-origin',
    tenant: tenant.TenantID,
  });
  assert.equal(read.body.LoginID, otherUser);
});

test('a signed-out session gets 401, and a key always takes precedence over the cookie', async () => {
  const cookie = await signInOperator(service);
  const page = browser(service, cookie);
  expectStatus(await page('DELETE', '/session'), 204);
  const nobody = browser(service, 'other=1');
  for (const route of guarded) {
    expectProblem(await call(page, route), 401, 'signed_out');
    expectProblem(await call(nobody, route), 401, 'unauthorized');
  }
  for (const token of ['', 'x', `.${'x'.repeat(43)}`])
    expectProblem(await browser(service, `lectern_session=${token}`)('GET', '/tenant'), 401, 'signed_out');
  const signedIn = await signInOperator(service);
  const withKey = (key: string) => service.api('GET', '/tenant', undefined, key, { cookie: signedIn });
  expectProblem(await withKey('x'.repeat(40)), 401, 'unauthorized');
  expectProblem(await withKey(tenant.key), 403, 'operator_only');
  expectStatus(await service.api('GET', '/user', undefined, tenant.key, { cookie }), 200);
});

test('a page from another origin, even another port on this host, can neither read nor write', async () => {
  const LoginID = await tenant.user({ IsAdmin: true });
  const page = await as(LoginID);
  const origin = service.baseUrl;
  const write = (headers: Record<string, string>) => page('PUT', `/user/${LoginID}`, {}, headers);
  const read = (headers: Record<string, string>) => page('GET', `/user/${LoginID}`, undefined, headers);
  const session = (method: string, headers: Record<string, string>) =>
    page(method, '/session', undefined, headers);
  for (const site of ['same-site', 'cross-site', 'nonsense']) {
    const headers = { 'sec-fetch-site': site, origin };
    for (const route of guarded) expectProblem(await call(page, route, {}, headers), 403, 'cross_site');
    for (const method of ['GET', 'DELETE']) expectProblem(await session(method, headers), 403, 'cross_site');
  }
  const others = [service.contentUrl, 'null', `${origin}.evil.example`, origin.replace('http:', 'https:')];
  for (const headers of [{}, { 'sec-fetch-site': 'none', origin }, ...others.map((origin) => ({ origin }))]) {
    expectProblem(await write(headers), 403, 'cross_site');
    expectProblem(await session('DELETE', headers), 403, 'cross_site');
    expectStatus(await read(headers), 200);
    expectStatus(await session('GET', headers), 200);
  }
  expectStatus(await write({ origin }), 200);
  expectStatus(await write({ 'sec-fetch-site': 'same-origin' }), 200);
  expectStatus(await session('DELETE', { origin }), 204);
});

test('a form cannot write, because the body must be JSON', async () => {
  const page = await asAdministrator();
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'])
    expectProblem(
      await page('POST', '/user', 'LoginID=x', { 'sec-fetch-site': 'same-origin', 'content-type': type }),
      415,
      'unsupported_media_type',
    );
});

test('a POST with an Idempotency-Key runs once, for a tenant and for the operator', async () => {
  const retry = async (page: Browser, path: string, body: object, name: string) => {
    const headers = { 'sec-fetch-site': 'same-origin', 'idempotency-key': name };
    const replies = [await page('POST', path, body, headers), await page('POST', path, body, headers)];
    const replayed = replies.map((reply) => [reply.status, reply.headers.get('idempotency-replayed')]);
    assert.deepEqual(replayed, [
      [201, null],
      [201, 'true'],
    ]);
  };
  await retry(await asAdministrator(), '/user', { LoginID: 'once' }, 'one');
  await retry(await asOperator(), '/tenant', { TenantID: 'once' }, 'one');
  await retry(await asOperator(), '/tenant', { TenantID: 'once more' }, 'one');
});

test('calls are counted per session, by session ID', async () => {
  const left = (reply: Reply) => Number(/r=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1]);
  const LoginID = await tenant.user();
  const [one, two] = [await as(LoginID), await as(LoginID)];
  const read = async (page: Browser) => left(await page('GET', `/user/${LoginID}`));
  const first = await read(one);
  assert.deepEqual([await read(one), await read(one)], [first - 1, first - 2]);
  assert.equal(await read(two), first);
  const cookie = await signInUser(service, tenant, LoginID);
  const request = { method: 'GET', headers: { cookie } };
  const caller = await sessionCaller(service.ctx, request as Parameters<typeof sessionCaller>[1]);
  assert.ok(caller && isId(caller.keyId));
  assert.deepEqual([caller.tenantId, caller.learner], [tenant.TenantID, LoginID]);
  assert.deepEqual([...caller.scopes].sort(), [...learnerScopes].sort());
});

test('an ended session can no longer call the API', async () => {
  const page = await asAdministrator();
  clock.advance({ minutes: 29 });
  expectStatus(await page('GET', '/user'), 200);
  clock.advance({ minutes: 31 });
  expectProblem(await page('GET', '/user'), 401, 'signed_out');
});
