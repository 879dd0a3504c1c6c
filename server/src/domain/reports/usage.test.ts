import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { ask } from '../../../test/support/ask.ts';
import { movableClock } from '../../../test/support/clock.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { storeUsage } from './usage.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
await service.importPackage('phishing', await packCourse('phishing'));
await service.api('PUT', '/course/phishing/option/open', {});

const usageOf = (tenantId: string, query = '') => service.api('GET', `/tenant/${tenantId}/usage${query}`);

test('the operator sees what a tenant uses each day', async () => {
  const { TenantID, api, user } = await newTenant(service);
  const LoginID = await user();
  const { LaunchURL } = (await api('POST', `/enrol/${LoginID}/phishing`)).body;
  const { commit, file } = await play(service, LaunchURL);
  const page = await (await file('index.html')).text();
  expectStatus(await commit({}), 200);
  await storeUsage(service.ctx);
  expectStatus(await commit({}), 200);
  const today = clock.now().toISOString().slice(0, 10);
  const first = (await usageOf(TenantID, `?From=${today}`)).body.Items;
  assert.deepEqual(first, [
    {
      ...{ Day: today, People: 1, Enrolments: 1, Launches: 1, Completions: 0 },
      ...{ Calls: 2, Commits: 2, Bytes: Buffer.byteLength(page) },
    },
  ]);
  clock.advance({ days: 1 });
  await user();
  expectStatus(await api('GET', '/user'), 200);
  const { Items } = (await usageOf(TenantID, `?From=${today}`)).body;
  assert.deepEqual(Items[0], first[0]);
  assert.deepEqual([Items[1].People, Items[1].Calls, Items[1].Launches], [2, 2, 0]);
  const csv = await ask(`${service.baseUrl}/tenant/${TenantID}/usage?From=${today}`, {
    headers: { authorization: `Bearer ${service.operatorKey}`, accept: 'text/csv' },
  });
  assert.equal(
    (await csv.text()).split('\r\n')[1],
    [today, 1, 1, 1, 0, 2, 2, Buffer.byteLength(page)].join(),
  );
});

test('only the operator sees it, and only of tenants that exist', async () => {
  const { TenantID, api } = await newTenant(service);
  expectProblem(await api('GET', `/tenant/${TenantID}/usage`), 403, 'operator_only');
  expectProblem(await usageOf('nobody'), 404, 'tenant_not_found');
});
