import { Button, Divider, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { rememberTenant } from './use-sign-in.ts';

type Provider = components['schemas']['SignInProviders']['Items'][number];

/** People are still typing until they pause for this long. */
const pauseMilliseconds = 400;

function useProviders(tenant: string, login: string): Provider[] {
  const { client } = useApi();
  const [providers, setProviders] = useState<Provider[]>([]);
  const TenantID = tenant.trim();
  const email = /^\S+@\S+\.\S+$/.test(login) ? login : undefined;
  useEffect(() => {
    let isCurrent = true;
    const ask = async () => {
      const query = email === undefined ? {} : { Email: email };
      const { data } = await client.GET('/sso/{TenantID}/provider', {
        params: { path: { TenantID }, query },
      });
      if (isCurrent) setProviders(data?.Items ?? []);
    };
    const timer = setTimeout(() => {
      if (TenantID === '') setProviders([]);
      else ask().catch(() => {});
    }, pauseMilliseconds);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, TenantID, email]);
  return providers;
}

/** The way back to the page that was requested. */
function startOf({ StartURL }: Provider): string {
  const url = new URL(StartURL);
  const { pathname, search } = window.location;
  url.searchParams.set('ReturnPath', pathname + search);
  return url.pathname + url.search;
}

/** Sign-in with the identity providers of the organisation. */
export function ProviderButtons({ tenant, login }: { tenant: string; login: string }) {
  const t = useTranslations('signIn');
  const providers = useProviders(tenant, login);
  if (providers.length === 0) return null;
  return (
    <Stack gap="sm">
      <Divider label={t('or')} />
      {providers.map((provider) => (
        <Button
          key={provider.ProviderID}
          component="a"
          href={startOf(provider)}
          variant="default"
          fullWidth
          onClick={() => rememberTenant(tenant)}
        >
          {t('continueWith', { name: provider.Name })}
        </Button>
      ))}
    </Stack>
  );
}
