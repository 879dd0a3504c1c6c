/** The header with which the operator names a tenant on its own page. Elsewhere, the menu has determined it. */
export const naming = (tenantId: string | undefined) =>
  tenantId === undefined ? {} : { header: { Tenant: encodeURIComponent(tenantId) } };
