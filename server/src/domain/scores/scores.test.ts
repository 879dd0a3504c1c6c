import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { decodeJwt } from 'jose';
import { movableClock } from '../../../test/support/clock.ts';
import { claim, login, platformAt, startPlatform } from '../../../test/support/lti-platform.ts';
import { packUnits } from '../../../test/support/packages.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { webhookSources } from '../../app/webhook-sources.ts';
import { startDispatcher } from '../events/webhooks/dispatcher.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const { baseUrl } = service.ctx.config;
const dispatchers = [1, 2].map(() => startDispatcher(service.ctx, webhookSources));
after(async () => {
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(1_000)));
  await service.close();
});
expectStatus(await service.importPackage('fire-safety', await packUnits(1)), 201);
expectStatus(await service.api('PUT', '/course/fire-safety/option/open', {}), 201);

const endpoint = 'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint';
const scope = (name: string) => `https://purl.imsglobal.org/spec/lti-ags/scope/${name}`;

/** A tenant with a platform. `launch` opens the course as this person, and returns its player. */
async function connected(t: TestContext) {
  const platform = await startPlatform(clock.now);
  t.after(platform.close);
  const tenant = await newTenant(service);
  const made = await tenant.api('POST', '/platform', platformAt(platform.origin));
  expectStatus(made, 201);
  const launch = async (sub: string, { link = 'link-1', scopes = ['score', 'result.readonly'] } = {}) => {
    const { nonce, post } = await login(baseUrl, platform);
    const payload = platform.claims(nonce, {
      sub,
      [claim('custom')]: { course: 'fire-safety' },
      [claim('resource_link')]: { id: link },
      [endpoint]: {
        scope: scopes.map(scope),
        lineitem: `${platform.origin}/items/${link}/lineitem?type_id=1`,
      },
    });
    assert.equal((await post({ id_token: await platform.sign(payload) })).status, 303);
    const loginId = encodeURIComponent(`lti:${platform.origin.replace('http://', '')}:${sub}`);
    const [enrolment] = (await tenant.api('GET', `/enrolment/${loginId}`)).body.Items;
    const path = `/enrolment/${loginId}/${enrolment.EnrollID}`;
    const { LaunchURL } = (await tenant.api('GET', path)).body;
    return { playing: await play(service, LaunchURL), path };
  };
  return { platform, tenant, launch, hook: `/webhook/${made.body.PlatformID}` };
}

const timeline = async ({ api }: TestTenant, path: string, type: string) =>
  (await api('GET', `${path}/timeline`)).body.Items.filter(({ Type }: { Type: string }) => Type === type);

test('the best result is sent with the media type and path that the platform needs', async (t) => {
  const { platform, tenant, launch, hook } = await connected(t);
  const { playing, path } = await launch('ada');
  expectStatus(await playing.commit({ Data: scorm12('incomplete', 20) }), 200);
  await until('progress arrives', () => platform.scores.some(({ body }) => body.scoreGiven === 20));
  expectStatus(await playing.commit({ Data: scorm12('passed', 80) }), 200);
  await until('the score arrives', () => platform.scores.at(-1)?.body.scoreGiven === 80);
  const { address, type, body } = platform.scores.at(-1) as (typeof platform.scores)[0];
  assert.equal(address, '/items/link-1/lineitem/scores?type_id=1');
  assert.equal(type, 'application/vnd.ims.lis.v1.score+json');
  assert.deepEqual(
    [body.userId, body.scoreMaximum, body.activityProgress, body.gradingProgress],
    ['ada', 100, 'Completed', 'FullyGraded'],
  );
  await until(
    'the timeline says so',
    async () => (await timeline(tenant, path, 'score.accepted')).length > 1,
  );
  const [accepted] = (await timeline(tenant, path, 'score.accepted')).toReversed();
  assert.deepEqual([accepted.Data.Score, accepted.Data.Platform], [80, 'Moodle']);
  const sent = platform.scores.length;
  expectStatus(await playing.commit({ Data: scorm12('failed', 10) }), 200);
  await until('the deliveries have ended', async () => {
    const { Items } = (await tenant.api('GET', `${hook}/delivery`)).body;
    return Items.every(({ Status }: { Status: string }) => Status === 'delivered');
  });
  assert.equal(platform.scores.length, sent);
  const scopes = platform.tokens.map((token) => token.get('scope'));
  assert.deepEqual(scopes.toSorted(), [scope('result.readonly'), scope('score')]);
  const assertion = decodeJwt(platform.tokens[0]?.get('client_assertion') ?? '');
  assert.deepEqual(
    [assertion.iss, assertion.sub, assertion.aud],
    ['lectern', 'lectern', `${platform.origin}/token`],
  );
});

