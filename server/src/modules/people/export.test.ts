import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { reserve } from '../../platform/load/budgets.ts';
import { type FairQueue, inTurn } from '../../platform/load/fair-queue.ts';

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);
const { lists, erasures, replays, exports } = service.ctx.admission;
const tenant = await newTenant(service);
const { api, TenantID } = tenant;
const LoginID = await tenant.user();
const { body: hook } = await api('POST', '/webhook', { URL: 'http://127.0.0.1:9/' });

/** Calls that can cause an unlimited amount of work. */
const calls: [string, FairQueue, () => ReturnType<typeof api>][] = [
  ['the export of a person', lists, () => api('GET', `/user/${LoginID}/export`)],
  ['the plan of an erasure', erasures, () => api('DELETE', `/user/${LoginID}?Plan=true`)],
  [
    'a replay',
    replays,
    () => api('POST', `/webhook/${hook.WebhookID}/replay`, { From: '2026-01-01T00:00:00Z' }),
  ],
  [
    'a replay with an Idempotency-Key',
    replays,
    () =>
      api(
        'POST',
        `/webhook/${hook.WebhookID}/replay`,
        { EventIDs: [hook.WebhookID] },
        { 'idempotency-key': 'again' },
      ),
  ],
];

test("replays, personal data exports and erasure plans wait in their tenant's queue and delay no other tenant", async () => {
  const other = await newTenant(service);
  for (const [what, queue, call] of calls) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = Array.from({ length: queue.maxPerCaller }, () => inTurn(queue, TenantID, () => promise));
    const response = call();
    try {
      await until(`${what} waits`, () => queue.callers.get(TenantID)?.waiting.length === 1);
      expectStatus(await other.api('GET', '/user'), 200);
    } finally {
      resolve();
    }
    await Promise.all(held);
    expectStatus(await response, 200);
    await until('all slots are released', () => queue.callers.size === 0);
  }
});

test('personal data exports count towards the limit for complete lists, and a HEAD request does not start one', async () => {
  const held = Array.from({ length: exports.concurrent }, () => reserve(exports, TenantID));
  const refused = await api('GET', `/user/${LoginID}/export`);
  expectProblem(refused, 429, 'too_many_requests');
  assert.equal(refused.headers.get('retry-after'), '1');
  for (const release of held) release?.();
  expectStatus(await api('GET', `/user/${LoginID}/export`), 200);
  await until('its slot is free', () => exports.used.get(TenantID)?.inUse === 0);
  const before = await audited();
  for (const path of [`/user/${LoginID}/export`, `/tenant/${TenantID}/export`])
    assert.equal((await service.api('HEAD', path, undefined, tenant.key)).status, 405);
  assert.equal(await audited(), before);
});

async function audited(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from audit_entry where tenant_id = ${TenantID} and action = 'user.exported'`.execute(
    service.ctx.db,
  );
  return rows[0]?.count ?? 0;
}

test("an export reads an enrolment's rows in pages and contains each row once", async () => {
  const CourseID = await newCourse(service);
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const { db } = service.ctx;
  await sql`insert into attempt_unit (tenant_id, enroll_id, unit_id, commit_number, data, evidence, updated_at)
    select ${TenantID}, ${EnrollID}, 'unit ' || n, n, jsonb_build_object('n', n), '{}', now()
    from generate_series(1, 9) n`.execute(db);
  await sql`insert into launch (tenant_id, enroll_id, number, started_at, last_seen_at)
    select ${TenantID}, ${EnrollID}, n, now(), now() from generate_series(1, 401) n`.execute(db);
  await sql`insert into run_time_commit (tenant_id, enroll_id, launch, number, unit_id, evidence, committed_at)
    select ${TenantID}, ${EnrollID}, launch, number, 'unit', '{}', now()
    from generate_series(1, 2) launch, generate_series(1, 150) number`.execute(db);
  const { body } = await api('GET', `/user/${LoginID}/export`);
  const numbers = (rows: { Number: number }[]) => rows.map((row) => row.Number);
  assert.deepEqual(
    new Set(body.RunTimeData.map(({ UnitID }: { UnitID: string }) => UnitID)).size,
    body.RunTimeData.length,
  );
  assert.equal(body.RunTimeData.length, 9);
  assert.deepEqual(
    numbers(body.Launches),
    Array.from({ length: 401 }, (_, at) => at + 1),
  );
  const ofLaunch = Array.from({ length: 150 }, (_, at) => at + 1);
  assert.deepEqual(numbers(body.Commits), [...ofLaunch, ...ofLaunch]);
});
