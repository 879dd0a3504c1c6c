import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDistributed } from '../src/db/distribute.ts';
import type { Statement } from '../src/db/engine/engine.ts';
import { followRequirements } from '../src/domain/requirements/follow.ts';
import { observed, serve } from './support/nodes.ts';
import { type Plan, planOf, preparedPlanOf, stepsOf, visitedBy } from './support/plans.ts';
import { startService } from './support/service.ts';
import { expectStatus, newTenant } from './support/tenant.ts';

/** `OBLIGATIONS=1000000` takes some minutes on a PostgreSQL server. */
const obligations = Number(process.env.OBLIGATIONS ?? 50_000);
const requirements = 10;
const users = obligations / requirements;
const service = await startService();
const tenant = await newTenant(service);
let seen: Statement[] = [];
const node = await serve(observed(service.ctx, (statement) => void seen.push(statement)));
after(async () => {
  await node.close();
  await service.close();
});
const onCitus = await isDistributed(service.ctx.engine);
const t = `'${tenant.TenantID}'`;
const id = (kind: number, n: string) =>
  `('00000000-0000-7000-8000-${kind}' || lpad((${n})::text, 11, '0'))::uuid`;

async function fill(): Promise<void> {
  const sql = (text: string) =>
    service.ctx.engine.query({ text: `/* across tenants: a test fills tables */ ${text}`, values: [] });
  for (let n = 0; n < requirements; n++)
    expectStatus(await service.api('PUT', `/course/c${n}`, { Title: 'x' }), 201);
  for (let n = 0; n < requirements; n++)
    expectStatus(await service.api('PUT', `/course/c${n}/option/o`, {}), 201);
  await sql(`insert into requirement_log (tenant_id, position)
    select ${t}, coalesce((select log.position from event_log log where log.tenant_id = ${t}), 0)`);
  await sql(`insert into requirement (tenant_id, requirement_id, rule, created_at, updated_at)
    select ${t}, 'r' || n, jsonb_build_object('Title', 'x', 'Status', 'active', 'CourseIDs', array['c' || n],
      'Audience', '{}'::jsonb, 'DueAfter', 'P30D', 'DueOn', null, 'ValidFor', null, 'Cycle', null, 'Window', null,
      'CountsFrom', 'completion', 'CountsEarlier', true, 'DueSoonDays', 14, 'ExpiringDays', 30, 'DurationID', null), now(), now()
    from generate_series(0, ${requirements - 1}) n`);
  const step = 50_000;
  for (let from = 0; from < users; from += step)
    await sql(`insert into "user" (tenant_id, user_id, login_id, group_name, sort_name, folded, password_hash, created_at,
        updated_at, manager_login_id, attributes)
      select ${t}, ${id(1, 'n')}, 'u' || n, 'g' || n % 300, 'u' || n, 'u' || n, 'x', now(), now(), 'u' || n / 20,
        jsonb_build_object('site', 's' || n % 20) from generate_series(${from}, ${Math.min(users, from + step) - 1}) n`);
  for (let from = 0; from < obligations; from += step) {
    const range = `generate_series(${from}, ${Math.min(obligations, from + step) - 1}) n`;
    await sql(`insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at,
        expires_at, status, group_name, completed_at, completion)
      select ${t}, ${id(2, 'n')}, ${id(1, `n % ${users}`)}, 'c' || n / ${users}, 'o', 'enrolment', now(), now(),
        now() + (n % 1000 - 250) * interval '1 day', case when n % 3 = 0 then 'completed' else 'enrolled' end,
        'g' || n % ${users} % 300, case when n % 3 = 0 then now() end, case when n % 3 = 0 then 'completed' else 'unknown' end
      from ${range}`);
    await sql(`insert into obligation (tenant_id, obligation_id, requirement_id, user_id, cycle, follows, opened_at, due_at,
        due_soon_at, met_at, met_by, external, term, announced, next_change_at, changed_at, group_names, manager_login_id,
        attributes, enroll_id)
      select ${t}, ${id(3, 'n')}, 'r' || n / ${users}, ${id(1, `n % ${users}`)}, 1, false, now(), due.at,
        due.at - interval '14 days', case when n % 3 = 0 then now() end, case when n % 3 = 0 then ${id(2, 'n')} end, false, 1,
        case when n % 3 = 0 then 'met' when due.at < now() then 'overdue' when due.at < now() + interval '14 days' then 'due_soon' else 'not_due' end,
        case when n % 3 = 0 or due.at < now() then null when due.at < now() + interval '14 days' then due.at else due.at - interval '14 days' end,
        now(), array['g' || n % ${users} % 300], 'u' || n % ${users} / 20,
        jsonb_build_object('site', 's' || n % ${users} % 20), ${id(2, 'n')}
      from ${range} cross join lateral (select date_trunc('second', now()) + (n % 1000 - 250) * interval '1 day' + interval '1 hour' as at) due`);
  }
  if (!onCitus)
    for (const table of ['user', 'enrolment', 'obligation', 'requirement']) await sql(`analyze "${table}"`);
}

