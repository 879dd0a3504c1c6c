/** The header that selects a tenant on its own page for the operator. Elsewhere, the menu selects the tenant. */
export const naming = (tenantId: string | undefined) =>
  tenantId === undefined ? {} : { header: { Tenant: encodeURIComponent(tenantId) } };
