import assert from 'node:assert/strict';
import { after, test } from 'node:test';
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
const course = await newCourse(service);

/** A tenant with one deployment of the client that both tenants share. */
async function withDeployment(id: string) {
  const tenant = await newTenant(service);
  const made = await tenant.api('POST', '/platform', platformAt(platform.origin, id));
  expectStatus(made, 201);
  const address = `/platform/${made.body.PlatformID}`;
  const log = async () => (await tenant.api('GET', `${address}/launch`)).body.Items;
  const people = async () => (await tenant.api('GET', '/user')).body.Items.length;
  return { ...tenant, address, log, people };
}
const [victim, attacker] = [await withDeployment('1'), await withDeployment('2')];

/** A launch whose login names the deployment of the victim. */
async function begin(more: Record<string, unknown> = {}) {
  const started = await login(baseUrl, platform, { lti_deployment_id: '1' });
  const payload = platform.claims(started.nonce, { [claim('custom')]: { course }, ...more });
  return { ...started, id_token: await platform.sign(payload) };
}

const attacks: [problem: string, status: number, sentence: RegExp, attack: () => Promise<Response>][] = [
  [
    'wrong_audience',
    401,
    /administrator/,
    async () => {
      const { post, id_token } = await begin({ aud: 'another' });
      return post({ id_token });
    },
  ],
  [
    'unknown_deployment',
    403,
    /administrator/,
    async () => {
      const { post, id_token } = await begin({ [claim('deployment_id')]: '3' });
      return post({ id_token });
    },
  ],
  [
    'replayed',
    401,
    /again/,
    async () => {
      const { post, id_token } = await begin({ sub: 'used' });
      assert.equal((await post({ id_token })).status, 303);
      return post({ id_token });
    },
  ],
  [
    'other_browser',
    401,
    /again/,
    async () => {
      const [own, theirs] = [await begin(), await begin()];
      return own.post({ id_token: own.id_token }, { cookie: theirs.cookie });
    },
  ],
];
for (const [problem, status, sentence, attack] of attacks)
  test(`${problem}: an attack on a shared client is shown to the tenant that it was aimed at`, async () => {
    const [before, people] = [(await attacker.log()).length, await victim.people()];
    const reply = await attack();
    assert.equal(reply.status, status);
    const html = await reply.text();
    assert.ok(html.includes(problem));
    assert.match(html, sentence);
    const [last] = await victim.log();
    assert.equal(last.Problem, problem);
    assert.ok(last.Detail.length > 10);
    assert.equal((await attacker.log()).length, before);
    assert.equal(await victim.people(), people + (problem === 'replayed' ? 1 : 0));
  });

test('a deployment of another tenant cannot be taken over, and its launches reach that tenant', async () => {
  const stolen = await attacker.api('PUT', attacker.address, { DeploymentIDs: ['1', '2'] });
  expectProblem(stolen, 409, 'platform_exists', 'DeploymentIDs');
  const moved = await attacker.api('PUT', attacker.address, { JWKSURL: `${platform.origin}/mine` });
  expectProblem(moved, 409, 'platform_exists', 'AuthURL');
  const { post, id_token } = await begin({ [claim('deployment_id')]: '2', sub: 'grace' });
  const people = await victim.people();
  assert.equal((await post({ id_token })).status, 303);
  assert.equal((await attacker.log())[0].Problem, null);
  assert.equal(await victim.people(), people);
});
