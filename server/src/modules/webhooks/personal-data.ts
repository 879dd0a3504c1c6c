import type { PersonalData } from '../../platform/personal-data.ts';

/**
 * What was sent is not stored: it is read from the log, which has lost the person. A lane named after the user becomes
 * one of the event alone.
 */
export const deliveryData: PersonalData = {
  name: 'Deliveries',
  tables: ['webhook', 'webhook_delivery'],
  erased: 'What receivers answered to events of the person.',
  kept: {
    what: 'Which events were delivered where, and when.',
    why: 'They are the proof of delivery; the events lead to nobody any more.',
  },
  erase: async (ctx, { userId, enrollIds }) => {
    const { numUpdatedRows } = await ctx.db
      .updateTable('webhook_delivery')
      .set((set) => ({
        response_body: null,
        error: null,
        person_erased: true,
        lane: set.case().when('lane', '=', userId).then(set.ref('event_id')).else(set.ref('lane')).end(),
      }))
      .where('tenant_id', '=', ctx.tenantId)
      .where((where) => where('lane', '=', where.fn.any(where.val([userId, ...enrollIds]))))
      .executeTakeFirst();
    return Number(numUpdatedRows);
  },
  read: async function* (ctx, { userId, enrollIds }) {
    const rows = await ctx.db
      .selectFrom('webhook_delivery as delivery')
      .innerJoin('webhook', (join) =>
        join
          .on('webhook.tenant_id', '=', ctx.tenantId)
          .onRef('webhook.webhook_id', '=', 'delivery.webhook_id'),
      )
      .select(['delivery.event_id', 'delivery.status', 'delivery.attempted_at', 'webhook.url'])
      .where('delivery.tenant_id', '=', ctx.tenantId)
      .where((where) => where('delivery.lane', '=', where.fn.any(where.val([userId, ...enrollIds]))))
      .orderBy('delivery.number')
      .execute();
    for (const row of rows)
      yield { EventID: row.event_id, URL: row.url, Status: row.status, AttemptedAt: row.attempted_at };
  },
};
