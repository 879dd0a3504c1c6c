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

type TenantClock = { now: () => Date; clocks: TenantClocks; tenantId: string };

/** SQL: a tenant's current time. `now` is the service's time, and `client` is the tenant's row. */
export const tenantNowSql = (now: string, client: string) =>
  `(${now}::timestamptz + make_interval(secs => coalesce(${client}.clock_offset, 0)))`;
