import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { observed, serve } from '../../../test/support/nodes.ts';
import { maxVisitedBy } from '../../../test/support/plans.ts';
import { startService } from '../../../test/support/service.ts';
import { newCourse, newTenant } from '../../../test/support/tenant.ts';
import type { Statement } from '../../db/engine/engine.ts';

const service = await startService();
const tenant = await newTenant(service);
const { engine } = service.ctx;
let seen: Statement[] = [];
const node = await serve(observed(service.ctx, (statement) => void seen.push(statement)));
after(async () => {
  await node.close();
  await service.close();
});

const minutes = 20_000;
const query = (text: string, values: unknown[] = []) =>
  engine.query<Record<string, never>>({ text: `/* across tenants: a test fills tables */ ${text}`, values });

/** A launch, a commit and an audited change every minute. */
async function fill(enrollId: string): Promise<void> {
  const id = (prefix: string) =>
    `('${prefix}' || lpad(to_hex(n), 4, '0') || '-0000-7000-8000-000000000000')::uuid`;
  const at = `timestamptz '2025-01-01' + n * interval '1 minute'`;
  const rows = `generate_series(1, ${minutes}) n`;
  for (const insert of [
    `launch (tenant_id, enroll_id, number, launch_id, started_at, last_seen_at)
      select $1, $2, n, ${id('0198')}, ${at}, ${at}`,
    `run_time_commit (tenant_id, enroll_id, number, launch, unit_id, evidence, committed_at)
      select $1, $2, n, n, 'unit', '{}', ${at}`,
    `event (tenant_id, event_id, type, occurred_at, enroll_id, data)
      select $1, ${id('0197')}, 'enrolment.updated', ${at}, $2, '{}'`,
    `audit_entry (tenant_id, audit_id, number, at, action, actor, target, target_id, event_id, data, hash)
      select $1, ${id('0199')}, 100000 + n, ${at}, 'enrolment.changed', 'service', 'enrolment', $2::uuid::text,
        ${id('0197')}, '{}', 'x'`,
  ])
    await query(`insert into ${insert} from ${rows}`, [tenant.TenantID, enrollId]);
  for (const table of ['launch', 'run_time_commit', 'event', 'audit_entry']) await query(`analyze ${table}`);
}

test('a page of a timeline with 60,000 entries reads no more rows of each kind than it shows', async () => {
  const LoginID = await tenant.user();
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${await newCourse(service)}`)).body;
  await fill(EnrollID);
  const url = `/enrolment/${LoginID}/${EnrollID}/timeline?Limit=30`;
  const headers = { authorization: `Bearer ${tenant.key}` };
  let cursor = '';
  for (let page = 0; page < 3; page++) {
    seen = [];
    const response = await node.api.inject({ url: url + cursor, headers });
    const { Items, NextCursor } = response.json();
    assert.deepEqual(
      Items.map(({ Kind, At }: { Kind: string; At: string }) => `${At.slice(11, 16)} ${Kind}`).slice(0, 4),
      [`00:${page}1 commit`, `00:${page}1 event`, `00:${page}1 launch`, `00:${page}2 commit`],
    );
    for (const statement of seen.filter(({ text }) => text.startsWith('\nwith owner as materialized')))
      assert.ok(
        (await maxVisitedBy(engine, statement)) <= 3 * 31,
        'the counter detects a statement that visits more rows than a page has',
      );
    cursor = `&Cursor=${NextCursor}`;
  }
});
