import { numberEvents } from '../../src/domain/events/write.ts';
import type { TestService } from './service.ts';

const ids = (prefix: string, n: string) =>
  `('${prefix}' || lpad(to_hex((${n})::bigint), 4, '0') || '-0000-7000-8000-' || lpad(to_hex((${n})::bigint), 12, '0'))::uuid`;
const user = (n: string) => ids('0190', n);
const enrolment = (n: string) => ids('0191', n);
const event = (n: string) => ids('0192', n);
const delivery = (n: string) => ids('0193', n);
const key = (n: string) => ids('0194', n);
const mail = (n: string) => ids('0197', n);

const file = (n: string) => ids('0198', n);
const certificate = (n: string) => ids('0199', n);
const audit = (n: string) => ids('0196', n);

const launch = (n: string) => ids('019a', n);
const platform = '01990000-0000-7000-8000-000000000000';

const hook = '01950000-0000-7000-8000-000000000000';
const users = 10_000;

/**
 * Statements that insert rows for one tenant: the groups `large`, `late` and `small`, with two enrolments, an event and
 * a delivery for each user.
 */
function statements(tenant: string): string[] {
  const t = `'${tenant}'`;
  return [
    `insert into "user" (tenant_id, user_id, login_id, first_name, last_name, group_name, email, folded_email, sort_name, folded,
       password_hash, enabled, created_at, updated_at, other_groups, manager_login_id, attributes)
     select ${t}, ${user('n')}, 'user-' || n, case when n % 2 = 0 then 'Anna' else 'Zoe' end, 'Last' || n % 100,
       case when n > ${users - 1_000} then 'late' when n % 4 = 0 then 'large' when n % 999 = 0 then 'small' else 'g' || n % 300 end,
       'mail' || n || '@test.example', 'mail' || n || '@test.example', 'last' || n % 100,
       'last' || n % 100 || case when n % 2 = 0 then ' anna' else ' zoe' end || ' user-' || n || ' mail' || n || '@test.example', 'x', n % 500 <> 7, now(), now(), case when n % 5 = 0 then '{further}'::text[] else '{}' end, 'user-' || n / 20,
       jsonb_build_object('site', case when n % 999 = 0 then 'Leeds' else 'York' end) from generate_series(1, ${users}) n`,
    `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at,
       expires_at, ended_at, due_at, status, group_name, completion, success)
     select ${t}, ${enrolment('n')}, known.user_id, 'lists-' || n % 2, case when n % 999 = 0 then 'rare' else 'usual' end,
       'enrolment', now(), timestamptz '2025-01-01' + n * interval '1 s',
       case when n % 10 < 3 then timestamptz '2025-01-01' when n % 10 < 8 then timestamptz '2080-01-01' + n * interval '1 s' end,
       case when n % 10 < 3 or n % 997 = 0 then timestamptz '2025-01-01' end,
       case when n % 3 = 0 then timestamptz '2026-01-01' + n * interval '1 h' end,
       case when n % 997 = 0 then 'withdrawn' when n % 10 < 3 then 'expired' when n % 10 < 5 then 'in_progress'
         when n % 10 < 6 then 'completed' else 'enrolled' end, known.group_name,
       case when n % 10 = 5 then 'completed' else 'unknown' end,
       case when n % 10 = 5 and n % 3 > 0 then 'passed' when n % 499 = 0 then 'failed' else 'unknown' end
     from generate_series(1, ${2 * users}) n
     join "user" known on known.tenant_id = ${t} and known.user_id = ${user('(n + 1) / 2')}`,
    `insert into enrolment_group (tenant_id, enroll_id, group_name)
     select ${t}, held.enroll_id, 'further' from enrolment held join "user" known on known.tenant_id = ${t} and known.user_id = held.user_id
     where held.tenant_id = ${t} and known.other_groups <> '{}'`,
    `insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, data)
     select ${t}, ${event('n')}, 'enrolment.created', now(), ${user('(n + 1) / 2')}, ${enrolment('n')}, '{}'
     from generate_series(1, ${2 * users}) n`,
    `insert into dispatch (dispatch_id, tenant_id, course_id, duration_id, standard, name, enabled, created_at, updated_at)
     values ('${platform}', ${t}, 'lists-1', 'open', 'cmi5', 'lists', true, now(), now()) on conflict do nothing`,
    `insert into dispatch_learner (tenant_id, dispatch_id, user_id, enroll_id, first_opened_at, last_opened_at)
     select ${t}, '${platform}', ${user('n')}, ${enrolment('n')}, now(), now() from generate_series(1, ${users}) n`,
    `insert into lti_platform (platform_id, tenant_id, name, issuer, client_id, auth_url, token_url, jwks_url, created_at, updated_at)
     values ('${platform}', ${t}, 'lists', 'lists', 'lists', '', '', '', now(), now()) on conflict do nothing`,
    `insert into lti_launch (tenant_id, launch_id, platform_id, message, user_id, launched_at)
     select ${t}, ${launch('n')}, '${platform}', 'launch', ${user('n')}, now() from generate_series(1, ${users}) n`,
    `insert into completion_log (tenant_id, position) values (${t}, ${2 * users})`,
    `insert into completion_line (tenant_id, kind, course_id, group_name)
     select ${t}, kind.name, case when kind.course then 'lists-' || n % 100 else '' end, case when kind.grouped then 'g' || n / 100 else '' end
     from generate_series(0, 9999) n cross join (values ('total', false, false), ('course', true, false), ('group', false, true),
       ('course_and_group', true, true)) kind (name, course, grouped) on conflict do nothing`,
    `insert into completion_day (tenant_id, kind, course_id, group_name, day, not_started, in_progress, passed, failed, completed, expired, withdrawn, open, overdue)
     select ${t}, line.kind, line.course_id, line.group_name, date '2025-01-01' + n * 30, n, 0, 0, 0, 0, 0, 0, n, 0
     from completion_line line cross join generate_series(1, 12) n where line.tenant_id = ${t}`,
    `insert into access_log (tenant_id, position) values (${t}, ${2 * users})`,
    `insert into access_end (tenant_id, kind, course_id, group_name, day, enrolments)
     select ${t}, line.kind, line.course_id, line.group_name, current_date + n, n
     from completion_line line cross join generate_series(0, case when line.group_name in ('', 'g7') then 400 else 5 end) n
     where line.tenant_id = ${t}`,
    `insert into activity_log (tenant_id, position) values (${t}, ${2 * users})`,
    `insert into activity_day (tenant_id, kind, course_id, group_name, day, enrolments, starts, launches, completions, passed, failed, expired, withdrawn)
     select ${t}, line.kind, line.course_id, line.group_name, date '2024-01-01' + n, n, 0, 0, 0, 0, 0, 0, 0
     from completion_line line cross join generate_series(1, case when line.group_name in ('', 'g7') then 1800 else 5 end) n
     where line.tenant_id = ${t} and line.course_id in ('', 'lists-1', 'lists-2')`,
    `insert into webhook (tenant_id, webhook_id, url, secret, status, position, created_at, updated_at)
     values (${t}, '${hook}', 'https://test.example/', 'x', 'disabled', 0, now(), now())`,
    `insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, reason, status, created_at)
     select ${t}, '${hook}', ${delivery('n')}, ${event('n')}, 'enrolment.created', ${enrolment('n')}, 'event',
       case when n > 15000 then 'pending' when n % 999 = 0 then 'failed' else 'delivered' end, now()
     from generate_series(1, ${2 * users}) n`,
    `insert into invitation (tenant_id, user_id, invitation_id, link_hashes, created_at, expires_at, accepted_at)
     select ${t}, ${user('n')}, ${mail('n')}, '{}', now(), case when n % 10 = 0 then now() else timestamptz '2090-01-01' end,
       case when n % 2 = 1 then now() end from generate_series(1, ${users}) n`,
    `insert into mail (tenant_id, mail_id, user_id, kind, address, status, created_at, expires_at, due_at)
     select ${t}, ${mail('n')}, ${user('n % 1000 + 1')}, 'invitation', 'x', case when n > 15000 then 'queued' when n % 999 = 0 then 'failed' else 'sent' end,
       now(), now(), now() from generate_series(1, ${2 * users}) n`,
    `insert into import (tenant_id, import_id, name, subject, status, is_automatic, options, columns, counts, actor, created_at)
     select ${t}, ${file('n')}, 'x', 'users', case when n % 10 = 0 then 'reading' else 'applied' end, true, '{}', '[]',
       '{"Rows": 0, "Done": 0, "Created": 0, "Updated": 0, "Unchanged": 0, "Partial": 0, "Refused": 0, "UsersCreated": 0, "EnrolmentsCreated": 0}',
       '{}', now() from generate_series(1, ${users}) n`,
    `insert into enrolment_key (tenant_id, key_id, key_hash, key_start, course_ids, duration_ids, purchase_order,
       valid_from, valid_until, created_at, revoked_at, redeemed_at)
     select ${t}, ${key('n')}, md5(n::text), 'x', '{lists-1}', '{usual}', 'order-' || n % 100,
       case when n % 100 = 3 then timestamptz '2080-01-01' else timestamptz '2020-01-01' end,
       case when n % 100 = 4 then timestamptz '2021-01-01' else timestamptz '2090-01-01' end, now(),
       case when n % 300 = 1 then now() end, case when n % 10 > 4 then now() end
     from generate_series(1, ${users}) n`,
    `insert into certificate (tenant_id, certificate_id, number, enroll_id, attempt, user_id, course_id, issued_at,
       completed_at, status_list, status_index, revoked_at, replaced_by, is_name_incomplete, name, content)
     select ${t}, ${certificate('n')}, ${t} || n, ${enrolment('n')}, 1, ${user('(n + 1) / 2')}, 'lists-' || n % 2, now(), now(),
       n / 65536, n, case when n % 999 = 0 then now() end, case when n % 99 = 0 then 'x' end, n % 500 = 0, 'x',
       '{"CourseTitle": "x", "Issuer": "x", "Serial": null}'
     from generate_series(1, ${2 * users}) n`,
    `insert into legal_hold (tenant_id, placement_id, user_id, hold_id, reason, placed_at)
     select ${t}, ${key('n')}, ${user('(n + 1) / 2')}, 'case-' || n % 100 + n % 2 * 1000, 'x', now()
     from generate_series(1, ${2 * users}) n`,
    `insert into requirement (tenant_id, requirement_id, rule, created_at, updated_at)
     select ${t}, 'duty-' || n, '{"Title": "x", "Status": "active", "CourseIDs": ["lists-1"], "Audience": {}}', now(), now()
     from generate_series(1, 10) n`,
    `insert into obligation (tenant_id, obligation_id, requirement_id, user_id, cycle, follows, opened_at, due_at, due_soon_at,
       met_at, valid_until, expiring_at, exempt_at, closed_at, external, term, announced, changed_at, group_names,
       manager_login_id)
     select ${t}, ${key('n')}, 'duty-' || n % 10 + 1, known.user_id, 1 + n / ${users}, false, now(), due.at, due.at - interval '14 days',
       case when n % 8 in (2, 3, 4) then now() end,
       case n % 8 when 2 then now() - interval '1 day' when 3 then now() + interval '10 days' when 4 then now() + interval '1 year' end,
       case n % 8 when 2 then now() - interval '31 days' when 3 then now() - interval '20 days' when 4 then now() + interval '335 days' end,
       case when n % 8 = 5 then now() end, case when n % 8 = 6 then now() end, false, 1, 'not_due', now(),
       array[known.group_name], 'user-' || n % 50
     from generate_series(1, ${2 * users}) n
     join "user" known on known.tenant_id = ${t} and known.user_id = ${user('(n % ' + String(users) + ') + 1')}
     cross join lateral (select now() + (n - ${users}) * interval '10 minutes' as at) due`,
    `insert into external_completion (tenant_id, completion_id, user_id, course_id, title, completed_at, success, reference,
       created_at, created_by, deleted_at)
     select ${t}, ${key('n')}, ${user('(n + 1) / 2')}, 'lists-' || n % 2, 'x', now(), 'passed', 'ref-' || n, now(), 'key',
       case when n % 99 = 0 then now() end
     from generate_series(1, ${2 * users}) n`,
    `insert into audit_entry (tenant_id, audit_id, number, at, action, actor, actor_id, actor_user_id, target, target_id,
       data, hash)
     select ${t}, ${audit('n')}, 100 + n, now(), case when n % 999 = 0 then 'user.exported' else 'enrolment.withdrawn' end,
       'administrator', ${event('n')}, ${user('n % 100 + 1')}, 'enrolment', ${enrolment('n')}, '{}', 'x'
     from generate_series(1, ${2 * users}) n`,
  ];
}

