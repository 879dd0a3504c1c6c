import type { EventType } from './types.ts';

/**
 * The beginning of an INSERT that other modules include in their own statement, so that a change and its
 * event commit together. Follow it with a SELECT of exactly these columns.
 */
export const insertEvent =
  'insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data)';

/** The literal of an event type in such a SELECT. */
export function eventType(type: EventType): string {
  return `'${type}'`;
}
