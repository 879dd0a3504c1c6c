import { numberEvents } from '../../src/domain/events/write.ts';
import { noKey } from '../../src/domain/lrs/documents.ts';
import { searchKey } from '../../src/domain/lrs/stored-statement.ts';
import type { TestService } from './service.ts';

/** Rows in each table that a caller can fill. The test fails if an operation touches 5,000 of them. */
export const crowdedRows = 12_000;

/** Fewer rows for tables whose rows can be large, but still more than an operation may touch. */
export const crowdedLargeRows = 7_000;

const id = (kind: string, n = 'n') => `('${kind}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

type Known = {
  TenantID: string;
  userId: string;
  enrollId: string;
  cmi5EnrollId: string;
  webhookId: string;
  courseId: string;
};

/**
 * Half of the rows match one value of a filter, and the other half match another value, so that two filters can be
 * combined without a match.
 */
const half = (even: string, odd: string) => `case when n % 2 = 0 then ${even} else ${odd} end`;
/** The agent, verb and activity of the statements and documents. */
export const lrs = {
  agent: JSON.stringify({ mbox: 'mailto:a@b.example' }),
  verb: 'https://e.example/v',
  activityId: 'https://e.example/a',
};
const lrsKeys = {
  agent: searchKey('agent', 'mbox mailto:a@b.example'),
  verb: searchKey('verb', lrs.verb),
  activity: searchKey('activity', lrs.activityId),
};
/** Actors in the audit trail. */
export const actors = ['01970000-0000-7000-8000-000000000000', '01970000-0000-7000-8000-000000000001'];

/**
 * Most rows belong to one user, one enrolment or one endpoint, which is the worst case that a caller can
 * create. Most enrolments belong to the user `crowd-2`.
 */
function statements({ TenantID, userId, enrollId, cmi5EnrollId, webhookId, courseId }: Known): string[] {
  const t = `'${TenantID}'`;
  const made = `from generate_series(1, ${crowdedRows}) n`;
  const fewer = `from generate_series(1, ${crowdedLargeRows}) n`;
  const [u, e, w] = [`'${userId}'::uuid`, `'${enrollId}'::uuid`, `'${webhookId}'::uuid`];
  const others = id('01900000');
  return [
    `insert into "user" (tenant_id, user_id, login_id, first_name, last_name, group_name, email, folded_email, sort_name, folded,
       password_hash, enabled, created_at, updated_at)
     select ${t}, ${others}, 'crowd-' || n, ${half("'First'", "'Second'")}, ${half("'Last'", "'Later'")}, ${half("'crowd'", "'others'")},
       ${half("'other@x.example'", "'crowd@x.example'")},
       ${half("'other@x.example'", "'crowd@x.example'")}, ${half("'last first'", "'later second'")},
       ${half("'last first crowd-'", "'later second crowd-'")} || n, 'x', n % 2 = 0, date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) ${made}`,
    `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at, ended_at,
       expires_at, status, status_before_end, group_name, holds_seat)
     select ${t}, ${id('01910000')}, case when n % 200 = 0 then ${u} when n % 2 = 0 then ${id('01900000', '2')} else ${others} end, '${courseId}', 'standard', 'enrolment',
       date_trunc('milliseconds', now()), date_trunc('milliseconds', now()), case when n % 2 = 0 then date_trunc('milliseconds', now()) end, date_trunc('milliseconds', now()) + interval '1 day',
       case when n % 2 = 0 then 'withdrawn' else 'enrolled' end, 'enrolled', ${half("'crowd'", "'others'")}, n % 2 <> 0 ${made}`,
    `insert into launch (tenant_id, enroll_id, number, started_at, last_seen_at, user_agent)
     select ${t}, ${e}, n + 10, date_trunc('milliseconds', now()), date_trunc('milliseconds', now()), 'browser' ${made}`,
    `insert into run_time_commit (tenant_id, enroll_id, launch, number, unit_id, evidence, committed_at, body_hash)
     select ${t}, ${e}, 2, n, 'web', '{"Completion":"incomplete"}', date_trunc('milliseconds', now()), 'hash' ${made}`,
    `insert into au_session (tenant_id, enroll_id, session_id, unit_id, launch, mode, opened_at, ended_at, ended_by)
     select ${t}, '${cmi5EnrollId}'::uuid, ${id('019a0000')}, 'https://example.com/au', 1, 'Normal', date_trunc('milliseconds', now()),
       date_trunc('milliseconds', now()), 'abandoned' ${made}`,
    `insert into attempt (tenant_id, enroll_id, tree_state) select ${t}, ${id('01910000')}, 'x' ${fewer}`,
    `insert into attempt_unit (tenant_id, enroll_id, unit_id, commit_number, data, evidence, updated_at)
     select ${t}, ${id('01910000', 'n % 50 + 1')}, 'unit-' || n, 1, '{}', '{}', date_trunc('milliseconds', now()) ${fewer}`,
    `insert into earlier_attempt (tenant_id, enroll_id, number, first_launch, last_launch, ended_at, ended_by, discarded, result)
     select ${t}, ${e}, n + 10, n + 10, n + 10, date_trunc('milliseconds', now()), 'reset', true,
       '{"Completion":"incomplete","Success":"failed","Score":10,"Progress":0,"TotalSeconds":1}' ${fewer}`,
    `insert into earlier_unit (tenant_id, enroll_id, number, unit_id, launch, commit_number, data, bytes, evidence, updated_at)
     select ${t}, ${e}, n + 10, 'unit', 1, 1, '{}', 2, '{}', date_trunc('milliseconds', now()) ${fewer}`,
    `insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data)
     select ${t}, ${id('01920000')}, 'enrolment.updated', date_trunc('milliseconds', now()), ${u}, case when n % 2 = 0 then ${e} end, '${courseId}',
       '{"Changed":["Reference"],"Status":"enrolled"}' ${made}`,
    `insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, reason, status, created_at,
       attempted_at, response_status, response_body, url)
     select ${t}, ${w}, ${id('01930000')}, ${id('01920000')}, 'enrolment.updated', case when n % 2 = 0 then ${e} else ${u} end,
       'replay', case when n % 10 = 0 then 'pending' else 'delivered' end, date_trunc('milliseconds', now()), date_trunc('milliseconds', now()), 200, 'taken', 'http://127.0.0.1:9/' ${made}`,
    `insert into enrolment_key (tenant_id, key_id, key_hash, key_start, course_ids, duration_ids, purchase_order, user_id,
       redeemed_by, redeemed_at, valid_from, valid_until, created_at)
     select ${t}, ${id('01940000')}, md5(n::text), 'x', '{${courseId}}', '{standard}', case when n % 3 = 1 then 'order' else 'other' end,
       case when n % 3 = 0 then ${u} end, case when n % 3 = 1 then ${u} end, case when n % 3 = 1 then date_trunc('milliseconds', now()) end,
       date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) + interval '1 year', date_trunc('milliseconds', now()) ${made}`,
    `insert into audit_entry (tenant_id, audit_id, number, at, action, actor, actor_id, actor_user_id, target, target_id, data,
       hash)
     select ${t}, ${id('01950000')}, 1000 + n, date_trunc('milliseconds', now()), ${half("'enrolment.withdrawn'", "'enrolment.reinstated'")}, 'administrator',
       ${half(`'${actors[0]}'`, `'${actors[1]}'`)}, case when n % 2 = 0 then ${u} end, 'enrolment', ${half(`${e}::text`, `${others}::text`)}, '{}', 'x' ${made}`,
    `insert into mail (tenant_id, mail_id, user_id, kind, address, folded_address, status, content, created_at, expires_at, due_at)
     select ${t}, ${id('019a0000')}, ${half(u, `${id('01900000')}`)}, 'invitation', 'crowd@mail.example', 'crowd@mail.example', ${half("'sent'", "'queued'")}, ${half('null', "'x'")},
       date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) + interval '7 days', date_trunc('milliseconds', now()) ${made}`,
    `insert into mail_queue (tenant_id, wake_at) values (${t}, date_trunc('milliseconds', now()))`,
    `insert into sign_in_link (tenant_id, link_hash, user_id, path, created_at, expires_at)
     select ${t}, 'link-' || n, ${u}, '/', date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) + interval '1 minute' ${made}`,
    `insert into user_session (tenant_id, session_hash, user_id, signed_in_at, last_seen_at, expires_at)
     select ${t}, 'session-' || n, ${u}, date_trunc('milliseconds', now()), date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) + interval '1 hour' ${made}`,
    `insert into passkey (tenant_id, user_id, passkey_id, name, credential_id, public_key, sign_count, transports, created_at)
     select ${t}, ${others}, ${others}, 'Laptop', 'id-' || n, 'x', 0, '{}', date_trunc('milliseconds', now()) ${made}`,
    `insert into stored_answer (tenant_id, key_hash, request_hash, expires_at, answer)
     select ${t}, decode(md5(n::text), 'hex'), '\\x00', date_trunc('milliseconds', now()) + interval '1 day', '\\x00' ${made}`,
    `insert into statement (tenant_id, statement_id, position, payload, bytes, keys, refers_to)
     select ${t}, ${id('01970000')}, n, '{"id":"' || ${id('01970000')} || '","actor":{"mbox":"mailto:a@b.example"},"verb":{"id":"https://e.example/v"},"object":{"id":"https://e.example/a"},"timestamp":"2026-01-01T00:00:00Z"}', 200,
       array[${half(`'${lrsKeys.agent}'::uuid`, `'${lrsKeys.verb}'::uuid`)}], case when n % 2 = 0 then ${id('01970000', '1')} end ${made}`,
    `insert into statement_match (tenant_id, key, position, source)
     select ${t}, ${half(`'${lrsKeys.agent}'::uuid`, `'${lrsKeys.verb}'::uuid`)}, n, n ${made}`,
    `insert into voided_statement (tenant_id, position) select ${t}, n from generate_series(1, 5000) n`,
    `insert into statement_attachment (tenant_id, statement_id, sha2, content_type, content)
     select ${t}, ${id('01970000', '7')}, 'sha-' || n, 'text/plain', '' ${fewer}`,
    `insert into activity_definition (tenant_id, activity_key, definition_key, position, activity)
     select ${t}, '${lrsKeys.activity}', ${id('01980000')}, n, '{"id":"https://e.example/a","definition":{}}' ${made}`,
    `insert into xapi_document (tenant_id, kind, agent_key, activity_key, registration, document_key, document_id, content_type,
       content, etag, updated_at, about)
     select ${t}, kind, case when kind = 'activity_profile' then '${noKey}' else '${lrsKeys.agent}' end::uuid,
       case when kind = 'agent_profile' then '${noKey}' else '${lrsKeys.activity}' end::uuid, '${noKey}', ${id('01990000')}, 'd-' || n,
       'application/json', '{}', 'x', date_trunc('milliseconds', now()), '{}' ${fewer}
     cross join (values ('state'), ('activity_profile'), ('agent_profile')) as kinds (kind)`,
    `insert into completion_line (tenant_id, kind, course_id, group_name)
     select ${t}, 'course_and_group', ${half(`'${courseId}'`, "'other'")}, 'group-' || n ${made}`,
    `insert into completion_day (tenant_id, kind, course_id, group_name, day, not_started, in_progress, passed, failed, completed, expired, withdrawn, open, overdue)
     select ${t}, 'course_and_group', '${courseId}', 'group-2', date '2000-01-01' + n, n, 0, 0, 0, 0, 0, 0, n, 0 ${made}`,
    `insert into access_end (tenant_id, kind, course_id, group_name, day, enrolments)
     select ${t}, 'course_and_group', '${courseId}', 'group-2', current_date - 100 + n, n ${made}`,
    `insert into erasure (tenant_id, erasure_id, login_mark, receipt, erased_at)
     select ${t}, ${id('01960000')}, 'mark-' || n, '{}', date_trunc('milliseconds', now()) ${made}`,
  ];
}

const tables = [
  'user',
  'enrolment',
  'launch',
  'run_time_commit',
  'au_session',
  'attempt',
  'attempt_unit',
  'earlier_attempt',
  'earlier_unit',
  'event',
  'webhook_delivery',
];
const ofLrs = [
  'statement',
  'statement_match',
  'voided_statement',
  'statement_attachment',
  'activity_definition',
  'xapi_document',
];
const others = [
  'enrolment_key',
  'audit_entry',
  'mail',
  'sign_in_link',
  'user_session',
  'passkey',
  'stored_answer',
  'completion_line',
  'completion_day',
  'access_end',
  'erasure',
];

export async function fillCrowd(service: TestService, known: Known): Promise<void> {
  const run = (text: string) =>
    service.ctx.engine.query({ text: `/* across tenants: a test fills tables */ ${text}`, values: [] });
  for (const text of statements(known)) {
    await run(text);
    // Without statistics, PostgreSQL would check the foreign keys of the next table with a plan for an empty
    // table.
    const [, table] = /insert into "?(\w+)/.exec(text) ?? [];
    if (table !== undefined) await run(`analyze "${table}"`);
  }
  await numberEvents(service.ctx, [known.TenantID]);
  for (const table of [...tables, ...ofLrs, ...others]) await run(`analyze "${table}"`);
}
