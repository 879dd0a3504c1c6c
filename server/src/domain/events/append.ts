import { joinTransaction, run } from '../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { newId } from '../../lib/ids.ts';
import type { EventType } from './types.ts';
import { insertEvent, insertEventAt, nextPositions, numberBeforeCommit } from './write.ts';

export type NewEvent = {
  /** Set if another record refers to the event. */
  id?: string;
  type: EventType;
  userId?: string;
  enrollId?: string;
  courseId?: string;
  data: Record<string, unknown>;
};

const columns = 'r.event_id, r.type, $3::timestamptz, r.user_id, r.enroll_id, r.course_id, r.data';
const rows = `jsonb_to_recordset($2::jsonb) as r (n integer, event_id uuid, type text, user_id uuid, enroll_id uuid,
  course_id text, data jsonb)`;

const append = `${insertEvent}
select $1, ${columns} from ${rows}`;

const appendLast = `with log_end as (${nextPositions('values ($1, $4::bigint)')})
${insertEventAt}
select $1, ${columns}, log_end.position - $4 + r.n from ${rows} cross join log_end`;

const rowsOf = (events: readonly NewEvent[], now: Date) =>
  events.map(({ id, type, userId, enrollId, courseId, data }, n) => ({
    n: n + 1,
    event_id: id ?? newId(now),
    type,
    user_id: userId ?? null,
    enroll_id: enrollId ?? null,
    course_id: courseId ?? null,
    data,
  }));

/** Writes events in the same transaction as the change that they report. */
export async function appendEvents(ctx: TenantContext, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const now = tenantNow(ctx);
  await joinTransaction(ctx, async (ctx) => {
    await run(ctx, append, [ctx.tenantId, JSON.stringify(rowsOf(events, now)), now]);
    numberBeforeCommit(ctx, [ctx.tenantId]);
  });
}

/**
 * The same as the last step of the caller's transaction: other transactions that write events for the tenant wait from
 * here. Numbering many events before the commit costs more than writing them.
 */
export async function appendLastEvents(ctx: TenantContext, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const now = tenantNow(ctx);
  await run(ctx, appendLast, [ctx.tenantId, JSON.stringify(rowsOf(events, now)), now, events.length]);
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
    const inserted = await run<{ tenant_id: string }>(ctx, insertForTenants, values);
    numberBeforeCommit(
      ctx,
      inserted.map(({ tenant_id }) => tenant_id),
    );
  });
}
