import type { TenantContext } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import type { EventType } from './types.ts';

export type NewEvent = {
  type: EventType;
  userId?: string;
  enrollId?: string;
  courseId?: string;
  data: Record<string, unknown>;
};

/** Writes events in the transaction of the change that they tell of. */
export async function appendEvents(ctx: TenantContext, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const now = ctx.now();
  await ctx.db
    .insertInto('event')
    .values(
      events.map((event) => ({
        tenant_id: ctx.tenantId,
        event_id: newId(now),
        type: event.type,
        occurred_at: now,
        user_id: event.userId ?? null,
        enroll_id: event.enrollId ?? null,
        course_id: event.courseId ?? null,
        data: JSON.stringify(event.data),
      })),
    )
    .execute();
}
