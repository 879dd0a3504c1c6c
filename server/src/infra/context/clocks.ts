/** How many milliseconds the clocks of test tenants are ahead of the service's clock, by tenant. */
export type TenantClocks = { ahead: ReadonlyMap<string, number> };

export const openClocks = (): TenantClocks => ({ ahead: new Map() });

/**
 * The current time for a tenant's data: enrolments, enrolment keys, users' dates, events and reports. Everything else
 * uses `ctx.now()`, so that moving the clock of a test tenant affects nothing that protects or is shared by tenants:
 * credentials, sessions, invitations, limits, the audit trail and deliveries.
 */
export function tenantNow({ now, clocks, tenantId }: TenantClock): Date {
  const ahead = clocks.ahead.get(tenantId);
  return ahead === undefined ? now() : new Date(now().getTime() + ahead);
}

/** The seconds by which the clocks of test tenants are ahead, by tenant, as JSON for `tenantNowOfSql`. */
export const secondsAhead = ({ clocks }: { clocks: TenantClocks }): string =>
  JSON.stringify(Object.fromEntries([...clocks.ahead].map(([tenant, ahead]) => [tenant, ahead / 1000])));

type TenantClock = { now: () => Date; clocks: TenantClocks; tenantId: string };

/** SQL: a tenant's current time. `now` is the service's time, and `client` is the tenant's row. */
export const tenantNowSql = (now: string, client: string) =>
  `(${now}::timestamptz + make_interval(secs => coalesce(${client}.clock_offset, 0)))`;

/**
 * SQL: the same as `tenantNowSql`, for a lateral subquery with a limit, which cannot use the tenant's row on Citus.
 * `ahead` is a parameter with `secondsAhead`, and `tenant` is SQL.
 */
export const tenantNowOfSql = (now: string, ahead: string, tenant: string) =>
  `(${now}::timestamptz + make_interval(secs => coalesce((${ahead}::jsonb ->> ${tenant})::float8, 0)))`;
