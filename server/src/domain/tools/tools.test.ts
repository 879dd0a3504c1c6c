import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeJwt, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { movableClock } from '../../../test/support/clock.ts';
import { packUnits } from '../../../test/support/packages.ts';
import { play, post, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { webhookSources } from '../../app/webhook-sources.ts';
import { startDispatcher } from '../events/webhooks/dispatcher.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const { baseUrl } = service.ctx.config;
const dispatcher = startDispatcher(service.ctx, webhookSources);
after(async () => {
  await dispatcher.stop(1_000);
  await service.close();
});
expectStatus(await service.importPackage('fire-safety', await packUnits(1)), 201);
expectStatus(await service.api('PUT', '/course/fire-safety/option/open', {}), 201);

const keys = await generateKeyPair('RS256', { extractable: true });
const PublicKey = await exportSPKI(keys.publicKey);
const redirect = 'https://tool.example.com/launch';
const plainTool = { LoginURL: 'https://tool.example.com/login', TargetLinkURI: redirect, PublicKey };
const ags = 'https://purl.imsglobal.org/spec/lti-ags/';
const nrps = 'https://purl.imsglobal.org/spec/lti-nrps/';
const dl = 'https://purl.imsglobal.org/spec/lti-dl/claim/';
const claim = (name: string) => `https://purl.imsglobal.org/spec/lti/claim/${name}`;

const unescaped = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
const fieldsIn = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      unescaped(value),
    ]),
  );

/** Opens the course like the player, up to the tool's login. */
async function openTool(launchUrl: string) {
  const playing = await play(service, launchUrl);
  const base = `${service.contentUrl}/play/${playing.session.Session}`;
  const opened = await post(`${base}/au`, { UnitID: 'tool' });
  assert.equal(opened.status, 201, JSON.stringify(opened.body));
  const reply = await fetch(opened.body.URL, { redirect: 'manual' });
  return { reply, base, url: opened.body.URL as string, login: reply.headers.get('location') ?? '' };
}

/** A tenant with a tool of ours, whose requests the test makes itself. */
async function withTool(change = {}) {
  const tenant = await newTenant(service);
  const course = unique('tool');
  const made = await tenant.api('PUT', `/course/${course}/tool`, { ...plainTool, ...change });
  expectStatus(made, 201);
  const { Registration } = made.body;
  const enrol = async (details = {}) => {
    const LoginID = await tenant.user(details);
    const enrolled = await tenant.api('POST', `/enrol/${LoginID}/${course}`);
    expectStatus(enrolled, 201);
    const path = `/enrolment/${LoginID}/${enrolled.body.EnrollID}`;
    return { path, LaunchURL: enrolled.body.LaunchURL as string };
  };
  const assertion = (more: Record<string, unknown> = {}) =>
    sign({ iss: Registration.ClientID, sub: Registration.ClientID, aud: Registration.TokenURL, ...more });
  const token = async (scope: string, more: Record<string, unknown> = {}) => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertion(more),
      scope,
    });
    const reply = await fetch(Registration.TokenURL, { method: 'POST', body });
    return { status: reply.status, ...(await reply.json()) };
  };
  return { ...tenant, course, Registration, enrol, token, assertion };
}

const sign = (payload: Record<string, unknown>, key = keys.privateKey) => {
  const seconds = Math.floor(clock.now().getTime() / 1000);
  return new SignJWT({
    iat: seconds,
    exp: seconds + 60,
    jti: unique('jti'),
    nonce: unique('nonce'),
    ...payload,
  })
    .setProtectedHeader({ alg: 'RS256' })
    .sign(key);
};

/** The authentication request of a tool after this login, and the answer. */
async function authenticate(
  login: string,
  registration: { AuthURL: string },
  change: Record<string, string> = {},
) {
  const asked = new URL(login).searchParams;
  const query = new URLSearchParams({
    scope: 'openid',
    response_type: 'id_token',
    response_mode: 'form_post',
    prompt: 'none',
    client_id: asked.get('client_id') ?? '',
    redirect_uri: redirect,
    login_hint: asked.get('login_hint') ?? '',
    lti_message_hint: asked.get('lti_message_hint') ?? '',
    nonce: 'nonce-1',
    state: 'state-1',
    ...change,
  });
  const reply = await fetch(`${registration.AuthURL}?${query}`);
  const html = await reply.text();
  return { status: reply.status, html, fields: fieldsIn(html) };
}

