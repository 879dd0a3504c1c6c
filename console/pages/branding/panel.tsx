import './branding.css';
import { Input, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { PageForm } from '../../parts/page-form.tsx';
import { Unready } from '../../parts/states.tsx';
import { useBranding } from '../../shell/branding.tsx';
import { naming } from '../api-keys/naming.ts';
import { ColourField, colourOf, LogoField } from './fields.tsx';
import { base64Of } from './logo-file.ts';
import { BrandingPreview } from './preview.tsx';

type Branding = components['schemas']['Branding'];
type PanelProps = { tenantId: string | undefined; name: string };

/** The colour and the logo of the user's own tenant, or of the tenant that the operator has opened. */
export function BrandingPanel({ tenantId, name }: PanelProps) {
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/branding', { params: naming(tenantId) });
  if (!asked.data) return <Unready query={asked} rows={4} />;
  return <Form key={asked.data.UpdatedAt} branding={asked.data} tenantId={tenantId} name={name} />;
}

function useSave(tenantId: string | undefined) {
  const { client } = useApi();
  const { TenantID } = useSession();
  const { remember } = useBranding();
  return async (body: components['schemas']['BrandingChange']) => {
    const { error } = await client.PUT('/branding', { params: naming(tenantId), body });
    if (error) throw error;
    if (TenantID === null) return;
    const { data } = await client.GET('/branding/{TenantID}', { params: { path: { TenantID } } });
    remember(TenantID, data);
  };
}

function Form({ branding, tenantId, name }: PanelProps & { branding: Branding }) {
  const t = useTranslations('branding');
  const { Scopes } = useSession();
  const before = { colour: branding.Colour, logo: branding.Logo?.URL ?? null };
  const [typed, setTyped] = useState(before.colour ?? '');
  const [logo, setLogo] = useState(before.logo);
  const save = useSave(tenantId);
  const colour = colourOf(typed);
  const isChanged = colour !== before.colour || logo !== before.logo;
  const mayChange = Scopes.includes('users:admin') && Scopes.includes('users:write');
  const undo = () => {
    setTyped(before.colour ?? '');
    setLogo(before.logo);
  };
  return (
    <PageForm
      className="brand-form"
      gap="lg"
      texts={t}
      isAllowed={mayChange}
      isChanged={isChanged}
      missing={colour === undefined && t('colour')}
      save={() =>
        save({
          ...(colour !== undefined && colour !== before.colour ? { Colour: colour } : {}),
          ...(logo === before.logo ? {} : { Logo: logo && base64Of(logo) }),
        })
      }
      onUndo={undo}
      aside={
        <Stack gap="xs" component="section" aria-label={t('previewTitle')}>
          <Input.Label labelElement="div" aria-hidden>
            {t('previewTitle')}
          </Input.Label>
          <BrandingPreview name={name} logo={logo} colour={colour ?? null} />
          <Text size="xs" c="dimmed">
            {t('previewText')}
          </Text>
        </Stack>
      }
    >
      <LogoField logo={logo} isDisabled={!mayChange} onChange={setLogo} />
      <ColourField typed={typed} isDisabled={!mayChange} onType={setTyped} />
    </PageForm>
  );
}
