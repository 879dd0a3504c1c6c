import { eventType, insertEvent } from '../../events/write.ts';

/** SQL: RFC 3339 in UTC, whatever the server's time zone. */
function instant(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * The events for the changes. A row has at most one event that ends an enrolment, and one that creates or extends one.
 */
export const eventRows = `  select $1, step.first_event, ${eventType('enrolment.expired')}, $3::timestamptz, ended.user_id, ended.enroll_id,
    ended.course_id, jsonb_build_object('Status', ended.status)
  from ended join step on step.n = ended.n where step.action = 'replace' and ended.status = 'expired'
  union all
  select $1, step.first_event, ${eventType('enrolment.renewed')}, $3, ended.user_id, ended.enroll_id, ended.course_id,
    jsonb_build_object('NewEnrollID', step.enroll_id, 'Status', ended.status)
  from ended join step on step.n = ended.n where step.action = 'renew'
  union all
  select $1, step.second_event, ${eventType('enrolment.extended')}, $3, extended.user_id, extended.enroll_id,
    extended.course_id, jsonb_build_object('DurationID', step.chosen, 'ExpiresAt', ${instant('extended.expires_at')},
      'Status', extended.status, 'Reference', step.reference)
  from extended join step on step.former_id = extended.enroll_id
  union all
  select $1, step.second_event, ${eventType('enrolment.created')}, $3, inserted.user_id, inserted.enroll_id,
    inserted.course_id, jsonb_build_object('DurationID', inserted.duration_id, 'Reference', inserted.reference)
  from inserted join step on step.enroll_id = inserted.enroll_id`;

export const writtenEvents = `written_events as (
  ${insertEvent}
${eventRows}
)`;