/** The rows of obligations or enrolments that each step visits. A small table of users may be scanned. */
const readsOf = (plan: Plan) =>
  [...stepsOf(plan)]
    .filter((step) => ['obligation', 'enrolment'].includes(step['Relation Name'] ?? ''))
    .map(visitedBy);

const planIn = (statement: Statement) =>
  (statement.name === undefined ? planOf : preparedPlanOf)(service.ctx.engine, statement);

/** The statements of a call, with the rows that the largest step visits and the milliseconds of the fastest of five runs. */
async function costOf(path: string): Promise<{ visited: number; milliseconds: number }> {
  seen = [];
  const headers = { authorization: `Bearer ${tenant.key}` };
  const reply = await node.api.inject({ method: 'GET', url: path, headers });
  assert.equal(reply.statusCode, 200, `${path} ${reply.body}`);
  const lists = seen.filter(
    ({ text }) => /\b(obligation|enrolment|completion_day)\b/.test(text) && /^\s*(select|with)/.test(text),
  );
  let [visited, milliseconds] = [0, 0];
  for (const statement of lists) {
    visited = Math.max(visited, ...readsOf(await planIn(statement)));
    const times = [];
    for (let n = 0; n < 5; n++) {
      const begun = performance.now();
      const text = `/* across tenants: a test measures */ ${statement.text}`;
      await service.ctx.engine.query({ text, values: statement.values });
      times.push(performance.now() - begun);
    }
    milliseconds += Math.min(...times);
  }
  return { visited, milliseconds };
}

test(`pages of ${obligations} obligations visit few rows, and the evaluation only those that change`, async () => {
  await fill();
  const overdue = await costOf('/obligation?Status=overdue&Limit=50');
  const enrolled = await costOf('/enrolment?Limit=50');
  const figures = await costOf('/report/compliance');
  const rows = [
    ['GET /obligation?Status=overdue', overdue],
    ['GET /enrolment', enrolled],
    ['GET /report/compliance', figures],
  ] as const;
  for (const filter of [
    'Status=due_soon',
    'Status=met',
    'RequirementID=r3',
    'LoginID=u77',
    'ManagerLoginID=u7',
    'RequirementID=r3&Status=overdue',
  ])
    assert.ok((await costOf(`/obligation?Limit=50&${filter}`)).visited <= 20 * 51, filter);
  for (const [name, { visited, milliseconds }] of rows)
    console.log(name, visited, `${milliseconds.toFixed(2)} ms`);
  assert.ok(overdue.visited <= 20 * 51, String(overdue.visited));

  const due = obligations / 20;
  const text = `/* across tenants: a test moves dates */
    update obligation held set due_soon_at = now() - interval '1 hour', next_change_at = now() - interval '1 hour'
    where held.tenant_id = ${t} and held.obligation_id in (select own.obligation_id from obligation own
      where own.tenant_id = ${t} and own.announced = 'not_due' order by own.obligation_id limit ${due})`;
  await service.ctx.engine.query({ text, values: [] });
  const isOfDue = ({ text }: Statement) => /from "obligation".*order by "next_change_at"/is.test(text);
  let first: Statement | undefined;
  // The evaluation stops at its first statement, so that the plan is that of a day on which many obligations change.
  const stopped = observed(service.ctx, (statement) => {
    if (!isOfDue(statement)) return;
    first ??= statement;
    throw new Error('stopped');
  });
  await assert.rejects(followRequirements(stopped));
  assert.ok(first, 'the evaluation asks for the obligations whose status changes');
  const plan = await planIn(first);
  console.log(
    `the evaluation, with ${due} due:`,
    ...[...stepsOf(plan)].map((step) => `${step['Node Type']}, rows ${visitedBy(step)};`),
  );
  assert.deepEqual(readsOf(plan), [100]);

  seen = [];
  await followRequirements(observed(service.ctx, (statement) => void seen.push(statement)));
  assert.equal(seen.filter(isOfDue).length, due / 100 + 1);
  const names = new Set(seen.map(({ name }) => name));
  for (const name of names) {
    const statement = seen.find((one) => one.name === name && /^\s*select[^;]*\bobligation\b/.test(one.text));
    if (statement && !isOfDue(statement))
      assert.ok(Math.max(...readsOf(await planIn(statement))) <= 20 * 100, name);
  }
});
