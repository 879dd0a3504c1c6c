import { joinTransaction, run } from '../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { newId } from '../../lib/ids.ts';
import type { EventType } from './types.ts';
import { insertEvent, numberBeforeCommit } from './write.ts';

export type NewEvent = {
  /** Set if another record refers to the event. */
  id?: string;
  type: EventType;
  userId?: string;
  enrollId?: string;
  courseId?: string;
  data: Record<string, unknown>;
};

const append = `${insertEvent}
select $1, r.event_id, r.type, $3::timestamptz, r.user_id, r.enroll_id, r.course_id, r.data
from jsonb_to_recordset($2::jsonb) as r (event_id uuid, type text, user_id uuid, enroll_id uuid, course_id text,
  data jsonb)`;

/** Writes events in the same transaction as the change that they report. */
export async function appendEvents(ctx: TenantContext, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const now = tenantNow(ctx);
  const rows = events.map(({ id, type, userId, enrollId, courseId, data }) => ({
    event_id: id ?? newId(now),
    type,
    user_id: userId ?? null,
    enroll_id: enrollId ?? null,
    course_id: courseId ?? null,
    data,
  }));
  await joinTransaction(ctx, async (ctx) => {
    await run(ctx, {
      name: 'append_events',
      text: append,
      values: [ctx.tenantId, JSON.stringify(rows), now],
    });
    numberBeforeCommit(ctx, [ctx.tenantId]);
  });
}

const insertForTenants = `/* across tenants: the change concerns every tenant that is offered the course */
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
    const inserted = await run<{ tenant_id: string }>(ctx, { text: insertForTenants, values });
    numberBeforeCommit(
      ctx,
      inserted.map(({ tenant_id }) => tenant_id),
    );
  });
}
