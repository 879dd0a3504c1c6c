import type { Context, TenantContext } from '../../platform/context.ts';
import { joinTransaction, run } from '../../platform/db/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { EventType } from './types.ts';
import { numberBeforeCommit } from './write.ts';

export type NewEvent = {
  /** Set if another record refers to the event. */
  id?: string;
  type: EventType;
  userId?: string;
  enrollId?: string;
  courseId?: string;
  data: Record<string, unknown>;
};

/** Writes events in the same transaction as the change that they report. */
export async function appendEvents(ctx: TenantContext, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const now = ctx.now();
  const rows = events.map((event) => ({
    tenant_id: ctx.tenantId,
    event_id: event.id ?? newId(now),
    type: event.type,
    occurred_at: now,
    user_id: event.userId ?? null,
    enroll_id: event.enrollId ?? null,
    course_id: event.courseId ?? null,
    data: JSON.stringify(event.data),
  }));
  await joinTransaction(ctx, async (ctx) => {
    await ctx.db.insertInto('event').values(rows).execute();
    numberBeforeCommit(ctx, [ctx.tenantId]);
  });
}

const tell = `/* across tenants: the change concerns every tenant that is offered the course */
insert into event (tenant_id, event_id, type, occurred_at, course_id, data)
select tenant.tenant_id, $6, $2, $3, $4, $5::jsonb from tenant
where $1::text[] is null or tenant.tenant_id = any($1)
returning tenant_id`;

/** Writes a catalogue event to the log of each of these tenants; null means all tenants. */
export async function notifyTenants(
  ctx: Context,
  input: { tenants: string[] | null; type: EventType; courseId: string; data: Record<string, unknown> },
): Promise<void> {
  const { tenants, type, courseId, data } = input;
  const now = ctx.now();
  const values = [tenants, type, now, courseId, JSON.stringify(data), newId(now)];
  await joinTransaction(ctx, async (ctx) => {
    const told = await run<{ tenant_id: string }>(ctx, { text: tell, values });
    numberBeforeCommit(
      ctx,
      told.map(({ tenant_id }) => tenant_id),
    );
  });
}
