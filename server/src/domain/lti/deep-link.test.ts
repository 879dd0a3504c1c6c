import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { movableClock } from '../../../test/support/clock.ts';
import { claim, login, platformAt, startPlatform } from '../../../test/support/lti-platform.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const platform = await startPlatform(clock.now);
after(async () => {
  await platform.close();
  await service.close();
});
const { baseUrl } = service.ctx.config;
const tenant = await newTenant(service);
expectStatus(await tenant.api('POST', '/platform', platformAt(platform.origin)), 201);
const plain = await newCourse(service, { Title: 'Fire safety & more' });
const several = await newCourse(
  service,
  { Title: 'First aid' },
  { short: { Name: 'Three months' }, long: {} },
);
const hidden = await newCourse(service, { Title: 'For others', Tenants: ['nobody'] });

const settings = 'https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings';
const own = (name: string) => `https://purl.imsglobal.org/spec/lti-dl/claim/${name}`;

async function begin(more: Record<string, unknown> = {}) {
  const { nonce, post } = await login(baseUrl, platform);
  const payload = platform.claims(nonce, {
    [claim('message_type')]: 'LtiDeepLinkingRequest',
    [claim('resource_link')]: undefined,
    [settings]: {
      deep_link_return_url: `${platform.origin}/return?x=1&y=2`,
      accept_types: ['ltiResourceLink'],
      accept_multiple: true,
      data: 'opaque',
      ...more,
    },
  });
  const reply = await post({ id_token: await platform.sign(payload) });
  const html = await reply.text();
  return { reply, html, selection: /name="selection" value="([^"]+)"/.exec(html)?.[1] ?? '' };
}

const choose = (fields: [string, string][]) =>
  fetch(`${baseUrl}/lti/deep-link`, { method: 'POST', body: new URLSearchParams(fields) });

test('several courses are searched, ticked and sent to the platform with grade columns', async () => {
  const { reply, html, selection } = await begin();
  assert.equal(reply.status, 200, html);
  assert.ok(html.includes('Fire safety &amp; more') && html.includes('First aid (long)'));
  assert.ok(!html.includes(hidden));
  const ticked: [string, string][] = [
    ['selection', selection],
    ['course', JSON.stringify([plain, null])],
    ['grade', 'true'],
  ];
  const found = await (await choose([...ticked, ['search', 'aid'], ['action', 'search']])).text();
  assert.ok(found.includes('First aid (Three months)'));
  assert.match(found, /checked><span>Fire safety/);
  const added = await choose([
    ...ticked,
    ['course', JSON.stringify([several, 'short'])],
    ['course', JSON.stringify([hidden, null])],
    ['action', 'add'],
  ]);
  const page = await added.text();
  assert.ok(page.includes(`action="${platform.origin}/return?x=1&amp;y=2"`));
  const token = /name="JWT" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const keys = createRemoteJWKSet(new URL(`${baseUrl}/issuer/${tenant.TenantID}/jwks.json`));
  const { payload } = await jwtVerify(token, keys, {
    algorithms: ['RS256'],
    issuer: 'lectern',
    audience: platform.origin,
  });
  assert.equal(payload.aud, platform.origin);
  assert.equal(payload[claim('deployment_id')], '1');
  assert.equal(payload[claim('message_type')], 'LtiDeepLinkingResponse');
  assert.equal(payload[own('data')], 'opaque');
  assert.deepEqual(payload[own('content_items')], [
    {
      type: 'ltiResourceLink',
      title: 'Fire safety & more',
      url: `${baseUrl}/lti/launch?course=${plain}`,
      custom: { course: plain },
      lineItem: { scoreMaximum: 100, label: 'Fire safety & more', resourceId: plain },
    },
    {
      type: 'ltiResourceLink',
      title: 'First aid (Three months)',
      url: `${baseUrl}/lti/launch?course=${several}&option=short`,
      custom: { course: several, option: 'short' },
      lineItem: { scoreMaximum: 100, label: 'First aid (Three months)', resourceId: several },
    },
  ]);
});

test('a platform that takes one course without a grade gets that', async () => {
  const { html, selection } = await begin({ accept_multiple: false, accept_lineitem: false });
  assert.match(html, /type="radio"/);
  const page = await (
    await choose([
      ['selection', selection],
      ['course', JSON.stringify([plain, null])],
      ['course', JSON.stringify([several, 'long'])],
      ['grade', 'true'],
      ['action', 'add'],
    ])
  ).text();
  const token = /name="JWT" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const [, body = ''] = token.split('.');
  const items = JSON.parse(Buffer.from(body, 'base64url').toString())[own('content_items')];
  assert.equal(items.length, 1);
  assert.equal(items[0].lineItem, undefined);
});

test('forged and old selections, and places that take no links, are rejected', async () => {
  const { selection } = await begin();
  assert.equal((await choose([['selection', 'forged']])).status, 401);
  clock.advance({ minutes: 61 });
  assert.equal((await choose([['selection', selection]])).status, 401);
  assert.equal((await begin({ accept_types: ['html'] })).reply.status, 400);
  assert.equal((await begin({ deep_link_return_url: 'javascript:alert(1)' })).reply.status, 400);
});
