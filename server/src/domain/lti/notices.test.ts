import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { claim, login, platformAt, startPlatform } from '../../../test/support/lti-platform.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';

const clock = movableClock();
const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' }, now: clock.now });
after(service.close);

async function connected() {
  const platform = await startPlatform(clock.now);
  after(platform.close);
  const tenant = await newTenant(service);
  const made = await tenant.api('POST', '/platform', platformAt(platform.origin));
  expectStatus(made, 201);
  const course = await newCourse(service, {}, { month: { Duration: 'P30D' } });
  const launch = async (more: Record<string, unknown>) => {
    const { nonce, post } = await login(service.baseUrl, platform);
    return post({ id_token: await platform.sign(platform.claims(nonce, more)) });
  };
  const log = async () => (await tenant.api('GET', `/platform/${made.body.PlatformID}/launch`)).body.Items;
  const copied = (nonce: string, more: Record<string, unknown> = {}) => ({
    ...platform.claims(nonce),
    [claim('notice')]: { id: nonce, timestamp: clock.now().toISOString(), type: 'LtiContextCopyNotice' },
    [claim('context')]: { id: 'course-2', title: 'Autumn' },
    [claim('origin_contexts')]: ['course-1'],
    ...more,
  });
  const send = async (...payloads: Record<string, unknown>[]) => {
    const notices = await Promise.all(payloads.map(async (one) => ({ jwt: await platform.sign(one) })));
    return service.api('POST', '/lti/notice', { notices }, '');
  };
  return { platform, tenant, course, launch, log, copied, send };
}

const offered = (origin: string, more: object = {}) => ({
  [claim('platformnotificationservice')]: {
    service_versions: ['1.0'],
    platform_notification_service_url: `${origin}/notices`,
    scope: ['https://purl.imsglobal.org/spec/lti/scope/noticehandlers'],
    notice_types_supported: ['LtiHelloWorldNotice', 'LtiContextCopyNotice'],
    ...more,
  },
});

test('copies of courses are ordered once from a platform that offers them, and logged', async () => {
  const { platform, course, launch, log, copied, send } = await connected();
  const custom = { [claim('custom')]: { course } };
  await launch({
    ...custom,
    ...offered(platform.origin, { notice_types_supported: ['LtiHelloWorldNotice'] }),
  });
  for (let n = 0; n < 2; n++)
    assert.equal((await launch({ ...custom, ...offered(platform.origin) })).status, 303);
  await until('the notices are ordered', () => platform.ordered.length > 0);
  assert.deepEqual(platform.ordered, [
    {
      authorization: 'Bearer access',
      body: { notice_type: 'LtiContextCopyNotice', handler: `${service.baseUrl}/lti/notice` },
    },
  ]);
  const scope = 'https://purl.imsglobal.org/spec/lti/scope/noticehandlers';
  assert.equal(platform.tokens.at(-1)?.get('scope'), scope);
  const [one, other] = [
    copied(unique('notice')),
    copied(unique('notice'), { [claim('notice')]: { type: 'Other' } }),
  ];
  expectStatus(await send(one, other), 204);
  // The platform got no answer, and repeats the notice.
  expectStatus(await send(one), 204);
  const copies = (await log()).filter(({ Message }: { Message: string }) => Message === 'copy');
  assert.deepEqual(
    copies.map(({ Detail, Problem, DeploymentID }: Record<string, unknown>) => [
      Detail,
      Problem,
      DeploymentID,
    ]),
    [['Autumn (course-2) ← course-1', null, '1']],
  );
});

test('notices of others are rejected, and the valid ones beside them are kept', async () => {
  const { platform, copied, send, log } = await connected();
  const stranger = await startPlatform(clock.now);
  after(stranger.close);
  for (const [changed, problem] of [
    [{ aud: 'another' }, 'unknown_platform'],
    [{ aud: ['lectern', 'another'] }, 'wrong_audience'],
    [{ [claim('deployment_id')]: '2' }, 'unknown_deployment'],
    [
      { iat: clock.now().getTime() / 1000 - 9_000, exp: clock.now().getTime() / 1000 - 5_000 },
      'token_expired',
    ],
    [{ nonce: undefined }, 'malformed'],
  ] as const) {
    const reply = await send(copied(unique('bad'), changed), copied(unique('good')));
    expectStatus(reply, 400);
    assert.match(reply.body.detail, new RegExp(`^${problem}: `));
  }
  const forged = await stranger.sign(copied(unique('forged')));
  const reply = await service.api('POST', '/lti/notice', { notices: [{ jwt: forged }, { jwt: 'none' }] }, '');
  expectStatus(reply, 400);
  assert.match(reply.body.detail, /^bad_signature: /);
  assert.equal((await log()).length, 5);
  assert.equal(platform.ordered.length, 0);
});

test('a copied place that lost its parameters opens the course of the place that it was copied from', async () => {
  const { tenant, course, launch, log } = await connected();
  await launch({ [claim('custom')]: { course } });
  const copy = (history: string, sub: string) =>
    launch({
      sub,
      [claim('resource_link')]: { id: `copy-of-${history}` },
      [claim('custom')]: { resource_link_history: history },
    });
  assert.equal((await copy('unknown,link-1', 'bob')).status, 303);
  const [{ CourseID, LoginID }] = await log();
  assert.deepEqual([CourseID, LoginID.endsWith(':bob')], [course, true]);
  assert.equal((await copy('$ResourceLink.id.history', 'dan')).status, 400);
  assert.equal((await log())[0].Problem, 'no_course');
  assert.equal((await tenant.api('GET', '/enrolment')).body.Items.length, 2);
});
