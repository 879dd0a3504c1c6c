import type { EventType } from '../events/types.ts';

/** What the evaluation of obligations can write. */
export const obligationEvents = [
  'obligation.opened',
  'obligation.due_soon',
  'obligation.overdue',
  'obligation.met',
  'obligation.expiring',
  'obligation.expired',
  'obligation.closed',
  'enrolment.created',
  'enrolment.renewed',
  'enrolment.expired',
] as const satisfies readonly EventType[];
