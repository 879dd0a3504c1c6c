import type { Connection } from '../../db/engine/engine.ts';
import type { Context } from '../../infra/context/context.ts';
import { type MetricGroup, readWithTimeout, type Sample } from '../../infra/operations/metrics.ts';
import { checkHead, type Head } from '../audit/chain.ts';
import { mailMetrics } from '../mail/metric-group.ts';

/** Larger backlogs are not counted exactly, so that counting takes a limited time. */
const maxCounted = 100_000;

/**
 * Maximum number of events read per endpoint. This is enough, because an idle endpoint's position also moves
 * past events that it does not receive. Suspended tenants are excluded, because their deliveries wait on
 * purpose.
 */
const maxRead = 200;

/**
 * Returns the age of the oldest event for which no delivery has been created. Reads the events
 * after each endpoint's position from the index `event_by_position`.
 */
const oldestUndelivered = `/* across tenants: metrics cover the whole deployment */
select extract(epoch from $1::timestamptz - min(wanted.occurred_at))::float8 as value
from webhook hook join tenant client on client.tenant_id = hook.tenant_id and client.status = 'active'
cross join lateral (
  select ahead.occurred_at from (
    select event.type, event.occurred_at from event
    where event.tenant_id = hook.tenant_id
      and event.position > hook.position
    order by event.position limit ${maxRead}
  ) ahead
  where hook.types is null or ahead.type = any (hook.types) limit 1
) wanted
where hook.status = 'enabled'`;

/** Counts entries of the index `webhook_delivery_by_status`, up to `maxCounted`. */
const backlog = `/* across tenants: metrics cover the whole deployment */
select count(*)::float8 as value from (
  select 1 from webhook hook join tenant client on client.tenant_id = hook.tenant_id and client.status = 'active'
  join webhook_delivery
    on webhook_delivery.tenant_id = hook.tenant_id and webhook_delivery.webhook_id = hook.webhook_id and webhook_delivery.status = 'pending'
  where hook.status = 'enabled' limit ${maxCounted}
) pending`;

/** Reads each endpoint's first entry in the index `webhook_delivery_by_status`. */
const oldestPending = `/* across tenants: metrics cover the whole deployment */
select extract(epoch from $1::timestamptz - min(first.created_at))::float8 as value
from webhook hook join tenant client on client.tenant_id = hook.tenant_id and client.status = 'active'
cross join lateral (
  select webhook_delivery.created_at from webhook_delivery
  where webhook_delivery.tenant_id = hook.tenant_id and webhook_delivery.webhook_id = hook.webhook_id and webhook_delivery.status = 'pending'
  order by webhook_delivery.number limit 1
) first
where hook.status = 'enabled'`;

const ages = {
  lectern_events_undelivered_seconds: {
    text: oldestUndelivered,
    help: 'Age of the oldest event for which the deliveries to webhook endpoints have not been created yet.',
  },
  lectern_webhook_oldest_pending_seconds: {
    text: oldestPending,
    help: 'Age of the oldest pending delivery to an enabled webhook endpoint.',
  },
};

const eventMetrics: MetricGroup = {
  name: 'events',
  seconds: 15,
  gauges: {
    ...ages,
    lectern_webhook_deliveries_pending: {
      help: `Pending deliveries to enabled webhook endpoints, at most ${maxCounted}.`,
    },
  },
  read: (ctx) =>
    readWithTimeout(ctx, async (connection) => {
      const pending = await numberOf(connection, backlog, []);
      const samples: Sample[] = [{ gauge: 'lectern_webhook_deliveries_pending', value: pending }];
      for (const [gauge, { text }] of Object.entries(ages))
        samples.push({ gauge, value: Math.max(0, await numberOf(connection, text, [ctx.now()])) });
      return samples;
    }),
};

async function numberOf(connection: Connection, text: string, values: unknown[]): Promise<number> {
  const { rows } = await connection.query<{ value: number | null }>({ text, values });
  return rows[0]?.value ?? 0;
}

/** Reads the table `webhook`, which has a few rows per tenant. */
const endpoints = `/* across tenants: metrics cover the whole deployment */
select count(*) filter (where hook.status = 'enabled')::float8 as enabled,
  count(*) filter (where hook.status = 'enabled' and hook.failing_since is not null)::float8 as failing,
  count(*) filter (where hook.status = 'disabled' and hook.disabled_reason = 'failing')::float8 as disabled_failing,
  count(*) filter (where hook.status = 'disabled' and hook.disabled_reason is distinct from 'failing')::float8
    as disabled_by_client
from webhook hook`;

const endpointMetrics: MetricGroup = {
  name: 'webhooks',
  seconds: 15,
  gauges: {
    lectern_webhook_endpoints: {
      help: 'Webhook endpoints by state: enabled, failing (of the enabled ones), disabled_failing, disabled_by_client.',
      labels: ['state'],
    },
  },
  read: (ctx) =>
    readWithTimeout(ctx, async (connection) => {
      const { rows } = await connection.query<Record<string, number>>({ text: endpoints, values: [] });
      const states = Object.entries(rows[0] ?? {});
      return states.map(([state, value]) => ({
        gauge: 'lectern_webhook_endpoints',
        labels: { state },
        value,
      }));
    }),
};

const pageOfHeads = 500;

/**
 * Reads by primary key. The interval is longer than for the other groups, because the cost grows with the
 * number of chains.
 */
const heads = `/* across tenants: metrics cover the whole deployment */
select head.tenant_id, head.number, head.at, head.hash, head.seal from audit_chain head
where ($1::text is null or head.tenant_id > $1) order by head.tenant_id limit ${pageOfHeads}`;

const headless = `/* across tenants: metrics cover the whole deployment */
select counted.tenants - chained.tenants as missing
from (select count(*)::integer as tenants from tenant where tenant.status <> 'deleting') counted
cross join (
  select count(*)::integer as tenants from audit_chain head
  join tenant on tenant.tenant_id = head.tenant_id and tenant.status <> 'deleting'
) chained`;

const auditMetrics: MetricGroup = {
  name: 'audit',
  seconds: 60,
  gauges: {
    lectern_audit_chains_unverified: {
      help: 'Audit chains whose head is missing or cannot be verified: the head was changed outside the service, or its signing key is missing.',
    },
  },
  read: async (ctx) => [
    {
      gauge: 'lectern_audit_chains_unverified',
      value: await readWithTimeout(ctx, (connection) => countUnverified(ctx, connection)),
    },
  ],
};

async function countUnverified(ctx: Context, connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ missing: number }>({ text: headless, values: [] });
  let unverified = rows[0]?.missing ?? 0;
  for (let after: string | null = null, more = true; more; ) {
    const { rows }: { rows: (Head & { tenant_id: string })[] } = await connection.query({
      text: heads,
      values: [after],
    });
    unverified += rows.filter((head) => checkHead(ctx, head.tenant_id, head) !== 'genuine').length;
    after = rows.at(-1)?.tenant_id ?? null;
    more = rows.length === pageOfHeads;
  }
  return unverified;
}

/** The groups of database metrics that modules report to /metrics. */
export const databaseMetrics: readonly MetricGroup[] = [
  eventMetrics,
  endpointMetrics,
  auditMetrics,
  mailMetrics,
];
