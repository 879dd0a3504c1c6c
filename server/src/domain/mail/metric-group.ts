import { type MetricGroup, readWithTimeout } from '../../infra/operations/metrics.ts';

/** Larger queues are not counted exactly, so that counting takes a limited time. */
const maxCounted = 10_000;

/** A queue whose next email is in the future waits on purpose, such as after its hourly maximum. */
const queued = `/* across tenants: metrics cover the whole deployment */
select count(*)::float8 as count, coalesce(extract(epoch from $1::timestamptz - min(due.wake_at)), 0)::float8 as oldest
from (
  select waiting.wake_at from mail_queue waiting
  join tenant client on client.tenant_id = waiting.tenant_id and client.status <> 'suspended'
  join mail on mail.tenant_id = waiting.tenant_id and mail.urgent = waiting.urgent and mail.status = 'queued'
    and mail.due_at <= $1
  where waiting.wake_at <= $1 limit ${maxCounted}
) due`;

export const mailMetrics: MetricGroup = {
  name: 'mail',
  seconds: 15,
  gauges: {
    lectern_mail_due: { help: `Emails that could be sent now, at most ${maxCounted}.` },
    lectern_mail_oldest_due_seconds: { help: 'How long the oldest of them has been due.' },
  },
  read: (ctx) =>
    readWithTimeout(ctx, async (connection) => {
      const { rows } = await connection.query<{ count: number; oldest: number }>({
        text: queued,
        values: [ctx.now()],
      });
      const { count = 0, oldest = 0 } = rows[0] ?? {};
      return [
        { gauge: 'lectern_mail_due', value: count },
        { gauge: 'lectern_mail_oldest_due_seconds', value: Math.max(0, oldest) },
      ];
    }),
};
