import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useApi } from '../api/api.tsx';
import { rememberedBranding, useBranding } from './branding.tsx';

/** While nobody is signed in, shows the branding of the tenant in the URL, or of the one that was used last. */
export function usePublicBranding(isActive: boolean): void {
  const { client } = useApi();
  const { tenant } = useSearch({ strict: false });
  const { show } = useBranding();
  useEffect(() => {
    const TenantID = tenant ?? rememberedBranding()?.TenantID;
    if (!isActive || TenantID === undefined) return;
    let isCurrent = true;
    client
      .GET('/branding/{TenantID}', { params: { path: { TenantID } } })
      .then(({ data }) => isCurrent && show(data))
      .catch(() => {});
    return () => {
      isCurrent = false;
    };
  }, [client, tenant, isActive, show]);
}