const large = [
  'user',
  'user_group',
  'enrolment_group',
  'enrolment',
  'event',
  'webhook_delivery',
  'enrolment_key',
  'certificate',
  'external_completion',
  'obligation',
  'legal_hold',
  'audit_entry',
  'invitation',
  'mail',
  'import',
  'lti_launch',
  'dispatch_learner',
  'completion_line',
  'completion_day',
  'access_end',
  'activity_day',
];

/** Fills the tenant and a second one, and returns the identifiers of some rows. */
export async function fillLists(service: TestService, tenantId: string) {
  const { engine } = service.ctx;
  for (const course of ['lists-0', 'lists-1']) {
    await service.api('PUT', `/course/${course}`, { Title: course });
    for (const option of ['usual', 'rare'])
      await service.api('PUT', `/course/${course}/option/${option}`, {});
  }
  // A script has no time limit.
  for (const tenant of [tenantId, 'test']) for (const text of statements(tenant)) await engine.script(text);
  await numberEvents(service.ctx, [tenantId, 'test']);
  for (const table of large)
    await engine.query({ text: `/* across tenants: statistics */ vacuum (analyze) "${table}"`, values: [] });
  const id = (kind: string) => `${kind}0777-0000-7000-8000-000000000777`;
  return {
    LoginID: `user-${(0x777 + 1) / 2}`,
    Email: 'mail9@test.example',
    CourseID: 'lists-1',
    EnrollID: id('0191'),
    EventID: id('0192'),
    WebhookID: hook,
    PlatformID: platform,
    DispatchID: platform,
    large,
  };
}
