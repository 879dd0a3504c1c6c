import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { run } from '../../db/transaction.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

const read = async () => {
  const answer = await service.api('GET', '/deployment');
  expectStatus(answer, 200);
  return answer.body;
};

test('the operator sees the state of the deployment and its biggest tenants in one call', async () => {
  const { TenantID, api, user } = await newTenant(service);
  await user();
  await user();
  expectStatus(await api('GET', '/user'), 200);
  const { Tenants, Disk, Storage, Mail, Webhooks, LastBackupAt, Concerns } = await read();
  const own = Tenants.find((one: { TenantID: string }) => one.TenantID === TenantID);
  assert.ok(own.Calls >= 3, JSON.stringify(own));
  assert.deepEqual([own.Commits, own.Bytes], [0, 0]);
  assert.ok(Tenants.length <= 10);
  assert.ok(Disk.FreeBytes > 0 && Disk.SizeBytes >= Disk.FreeBytes);
  assert.deepEqual(Storage, { Kind: 'folder', Problem: null, CacheBytes: null, DamagedReleases: 0 });
  assert.deepEqual(Mail, { Configured: false, Due: 0, OldestDueSeconds: 0 });
  assert.equal(Webhooks.Failing, 0);
  assert.equal(LastBackupAt, null);
  assert.ok(Concerns.includes('backup_missing'));
});

test('jobs that fail come first, and are a concern after three failures', async () => {
  const [name, at] = ['mail.send', clock.now()];
  await run(
    service.ctx,
    `insert into scheduled_job (name, due, succeeded_at, took_seconds, failures) values ($1, $2, $2, 0.5, 3)
      on conflict (name) do update set succeeded_at = $2, took_seconds = 0.5, failures = 3`,
    [name, at],
  );
  const { Jobs, Concerns } = await read();
  assert.deepEqual([Jobs[0].Name, Jobs[0].Failures, Jobs[0].Seconds], [name, 3, 0.5]);
  assert.equal(Jobs[0].SucceededAt, at.toISOString());
  assert.ok(Concerns.includes('jobs_failing'));
});

test('a tenant cannot read the state of the deployment', async () => {
  const { api } = await newTenant(service);
  expectProblem(await api('GET', '/deployment'), 403, 'operator_only');
});
