import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { movableClock } from '../../../../test/support/clock.ts';
import { claim, login, platformAt, startPlatform } from '../../../../test/support/lti-platform.ts';
import { packUnits } from '../../../../test/support/packages.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../../test/support/tenant.ts';
import { workImports } from '../../imports/work.ts';
import { removeUntouched } from '../../privacy/erase.ts';
import { syncPlatforms } from './job.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);
const { baseUrl } = service.ctx.config;
expectStatus(await service.importPackage('first-aid', await packUnits(1)), 201);
expectStatus(await service.api('PUT', '/course/first-aid/option/open', {}), 201);

const member = (n: number, more: Record<string, unknown> = {}) => ({
  user_id: `m${n}`,
  status: 'Active',
  given_name: 'Member',
  family_name: String(n),
  email: `m${n}@example.com`,
  roles: ['http://purl.imsglobal.org/vocab/lis/v2/membership#Learner'],
  ...more,
});
const members = (count: number) => Array.from({ length: count }, (_, n) => member(n));

/** A tenant with a platform whose course `c1` has been opened by `m0`. `night` is what happens until the next morning. */
async function connected(t: TestContext, more: Record<string, unknown> = {}) {
  const platform = await startPlatform(clock.now);
  t.after(platform.close);
  const tenant = await newTenant(service);
  const made = await tenant.api('POST', '/platform', { ...platformAt(platform.origin), ...more });
  expectStatus(made, 201);
  const path = `/platform/${made.body.PlatformID}`;
  const launch = async (context: string) => {
    const { nonce, post } = await login(baseUrl, platform);
    const payload = platform.claims(nonce, {
      sub: 'm0',
      [claim('custom')]: { course: 'first-aid' },
      [claim('context')]: { id: context, title: `Course ${context}` },
      'https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice': {
        context_memberships_url: `${platform.origin}/members/${context}`,
        service_versions: ['2.0'],
      },
    });
    assert.equal((await post({ id_token: await platform.sign(payload) })).status, 303);
  };
  await launch('c1');
  const work = () => workImports(service.ctx, removeUntouched);
  const night = async () => {
    clock.advance({ seconds: 86_400 });
    await syncPlatforms(service.ctx);
    await work();
    return (await tenant.api('GET', `${path}/roster`)).body;
  };
  const loginOf = (n: number) => `lti:${platform.origin.replace('http://', '')}:m${n}`;
  const user = async (n: number) => (await tenant.api('GET', `/user/${encodeURIComponent(loginOf(n))}`)).body;
  const enrolments = async (n: number) =>
    (await tenant.api('GET', `/enrolment/${encodeURIComponent(loginOf(n))}`)).body.Items;
  const imports = async () => (await tenant.api('GET', '/import')).body.Items;
  return { platform, tenant, path, launch, night, work, loginOf, user, enrolments, imports };
}

