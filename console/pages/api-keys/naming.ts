/** On a tenant's own page, the operator's calls name this tenant. On other pages, the menu selects the tenant. */
export const naming = (tenantId: string | undefined) =>
  tenantId === undefined ? {} : { header: { Tenant: encodeURIComponent(tenantId) } };
