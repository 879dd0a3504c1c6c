import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);
const configurationClaim = 'https://purl.imsglobal.org/spec/lti-tool-configuration';

/** A platform that registers tools. `changed` are fields of its configuration, and `deployment` of its response. */
async function registering(t: TestContext, changed: Record<string, unknown> = {}, deployment: unknown = '7') {
  const received: { authorization: string | undefined; body: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const json = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.method === 'GET')
      return json({
        issuer: origin,
        authorization_endpoint: `${origin}/auth`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/certs`,
        registration_endpoint: `${origin}/register`,
        scopes_supported: ['openid', 'https://purl.imsglobal.org/spec/lti-ags/scope/score'],
        'https://purl.imsglobal.org/spec/lti-platform-configuration': { product_family_code: 'our-lms' },
        ...changed,
      });
    const body = JSON.parse(Buffer.concat(chunks).toString());
    received.push({ authorization: request.headers.authorization, body });
    const own = body[configurationClaim];
    json({ ...body, client_id: 'made-here', [configurationClaim]: { ...own, deployment_id: deployment } });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => server.close());
  const tenant = await newTenant(service);
  const link = async () => {
    const { status, body } = await tenant.api('POST', '/platform/registration');
    assert.equal(status, 200);
    return body.RegistrationURL as string;
  };
  const open = (url: string, configuration = `${origin}/.well-known/openid-configuration`) =>
    fetch(
      `${url}&${new URLSearchParams({ openid_configuration: configuration, registration_token: 'secret' })}`,
    );
  const platforms = async () => (await tenant.api('GET', '/platform')).body.Items;
  return { origin, received, tenant, link, open, platforms };
}

test('a platform registers itself once with a link', async (t) => {
  const { origin, received, link, open, platforms } = await registering(t);
  const url = await link();
  const reply = await open(url);
  assert.equal(reply.status, 200);
  assert.match(await reply.text(), /org\.imsglobal\.lti\.close/);
  const [made] = await platforms();
  assert.deepEqual(
    [made.Issuer, made.ClientID, made.DeploymentIDs, made.AuthURL, made.TokenURL, made.JWKSURL],
    [origin, 'made-here', ['7'], `${origin}/auth`, `${origin}/token`, `${origin}/certs`],
  );
  const [{ authorization, body } = { authorization: '', body: {} }] = received;
  assert.equal(authorization, 'Bearer secret');
  assert.equal(body.initiate_login_uri, made.Tool.LoginURL);
  assert.deepEqual(body.redirect_uris, [made.Tool.LaunchURL]);
  assert.equal(body.jwks_uri, made.Tool.JWKSURL);
  assert.equal(body.scope, 'https://purl.imsglobal.org/spec/lti-ags/scope/score');
  assert.equal((await open(url)).status, 400);
  assert.equal((await platforms()).length, 1);
  assert.equal(received.length, 1, 'a used link registers nothing');
});

test('a link that has expired, was changed or belongs to a suspended tenant registers nothing', async (t) => {
  const { received, tenant, link, open, platforms } = await registering(t);
  const url = await link();
  assert.equal((await open(`${url.slice(0, -2)}xx`)).status, 400);
  clock.advance({ seconds: 3_600 });
  assert.equal((await open(url)).status, 400);
  const other = await link();
  expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, { Status: 'suspended' }), 200);
  const suspended = await open(other);
  assert.equal(suspended.status, 400);
  expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, { Status: 'active' }), 200);
  assert.deepEqual([received.length, (await platforms()).length], [0, 0]);
});

test('a configuration that must not be trusted is rejected with the reason, before anything is registered', async (t) => {
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ issuer: 'https://moodle.example.com' }, /not on the host of its configuration/],
    [{ registration_endpoint: 'http://169.254.169.254/register' }, /address that is not allowed/],
    [{ jwks_uri: 'javascript:alert(1)' }, /no JWKSURL/],
    [{ token_endpoint: undefined }, /no TokenURL/],
  ];
  for (const [changed, reason] of cases) {
    const { link, open, received, platforms } = await registering(t, changed);
    const reply = await open(await link());
    assert.equal(reply.status, 400);
    assert.match(await reply.text(), reason);
    assert.deepEqual([received.length, (await platforms()).length], [0, 0]);
  }
  const { link, open, platforms } = await registering(t, {}, null);
  assert.match(await (await open(await link())).text(), /Add it by hand with the client ID made-here/);
  const hidden = await open(await link(), 'http://169.254.169.254/latest');
  assert.match(await hidden.text(), /address that is not allowed/);
  assert.equal((await platforms()).length, 0);
});

test('the login URL opened by hand says what it is for', async () => {
  const reply = await fetch(`${service.baseUrl}/lti/login`);
  assert.equal(reply.status, 400);
  assert.match(await reply.text(), /Enter it as the login URL of the tool/);
});
