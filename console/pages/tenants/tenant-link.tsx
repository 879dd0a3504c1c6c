import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** The name of a tenant in a list, as a link. */
export function TenantLink({ tenantId, name }: { tenantId: string; name: string }) {
  return (
    <Anchor
      size="sm"
      fw={600}
      className="break"
      renderRoot={(props) => <Link to="/console/tenants/$tenantId" params={{ tenantId }} {...props} />}
    >
      {name}
    </Anchor>
  );
}
