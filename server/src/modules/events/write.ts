import type { EventType } from './types.ts';

/**
 * The beginning of an INSERT that other modules include in their own statements, so that a change and its event commit
 * together. Follow it with a SELECT of exactly these columns.
 */
export const insertEvent =
  'insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data)';

/** An event type as an SQL literal, for the SELECT that follows `insertEvent`. */
export function eventType(type: EventType): string {
  return `'${type}'`;
}