test('a grade that a teacher changed is kept, which the timeline says, until the delivery is replayed', async (t) => {
  const { platform, tenant, launch, hook } = await connected(t);
  const { playing, path } = await launch('ada');
  expectStatus(await playing.commit({ Data: scorm12('incomplete', 20) }), 200);
  await until('progress arrives', () => platform.grades.get('link-1 ada') === 20);
  await until('it is recorded', async () => (await timeline(tenant, path, 'score.accepted')).length > 0);
  platform.grades.set('link-1 ada', 55);
  expectStatus(await playing.commit({ Data: scorm12('passed', 80) }), 200);
  await until('it is rejected', async () => (await timeline(tenant, path, 'score.rejected')).length === 1);
  const [rejected] = await timeline(tenant, path, 'score.rejected');
  assert.match(rejected.Data.Detail, /has 55 of 100 instead of 20/);
  assert.equal(platform.grades.get('link-1 ada'), 55);
  const { Items } = (await tenant.api('GET', `${hook}/delivery?Status=failed`)).body;
  expectStatus(await tenant.api('POST', `${hook}/replay`, { EventIDs: [Items[0].EventID] }), 200);
  await until('it is replaced', () => platform.grades.get('link-1 ada') === 80);
});

test('a line item that fails blocks no other one, and Retry-After is respected', async (t) => {
  const { platform, tenant, launch, hook } = await connected(t);
  platform.refusals.set('link-1', { status: 503, retryAfter: '120' }).set('link-3', { status: 404 });
  const ada = await launch('ada', { scopes: ['score'] });
  await launch('ada', { link: 'link-2', scopes: ['score'] });
  const { playing } = await launch('ada', { link: 'link-3', scopes: ['score'] });
  expectStatus(await playing.commit({ Data: scorm12('passed', 70) }), 200);
  await until('the other arrives', () => platform.grades.get('link-2 ada') === 70);
  await until('the missing one is rejected', async () =>
    (await timeline(tenant, ada.path, 'score.rejected')).some(
      ({ Data }: { Data: { Problem: string } }) => Data.Problem === '404',
    ),
  );
  const pending = async () => (await tenant.api('GET', `${hook}/delivery?Status=pending`)).body.Items;
  const tried = async () => (await pending()).find(({ Attempts }: { Attempts: number }) => Attempts === 1);
  await until('one waits', async () => (await tried()) !== undefined);
  const waiting = await tried();
  const seconds = (Date.parse(waiting.NextAttemptAt) - Date.parse(waiting.AttemptedAt)) / 1000;
  assert.ok(seconds >= 119 && seconds < 160, String(seconds));
  platform.refusals.clear();
  clock.advance({ seconds: 160 });
  await until('it arrives', () => platform.grades.get('link-1 ada') === 70);
});

test('an old result is sent after the first launch from a platform', async (t) => {
  const { platform, launch } = await connected(t);
  const { playing } = await launch('ada', { scopes: [] });
  expectStatus(await playing.commit({ Data: scorm12('passed', 90) }), 200);
  await launch('ada');
  await until('it arrives', () => platform.grades.get('link-1 ada') === 90);
});

test('a score waits until the platform gives a token, and is not taken for a rejected one', async (t) => {
  const { platform, tenant, launch, hook } = await connected(t);
  platform.answers.token = 'invalid_scope';
  const { playing } = await launch('ada');
  expectStatus(await playing.commit({ Data: scorm12('passed', 90) }), 200);
  const tried = async () =>
    (await tenant.api('GET', `${hook}/delivery`)).body.Items.filter(
      ({ Attempts }: { Attempts: number }) => Attempts > 0,
    );
  await until('it is tried', async () => (await tried()).length > 0);
  assert.ok((await tried()).every(({ Status }: { Status: string }) => Status === 'pending'));
  platform.answers.token = '';
  clock.advance({ minutes: 5 });
  await until('it arrives', () => platform.grades.get('link-1 ada') === 90);
});

test('the endpoint is tested, disabled and changed only through its platform', async (t) => {
  const { platform, tenant, hook } = await connected(t);
  const works = await tenant.api('POST', `${hook}/ping`);
  assert.deepEqual([works.status, works.body.Status], [200, 'delivered']);
  for (const [answer, advice] of [
    ['invalid_client', /public keyset URL/],
    ['page', /status 404, .* Check whether the platform can read \S+\/jwks\.json\.$/],
  ] as const) {
    platform.answers.token = answer;
    const { body } = await tenant.api('POST', `${hook}/ping`);
    assert.equal(body.Status, 'failed');
    assert.match(body.Error, advice);
  }
  expectProblem(
    await tenant.api('PUT', hook, { URL: 'https://evil.example/' }),
    422,
    'validation_failed',
    'URL',
  );
  expectStatus(await tenant.api('PUT', hook, { Status: 'disabled' }), 200);
  expectStatus(await tenant.api('DELETE', hook.replace('webhook', 'platform')), 200);
  expectStatus(await tenant.api('GET', hook), 404);
});

for (const [connection, scopes] of [
  ['a new', ['score']],
  ['an open', ['result.readonly', 'score']],
] as const)
  test(`a score whose response was lost on ${connection} connection is repeated, and counts once`, async (t) => {
    const { platform, tenant, launch } = await connected(t);
    platform.losing.add('link-1');
    const { playing, path } = await launch('ada', { scopes: [...scopes] });
    expectStatus(await playing.commit({ Data: scorm12('passed', 80) }), 200);
    await until('it has arrived, and its response is lost', () => platform.grades.get('link-1 ada') === 80);
    await until('it is accepted', async () => {
      clock.advance({ seconds: 1 });
      return (await timeline(tenant, path, 'score.accepted')).length === 1;
    });
    assert.equal(platform.scores.length, 1);
    assert.deepEqual(await timeline(tenant, path, 'score.rejected'), []);
  });
