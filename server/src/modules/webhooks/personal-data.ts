import { run } from '../../platform/db/transaction.ts';
import type { PersonalData } from '../../platform/personal-data.ts';

const anonymize = `
update webhook_delivery held set response_body = null, error = null, person_erased = true,
  lane = case when held.lane = $3 then held.event_id else held.lane end
where held.tenant_id = $1 and held.lane = any($2::uuid[]) returning 1`;

const read = `
select held.event_id, held.status, held.attempted_at, hook.url
from webhook_delivery held join webhook hook on hook.tenant_id = $1 and hook.webhook_id = held.webhook_id
where held.tenant_id = $1 and held.lane = any($2::uuid[]) order by held.number`;

type DeliveryRow = { event_id: string; status: string; attempted_at: Date | null; url: string };

/**
 * What was sent is not stored: it is read from the log, from which the person has been removed. A lane named
 * after the user becomes that of the single event.
 */
export const deliveryData: PersonalData = {
  name: 'Deliveries',
  tables: ['webhook', 'webhook_delivery'],
  erased: 'What receivers responded to events about the person.',
  kept: {
    what: 'Which events were delivered where, and when.',
    why: 'They are the proof of delivery. The events no longer lead to anyone.',
  },
  erase: async (ctx, { userId, enrollIds }) => {
    const values = [ctx.tenantId, [userId, ...enrollIds], userId];
    return (await run(ctx, { name: 'anonymize_deliveries', text: anonymize, values })).length;
  },
  read: async function* (ctx, { userId, enrollIds }) {
    const values = [ctx.tenantId, [userId, ...enrollIds]];
    const rows = await run<DeliveryRow>(ctx, { name: 'deliveries_of_person', text: read, values });
    for (const row of rows)
      yield { EventID: row.event_id, URL: row.url, Status: row.status, AttemptedAt: row.attempted_at };
  },
};
