/** The closed list of event types. */
export const eventTypes = [
  'user.created',
  'user.updated',
  'user.disabled',
  'enrolment.created',
  'enrolment.updated',
  'enrolment.launched',
  'enrolment.progressed',
  'enrolment.completed',
  'enrolment.passed',
  'enrolment.failed',
  'enrolment.expired',
  'enrolment.withdrawn',
] as const;

export type EventType = (typeof eventTypes)[number];
