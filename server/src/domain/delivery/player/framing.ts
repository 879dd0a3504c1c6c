import type { Tenant } from '../../tenants/schemas.ts';

/**
 * Returns the sources for CSP `frame-ancestors`. The default is `*`, because clients embed courses
 * in their own pages.
 */
export function frameAncestors(tenant: Pick<Tenant, 'FrameOrigins'> | null): string {
  if (!tenant) return "'none'";
  if (tenant.FrameOrigins === null) return '*';
  return ["'self'", ...tenant.FrameOrigins].join(' ');
}
