import type { components } from '../../client/src/generated.ts';
import { namesOf } from './choices.ts';

export type EventType = components['schemas']['Event']['Type'];
export type EventGroup = 'user' | 'enrolment' | 'obligation' | 'key' | 'course' | 'report' | 'webhook';

/** Every event type and its group. The code does not compile if a type is missing. */
const groupOf = {
  'user.created': 'user',
  'user.updated': 'user',
  'user.disabled': 'user',
  'user.erased': 'user',
  'invitation.created': 'user',
  'invitation.accepted': 'user',
  'mail.bounced': 'user',
  'enrolment.created': 'enrolment',
  'enrolment.updated': 'enrolment',
  'enrolment.launched': 'enrolment',
  'enrolment.progressed': 'enrolment',
  'enrolment.completed': 'enrolment',
  'enrolment.passed': 'enrolment',
  'enrolment.failed': 'enrolment',
  'enrolment.attempt_started': 'enrolment',
  'enrolment.attempt_finished': 'enrolment',
  'enrolment.reset': 'enrolment',
  'enrolment.extended': 'enrolment',
  'enrolment.ending': 'enrolment',
  'enrolment.expired': 'enrolment',
  'enrolment.withdrawn': 'enrolment',
  'enrolment.renewed': 'enrolment',
  'certificate.issued': 'enrolment',
  'certificate.expiring': 'enrolment',
  'certificate.expired': 'enrolment',
  'certificate.revoked': 'enrolment',
  'completion.recorded': 'obligation',
  'completion.deleted': 'obligation',
  'obligation.opened': 'obligation',
  'obligation.due_soon': 'obligation',
  'obligation.overdue': 'obligation',
  'obligation.met': 'obligation',
  'obligation.expiring': 'obligation',
  'obligation.expired': 'obligation',
  'obligation.closed': 'obligation',
  'score.accepted': 'enrolment',
  'score.rejected': 'enrolment',
  'key.redeemed': 'key',
  'course.released': 'course',
  'package.imported': 'course',
  'report.ready': 'report',
  'webhook.disabled': 'webhook',
} as const satisfies Record<EventType, EventGroup>;

const types = namesOf(groupOf);

/** The types in groups, ordered by how often people look for them. */
export const eventGroups: readonly { group: EventGroup; types: readonly EventType[] }[] = (
  ['enrolment', 'obligation', 'user', 'key', 'course', 'report', 'webhook'] as const
).map((group) => ({ group, types: types.filter((type) => groupOf[type] === group) }));
