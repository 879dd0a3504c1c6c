import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { claim, login, platformAt, startPlatform } from '../../../test/support/lti-platform.ts';
import { packUnits } from '../../../test/support/packages.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { webhookSources } from '../../app/webhook-sources.ts';
import { startDispatcher } from '../events/webhooks/dispatcher.ts';

const pending = 10_000;
const samples = 12;
const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const dispatcher = startDispatcher(service.ctx, webhookSources);
after(async () => {
  await dispatcher.stop(1_000);
  await service.close();
});
expectStatus(await service.importPackage('fire-safety', await packUnits(1)), 201);
expectStatus(await service.api('PUT', '/course/fire-safety/option/open', {}), 201);

type Tenant = Awaited<ReturnType<typeof newTenant>>;

/** A platform of this tenant that takes this long for a score, and a learner who plays from there. */
async function playing(tenant: Tenant, milliseconds: number) {
  const platform = await startPlatform(() => new Date());
  after(platform.close);
  platform.answers.milliseconds = milliseconds;
  const made = await tenant.api('POST', '/platform', platformAt(platform.origin));
  expectStatus(made, 201);
  const { nonce, post } = await login(service.ctx.config.baseUrl, platform);
  const payload = platform.claims(nonce, {
    [claim('custom')]: { course: 'fire-safety' },
    'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint': {
      scope: ['https://purl.imsglobal.org/spec/lti-ags/scope/score'],
      lineitem: `${platform.origin}/items/link-1/lineitem`,
    },
  });
  assert.equal((await post({ id_token: await platform.sign(payload) })).status, 303);
  const loginId = encodeURIComponent(`lti:${platform.origin.replace('http://', '')}:ada`);
  const [{ EnrollID }] = (await tenant.api('GET', `/enrolment/${loginId}`)).body.Items;
  const { LaunchURL } = (await tenant.api('GET', `/enrolment/${loginId}/${EnrollID}`)).body;
  const player = await play(service, LaunchURL);
  return { platform, EnrollID, PlatformID: made.body.PlatformID as string, player };
}

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

test('10,000 pending scores for a slow platform do not delay those for others by more than a second', async () => {
  const tenant = await newTenant(service);
  const slow = await playing(tenant, 4_000);
  const own = await playing(tenant, 0);
  const other = await playing(await newTenant(service), 0);
  let score = 0;
  const measure = async ({ platform, player }: typeof own) => {
    const times: number[] = [];
    for (let n = 0; n < samples; n++) {
      score += 1;
      const began = performance.now();
      expectStatus(await player.commit({ Data: scorm12('incomplete', score) }), 200);
      await until('the score arrives', () => platform.grades.get('link-1 ada') === score);
      times.push(performance.now() - began);
    }
    return { median: median(times), longest: Math.max(...times) };
  };
  const before = { own: await measure(own), other: await measure(other) };
  // Each place in the platform from which the learner opened the course gets the score.
  await sql`insert into lti_link (tenant_id, link_id, enroll_id, platform_id, resource_link_id, user_id, subject,
      line_item, may_read, launched_at)
    select held.tenant_id, gen_random_uuid(), held.enroll_id, held.platform_id, 'more-' || n, held.user_id,
      held.subject, held.line_item, false, held.launched_at
    from lti_link held cross join generate_series(2, ${pending}) n
    where held.tenant_id = ${tenant.TenantID} and held.platform_id = ${slow.PlatformID}`.execute(
    service.ctx.db,
  );
  expectStatus(await slow.player.commit({ Data: scorm12('incomplete', 50) }), 200);
  const count = async () => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from webhook_delivery
      where tenant_id = ${tenant.TenantID} and webhook_id = ${slow.PlatformID} and status = 'pending'`.execute(
      service.ctx.db,
    );
    return rows[0]?.count ?? 0;
  };
  await until('the scores are pending', async () => (await count()) > pending - 200);
  const during = { own: await measure(own), other: await measure(other) };
  assert.ok((await count()) > pending / 2, 'most of them are still pending');
  const text = (name: 'own' | 'other') =>
    `${name}: median ${before[name].median.toFixed(0)} → ${during[name].median.toFixed(0)} ms, longest ${before[name].longest.toFixed(0)} → ${during[name].longest.toFixed(0)} ms`;
  console.log(`${pending} pending scores; ${text('own')}; ${text('other')}`);
  for (const name of ['own', 'other'] as const)
    assert.ok(during[name].median - before[name].median < 1_000, text(name));
});