test('members become users at night, are enrolled, updated, disabled, and enabled when they are back', async (t) => {
  const { platform, tenant, path, night, user, enrolments, imports } = await connected(t);
  const teacher = member(99, { roles: ['http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor'] });
  const all = members(20);
  platform.members.set('c1', { pages: [all.slice(0, 12), [...all.slice(12), teacher]] });
  const roster = await night();
  assert.deepEqual(
    roster.Contexts.map(({ Title, Members, Problem }: Record<string, unknown>) => [Title, Members, Problem]),
    [['Course c1', 20, null]],
  );
  assert.equal(
    platform.tokens.at(-1)?.get('scope'),
    'https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly',
  );
  const { body: made } = await tenant.api('GET', `/import/${roster.ImportID}`);
  const { Created, Unchanged, Updated, UsersCreated, EnrolmentsCreated } = made.Counts;
  assert.deepEqual([Created + Updated + Unchanged, UsersCreated, EnrolmentsCreated], [20, 19, 19]);
  assert.equal(`/platform/${made.PlatformID}`, path);
  assert.equal((await user(19)).Email, 'm19@example.com');
  assert.equal((await enrolments(19)).length, 1);
  assert.equal((await enrolments(0)).length, 1);
  assert.equal((await user(99)).code, 'user_not_found');

  await night();
  assert.equal((await imports()).length, 1, 'a night without changes leaves no import');

  platform.members.set('c1', {
    pages: [[...all.slice(2), member(2, { family_name: 'Married' }), member(1, { status: 'Inactive' })]],
  });
  const changed = await night();
  assert.equal(changed.Waiting, false);
  assert.deepEqual([(await user(0)).Enabled, (await user(1)).Enabled], [false, false]);
  assert.deepEqual([(await user(2)).LastName, (await user(2)).Enabled], ['Married', true]);

  const undone = await tenant.api('POST', `/import/${changed.ImportID}/undo`);
  expectStatus(undone, 200);
  assert.equal((await user(1)).Enabled, true);
  const { body: after } = await tenant.api('GET', `/import/${changed.ImportID}`);
  assert.deepEqual([after.Status, after.Undo.UsersRestored], ['undone', 2]);
  await night();
  assert.equal((await user(1)).Enabled, true, 'what was undone is not repeated');

  expectStatus(
    await tenant.api('PUT', `/user/${encodeURIComponent((await user(1)).LoginID)}`, { Enabled: false }),
    200,
  );
  platform.members.set('c1', { pages: [all] });
  await night();
  assert.equal((await user(1)).Enabled, true);
});

test('a plan that would disable more than a tenth waits, and a newer one has all that was in it', async (t) => {
  const { platform, tenant, night, work, user, imports } = await connected(t);
  platform.members.set('c1', { pages: [members(20)] });
  await night();
  platform.members.set('c1', { pages: [[...members(20).slice(3), member(30)]] });
  const waiting = await night();
  assert.equal(waiting.Waiting, true);
  assert.deepEqual([(await user(0)).Enabled, (await user(30)).code], [true, 'user_not_found']);
  const second = await night();
  assert.equal(second.Waiting, true);
  assert.notEqual(second.ImportID, waiting.ImportID);
  assert.equal((await imports()).length, 2);
  expectStatus(await tenant.api('POST', `/import/${second.ImportID}/apply`, {}), 200);
  await work();
  assert.deepEqual([(await user(0)).Enabled, (await user(30)).Enabled], [false, true]);
  assert.equal((await night()).Waiting, false);
});

test('a list that cannot be read whole changes nobody, and the roster says why', async (t) => {
  const { platform, tenant, path, night, user } = await connected(t);
  platform.members.set('c1', { pages: [members(4)] });
  await night();
  platform.members.set('c1', { pages: [[]], status: 403 });
  const refused = await night();
  assert.match(refused.Contexts[0].Problem, /names and roles/);
  assert.equal((await user(3)).Enabled, true);
  platform.answers.token = 'invalid_scope';
  clock.advance({ seconds: 7200 });
  const now = await tenant.api('POST', `${path}/roster`);
  assert.match(now.body.Contexts[0].Problem, /does not allow this tool to read members/);
  assert.equal((await user(3)).Enabled, true);
});

test('who is still a member of another course stays, and Members says what happens', async (t) => {
  const { platform, tenant, path, launch, night, user, enrolments } = await connected(t, {
    Members: 'users',
  });
  await launch('c2');
  platform.members.set('c1', { pages: [members(12)] });
  platform.members.set('c2', { pages: [[member(5)]] });
  await night();
  assert.deepEqual([(await user(5)).Enabled, (await enrolments(5)).length], [true, 0]);
  platform.members.set('c1', { pages: [members(5)] });
  expectStatus(await tenant.api('PUT', path, { Members: 'enrolments' }), 200);
  await night();
  assert.equal((await user(5)).Enabled, true);
  expectStatus(await tenant.api('PUT', path, { Members: 'off' }), 200);
  platform.members.set('c2', { pages: [[]] });
  await night();
  assert.equal((await user(5)).Enabled, true);
  expectStatus(await tenant.api('DELETE', path), 200);
  expectStatus(await tenant.api('GET', `${path}/roster`), 404);
});