async function launched(change = {}) {
  const tool = await withTool(change);
  const learner = await tool.enrol({ FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' });
  const { login, base } = await openTool(learner.LaunchURL);
  const answer = await authenticate(login, tool.Registration);
  assert.equal(answer.status, 200, answer.html);
  const claims = decodeJwt(answer.fields.id_token ?? '') as Record<string, unknown>;
  return { tool, learner, login, base, claims };
}

async function sendScore(
  url: string,
  access_token: string,
  score: Record<string, unknown>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const reply = await fetch(`${url}/scores`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/vnd.ims.lis.v1.score+json',
    },
    body: JSON.stringify({
      timestamp: clock.now().toISOString(),
      activityProgress: 'Completed',
      gradingProgress: 'FullyGraded',
      ...score,
    }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text ? JSON.parse(text) : {} };
}

test('Lectern launches Lectern, whose score becomes the result of the course', async () => {
  const lms = await newTenant(service);
  const course = unique('lectern');
  const first = await lms.api('PUT', `/course/${course}/tool`, {
    ...{ Title: 'Fire safety elsewhere', LoginURL: `${baseUrl}/lti/login` },
    ...{ TargetLinkURI: `${baseUrl}/lti/launch`, Custom: { course: 'fire-safety' }, Shares: ['name'] },
    PublicKey,
  });
  expectStatus(first, 201);
  const { Issuer, ClientID, DeploymentID, AuthURL, TokenURL, JWKSURL } = first.body.Registration;
  const provider = await newTenant(service);
  const platform = await provider.api('POST', '/platform', {
    ...{ Name: 'Lectern', Issuer, ClientID, DeploymentIDs: [DeploymentID], AuthURL, TokenURL, JWKSURL },
  });
  expectStatus(platform, 201);
  const change = { JWKSURL: platform.body.Tool.JWKSURL };
  expectStatus(await lms.api('PUT', `/course/${course}/tool`, change), 200);

  const tested = async () => {
    const { body } = await provider.api('POST', `/platform/${platform.body.PlatformID}/test`);
    return [body.Passed, body.Steps.map(({ Step }: { Step: string }) => Step)];
  };

  const LoginID = await lms.user({ FirstName: 'Ada' });
  const { EnrollID, LaunchURL } = (await lms.api('POST', `/enrol/${LoginID}/${course}`)).body;
  const { login } = await openTool(LaunchURL);
  const started = await fetch(login, { redirect: 'manual' });
  const cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const answer = await fetch(started.headers.get('location') ?? '');
  const form = fieldsIn(await answer.text());
  // That nothing has been launched yet is no fault.
  assert.deepEqual(await tested(), [true, ['keys', 'clock', 'token']]);
  const reply = await fetch(`${baseUrl}/lti/launch`, {
    ...{ method: 'POST', headers: { cookie }, redirect: 'manual' },
    body: new URLSearchParams(form),
  });
  assert.equal(reply.status, 303, await reply.text());
  const { Items } = (await provider.api('GET', '/enrolment')).body;
  const [{ LoginID: there, EnrollID: inner }] = Items;
  const { FirstName } = (await provider.api('GET', `/user/${encodeURIComponent(there)}`)).body;
  assert.equal(FirstName, 'Ada');
  const innerPath = `/enrolment/${encodeURIComponent(there)}/${inner}`;
  const playing = await play(service, (await provider.api('GET', innerPath)).body.LaunchURL);
  clock.advance({ seconds: 1 });
  await playing.commit({ Data: scorm12('passed', 80) });
  const read = async () => (await lms.api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body;
  await until('the score arrives', async () => (await read()).Score === 80);
  assert.equal((await read()).Status, 'completed');
  assert.deepEqual(await tested(), [true, ['keys', 'clock', 'token', 'launch']]);
});

test('a launch says only what the tool may know, and names its services', async () => {
  const { tool, claims } = await launched({ Custom: { chapter: '3' } });
  assert.deepEqual(
    [claims.iss, claims.aud, claims.nonce, claims.name, claims.email],
    [tool.Registration.Issuer, tool.Registration.ClientID, 'nonce-1', undefined, undefined],
  );
  assert.deepEqual(claims[claim('custom')], { chapter: '3' });
  assert.match(String(claims.sub), /^[0-9a-f-]{36}$/);
  const more = await launched({ Shares: ['name', 'email'] });
  assert.deepEqual(
    [more.claims.name, more.claims.given_name, more.claims.email],
    ['Ada Lovelace', 'Ada', 'ada@example.com'],
  );
  const presentation = more.claims[claim('launch_presentation')] as { return_url: string };
  const returned = await fetch(presentation.return_url);
  assert.equal(returned.status, 200);
});

test('the keyset has a key before the first launch', async () => {
  const { Registration } = await withTool();
  const { keys } = (await (await fetch(Registration.JWKSURL)).json()) as { keys: { alg: string }[] };
  assert.deepEqual(
    keys.map(({ alg }) => alg),
    ['RS256'],
  );
});

test('authentication requests that differ from the registration are rejected and shown', async () => {
  const { tool, login } = await launched();
  const bad: [Record<string, string>, number][] = [
    [{ redirect_uri: 'https://evil.example/' }, 400],
    [{ client_id: 'another' }, 400],
    [{ login_hint: 'somebody' }, 400],
    [{ nonce: '' }, 400],
    [{ response_mode: 'query' }, 400],
    [{ lti_message_hint: 'forged' }, 400],
  ];
  for (const [change, status] of bad) {
    const { status: found, html, fields } = await authenticate(login, tool.Registration, change);
    assert.equal(found, status, JSON.stringify(change));
    assert.equal(fields.id_token, undefined, html);
  }
  const { LastProblem } = (await tool.api('GET', `/course/${tool.course}/tool`)).body;
  assert.equal(LastProblem.Request, 'login');
  assert.match(LastProblem.Detail, /response_mode/);
  const other = await withTool();
  assert.equal((await authenticate(login, other.Registration)).status, 400);
  clock.advance({ minutes: 11 });
  assert.equal((await authenticate(login, tool.Registration)).status, 400);
});

test('a session that was replaced no longer launches', async () => {
  const { tool, learner, login } = await launched();
  const first = await openTool(learner.LaunchURL);
  await openTool(learner.LaunchURL);
  assert.equal((await authenticate(login, tool.Registration)).status, 410);
  assert.equal((await fetch(first.url, { redirect: 'manual' })).status, 410);
});

test('a tool that refuses frames is opened in a window of its own', async () => {
  const tool = await withTool({ OwnWindow: true });
  const { LaunchURL } = await tool.enrol();
  const { reply } = await openTool(LaunchURL);
  assert.equal(reply.status, 200);
  const url = unescaped(/href="([^"]+window=true)"/.exec(await reply.text())?.[1] ?? '');
  const opened = await fetch(url, { redirect: 'manual' });
  assert.equal(opened.status, 303);
  const { fields } = await authenticate(opened.headers.get('location') ?? '', tool.Registration);
  const presentation = decodeJwt(fields.id_token ?? '')[claim('launch_presentation')];
  assert.equal((presentation as { document_target: string }).document_target, 'window');
});

test('scores become evidence, and bad ones get the status that AGS gives them', async () => {
  const { tool, learner, claims } = await launched({ PassingScore: 70 });
  const userId = String(claims.sub);
  const { lineitem } = claims[`${ags}claim/endpoint`] as { lineitem: string };
  const { access_token } = await tool.token(`${ags}scope/score ${ags}scope/result.readonly`);
  const read = async () => (await tool.api('GET', learner.path)).body;
  const send = (score: Record<string, unknown>) => {
    clock.advance({ seconds: 1 });
    return sendScore(lineitem, access_token, { userId, ...score });
  };
  assert.equal((await send({ activityProgress: 'InProgress', gradingProgress: 'NotReady' })).status, 204);
  assert.deepEqual([(await read()).Status, (await read()).Score], ['in_progress', null]);
  // As Moodle 4.2 sends it: digits as text.
  assert.equal((await send({ scoreGiven: '6.00000', scoreMaximum: 10 })).status, 204);
  assert.deepEqual([(await read()).Score, (await read()).Success], [60, 'failed']);
  assert.equal((await send({ scoreGiven: 12, scoreMaximum: 10 })).status, 204);
  const after = await read();
  assert.deepEqual([after.Score, after.Success, after.Status], [100, 'passed', 'completed']);

  const bad: [Record<string, unknown>, number, RegExp][] = [
    [{ scoreGiven: 5 }, 400, /scoreMaximum/],
    [{ scoreGiven: -1, scoreMaximum: 10 }, 400, /at least 0/],
    [{ scoreGiven: 'many', scoreMaximum: 10 }, 400, /at least 0/],
    [{ scoreGiven: 1, scoreMaximum: 0 }, 400, /greater than 0/],
    [{ activityProgress: 'Done' }, 400, /activityProgress/],
    [{ timestamp: 'yesterday' }, 400, /timestamp/],
    [{ userId: 'nobody' }, 400, /not a learner/],
    [{ timestamp: '2020-01-01T00:00:00Z', scoreGiven: 1, scoreMaximum: 1 }, 409, /later timestamp/],
  ];
  for (const [score, status, detail] of bad) {
    const reply = await send(score);
    assert.equal(reply.status, status, JSON.stringify(score));
    assert.match(String(reply.body.detail), detail);
  }
  assert.equal((await read()).Score, 100);
  const { LastProblem } = (await tool.api('GET', `/course/${tool.course}/tool`)).body;
  assert.match(LastProblem.Detail, /later timestamp/);

  const results = await fetch(`${lineitem}/results?user_id=${userId}`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  assert.match(results.headers.get('content-type') ?? '', /lis\.v2\.resultcontainer\+json/);
  const [result] = await results.json();
  assert.deepEqual([result.userId, result.resultScore, result.resultMaximum], [userId, 100, 100]);
});

test('a token opens only the courses of its client, with its scopes, in its tenant', async () => {
  const { tool, claims } = await launched();
  const other = await launched();
  const score = { userId: claims.sub, scoreGiven: 1, scoreMaximum: 1 };
  const { lineitem } = claims[`${ags}claim/endpoint`] as { lineitem: string };
  const { access_token } = await tool.token(`${ags}scope/score`);
  const foreign = (await other.tool.token(`${ags}scope/score`)).access_token;
  assert.equal((await sendScore(lineitem, foreign, score)).status, 401);
  assert.equal((await sendScore(lineitem, 'x'.repeat(40), score)).status, 401);
  const reading = (await tool.token(`${ags}scope/result.readonly`)).access_token;
  assert.equal((await sendScore(lineitem, reading, score)).status, 403);
  const problem = async () => (await tool.api('GET', `/course/${tool.course}/tool`)).body.LastProblem.Detail;
  assert.match(await problem(), /lacks the scope/);
  assert.equal((await sendScore(lineitem.replace(/result$/, 'another'), access_token, score)).status, 404);
  const second = unique('tool');
  expectStatus(await tool.api('PUT', `/course/${second}/tool`, plainTool), 201);
  const elsewhere = lineitem.replace(tool.course, second);
  assert.equal((await sendScore(elsewhere, access_token, score)).status, 404);
  assert.equal(await problem(), `${second}: This is not a course of the tool. Use the URLs of the launch.`);
  const others = (await other.tool.api('GET', `/course/${other.tool.course}/tool`)).body;
  assert.equal(others.LastProblem, null);
  // The same client may serve several courses.
  const shared = { ClientID: tool.Registration.ClientID, TargetLinkURI: redirect };
  const third = unique('tool');
  const made = await tool.api('PUT', `/course/${third}/tool`, shared);
  expectStatus(made, 201);
  assert.equal(made.body.PublicKey, PublicKey);
  assert.equal((await sendScore(lineitem.replace(tool.course, third), access_token, score)).status, 400);
  const stolen = await other.tool.api('PUT', `/course/${unique('tool')}/tool`, { ...shared, ...plainTool });
  expectProblem(stolen, 422, 'validation_failed', 'ClientID');
  clock.advance({ minutes: 61 });
  assert.equal((await sendScore(lineitem, access_token, score)).status, 401);
});

test('assertions are checked, and used once', async () => {
  const tool = await withTool();
  const scope = `${ags}scope/score`;
  const stranger = await generateKeyPair('RS256');
  const jti = unique('jti');
  assert.equal((await tool.token(scope, { jti })).status, 200);
  const seconds = Math.floor(clock.now().getTime() / 1000);
  for (const more of [
    { jti },
    { aud: 'https://another.example/token' },
    { sub: 'another' },
    { iss: 'another' },
    { exp: seconds - 600 },
    { iat: seconds - 7_200 },
    { jti: undefined },
  ])
    assert.equal((await tool.token(scope, more)).error, 'invalid_client', JSON.stringify(more));
  const { LastProblem } = (await tool.api('GET', `/course/${tool.course}/tool`)).body;
  assert.match(LastProblem.Detail, /^The assertion was rejected/);
  assert.equal((await tool.token('openid')).error, 'invalid_scope');
  const { ClientID: iss, TokenURL: aud } = tool.Registration;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await sign({ iss, sub: iss, aud }, stranger.privateKey),
    scope,
  });
  assert.equal((await fetch(aud, { method: 'POST', body })).status, 401);
});

test('the tool reads line items and learners, in pages and as differences', async () => {
  const { tool, claims } = await launched({ Shares: ['name'] });
  for (const _ of [1, 2]) await tool.enrol({ FirstName: 'Bob' });
  const { access_token } = await tool.token(
    `${ags}scope/lineitem.readonly ${nrps}scope/contextmembership.readonly`,
  );
  const get = async (url: string) => {
    const reply = await fetch(url, { headers: { authorization: `Bearer ${access_token}` } });
    const link = (rel: string) =>
      (reply.headers.get('link') ?? '')
        .split(', ')
        .flatMap((one) =>
          /<(.+)>; rel="(.+)"/.exec(one)?.[2] === rel ? [/<(.+)>/.exec(one)?.[1] ?? ''] : [],
        )[0];
    return { status: reply.status, body: await reply.json(), link };
  };
  const { lineitems, lineitem } = claims[`${ags}claim/endpoint`] as Record<string, string>;
  const [item] = (await get(lineitems ?? '')).body;
  assert.deepEqual([item.id, item.scoreMaximum, item.resourceLinkId], [lineitem, 100, tool.course]);
  assert.deepEqual((await get(`${lineitems}?resource_link_id=another`)).body, []);
  assert.equal((await get(lineitem ?? '')).body.label, tool.course);
  const { context_memberships_url: url } = claims[`${nrps}claim/namesroleservice`] as Record<string, string>;
  const seen: string[] = [];
  let page = await get(`${url}?limit=2`);
  for (;;) {
    seen.push(...page.body.members.map(({ user_id }: { user_id: string }) => user_id));
    const next = page.link('next');
    if (!next) break;
    page = await get(next);
  }
  assert.equal(new Set(seen).size, 3);
  assert.ok(seen.includes(String(claims.sub)));
  const [member] = page.body.members;
  assert.deepEqual([member.status, member.email], ['Active', undefined]);
  const since = page.link('differences') ?? '';
  assert.deepEqual((await get(since)).body.members, []);
  clock.advance({ seconds: 1 });
  await tool.enrol({ FirstName: 'Carol' });
  const changed = await get(since);
  assert.deepEqual(
    changed.body.members.map(({ name }: { name: string }) => name),
    ['Carol'],
  );
  assert.equal((await fetch(url ?? '')).status, 401);
});

test('an administrator chooses contents in the tool', async () => {
  const tool = await withTool({ Custom: { kept: 'yes' } });
  const begin = async () => {
    const { ContentURL } = (await tool.api('POST', `/course/${tool.course}/tool/content`)).body;
    const started = await fetch(ContentURL, { redirect: 'manual' });
    const { fields } = await authenticate(started.headers.get('location') ?? '', tool.Registration);
    const claims = decodeJwt(fields.id_token ?? '') as Record<string, unknown>;
    assert.equal(claims[claim('message_type')], 'LtiDeepLinkingRequest');
    return claims[`${dl}deep_linking_settings`] as { deep_link_return_url: string; data: string };
  };
  const settings = await begin();
  const answer = async (more: Record<string, unknown> = {}, key = keys.privateKey) => {
    const JWT = await sign(
      {
        iss: tool.Registration.ClientID,
        aud: tool.Registration.Issuer,
        [claim('message_type')]: 'LtiDeepLinkingResponse',
        [claim('version')]: '1.3.0',
        [claim('deployment_id')]: '1',
        [`${dl}data`]: settings.data,
        [`${dl}content_items`]: [
          { type: 'ltiResourceLink', url: 'https://tool.example.com/lesson/7', custom: { lesson: 7 } },
        ],
        ...more,
      },
      key,
    );
    const body = new URLSearchParams({ JWT });
    return (await fetch(settings.deep_link_return_url, { method: 'POST', body })).status;
  };
  const stranger = await generateKeyPair('RS256');
  assert.equal(await answer({}, stranger.privateKey), 401);
  assert.equal(await answer({ aud: 'another' }), 401);
  assert.equal(await answer({ iss: 'another' }), 401);
  assert.equal(await answer({ [`${dl}data`]: 'forged' }), 400);
  assert.equal(
    await answer({ [`${dl}content_items`]: [{ type: 'ltiResourceLink', url: 'javascript:1' }] }),
    401,
  );
  const nonce = unique('nonce');
  assert.equal(await answer({ nonce }), 200);
  assert.equal(await answer({ nonce }), 401);
  const { TargetLinkURI, Custom } = (await tool.api('GET', `/course/${tool.course}/tool`)).body;
  assert.equal(TargetLinkURI, 'https://tool.example.com/lesson/7');
  assert.deepEqual(Custom, { kept: 'yes', lesson: '7' });
});

test('the robot of a test tenant plays a tool', async () => {
  const { api, user } = await newTenant(service, { Status: 'test' });
  const course = unique('tool');
  expectStatus(await api('PUT', `/course/${course}/tool`, { ...plainTool, PassingScore: 70 }), 201);
  const LoginID = await user();
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${course}`)).body;
  const played = await api('POST', `/test/play/${EnrollID}`, { Status: 'passed', Score: 90 });
  assert.deepEqual([played.status, played.body.Score, played.body.Success], [200, 90, 'passed']);
});

test('a tool is changed, belongs to its tenant, and is deleted while nobody is enrolled', async () => {
  const tool = await withTool();
  const address = `/course/${tool.course}/tool`;
  const other = await newTenant(service);
  expectProblem(await other.api('GET', address), 404, 'course_not_found');
  expectProblem(await other.api('PUT', address, plainTool), 404, 'course_not_found');
  expectProblem(await other.api('DELETE', address), 404, 'course_not_found');
  expectProblem(await other.api('GET', `/catalogue/course/${tool.course}/x`), 404, 'user_not_found');
  const incomplete = { LoginURL: plainTool.LoginURL, TargetLinkURI: redirect };
  expectProblem(await other.api('PUT', '/course/none/tool', incomplete), 422, 'validation_failed', 'JWKSURL');
  expectProblem(
    await other.api('PUT', '/course/none/tool', { ...plainTool, PublicKey: 'x' }),
    422,
    'validation_failed',
    'PublicKey',
  );
  expectProblem(await other.api('PUT', '/course/fire-safety/tool', plainTool), 404, 'course_not_found');
  const changed = await tool.api('PUT', address, { Title: 'Fire', OwnWindow: true });
  assert.deepEqual([changed.body.Title, changed.body.LoginURL], ['Fire', plainTool.LoginURL]);
  const { path } = await tool.enrol();
  expectProblem(await tool.api('DELETE', address), 409, 'course_in_use');
  assert.ok(path);
  const empty = unique('tool');
  expectStatus(await tool.api('PUT', `/course/${empty}/tool`, plainTool), 201);
  expectStatus(await tool.api('DELETE', `/course/${empty}/tool`), 204);
  expectStatus(await tool.api('GET', `/course/${empty}/tool`), 404);
  assert.ok((await exportJWK(keys.publicKey)).n);
});
