import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Statement } from '../src/platform/db/engine.ts';
import { observed, serve } from './support/nodes.ts';
import { maxVisitedBy } from './support/plans.ts';
import { startService } from './support/service.ts';
import { newTenant } from './support/tenant.ts';

// Tests lists in which many rows match a filter, but all of them are at the end. PostgreSQL expects to find
// such rows early in the list. A careless statement would read all rows before them.

const service = await startService();
const tenant = await newTenant(service);
let seen: Statement[] = [];
const node = await serve(observed(service.ctx, (statement) => void seen.push(statement)));
after(async () => {
  await node.close();
  await service.close();
});

const rows = 6_000;
/** The first 60 % of the rows have one value, and the last 40 % another. */
const isFirst = `n <= ${rows * 0.6}`;
const id = (prefix: string, number = 'n') =>
  `('${prefix}' || lpad(to_hex((${number})::bigint), 4, '0') || '-0000-7000-8000-' || lpad(to_hex((${number})::bigint), 12, '0'))::uuid`;
/** The longest value allowed. It is hard to compress, so it takes as much space in an index as in its row. */
const longText = Array.from({ length: 255 }, (_, index) =>
  String.fromCodePoint(0x20000 + ((index * 7_919 + index * index * 131) % 40_000)),
).join('');
const longName = `'${longText}'`;
const ids = { target: '01960000-0000-7000-8000-ffffffffffff', actor: '01960000-0000-7000-8000-eeeeeeeeeeee' };

const course = 'skewed';
await service.api('PUT', `/course/${course}`, { Title: course });
await service.api('PUT', `/course/${course}/option/usual`, {});

const t = `'${tenant.TenantID}'`;
for (const insert of [
  `audit_entry (tenant_id, audit_id, number, at, action, actor, actor_id, target, target_id, data, hash, seal)
    select ${t}, ${id('0196')}, 1000 + n, now(), case when ${isFirst} then 'enrolment.withdrawn' else 'user.exported' end,
      'key', case when ${isFirst} then 'first' else '${ids.actor}' end, 'user',
      case when ${isFirst} then 'first' else '${ids.target}' end, '{}', 'x', 'x'`,
  `enrolment_key (tenant_id, key_id, key_hash, key_start, course_ids, duration_ids, purchase_order, valid_from,
      valid_until, created_at)
    select ${t}, ${id('0194')}, md5(n::text), 'x', '{x}', '{x}', case when ${isFirst} then 'first' else ${longName} end,
      now(), timestamptz '2090-01-01', now()`,
  `"user" (tenant_id, user_id, login_id, first_name, last_name, group_name, email, password_hash, enabled, created_at,
      updated_at)
    select ${t}, ${id('0190')}, 'user-' || lpad(n::text, 8, '0'), 'Anna', 'Li',
      case when ${isFirst} then 'first' else ${longName} end,
      case when ${isFirst} then n || '@test.example' else left(${longName}, 200) || '@test.example' end, 'x', true,
      now(), now()`,
  `enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at, status,
      group_name)
    select ${t}, ${id('0191')}, ${id('0190')}, '${course}', 'usual', 'enrolment', now(), now(), 'enrolled',
      case when ${isFirst} then 'first' else ${longName} end`,
])
  await service.ctx.engine.query({
    text: `/* across tenants: a test fills tables */ insert into ${insert} from generate_series(1, ${rows}) n`,
    values: [],
  });
for (const table of ['audit_entry', 'enrolment_key', 'user', 'enrolment'])
  await service.ctx.engine.query({
    text: `/* across tenants: statistics */ analyze "${table}"`,
    values: [],
  });

const limit = 50;
const long = encodeURIComponent(longText);
const email = encodeURIComponent(`${Array.from(longText).slice(0, 200).join('')}@test.example`);
const pages = {
  'the audit trail of an action': '/audit?Action=user.exported',
  'the audit trail of a target': `/audit?TargetID=${ids.target}`,
  'the audit trail of a key': `/audit?ActorID=${ids.actor}`,
  'the keys of a purchase order': `/enrolment/key?PurchaseOrder=${long}`,
  'the users of a group': `/user?GroupName=${long}`,
  'the users with an email address': `/user?Email=${email}`,
  'the enrolments of a group': `/enrolment?GroupName=${long}`,
  'the enrolments of a person': '/enrolment?Search=00005999+anna',
};

for (const [title, path] of Object.entries(pages))
  for (const order of path.startsWith('/user') ? [''] : ['&Order=oldest', '&Order=newest'])
    test(`${title}${order} reads about as many rows as it shows, although they are at the end`, async () => {
      const url = `${path}${order}&Limit=${limit}`;
      for (let cursor: string | null = ''; cursor !== null; ) {
        seen = [];
        const response: { statusCode: number; body: string; json(): { NextCursor: string | null } } =
          await node.api.inject({
            url: cursor === '' ? url : `${url}&Cursor=${encodeURIComponent(cursor)}`,
            headers: { authorization: `Bearer ${tenant.key}` },
          });
        assert.equal(response.statusCode, 200, response.body);
        for (const statement of seen) {
          const visited = await maxVisitedBy(service.ctx.engine, statement);
          assert.ok(visited <= 20 * (limit + 1), `${visited} rows\n${statement.text}`);
        }
        cursor = cursor === '' ? response.json().NextCursor : null;
      }
    });
