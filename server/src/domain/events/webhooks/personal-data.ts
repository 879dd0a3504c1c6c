import {
  countTenantRows,
  type KeyPosition,
  type Keyset,
  keysetSql,
  positionOf,
  rowsOf,
} from '../../../db/page.ts';
import { run } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { type Batch, batchRows, type PersonalData } from '../../../infra/context/personal-data.ts';

/** Each endpoint has a lane for a user and for each of their enrolments. */
const deliveriesIn = (lane: string, webhookId: string, rows: number): Keyset => ({
  table: 'webhook_delivery',
  of: { webhook_id: webhookId, lane },
  key: ['number'],
  rows,
});

const endpointsText = `
select hook.webhook_id, hook.url from webhook hook cross join lateral (
  select 1 from webhook_delivery held
  where held.tenant_id = $1 and held.webhook_id = hook.webhook_id and held.lane = $2::uuid
  order by held.number limit 1
) one where hook.tenant_id = $1 and ($3::uuid is null or hook.webhook_id > $3)
order by hook.webhook_id`;

/** Endpoints that have deliveries in the lane, after the given endpoint. */
function endpointsWith(ctx: TenantContext, lane: string, after: string | null) {
  return run<{ webhook_id: string; url: string }>(ctx, endpointsText, [ctx.tenantId, lane, after]);
}

type Page = { webhook_id: string; delivery_id: string; number: number };

/**
 * If the lane is the user's ID, it is replaced with the event's ID. The ID of an enrolment does not identify
 * anyone.
 */
const anonymous = (lane: string) => `response_body = null, error = null, person_erased = true,
  lane = case when old.lane = ${lane} then old.event_id else old.lane end`;

async function erase(
  ctx: TenantContext,
  { lane, userId }: { lane: string; userId: string },
  after: KeyPosition | null,
): Promise<Batch> {
  const [begun, number = null] = after ?? [];
  const webhookId = typeof begun === 'string' ? begun : (await endpointsWith(ctx, lane, null))[0]?.webhook_id;
  if (webhookId === undefined) return { records: 0, next: null };
  const keyset = deliveriesIn(lane, webhookId, batchRows);
  const columns = 'held.webhook_id, held.delivery_id, held.number';
  const { text, values, add } = keysetSql(ctx.tenantId, keyset, number === null ? null : [number], columns);
  const page = await run<Page>(
    ctx,
    `with page as (${text}), erased as (
        update webhook_delivery old set ${anonymous(`${add(userId)}::uuid`)} 
        where old.tenant_id = $1 and old.webhook_id = ${add(webhookId)}
          and old.delivery_id = any(array(select page.delivery_id from page))
      ) select * from page order by number`,
    values,
  );
  if (page.length === batchRows)
    return { records: page.length, next: [webhookId, ...positionOf(page.at(-1), keyset.key)] };
  const [next] = await endpointsWith(ctx, lane, webhookId);
  return { records: page.length, next: next ? [next.webhook_id, null] : null };
}

const eachText = `
select 1 from unnest($2::uuid[]) own (id) cross join webhook hook cross join lateral (
  select 1 from webhook_delivery held
  where held.tenant_id = $1 and held.webhook_id = hook.webhook_id and held.lane = own.id
  order by held.number limit $3
) one where hook.tenant_id = $1 limit $3`;

type DeliveryRow = { event_id: string; status: string; attempted_at: Date | null };

async function* readLane(ctx: TenantContext, lane: string) {
  for (const { webhook_id, url } of await endpointsWith(ctx, lane, null))
    for await (const row of rowsOf<DeliveryRow>(ctx, deliveriesIn(lane, webhook_id, 200)))
      yield { EventID: row.event_id, URL: url, Status: row.status, AttemptedAt: row.attempted_at };
}

/** Bodies are not stored. They are read from the log, from which the person has been removed. */
export const deliveryData: PersonalData = {
  name: 'Deliveries',
  tables: ['webhook', 'webhook_delivery'],
  erased: 'The responses of receivers to events about the person.',
  retained: {
    what: 'Which events were delivered where, and when.',
    why: 'They prove that events were delivered. The events no longer identify anyone.',
  },
  eraseForUser: (ctx, { userId }, after) => erase(ctx, { lane: userId, userId }, after),
  eraseForEnrolment: (ctx, { userId, enrollId }, after) => erase(ctx, { lane: enrollId, userId }, after),
  count: (ctx, { userId, enrollIds, max }) => countTenantRows(ctx, eachText, [[userId, ...enrollIds], max]),
  read: async function* (ctx, person) {
    yield* readLane(ctx, person.userId);
    for await (const enrollId of person.enrolments()) yield* readLane(ctx, enrollId);
  },
};
